// netCDF files of climate data, .nc, through the netCDF library.
//
// A row is a point of the grid: a time, and a place if there are places. Features are the variables
// on the grid that most of them share, missing values as NaN, packed ones unpacked. The coordinates
// of the row follow, and the year and the month if a coordinate is a time; they are never features
// by themselves, but conditions may ask for them. Rows are read in slabs.
//
// Written is a copy of the file that the rows came from with other numbers in the variables that
// were moved: attributes, types and packing stay.
//
// Needs the library when conflux is built; otherwise an error says so.

#pragma once

#include <map>
#include <string>

#include "tables/table_format.h"

namespace conflux {

extern const TableFormat kNetcdfFormat;

std::unique_ptr<TableReader> read_netcdf(const ByteSource& source, const TableOptions& options);
/// The unit that the file states for each variable on its grid; variables without one are left out.
std::map<std::string, std::string> netcdf_units(const std::string& path);
std::unique_ptr<TableWriter> write_netcdf(std::unique_ptr<OutputStream> out);

}  // namespace conflux
