// The head of classic netCDF files, looked through before the library believes it.
//
// The library makes room for as many dimensions, attributes and values as the head tells of, which
// in a damaged file may be more than any machine has. It also believes the lengths of names, for
// which callers have room up to a limit.

#pragma once

#include <string>

#include "files/input_stream.h"

namespace conflux::netcdf {

/// Throws InvalidData when a classic file tells of more than it has bytes for, or has a name that
/// is longer than netCDF allows. Files of the newer kind, which are HDF5, are left to that library.
void check_classic_head(const RandomAccess& file, const std::string& name);

}  // namespace conflux::netcdf
