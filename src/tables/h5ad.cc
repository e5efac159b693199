#include "tables/h5ad.h"

#include <fmt/format.h>

#include "conflux/core/error.h"

namespace conflux {

#ifndef CONFLUX_HAS_HDF5

namespace {

[[noreturn]] void refuse_without_hdf5() {
  throw InvalidOption(
      "this conflux was built without the HDF5 library and cannot read or write .h5ad files; build "
      "it where libhdf5-dev is installed, or use the Python package, which takes AnnData.");
}

}  // namespace

std::unique_ptr<SparseReader> read_h5ad(const ByteSource&, const TableOptions&) {
  refuse_without_hdf5();
}

std::unique_ptr<TableWriter> write_h5ad(std::unique_ptr<OutputStream>, bool) {
  refuse_without_hdf5();
}

#endif

const TableFormat kH5adFormat = {
    "h5ad", [](std::string_view name) { return name.ends_with(".h5ad"); },
    [](const ByteSource& source, const TableOptions& options) -> std::unique_ptr<TableReader> {
      return dense_table(read_h5ad(source, options));
    },
    [](std::unique_ptr<OutputStream> out, std::string_view,
       const TableOptions& options) -> std::unique_ptr<TableWriter> {
      return write_h5ad(std::move(out), options.single_precision);
    },
    read_h5ad};

}  // namespace conflux
