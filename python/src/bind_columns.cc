// Binds columns of data frames and arrays, and moves their rows through models that have columns.

#include <algorithm>
#include <cmath>

#include "bindings.h"
#include "caller_data.h"
#include "conflux/core/error.h"
#include "conflux/model/table_mover.h"
#include "tables/number_text.h"

namespace py = pybind11;

namespace conflux::python {

namespace {

using OptionalGroups = std::optional<GroupNumbers>;

std::optional<ColumnOptions> optional_options(const py::object& options) {
  if (options.is_none()) return std::nullopt;
  return column_options_of(options.cast<py::dict>());
}

RowFacts facts_of(const GroupNumbers& groups, const Names& group_names,
                  const OptionalNumbers& masses, const GroupNumbers& labels,
                  const Names& label_names, const Names& names) {
  return {.groups = groups,
          .group_names = group_names,
          .masses = masses,
          .labels = labels,
          .label_names = label_names,
          .feature_names = names};
}

py::object columns_of(const Columns& columns) {
  return columns.empty() ? py::none() : py::cast(std::make_shared<Columns>(columns));
}

// ---- moving

// Which groups rows come from and go to.
struct Ends {
  Direction direction = Direction::kToShared;
  std::span<const Index> from = {};
  std::span<const Index> to = {};
  std::span<const Index> labels = {};
};

// `shared`: they are rows of the shared space, whose groups may be unknown.
Ends ends_of(const OptionalGroups& from, const OptionalGroups& to, const OptionalGroups& labels,
             bool shared, Index rows) {
  Ends out;
  if (labels) out.labels = span_of(*labels, rows);
  if (to) out.to = span_of(*to, rows);
  out.from = from ? span_of(*from, rows) : out.to;
  out.direction = shared           ? Direction::kFromShared
                  : out.to.empty() ? Direction::kToShared
                                   : Direction::kBetweenGroups;
  return out;
}

Index move(const Model& model, Table& table, const Ends& ends, const Workers& workers) {
  TableMover mover(model, workers);
  mover.use_labels(ends.labels);
  mover.move(ends.direction, table, ends.from, ends.to);
  return std::ssize(mover.inexact_rows());
}

py::tuple move_table(const Model& model, const Table& given, const OptionalGroups& from,
                     const OptionalGroups& to, const OptionalGroups& labels, bool shared,
                     int threads) {
  Table table = given;
  const Ends ends = ends_of(from, to, labels, shared, table.num_rows());
  Index inexact = 0;
  {
    const py::gil_scoped_release unlocked;
    inexact = move(model, table, ends, Workers(threads));
  }
  return py::make_tuple(to_list(table, model.columns.feature_names()), inexact);
}

double number_in(const Table& table, const Column& column, Index row) {
  if (column.numeric()) return column.numbers[static_cast<std::size_t>(row)];
  const std::string& cell = column.text[static_cast<std::size_t>(row)];
  double out = std::numeric_limits<double>::quiet_NaN();
  if (is_missing(cell) || parse_number(cell, out)) return out;
  throw InvalidData(table.place(row) + ", column \"" + column.name + "\": the fit has not seen " +
                    cell + ", which an array of numbers cannot carry; pass a data frame.");
}

// Whether every column is a feature that means nothing but itself.
bool are_coordinates(const Model& model, const Names& names) {
  const std::vector<Feature>& features = model.columns.features;
  return model.feature_names == names &&
         std::all_of(features.begin(), features.end(),
                     [](const Feature& feature) { return feature.as_it_is(); });
}

// Columns that are no features stay as they are.
py::tuple move_array(const Model& model, const py::array& x, const Names& names,
                     const OptionalGroups& from, const OptionalGroups& to,
                     const OptionalGroups& labels, bool shared, int threads) {
  const Samples samples(x);
  const Workers workers(threads);
  if (are_coordinates(model, names) && samples.all_finite(workers)) {
    const auto start = shared ? OptionalGroups() : from;
    return py::make_tuple(move_rows(model, x, start, to, labels, true, false, threads)[0], 0);
  }
  const Ends ends = ends_of(from, to, labels, shared, samples.rows());
  py::array_t<double> out({samples.rows(), samples.cols()});
  double* value = out.mutable_data();
  Index inexact = 0;
  {
    const py::gil_scoped_release unlocked;
    Table table = table_of(samples, names, workers);
    inexact = move(model, table, ends, workers);
    for (Index i = 0; i < table.num_rows(); ++i) {
      for (const Column& column : table.columns) *value++ = number_in(table, column, i);
    }
  }
  return py::make_tuple(out, inexact);
}

// ---- coordinates

py::array_t<double> coordinates(const Model& model, const py::object& x, const Names& names,
                                const GroupNumbers& groups, int threads) {
  const CallerRows rows(x, names);
  const auto numbers = span_of(groups, rows.rows());
  Matrix out;
  {
    const py::gil_scoped_release unlocked;
    const Workers workers(threads);
    out = known_coordinates(model.columns, *rows.table(workers), numbers, workers);
  }
  return to_array(out);
}

// For each row, the logarithm of how much its coordinates stretch the units of the data.
py::array_t<double> log_slopes(const Model& model, const Numbers& rows) {
  const Index cols = model.columns.width();
  const Index count = rows.size() / std::max<Index>(cols, 1);
  py::array_t<double> out(count);
  const double* value = rows.data();
  for (Index i = 0; i < count; ++i) {
    double sum = 0;
    const double* coordinate = value;
    for (const Feature& feature : model.columns.features) {
      sum += std::log(feature.slope(*coordinate++));
    }
    value += cols;
    out.mutable_data()[i] = sum;
  }
  return out;
}

// ---- descriptions of columns

Names kinds_of(const Columns& columns) {
  const Names words = {"number", "whole", "repeated", "category"};
  Names out;
  for (const Feature& feature : columns.features) {
    out.push_back(words[static_cast<std::size_t>(feature.kind)]);
  }
  return out;
}

Names kept_names_of(const Columns& columns) {
  Names out;
  for (const Covariate& covariate : columns.kept) out.push_back(covariate.name);
  return out;
}

Names kept_kinds_of(const Columns& columns) {
  Names out;
  for (const Covariate& covariate : columns.kept) {
    out.emplace_back(covariate.category() ? "category" : "number");
  }
  return out;
}

py::list doubts_of(const Columns& columns) {
  py::list out;
  for (const UnitDoubt& doubt : columns.doubts) {
    out.append(py::make_tuple(doubt.column, doubt.group, doubt.what));
  }
  return out;
}

py::dict carried_of(const Columns& columns) {
  py::dict out;
  for (const CarriedColumn& column : columns.carried) out[py::str(column.name)] = column.why;
  return out;
}

std::vector<Index> sizes_of(const CallerData& data) {
  std::vector<Index> out;
  for (Index m = 0; m < data.groups().num_groups(); ++m) {
    out.push_back(data.groups()[m].rows.rows());
  }
  return out;
}

void bind_data(py::module_& module) {
  py::class_<CallerData>(module, "Data", "Rows of groups as coordinates.")
      .def(py::init([](const py::object& x, const GroupNumbers& groups, const Names& group_names,
                       const OptionalNumbers& masses, const GroupNumbers& labels,
                       const Names& label_names, const Names& names, const py::object& columns,
                       int threads) {
             return std::make_unique<CallerData>(
                 x, facts_of(groups, group_names, masses, labels, label_names, names),
                 optional_options(columns), threads);
           }),
           py::arg("x"), py::arg("groups"), py::arg("group_names"), py::arg("masses"),
           py::arg("labels"), py::arg("label_names"), py::arg("names"), py::arg("columns"),
           py::arg("threads"))
      .def_static(
          "of_model",
          [](const Model& model, const py::object& x, const GroupNumbers& groups,
             const Names& group_names, const GroupNumbers& labels, const Names& label_names,
             const Names& names, int threads) {
            return std::make_unique<CallerData>(
                model.columns, model.flow.group_names(), x,
                facts_of(groups, group_names, {}, labels, label_names, names), threads);
          },
          py::arg("model"), py::arg("x"), py::arg("groups"), py::arg("group_names"),
          py::arg("labels"), py::arg("label_names"), py::arg("names"), py::arg("threads"))
      .def(
          "others",
          [](const CallerData& self, const py::object& x, const GroupNumbers& groups,
             const Names& names, int threads) {
            const Names known = self.groups().names();
            return std::make_unique<CallerData>(
                self.columns(), known, x, facts_of(groups, known, {}, GroupNumbers(), {}, names),
                threads);
          },
          py::arg("x"), py::arg("groups"), py::arg("names"), py::arg("threads"))
      .def_property_readonly("columns",
                             [](const CallerData& self) { return columns_of(self.columns()); })
      .def_property_readonly("feature_names",
                             [](const CallerData& self) { return self.groups().feature_names(); })
      .def_property_readonly("group_names",
                             [](const CallerData& self) { return self.groups().names(); })
      .def_property_readonly("dim", [](const CallerData& self) { return self.groups().dim(); })
      .def_property_readonly("group_sizes", &sizes_of)
      .def_property_readonly("dropped", &CallerData::dropped);
}

}  // namespace

py::object columns_of(const Model& model) { return columns_of(model.columns); }

void bind_columns(py::module_& module) {
  py::class_<Table, SharedTable>(module, "Table", "Columns of numbers or of texts.")
      .def(py::init(
               [](const py::list& columns) { return std::make_shared<Table>(table_of(columns)); }),
           py::arg("columns"))
      .def_static(
          "of_rows",
          [](const py::array& rows, const Names& names, int threads) {
            return std::make_shared<Table>(table_of(Samples(rows), names, Workers(threads)));
          },
          py::arg("rows"), py::arg("names"), py::arg("threads"));
  py::class_<Columns, SharedColumns>(module, "Columns",
                                     "Types and scales of columns; never changes.")
      .def_property_readonly("feature_names", &Columns::feature_names)
      .def_property_readonly("kinds", &kinds_of)
      .def_property_readonly("kept_names", &kept_names_of)
      .def_property_readonly("kept_kinds", &kept_kinds_of)
      .def_property_readonly("carried", &carried_of)
      .def_property_readonly("lines", &Columns::describe)
      .def_property_readonly("scale_reason", [](const Columns& self) { return self.scale_reason; })
      .def_property_readonly("key", [](const Columns& self) { return self.key; })
      .def_property_readonly("doubts", &doubts_of)
      .def(
          "kept_doubts",
          [](const Columns& self, const Table& table) {
            return std::pair(self.unknown_covariates(table), self.far_covariates(table));
          },
          py::arg("table"))
      .def(
          "new_categories",
          [](const Columns& self, const Table& table) {
            return self.new_categories(table, self.feature_names());
          },
          py::arg("table"));
  bind_data(module);
  module.def("move_table", &move_table, py::arg("model"), py::arg("table"), py::arg("from_groups"),
             py::arg("to_groups"), py::arg("labels"), py::arg("shared"), py::arg("threads"));
  module.def("move_array", &move_array, py::arg("model"), py::arg("x"), py::arg("names"),
             py::arg("from_groups"), py::arg("to_groups"), py::arg("labels"), py::arg("shared"),
             py::arg("threads"));
  module.def("coordinates", &coordinates, py::arg("model"), py::arg("x"), py::arg("names"),
             py::arg("groups"), py::arg("threads"));
  module.def("column_choice_words", &column_choice_words, py::arg("name"));
  module.def("log_slopes", &log_slopes, py::arg("model"), py::arg("rows"));
}

}  // namespace conflux::python
