#include "tables/netcdf.h"

#include "conflux/core/error.h"

namespace conflux {

#ifndef CONFLUX_HAS_NETCDF

namespace {

[[noreturn]] void refuse_without_netcdf() {
  throw InvalidOption(
      "this conflux was built without the netCDF library and cannot read or write .nc files; build "
      "it where libnetcdf-dev is installed, or write the variables as .csv with xarray "
      "(ds.to_dataframe().reset_index().to_csv(\"out.csv\", index=False)).");
}

}  // namespace

std::unique_ptr<TableReader> read_netcdf(const ByteSource&, const TableOptions&) {
  refuse_without_netcdf();
}

std::map<std::string, std::string> netcdf_units(const std::string&) { refuse_without_netcdf(); }

std::unique_ptr<TableWriter> write_netcdf(std::unique_ptr<OutputStream>) {
  refuse_without_netcdf();
}

#endif

const TableFormat kNetcdfFormat = {
    "nc",
    [](std::string_view name) {
      return name.ends_with(".nc") || name.ends_with(".nc4") || name.ends_with(".cdf");
    },
    [](const ByteSource& source, const TableOptions& options) -> std::unique_ptr<TableReader> {
      return read_netcdf(source, options);
    },
    [](std::unique_ptr<OutputStream> out, std::string_view, const TableOptions&)
        -> std::unique_ptr<TableWriter> { return write_netcdf(std::move(out)); }};

}  // namespace conflux
