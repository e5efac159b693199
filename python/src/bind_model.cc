// Fitted models: what they hold, moving rows, files.

#include "bindings.h"
#include "conflux/core/error.h"
#include "conflux/storage/model_file.h"
#include "files/file_kind.h"
#include "model_parts.h"
#include "option_dict.h"

namespace py = pybind11;

namespace conflux::python {

namespace {

py::list records_of(const std::vector<LayerRecord>& records) {
  py::list out;
  for (const LayerRecord& record : records) out.append(record_of(record));
  return out;
}

// The summary of a fit, as the command prints it.
py::dict summary_of(const FitRecord& record) {
  using namespace py::literals;
  const FitSummary& summary = record.summary;
  py::dict moved;
  for (std::size_t j = 0; j < summary.moved_most.size(); ++j) {
    moved[py::str(summary.moved_most[j])] = summary.moved_by[j];
  }
  // Absent figures are None.
  const auto figure = [&](double value, bool there = true) {
    return summary.judged() && there ? std::optional<double>(value) : std::nullopt;
  };
  const bool several = !summary.worst_group.empty();
  const auto worst = several ? std::optional<std::string>(summary.worst_group) : std::nullopt;
  return py::dict(
      "verdict"_a = summary.verdict, "auc_before"_a = figure(summary.auc_before),
      "auc_after"_a = figure(summary.auc_after), "auc_by_chance"_a = figure(summary.auc_by_chance),
      "auc_low"_a = figure(summary.auc_low), "auc_high"_a = figure(summary.auc_high),
      "worst_group"_a = worst, "worst_before"_a = figure(summary.worst_before, several),
      "worst_after"_a = figure(summary.worst_after, several),
      "within_labels"_a = summary.within_labels,
      "neighbors_kept"_a = figure(summary.neighbors_kept),
      "neighbors_by_chance"_a = figure(summary.neighbors_by_chance), "moved_most"_a = moved,
      "energy_after"_a = figure(summary.energy_after), "energy_low"_a = figure(summary.energy_low),
      "energy_high"_a = figure(summary.energy_high), "beyond_knots"_a = summary.beyond_knots,
      "judged_rows"_a = summary.judged_rows, "unseen_rows"_a = summary.unseen_rows,
      "stop"_a = record.stop, "sentences"_a = summary.sentences, "warnings"_a = record.warnings);
}

py::bytes bytes_of(const Model& model) {
  const std::vector<std::byte> bytes = model_bytes(model);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

SharedModel model_of(const py::bytes& bytes) {
  const std::string_view view = bytes;
  return std::make_shared<Model>(parse_model(std::as_bytes(std::span(view.data(), view.size()))));
}

void save_over_model(const Model& model, const std::string& path) {
  refuse_other_kind(path, FileKind::kModel);
  save_model(path, model);
}

}  // namespace

void bind_model(py::module_& module) {
  py::class_<Model, SharedModel>(module, "Model", "A fitted flow with names; never changes.")
      .def_property_readonly("dim", [](const Model& self) { return self.flow.dim(); })
      .def_property_readonly("group_names",
                             [](const Model& self) { return self.flow.group_names(); })
      .def_property_readonly("feature_names", [](const Model& self) { return self.feature_names; })
      .def_property_readonly("group_column", [](const Model& self) { return self.group_column; })
      .def_property_readonly("label_column", [](const Model& self) { return self.label_column; })
      .def_property_readonly("label_names",
                             [](const Model& self) {
                               std::vector<std::string> out;
                               for (const auto& each : self.flow.within()) {
                                 out.push_back(each->label);
                               }
                               return out;
                             })
      .def_property_readonly("group_sizes",
                             [](const Model& self) { return self.record.group_sizes; })
      .def_property_readonly("warnings", [](const Model& self) { return self.record.warnings; })
      .def_property_readonly("seconds", [](const Model& self) { return self.record.seconds; })
      .def_property_readonly("options",
                             [](const Model& self) { return options_to_dict(self.record.options); })
      .def_property_readonly("history",
                             [](const Model& self) { return records_of(self.record.layers); })
      .def_property_readonly(
          "dropped_history",
          [](const Model& self) { return records_of(self.record.dropped_layers); })
      .def_property_readonly("held_out_at_start",
                             [](const Model& self) { return self.record.held_out_at_start; })
      .def_property_readonly("held_out_nb",
                             [](const Model& self) { return self.record.held_out_nb; })
      .def_property_readonly("layers",
                             [](const SharedModel& self) {
                               std::vector<LayerOf> out;
                               for (Index l = 0; l < self->flow.num_layers(); ++l) {
                                 out.push_back({self, l});
                               }
                               return out;
                             })
      .def(
          "group_index",
          [](const Model& self, const std::string& name) { return self.flow.group_index(name); },
          py::arg("name"))
      .def("move", &move_rows, py::arg("x"), py::arg("from_groups"), py::arg("to_groups"),
           py::arg("labels"), py::arg("want_rows"), py::arg("want_log_det"), py::arg("threads"))
      .def(
          "with_amount",
          [](const Model& self, double amount) {
            auto out = std::make_shared<Model>(self);
            set_amount(*out, amount);
            return out;
          },
          py::arg("amount"))
      .def_property_readonly("columns", [](const Model& self) { return columns_of(self); })
      .def_property_readonly("summary", [](const Model& self) { return summary_of(self.record); })
      .def("with_table_group", &with_table_group, py::arg("name"), py::arg("table"),
           py::arg("masses"), py::arg("threads"))
      .def("with_group", &with_group, py::arg("name"), py::arg("x"), py::arg("masses"),
           py::arg("threads"))
      .def("save", &save_over_model, py::arg("path"), py::call_guard<py::gil_scoped_release>())
      .def("to_bytes", &bytes_of)
      .def_static(
          "load", [](const std::string& path) { return std::make_shared<Model>(load_model(path)); },
          py::arg("path"), py::call_guard<py::gil_scoped_release>())
      .def_static("from_bytes", &model_of, py::arg("bytes"))
      .def("__copy__", [](const SharedModel& self) { return self; })
      .def("__deepcopy__", [](const SharedModel& self, const py::dict&) { return self; })
      .def(py::pickle(&bytes_of, &model_of));
}

}  // namespace conflux::python
