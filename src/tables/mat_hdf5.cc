#include "conflux/core/error.h"
#include "tables/mat_arrays.h"

#ifdef CONFLUX_HAS_HDF5

#include "tables/hdf5_file.h"

namespace conflux {

// MATLAB keeps columns together and so tells the library of a matrix that lies on its side.
std::vector<MatArray> read_mat_hdf5(const std::string& path, const std::string& name) {
  const hdf5::Node root = hdf5::open_file(path, name);
  std::vector<MatArray> out;
  for (const std::string& entry : root.names()) {
    if (entry.starts_with("#")) continue;
    const hdf5::Node node = root.open(entry);
    const std::string kind = node.text_attribute("MATLAB_class");
    if (node.is_group() || kind == "char" || kind == "cell" || !node.holds_numbers()) continue;
    const std::vector<Index> shape = node.shape();
    if (shape.size() != 2 || shape[0] < 1 || shape[1] < 1) continue;
    MatArray& array = out.emplace_back(MatArray{.name = entry, .rows = shape[1], .cols = shape[0]});
    node.read(array.numbers, 0, shape[0]);
  }
  return out;
}

}  // namespace conflux

#else

namespace conflux {

std::vector<MatArray> read_mat_hdf5(const std::string&, const std::string& name) {
  throw InvalidOption(
      name +
      ": this conflux was built without the HDF5 library and cannot read MATLAB files of "
      "version 7.3; save it in MATLAB by save -v7.");
}

}  // namespace conflux

#endif  // CONFLUX_HAS_HDF5
