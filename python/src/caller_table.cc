#include "caller_table.h"

#include <fmt/format.h>

#include "conflux/core/error.h"
#include "samples.h"

namespace py = pybind11;

namespace conflux::python {

namespace {

using Pairs = std::vector<std::pair<std::string, std::string>>;

Pairs pairs_of(const py::dict& options, const char* name) {
  return options.contains(name) ? options[name].cast<Pairs>() : Pairs();
}

// Messages call the table X, and count rows from 0 as Python does. Noise goes by first_row, which
// stays 0 as in files.
void name_rows(Table& table) {
  table.source = "X";
  table.origins = {{.begin = 0,
                    .source = std::make_shared<const std::string>(table.source),
                    .row = -1,
                    .line = 0}};
}

}  // namespace

Table table_of(const py::list& columns) {
  Table out;
  for (const py::handle item : columns) {
    const auto pair = item.cast<py::tuple>();
    const auto name = pair[0].cast<std::string>();
    if (py::isinstance<py::list>(pair[1])) {
      out.add(name, pair[1].cast<std::vector<std::string>>());
    } else {
      const auto numbers = pair[1].cast<Numbers>();
      out.add(name, std::vector<double>(numbers.data(), numbers.data() + numbers.size()));
    }
    if (out.columns.back().size() == out.num_rows()) continue;
    throw InvalidData(
        fmt::format("column \"{}\" has {} rows, but \"{}\" has {}; give all the same.", name,
                    out.columns.back().size(), out.columns.front().name, out.num_rows()));
  }
  name_rows(out);
  return out;
}

Table table_of(const Samples& rows, const Names& names, const Workers& workers) {
  Table out;
  for (const std::string& name : names) {
    out.add(name, std::vector<double>(static_cast<std::size_t>(rows.rows())));
  }
  workers.for_each_block(rows.rows(), kRowsPerTask, [&](Index begin, Index end) {
    std::vector<double> row(names.size());
    for (Index i = begin; i < end; ++i) {
      rows.copy_row(i, row.data());
      for (std::size_t j = 0; j < row.size(); ++j) out.columns[j].numbers[i] = row[j];
    }
  });
  name_rows(out);
  return out;
}

py::list to_list(const Table& table, const Names& names) {
  py::list out;
  for (const std::string& name : names) {
    const Column& column = table[name];
    if (column.numeric()) {
      out.append(py::make_tuple(name, py::array_t<double>(column.size(), column.numbers.data())));
    } else {
      out.append(py::make_tuple(name, column.text));
    }
  }
  return out;
}

ColumnOptions column_options_of(const py::dict& options) {
  ColumnOptions out;
  for (const char* name : {"scale", "repeats", "missing"}) {
    if (options.contains(name)) set_column_choice(out, name, options[name].cast<std::string>());
  }
  out.as = pairs_of(options, "as");
  out.support = pairs_of(options, "support");
  if (options.contains("keep")) out.keep = options["keep"].cast<Names>();
  if (options.contains("key")) out.key = options["key"].cast<std::string>();
  if (options.contains("seed")) out.seed = options["seed"].cast<std::uint64_t>();
  return out;
}

}  // namespace conflux::python
