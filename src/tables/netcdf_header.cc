#include "tables/netcdf_header.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "conflux/core/error.h"

namespace conflux::netcdf {

namespace {

constexpr std::uint64_t kDimensions = 10, kVariables = 11, kAttributes = 12;

// NC_MAX_NAME. The library hands out longer names as well, into buffers that have room for this
// one.
constexpr std::uint64_t kLongestName = 256;

class ClassicHead {
 public:
  ClassicHead(const RandomAccess& file, const std::string& name, int version)
      : file_(file), name_(name), version_(version) {}

  void check() {
    at_ = 4;
    count();  // of records; 2^32 - 1 while they are still being written
    list(kDimensions, 8, [&] {
      skip_name();
      lengths_.push_back(count());
    });
    attributes();
    list(kVariables, 24, [&] {
      skip_name();
      const std::uint64_t dimensions = fitting(count(), word_size());
      for (std::uint64_t k = 0; k < dimensions; ++k) dimension(count(), k == 0);
      attributes();
      bytes_of_type();
      count();
      number(version_ == 1 ? 4 : 8);
    });
  }

 private:
  std::size_t word_size() const { return version_ == 5 ? 8 : 4; }

  [[noreturn]] void refuse() const {
    throw InvalidData(fmt::format(
        "{}: its head tells of more than its {} bytes can hold; copy or make the file again.",
        name_, file_.size()));
  }

  std::uint64_t number(std::size_t bytes) {
    if (at_ > file_.size() || file_.size() - at_ < bytes) refuse();
    std::array<char, 8> buffer = {};
    file_.read_at(at_, buffer.data(), bytes);
    at_ += bytes;
    std::uint64_t out = 0;
    for (std::size_t k = 0; k < bytes; ++k) {
      out = out << 8 | static_cast<unsigned char>(buffer[k]);
    }
    return out;
  }

  std::uint64_t count() { return number(word_size()); }

  // A number of items that take so many bytes at least.
  std::uint64_t fitting(std::uint64_t things, std::uint64_t bytes_each) const {
    if (at_ > file_.size() || things > (file_.size() - at_) / bytes_each) refuse();
    return things;
  }

  void skip(std::uint64_t bytes) { at_ += fitting((bytes + 3) / 4 * 4, 1); }

  // Only the first dimension of a variable may grow, which a length of zero marks; the library
  // divides by the others.
  void dimension(std::uint64_t place, bool first) const {
    if (place >= lengths_.size() || (!first && lengths_[place] == 0)) refuse();
  }

  void skip_name() {
    const std::uint64_t size = fitting(count(), 1);
    if (size > kLongestName) {
      throw InvalidData(fmt::format(
          "{}: it has a name of {} bytes, but netCDF allows {}; copy or make the file again.",
          name_, size, kLongestName));
    }
    skip(size);
  }

  template <class Entry>
  void list(std::uint64_t kind, std::uint64_t bytes_each, const Entry& entry) {
    const std::uint64_t tag = number(4), entries = count();
    if (tag == 0 && entries == 0) return;
    if (tag != kind) refuse();
    fitting(entries, bytes_each);
    for (std::uint64_t k = 0; k < entries; ++k) entry();
  }

  // Bytes of one value of the next type. The library divides by it, and accepts types without a
  // size.
  std::uint64_t bytes_of_type() {
    constexpr std::array<std::uint64_t, 12> kBytes = {0, 1, 1, 2, 4, 4, 8, 1, 2, 4, 8, 8};
    const std::uint64_t type = number(4);
    if (type < 1 || type >= kBytes.size()) {
      throw InvalidData(
          fmt::format("{}: it has values of type {}, which such files do not have; copy or make "
                      "the file again.",
                      name_, type));
    }
    return kBytes[type];
  }

  void attributes() {
    list(kAttributes, 12, [&] {
      skip_name();
      const std::uint64_t bytes = bytes_of_type();
      skip(fitting(count(), bytes) * bytes);
    });
  }

  const RandomAccess& file_;
  const std::string& name_;
  int version_;
  std::uint64_t at_ = 0;
  std::vector<std::uint64_t> lengths_;
};

}  // namespace

void check_classic_head(const RandomAccess& file, const std::string& name) {
  std::array<char, 4> magic = {};
  if (file.size() < magic.size()) return;
  file.read_at(0, magic.data(), magic.size());
  const auto version = static_cast<unsigned char>(magic[3]);
  const bool classic = magic[0] == 'C' && magic[1] == 'D' && magic[2] == 'F' &&
                       (version == 1 || version == 2 || version == 5);
  if (classic) ClassicHead(file, name, version).check();
}

}  // namespace conflux::netcdf
