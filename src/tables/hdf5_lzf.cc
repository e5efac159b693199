#ifdef CONFLUX_HAS_HDF5

#include "tables/hdf5_lzf.h"

#include <hdf5.h>

#include <algorithm>

namespace conflux::hdf5 {

namespace {

// The number that h5py has registered for it.
constexpr H5Z_filter_t kLzf = 32000;
// Chunks of HDF5 are smaller than this.
constexpr std::size_t kMostChunk = std::size_t{1} << 32;

// Called by the library for every chunk; the third value tells how long a chunk becomes.
std::size_t filter_chunk(unsigned flags, std::size_t num_values, const unsigned* values,
                         std::size_t size, std::size_t* capacity, void** buffer) {
  if ((flags & H5Z_FLAG_REVERSE) == 0) return 0;  // nothing is packed here
  const std::size_t most = num_values >= 3 && values[2] > 0 ? values[2] : kMostChunk;
  const std::string plain = undo_lzf({static_cast<const char*>(*buffer), size}, most);
  if (plain.empty()) return 0;
  void* memory = H5allocate_memory(plain.size(), false);
  if (memory == nullptr) return 0;
  std::copy(plain.begin(), plain.end(), static_cast<char*>(memory));
  H5free_memory(*buffer);
  *buffer = memory;
  *capacity = plain.size();
  return plain.size();
}

}  // namespace

std::string undo_lzf(std::string_view packed, std::size_t most) {
  std::string out;
  std::size_t at = 0;
  const auto byte = [&] { return static_cast<unsigned char>(packed[at++]); };
  while (at < packed.size()) {
    const std::size_t control = byte();
    if (control < 32) {
      // So many bytes as they are, and one more.
      const std::size_t count = control + 1;
      if (count > packed.size() - at || out.size() + count > most) return {};
      out.append(packed.substr(at, count));
      at += count;
      continue;
    }
    // A piece of what was written before.
    std::size_t length = control >> 5;
    if (packed.size() - at < (length == 7 ? 2u : 1u)) return {};
    if (length == 7) length += byte();
    const std::size_t back = ((control & 31) << 8) + byte() + 1;
    length += 2;
    if (back > out.size() || out.size() + length > most) return {};
    // It may overlap what it makes.
    for (std::size_t from = out.size() - back; length > 0; --length) out += out[from++];
  }
  return out;
}

void register_lzf() {
  if (H5Zfilter_avail(kLzf) > 0) return;
  const H5Z_class2_t filter = {H5Z_CLASS_T_VERS, kLzf, 0, 1, "lzf", nullptr, nullptr, filter_chunk};
  H5Zregister(&filter);
}

}  // namespace conflux::hdf5

#endif  // CONFLUX_HAS_HDF5
