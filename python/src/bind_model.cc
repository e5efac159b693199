// Fitting, moving rows, files. Work happens without the GIL; a fit takes it back after every layer
// to call the user's function and to see whether Ctrl-C was pressed.

#include <fmt/format.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>

#include "bindings.h"
#include "conflux/core/error.h"
#include "conflux/storage/model_file.h"
#include "conflux/training/add_group.h"
#include "flow/affine_layer.h"
#include "flow/coordinate_layer.h"
#include "flow/sliced_layer.h"
#include "option_dict.h"
#include "samples.h"

namespace py = pybind11;

namespace conflux::python {

namespace {

using namespace py::literals;
using Names = std::vector<std::string>;
using OptionalNumbers = std::optional<Numbers>;

py::dict record_of(const LayerRecord& record) {
  return py::dict(
      "layer"_a = record.layer, "kind"_a = record.kind,
      "spread_at_start"_a = record.spread_at_start, "spread_before"_a = record.spread_before,
      "spread_after"_a = record.spread_after, "held_out"_a = record.held_out,
      "steps"_a = record.steps, "evaluations"_a = record.evaluations, "passes"_a = record.passes,
      "seconds"_a = record.seconds, "product_seconds"_a = record.product_seconds,
      "sort_seconds"_a = record.sort_seconds, "flops"_a = record.flops, "bytes"_a = record.bytes);
}

py::list records_of(const std::vector<LayerRecord>& records) {
  py::list out;
  for (const LayerRecord& record : records) out.append(record_of(record));
  return out;
}

std::span<const std::int64_t> span_of(const GroupNumbers& groups, Index rows) {
  if (groups.size() != rows) {
    throw InvalidData(fmt::format("there are {} rows but {} group labels; give one per row.", rows,
                                  groups.size()));
  }
  return {groups.data(), static_cast<std::size_t>(groups.size())};
}

std::span<const double> masses_of(const OptionalNumbers& masses, Index rows) {
  if (!masses) return {};
  if (masses->size() != rows) {
    throw InvalidData(fmt::format("there are {} rows but {} sample weights; give one per row.",
                                  rows, masses->size()));
  }
  return python::span_of(*masses);
}

// Borrows the rows of a group if they can be read where they are, and gathers them otherwise.
void add_rows(GroupSet& groups, const std::string& name, const Samples& samples,
              const RowPositions& where, std::span<const double> masses, const Workers& workers,
              std::vector<std::vector<double>>& kept_masses) {
  std::vector<double>& own_masses = kept_masses.emplace_back();
  if (!masses.empty()) {
    for (Index i = 0; i < where.count(); ++i) own_masses.push_back(masses[where[i]]);
  }
  if (samples.in_place() && where.regular()) {
    groups.add(name, samples.view(where.first(), where.step(), where.count()), own_masses);
    return;
  }
  const auto gather = [&](auto rows) {
    workers.for_each_block(rows.rows(), 1024, [&](Index begin, Index end) {
      std::vector<double> row(static_cast<std::size_t>(samples.cols()));
      for (Index i = begin; i < end; ++i) {
        samples.copy_row(where[i], row.data());
        for (Index j = 0; j < rows.cols(); ++j) {
          rows(i, j) = static_cast<typename decltype(rows)::Scalar>(row[j]);
        }
      }
    });
    groups.add(name, std::move(rows), std::vector<double>(own_masses));
  };
  if (samples.single()) {
    gather(SingleMatrix(where.count(), samples.cols()));
  } else {
    gather(Matrix(where.count(), samples.cols()));
  }
}

// Gives each group the labels of its rows.
void set_labels(GroupSet& groups, const std::vector<RowPositions>& where,
                std::span<const std::int64_t> labels, const Names& names) {
  std::vector<std::vector<Index>> of_groups;
  for (const RowPositions& rows : where) {
    auto& out = of_groups.emplace_back();
    for (Index i = 0; i < rows.count(); ++i) out.push_back(labels[rows[i]]);
  }
  groups.set_labels(names, std::move(of_groups));
}

// Raises KeyboardInterrupt if it is due, then asks the user's function whether to stop.
LayerCallback layer_callback(const py::object& on_layer) {
  return [&on_layer](const LayerRecord& record) {
    const py::gil_scoped_acquire locked;
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
    if (on_layer.is_none()) return true;
    return !py::bool_(on_layer(record_of(record)));
  };
}

std::shared_ptr<const Model> fit(const py::array& x, const GroupNumbers& groups,
                                 const Names& group_names, const OptionalNumbers& masses,
                                 const GroupNumbers& labels, const Names& label_names,
                                 const py::dict& options, const Names& feature_names,
                                 const std::string& group_column, const std::string& label_column,
                                 const py::object& on_layer) {
  const Samples samples(x);
  const auto group_of = span_of(groups, samples.rows());
  const auto mass_of = masses_of(masses, samples.rows());
  const auto label_of = span_of(labels, label_names.empty() ? 0 : samples.rows());
  const FitOptions chosen = options_from_dict(options);
  const LayerCallback callback = layer_callback(on_layer);

  const py::gil_scoped_release unlocked;
  validate(chosen);
  const Workers workers(chosen.threads);
  samples.check_finite(feature_names, workers);
  GroupSet set;
  std::vector<std::vector<double>> kept_masses;
  kept_masses.reserve(group_names.size());
  const auto where = positions_of(group_of, static_cast<Index>(group_names.size()));
  for (std::size_t m = 0; m < where.size(); ++m) {
    add_rows(set, group_names[m], samples, where[m], mass_of, workers, kept_masses);
  }
  if (!feature_names.empty()) set.set_feature_names(feature_names);
  if (!label_names.empty()) set_labels(set, where, label_of, label_names);
  SelfCommunicator alone;
  Fit fitted = fit_flow(std::move(set), chosen, alone, callback);
  return std::make_shared<const Model>(Model{.flow = std::move(fitted.flow),
                                             .record = std::move(fitted.record),
                                             .feature_names = feature_names,
                                             .group_column = group_column,
                                             .label_column = label_column});
}

enum class Way { kForward, kInverse, kTranslate };

void move(const Flow& flow, Way way, Index from, Index to, Rows rows, double* log_det) {
  static const Workers this_thread(1);
  switch (way) {
    case Way::kForward:
      return flow.forward_in_place(from, rows, log_det, this_thread);
    case Way::kInverse:
      return flow.inverse_in_place(to, rows, log_det, this_thread);
    case Way::kTranslate:
      return flow.translate_in_place(from, to, rows, log_det, this_thread);
  }
}

// Rows of one pair of groups that are moved together.
struct Block {
  Index from;
  Index to;
  const RowPositions* where;
  Index begin;
  Index end;
};

std::vector<Block> cut(const std::vector<RowPositions>& where, Index num_groups, Index size) {
  std::vector<Block> blocks;
  for (std::size_t pair = 0; pair < where.size(); ++pair) {
    const auto number = static_cast<Index>(pair);
    for (Index begin = 0; begin < where[pair].count(); begin += size) {
      blocks.push_back({number / num_groups, number % num_groups, &where[pair], begin,
                        std::min(where[pair].count(), begin + size)});
    }
  }
  return blocks;
}

// Moves samples into `out` and sets `log_det`; either may be null. A block is read from the
// caller's array, moved while it is in the cache, and written where it belongs, so memory beside
// input and output is a block per thread.
class Mover {
 public:
  Mover(const Flow& flow, const Samples& samples, Way way, double* out, double* log_det)
      : flow_(flow), samples_(samples), way_(way), out_(out), log_det_(log_det) {}

