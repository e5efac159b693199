// The NPY format of numpy, versions 1 to 3: a line of text that describes an array, and its bytes.

#pragma once

#include "tables/binary_array.h"
#include "tables/table_format.h"

namespace conflux {

extern const TableFormat kNpyFormat;

struct NpyHeader {
  ElementType type;
  /// As it stands in the file, say "<f8".
  std::string descr;
  bool fortran = false;
  std::vector<std::uint64_t> shape;
  /// Where the elements begin.
  std::uint64_t size = 0;
};

/// Leaves the stream at the first element. Throws InvalidData for what is not an array of numbers
/// or text.
NpyHeader read_npy_header(InputStream& stream, const std::string& name);

/// Rows and columns of a header; throws InvalidData unless there are one or two dimensions.
/// `available` counts the bytes of the whole file.
ArrayLayout npy_layout(const NpyHeader& header, const std::string& name,
                       std::optional<std::uint64_t> available);

constexpr std::size_t kNpyHeadSize = 128;

/// Always kNpyHeadSize bytes.
std::string npy_head(std::string_view descr, Index rows, std::optional<Index> cols);

}  // namespace conflux
