// Arrays of MATLAB files: of version 5 to 7 by a parser of our own, of version 7.3 by the HDF5
// library.

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "conflux/core/index.h"

namespace conflux {

/// A matrix of numbers, column after column, or a list of texts.
struct MatArray {
  std::string name;
  Index rows = 0;
  Index cols = 0;
  std::vector<double> numbers = {};
  std::vector<std::string> texts = {};

  bool is_text() const { return !texts.empty(); }
  bool is_list() const { return is_text() || rows == 1 || cols == 1; }
  /// Length of a list.
  Index length() const { return is_text() ? static_cast<Index>(texts.size()) : rows * cols; }
};

/// Whether a file begins as MATLAB 7.3 does, which is HDF5 behind a page of its own.
bool is_mat_hdf5(std::string_view bytes);

/// Real matrices, lists of texts, and matrices of characters, a text per row; anything else, say a
/// struct, is left out. Throws InvalidData when the file is no MATLAB file of version 5 to 7, or is
/// damaged.
std::vector<MatArray> read_mat_arrays(std::string_view bytes, const std::string& name);

/// The same of version 7.3, without texts; `path` is a plain file. Throws InvalidOption without the
/// HDF5 library.
std::vector<MatArray> read_mat_hdf5(const std::string& path, const std::string& name);

}  // namespace conflux
