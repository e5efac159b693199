// The HDF5 library reads files itself, and does not survive all that a fuzzer invents. What is ours
// begins behind it: this makes a sound file with numbers that a fuzzer invents for shapes, starts,
// positions and codes of categories, and reads it.

#include <fuzzer/FuzzedDataProvider.h>
#include <hdf5.h>
#include <unistd.h>

#include <cstdio>
#include <vector>

#include "tables/h5ad.h"
#include "tests/fuzz/read_all.h"

namespace conflux {
namespace {

using Numbers = std::vector<std::int64_t>;

// Mostly small, sometimes anything.
Numbers invented(FuzzedDataProvider& bytes, std::size_t most) {
  Numbers out(bytes.ConsumeIntegralInRange<std::size_t>(0, most));
  for (std::int64_t& number : out) {
    number = bytes.ConsumeBool() ? bytes.ConsumeIntegralInRange<std::int64_t>(-2, 8)
                                 : bytes.ConsumeIntegral<std::int64_t>();
  }
  return out;
}

void write_list(hid_t parent, const char* name, const Numbers& numbers) {
  const hsize_t size = numbers.size();
  const hid_t space = H5Screate_simple(1, &size, nullptr);
  const hid_t made =
      H5Dcreate2(parent, name, H5T_NATIVE_INT64, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  if (size > 0) {
    H5Dwrite(made, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers.data());
  }
  H5Dclose(made);
  H5Sclose(space);
}

void write_texts(hid_t parent, const char* name, std::size_t count) {
  const hid_t type = H5Tcopy(H5T_C_S1);
  H5Tset_size(type, 2);
  const hsize_t size = count;
  const hid_t space = H5Screate_simple(1, &size, nullptr);
  const hid_t made = H5Dcreate2(parent, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  const std::string texts(2 * count, 'a');
  if (count > 0) H5Dwrite(made, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, texts.data());
  H5Dclose(made);
  H5Sclose(space);
  H5Tclose(type);
}

void write_attribute(hid_t object, const char* name, const std::string& text) {
  const hid_t type = H5Tcopy(H5T_C_S1);
  H5Tset_size(type, text.size());
  const hid_t space = H5Screate(H5S_SCALAR);
  const hid_t made = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
  H5Awrite(made, type, text.data());
  H5Aclose(made);
  H5Sclose(space);
  H5Tclose(type);
}

void write_shape(hid_t object, const Numbers& shape) {
  const hsize_t size = shape.size();
  const hid_t space = H5Screate_simple(1, &size, nullptr);
  const hid_t made = H5Acreate2(object, "shape", H5T_NATIVE_INT64, space, H5P_DEFAULT, H5P_DEFAULT);
  H5Awrite(made, H5T_NATIVE_INT64, shape.data());
  H5Aclose(made);
  H5Sclose(space);
}

hid_t group_in(hid_t parent, const char* name) {
  return H5Gcreate2(parent, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
}

void write_file(const std::string& path, FuzzedDataProvider& bytes) {
  const hid_t file = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  const auto cells = bytes.ConsumeIntegralInRange<std::size_t>(0, 5);
  const auto genes = bytes.ConsumeIntegralInRange<std::size_t>(0, 5);
  const hid_t obs = group_in(file, "obs"), var = group_in(file, "var"), x = group_in(file, "X");
  write_texts(obs, "_index", cells);
  write_texts(var, "_index", genes);
  const hid_t batch = group_in(obs, "batch");
  write_texts(batch, "categories", bytes.ConsumeIntegralInRange<std::size_t>(0, 3));
  write_list(batch, "codes", bytes.ConsumeBool() ? Numbers(cells, 0) : invented(bytes, 6));
  write_attribute(x, "encoding-type", bytes.ConsumeBool() ? "csr_matrix" : "csc_matrix");
  write_shape(x, bytes.ConsumeBool()
                     ? Numbers{static_cast<std::int64_t>(cells), static_cast<std::int64_t>(genes)}
                     : invented(bytes, 3));
  write_list(x, "indptr", invented(bytes, 7));
  write_list(x, "indices", invented(bytes, 8));
  write_list(x, "data", invented(bytes, 8));
  for (const hid_t group : {obs, var, x, batch}) H5Gclose(group);
  H5Fclose(file);
}

}  // namespace
}  // namespace conflux

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  FuzzedDataProvider bytes(data, size);
  const std::string path = "/dev/shm/conflux_fuzz_" + std::to_string(::getpid());
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  conflux::write_file(path, bytes);
  conflux::read_all(conflux::kH5adFormat, conflux::ByteSource::file(path), {});
  std::remove(path.c_str());
  return 0;
}
