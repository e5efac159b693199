// Tables of a Python caller: columns of numbers or of texts.

#pragma once

#include <memory>

#include "conflux/columns/find_columns.h"
#include "model_parts.h"

namespace conflux::python {

using SharedTable = std::shared_ptr<Table>;
using SharedColumns = std::shared_ptr<Columns>;

/// Items are (name, float64 array) or (name, list of str). Throws InvalidData for columns of
/// unlike lengths.
Table table_of(const pybind11::list& columns);
/// The columns of an array, which has as many as there are names. Does not need the GIL.
Table table_of(const Samples& rows, const Names& names, const Workers& workers);

/// The columns of a table with these names, as table_of() takes them; a text of a number is a text.
pybind11::list to_list(const Table& table, const Names& names);

/// scale, repeats, missing, key and seed; as and support as lists of pairs of texts.
ColumnOptions column_options_of(const pybind11::dict& options);

}  // namespace conflux::python