  void run(const std::vector<Block>& blocks, const Names& feature_names, const Workers& workers) {
    first_bad_ = samples_.rows();
    workers.for_each(static_cast<Index>(blocks.size()),
                     [&](Index b) { move_block(blocks[static_cast<std::size_t>(b)]); });
    if (first_bad_ < samples_.rows()) samples_.refuse(first_bad_, feature_names);
  }

 private:
  void move_block(const Block& block) {
    const Index count = block.end - block.begin;
    const Index dim = samples_.cols();
    const bool direct = out_ != nullptr && block.where->regular() && block.where->step() == 1;
    Matrix buffer;
    if (!direct) buffer.resize(count, dim);
    double* rows = direct ? out_ + (*block.where)[block.begin] * dim : buffer.data();
    for (Index i = 0; i < count; ++i) {
      const Index row = (*block.where)[block.begin + i];
      samples_.copy_row(row, rows + i * dim);
      if (!all_finite(rows + i * dim, dim)) return note(row);
    }
    std::vector<double> log_det(log_det_ == nullptr ? 0 : static_cast<std::size_t>(count));
    move(flow_, way_, block.from, block.to, Rows(rows, count, dim),
         log_det.empty() ? nullptr : log_det.data());
    for (Index i = 0; i < count; ++i) {
      const Index row = (*block.where)[block.begin + i];
      if (!direct && out_ != nullptr) std::copy_n(rows + i * dim, dim, out_ + row * dim);
      if (log_det_ != nullptr) log_det_[row] = log_det[static_cast<std::size_t>(i)];
    }
  }

  void note(Index row) {
    Index known = first_bad_;
    while (row < known && !first_bad_.compare_exchange_weak(known, row)) {
    }
  }

