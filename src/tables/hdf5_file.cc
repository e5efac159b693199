#ifdef CONFLUX_HAS_HDF5

#include "tables/hdf5_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "conflux/core/error.h"
#include "files/descriptor.h"
#include "tables/hdf5_driver.h"
#include "tables/hdf5_lzf.h"

namespace conflux::hdf5 {

namespace {

constexpr std::size_t kLongestText = std::size_t{1} << 20;
constexpr hsize_t kMostItems = hsize_t{1} << 48;
constexpr double kMostItemsPerByte = 65536;

// The library prints its errors by default; ours name the place.
void silence() {
  leave_out_cleanup();
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

std::string without_padding(const char* bytes, std::size_t size) {
  std::string out(bytes, size);
  const std::size_t end = out.find('\0');
  if (end != out.npos) out.resize(end);
  return out;
}

// Texts of a dataset or attribute, whose reader fills the memory that it is given.
template <class Read>
std::vector<std::string> texts_of(hid_t type, std::size_t count, hid_t memory_space,
                                  const std::string& place, const Read& read) {
  std::vector<std::string> out;
  if (H5Tis_variable_str(type) > 0) {
    const Handle memory(H5Tcopy(H5T_C_S1), H5Tclose);
    H5Tset_size(memory.get(), H5T_VARIABLE);
    H5Tset_cset(memory.get(), H5Tget_cset(type));
    std::vector<char*> texts(count, nullptr);
    checked(read(memory.get(), texts.data()), place);
    for (const char* text : texts) out.emplace_back(text == nullptr ? "" : text);
    H5Dvlen_reclaim(memory.get(), memory_space, H5P_DEFAULT, texts.data());
    return out;
  }
  const std::size_t size = H5Tget_size(type);
  if (size == 0 || size > kLongestText) {
    throw InvalidData(
        fmt::format("{}: texts of {} bytes; copy or make the file again.", place, size));
  }
  std::vector<char> bytes(size * count);
  checked(read(type, bytes.data()), place);
  for (std::size_t k = 0; k < count; ++k) {
    out.push_back(without_padding(bytes.data() + k * size, size));
  }
  return out;
}

struct Slice {
  Handle file_space;
  Handle memory_space;
  std::size_t count = 0;
};

}  // namespace

void check_bytes(const std::string& place) {
  if (first_failure() == 0) return;
  throw Error(fmt::format("{} cannot be read or written: {}; check the disk and the space left.",
                          place, reason(first_failure())));
}

hid_t checked(hid_t id, const std::string& place) {
  if (id >= 0) return id;
  check_bytes(place);
  throw InvalidData(
      fmt::format("{}: the HDF5 library cannot read or write this; the file is damaged, or "
                  "compressed by a filter that is not installed.",
                  place));
}

Handle::Handle(Handle&& other) noexcept
    : id_(std::exchange(other.id_, -1)), close_(std::exchange(other.close_, nullptr)) {}

Handle& Handle::operator=(Handle&& other) noexcept {
  std::swap(id_, other.id_);
  std::swap(close_, other.close_);
  return *this;
}

Handle::~Handle() {
  if (id_ >= 0 && close_ != nullptr) close_(id_);
}

void Handle::close(const std::string& place) {
  const herr_t status = close_(std::exchange(id_, -1));
  checked(status, place);
  check_bytes(place);
}

Handle open_handle(const std::string& path, unsigned mode) {
  silence();
  forget_failures();
  const Handle access(access_through_driver(), H5Pclose);
  return {H5Fopen(path.c_str(), mode, access.get()), H5Fclose};
}

Node open_file(const std::string& path, const std::string& name, bool to_write) {
  silence();
  register_lzf();
  Node out;
  out.file_ = std::make_shared<Handle>(open_handle(path, to_write ? H5F_ACC_RDWR : H5F_ACC_RDONLY));
  if (!out.file_->valid()) {
    check_bytes(name);
    throw InvalidData(fmt::format(
        "{} is no HDF5 file, or is damaged, or is being written by another program; copy or make "
        "it again, or name its format.",
        name));
  }
  out.handle_ = Handle(checked(H5Oopen(out.file_->get(), "/", H5P_DEFAULT), name), H5Oclose);
  out.place_ = name;
  return out;
}

bool Node::is_group() const { return H5Iget_type(id()) == H5I_GROUP; }

bool Node::has(const std::string& path) const {
  if (!is_group()) return false;
  const auto answer = [&](htri_t found) {
    if (found < 0) check_bytes(place_);
    return found > 0;
  };
  for (std::size_t end = path.find('/');; end = path.find('/', end + 1)) {
    const std::string part = path.substr(0, end);
    if (!answer(H5Lexists(id(), part.c_str(), H5P_DEFAULT))) return false;
    if (end == path.npos) return answer(H5Oexists_by_name(id(), path.c_str(), H5P_DEFAULT));
  }
}

Node Node::open(const std::string& path) const {
  const std::string place = place_ + (place_.find(": ") == place_.npos ? ": " : "/") + path;
  if (!has(path)) {
    throw InvalidData(fmt::format("{} is not there; write the file again with anndata.", place));
  }
  Node out;
  out.handle_ = Handle(checked(H5Oopen(id(), path.c_str(), H5P_DEFAULT), place), H5Oclose);
  out.file_ = file_;
  out.place_ = place;
  return out;
}

std::vector<std::string> Node::names() const {
  std::vector<std::string> out;
  if (!is_group()) return out;
  const auto add = [](hid_t, const char* name, const H5L_info_t*, void* list) -> herr_t {
    static_cast<std::vector<std::string>*>(list)->emplace_back(name);
    return 0;
  };
  checked(H5Literate(id(), H5_INDEX_NAME, H5_ITER_INC, nullptr, add, &out), place_);
  return out;
}

std::vector<std::string> Node::text_list_attribute(const std::string& name) const {
  if (H5Aexists(id(), name.c_str()) <= 0) return {};
  const Handle attribute(checked(H5Aopen(id(), name.c_str(), H5P_DEFAULT), place_), H5Aclose);
  const Handle type(checked(H5Aget_type(attribute.get()), place_), H5Tclose);
  const Handle space(checked(H5Aget_space(attribute.get()), place_), H5Sclose);
  const hssize_t count = H5Sget_simple_extent_npoints(space.get());
  // Attributes are at most 64 kB.
  if (H5Tget_class(type.get()) != H5T_STRING || count < 1 || count > 65536) return {};
  return texts_of(type.get(), static_cast<std::size_t>(count), space.get(), place_,
                  [&](hid_t memory, void* to) { return H5Aread(attribute.get(), memory, to); });
}

std::string Node::text_attribute(const std::string& name) const {
  const std::vector<std::string> all = text_list_attribute(name);
  return all.size() == 1 ? all.front() : "";
}

std::vector<std::uint64_t> Node::sizes_attribute(const std::string& name) const {
  if (H5Aexists(id(), name.c_str()) <= 0) return {};
  const Handle attribute(checked(H5Aopen(id(), name.c_str(), H5P_DEFAULT), place_), H5Aclose);
  const Handle type(checked(H5Aget_type(attribute.get()), place_), H5Tclose);
  const Handle space(checked(H5Aget_space(attribute.get()), place_), H5Sclose);
  const hssize_t count = H5Sget_simple_extent_npoints(space.get());
  if (H5Tget_class(type.get()) != H5T_INTEGER || count < 1 || count > 32) return {};
  std::vector<std::uint64_t> out(static_cast<std::size_t>(count));
  checked(H5Aread(attribute.get(), H5T_NATIVE_UINT64, out.data()), place_);
  return out;
}

std::vector<Index> Node::shape() const {
  if (H5Iget_type(id()) != H5I_DATASET) {
    throw InvalidData(fmt::format("{} is no dataset; write the file again with anndata.", place_));
  }
  const Handle space(checked(H5Dget_space(id()), place_), H5Sclose);
  const int ranks = H5Sget_simple_extent_ndims(space.get());
  std::vector<hsize_t> sizes(static_cast<std::size_t>(std::max(ranks, 0)));
  if (!sizes.empty()) H5Sget_simple_extent_dims(space.get(), sizes.data(), nullptr);
  std::vector<Index> out;
  double items = 1;
  for (const hsize_t size : sizes) {
    items *= static_cast<double>(size);
    out.push_back(static_cast<Index>(std::min(size, kMostItems)));
  }
  // Nothing is compressed better than this: a size that promises more is damaged.
  const double stored = static_cast<double>(H5Dget_storage_size(id())) + 4096;
  if (items > kMostItemsPerByte * stored || items > static_cast<double>(kMostItems)) {
    throw InvalidData(fmt::format("{} tells of {} items in {} bytes; copy or make the file again.",
                                  place_, items, stored - 4096));
  }
  return out;
}

namespace {

H5T_class_t class_of(hid_t dataset) {
  if (H5Iget_type(dataset) != H5I_DATASET) return H5T_NO_CLASS;
  const Handle type(H5Dget_type(dataset), H5Tclose);
  return type.valid() ? H5Tget_class(type.get()) : H5T_NO_CLASS;
}

Slice slice_of(const Node& node, Index begin, Index count) {
  const std::vector<Index> shape = node.shape();
  if (shape.empty() || begin < 0 || count < 0 || begin + count > shape.front()) {
    throw InvalidData(fmt::format("{}: items {} to {} are not there; copy or make the file again.",
                                  node.place(), begin + 1, begin + count));
  }
  std::vector<hsize_t> start(shape.size(), 0), extent(shape.begin(), shape.end());
  start.front() = static_cast<hsize_t>(begin);
  extent.front() = static_cast<hsize_t>(count);
  Slice out;
  out.count = 1;
  for (const hsize_t size : extent) out.count *= size;
  out.file_space = Handle(checked(H5Dget_space(node.id()), node.place()), H5Sclose);
  checked(H5Sselect_hyperslab(out.file_space.get(), H5S_SELECT_SET, start.data(), nullptr,
                              extent.data(), nullptr),
          node.place());
  const auto ranks = static_cast<int>(extent.size());
  out.memory_space =
      Handle(checked(H5Screate_simple(ranks, extent.data(), nullptr), node.place()), H5Sclose);
  return out;
}

}  // namespace

bool Node::holds_text() const { return class_of(id()) == H5T_STRING; }

bool Node::holds_numbers() const {
  const H5T_class_t kind = class_of(id());
  return kind == H5T_FLOAT || kind == H5T_INTEGER || kind == H5T_ENUM;
}

template <class T>
void Node::read_slice(std::vector<T>& to, hid_t type, Index begin, Index count) const {
  if (!holds_numbers()) {
    throw InvalidData(
        fmt::format("{} holds no numbers; write the file again with anndata.", place_));
  }
  const Slice slice = slice_of(*this, begin, count);
  to.resize(slice.count);
  if (slice.count == 0) return;
  if (class_of(id()) != H5T_ENUM) {
    checked(H5Dread(id(), type, slice.memory_space.get(), slice.file_space.get(), H5P_DEFAULT,
                    to.data()),
            place_);
    return;
  }
  // Booleans of h5py: bytes with names, which are read as they are.
  std::vector<signed char> bytes(slice.count);
  const Handle own(checked(H5Dget_type(id()), place_), H5Tclose);
  if (H5Tget_size(own.get()) != 1) checked(-1, place_);
  checked(H5Dread(id(), own.get(), slice.memory_space.get(), slice.file_space.get(), H5P_DEFAULT,
                  bytes.data()),
          place_);
  std::copy(bytes.begin(), bytes.end(), to.begin());
}

void Node::read(std::vector<double>& to, Index begin, Index count) const {
  read_slice(to, H5T_NATIVE_DOUBLE, begin, count);
}

void Node::read(std::vector<std::int64_t>& to, Index begin, Index count) const {
  read_slice(to, H5T_NATIVE_INT64, begin, count);
}

std::vector<std::string> Node::read_text(Index begin, Index count) const {
  if (!holds_text()) {
    throw InvalidData(fmt::format("{} holds no text; write the file again with anndata.", place_));
  }
  const Slice slice = slice_of(*this, begin, count);
  if (slice.count == 0) return {};
  const Handle type(checked(H5Dget_type(id()), place_), H5Tclose);
  return texts_of(type.get(), slice.count, slice.memory_space.get(), place_,
                  [&](hid_t memory, void* to) {
                    return H5Dread(id(), memory, slice.memory_space.get(), slice.file_space.get(),
                                   H5P_DEFAULT, to);
                  });
}

}  // namespace conflux::hdf5

#endif  // CONFLUX_HAS_HDF5
