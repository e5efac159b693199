// The LZF compression of h5py, which the HDF5 library does not bring along: reading only.

#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace conflux::hdf5 {

/// Undoes LZF; empty when the bytes are damaged or become more than `most`.
std::string undo_lzf(std::string_view packed, std::size_t most);

/// Makes the library use it. May be called more than once.
void register_lzf();

}  // namespace conflux::hdf5