  const Flow& flow_;
  const Samples& samples_;
  Way way_;
  double* out_;
  double* log_det_;
  std::atomic<Index> first_bad_ = 0;
};

void check_columns(const Model& model, const Samples& samples) {
  if (samples.cols() == model.flow.dim()) return;
  throw InvalidData(
      fmt::format("the rows have {} columns but the flow was fitted on {}; give the same features.",
                  samples.cols(), model.flow.dim()));
}

py::tuple move_rows(const Model& model, const std::string& way, const py::array& x,
                    const GroupNumbers& pairs, bool want_rows, bool want_log_det, int threads) {
  const Samples samples(x);
  check_columns(model, samples);
  const auto pair_of = span_of(pairs, samples.rows());
  const Way direction = way == "forward"   ? Way::kForward
                        : way == "inverse" ? Way::kInverse
                                           : Way::kTranslate;
  py::object rows = py::none();
  py::object log_det = py::none();
  double* out = nullptr;
  double* log_dets = nullptr;
  if (want_rows) {
    py::array_t<double> array({samples.rows(), samples.cols()});
    out = array.mutable_data();
    rows = std::move(array);
  }
  if (want_log_det) {
    py::array_t<double> array(samples.rows());
    log_dets = array.mutable_data();
    log_det = std::move(array);
  }
  {
    const py::gil_scoped_release unlocked;
    const Index groups = model.flow.num_groups();
    const auto where = positions_of(pair_of, groups * groups);
    // As many rows as Flow moves at a time: about half a megabyte.
    const Index size =
        std::clamp<Index>((Index{1} << 16) / std::max<Index>(samples.cols(), 1), 16, 1024);
    Mover(model.flow, samples, direction, out, log_dets)
        .run(cut(where, groups, size), model.feature_names, Workers(threads));
  }
  return py::make_tuple(rows, log_det);
}

std::shared_ptr<const Model> with_group(const Model& model, const std::string& name,
                                        const py::array& x, const OptionalNumbers& masses,
                                        int threads) {
  const Samples samples(x);
  check_columns(model, samples);
  const auto mass_of = masses_of(masses, samples.rows());
  const py::gil_scoped_release unlocked;
  const Workers workers(threads);
  samples.check_finite(model.feature_names, workers);
  GroupSet set;
  std::vector<std::vector<double>> kept_masses;
  kept_masses.reserve(1);
  const std::vector<std::int64_t> same(static_cast<std::size_t>(samples.rows()), 0);
  add_rows(set, name, samples, positions_of(same, 1).front(), mass_of, workers, kept_masses);
  return std::make_shared<const Model>(
      add_group(model, name, set[0].rows, set[0].weights, workers));
}

// A folder that is gone at the end of the scope.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string path = (std::filesystem::temp_directory_path() / "conflux-XXXXXX").string();
    if (mkdtemp(path.data()) == nullptr) throw Error("no temporary folder can be made in " + path);
    path_ = path;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  std::filesystem::path path() const { return path_; }

 private:
  std::filesystem::path path_;
};

// The library writes models to files only.
std::string bytes_of(const Model& model) {
  const TemporaryFolder folder;
  const std::string path = folder.path() / "model.conflux";
  save_model(path, model);
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::shared_ptr<const Model> model_of(const py::bytes& bytes) {
  const std::string_view view = bytes;
  return std::make_shared<const Model>(
      parse_model(std::as_bytes(std::span(view.data(), view.size()))));
}

// A layer together with the model that says how many groups it has.
struct LayerOf {
  std::shared_ptr<const Model> model;
  Index number;

  const Layer& layer() const { return model->flow.layer(number); }
  const std::vector<std::vector<MonotoneMap>>* maps() const {
    if (const auto* sliced = dynamic_cast<const SlicedLayer*>(&layer())) return &sliced->maps();
    if (const auto* each = dynamic_cast<const CoordinateLayer*>(&layer())) return &each->maps();
    return nullptr;
  }
  Index lines() const { return maps() == nullptr ? 0 : static_cast<Index>(maps()->front().size()); }
  const MonotoneMap& map(Index group, Index line) const {
    const Index groups = model->flow.num_groups();
    if (group < 0 || group >= groups || line < 0 || line >= lines()) {
      throw InvalidOption(fmt::format(
          "layer {} has no map of group {} on line {}; there are {} groups and {} lines.", number,
          group, line, groups, lines()));
    }
    return (*maps())[static_cast<std::size_t>(group)][static_cast<std::size_t>(line)];
  }
};

py::object frame_of(const LayerOf& self) {
  const auto* sliced = dynamic_cast<const SlicedLayer*>(&self.layer());
  return sliced == nullptr ? py::none() : py::object(to_array(sliced->frame().columns()));
}

py::array_t<double> move_along_line(const LayerOf& self, Index group, Index line,
                                    const Numbers& values) {
  py::array_t<double> out(values.size());
  std::copy_n(values.data(), values.size(), out.mutable_data());
  forward(self.map(group, line),
          std::span(out.mutable_data(), static_cast<std::size_t>(out.size())), nullptr);
  return out;
}

// Where a map has something to say: between its outer knots, or within three deviations.
py::tuple line_range(const LayerOf& self, Index group, Index line) {
  return std::visit(
      [](const auto& map) {
        if constexpr (requires { map.from(); }) {
          if (map.from().empty()) return py::make_tuple(-1.0, 1.0);
          return py::make_tuple(map.from().front(), map.from().back());
        } else {
          const double middle = map.source().mean();
          const double reach = 3 * map.source().deviation();
          return py::make_tuple(middle - reach, middle + reach);
        }
      },
      self.map(group, line));
}

py::object affine_of(const LayerOf& self, Index group) {
  const auto* affine = dynamic_cast<const AffineLayer*>(&self.layer());
  if (affine == nullptr || group < 0 || group >= self.model->flow.num_groups()) return py::none();
  const AffineLayer::Map& map = affine->maps()[static_cast<std::size_t>(group)];
  const auto vector = [](const Vector& from) {
    py::array_t<double> out(from.size());
    std::copy_n(from.data(), from.size(), out.mutable_data());
    return out;
  };
  return py::make_tuple(vector(map.mean), to_array(map.matrix), vector(map.centre));
}

}  // namespace

void bind_model(py::module_& module) {
  using SharedModel = std::shared_ptr<Model>;
  // Models never change, so Python may share them; pybind11 has no holder of const.
  const auto share = [](const std::shared_ptr<const Model>& model) {
    return std::const_pointer_cast<Model>(model);
  };

  py::class_<LayerOf>(module, "Layer", "One invertible step of a fitted flow.")
      .def_property_readonly("kind", [](const LayerOf& self) { return self.layer().kind(); })
      .def_property_readonly("num_lines", &LayerOf::lines)
      .def_property_readonly("frame", &frame_of)
      .def("move_along_line", &move_along_line, py::arg("group"), py::arg("line"),
           py::arg("values"))
      .def("line_range", &line_range, py::arg("group"), py::arg("line"))
      .def("affine_map", &affine_of, py::arg("group"));

  py::class_<Model, SharedModel>(module, "Model", "A fitted flow with names; never changes.")
      .def_property_readonly("dim", [](const Model& self) { return self.flow.dim(); })
      .def_property_readonly("group_names",
                             [](const Model& self) { return self.flow.group_names(); })
      .def_property_readonly("feature_names", [](const Model& self) { return self.feature_names; })
      .def_property_readonly("group_column", [](const Model& self) { return self.group_column; })
      .def_property_readonly("label_column", [](const Model& self) { return self.label_column; })
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
      .def("move", &move_rows, py::arg("way"), py::arg("x"), py::arg("pairs"), py::arg("want_rows"),
           py::arg("want_log_det"), py::arg("threads"))
      .def(
          "with_group",
          [share](const Model& self, const std::string& name, const py::array& x,
                  const OptionalNumbers& masses,
                  int threads) { return share(with_group(self, name, x, masses, threads)); },
          py::arg("name"), py::arg("x"), py::arg("masses"), py::arg("threads"))
      .def(
          "save", [](const Model& self, const std::string& path) { save_model(path, self); },
          py::arg("path"), py::call_guard<py::gil_scoped_release>())
      .def("to_bytes", [](const Model& self) { return py::bytes(bytes_of(self)); })
      .def_static(
          "load",
          [share](const std::string& path) {
            return share(std::make_shared<const Model>(load_model(path)));
          },
          py::arg("path"), py::call_guard<py::gil_scoped_release>())
      .def_static(
          "from_bytes", [share](const py::bytes& bytes) { return share(model_of(bytes)); },
          py::arg("bytes"))
      .def("__copy__", [](const SharedModel& self) { return self; })
      .def("__deepcopy__", [](const SharedModel& self, const py::dict&) { return self; })
      .def(py::pickle([](const Model& self) { return py::bytes(bytes_of(self)); },
                      [share](const py::bytes& bytes) { return share(model_of(bytes)); }));

  module.def(
      "fit",
      [share](const py::array& x, const GroupNumbers& groups, const Names& group_names,
              const OptionalNumbers& masses, const GroupNumbers& labels, const Names& label_names,
              const py::dict& options, const Names& feature_names, const std::string& group_column,
              const std::string& label_column, const py::object& on_layer) {
        return share(fit(x, groups, group_names, masses, labels, label_names, options,
                         feature_names, group_column, label_column, on_layer));
      },
      py::arg("x"), py::arg("groups"), py::arg("group_names"), py::arg("masses"), py::arg("labels"),
      py::arg("label_names"), py::arg("options"), py::arg("feature_names"), py::arg("group_column"),
      py::arg("label_column"), py::arg("on_layer"));
}

}  // namespace conflux::python
