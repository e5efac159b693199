// An open file that closes itself.

#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>

namespace conflux {

/// The system's words for an error number.
inline std::string reason(int error) { return std::generic_category().message(error); }

class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int value) : value_(value) {}
  Descriptor(Descriptor&& other) noexcept;
  Descriptor& operator=(Descriptor&& other) noexcept;
  /// Leaves standard input, output and error open.
  ~Descriptor();

  int get() const { return value_; }
  bool is_open() const { return value_ >= 0; }
  /// Whether it is a plain file, which has a size and can be read again.
  bool is_regular() const;
  /// Returns 0, or the error number: some file systems tell only here that bytes were lost.
  int close();

 private:
  int value_ = -1;
};

/// Opens a file, or standard input for "-". Throws Error that calls it `name`, and InvalidData for
/// a folder.
Descriptor open_for_reading(const std::filesystem::path& path, const std::string& name);

/// Fills `to`; returns fewer than `count` bytes only at the end. Throws Error.
std::size_t read_all(const Descriptor& file, char* to, std::size_t count, const std::string& name);
std::size_t read_all_at(const Descriptor& file, std::uint64_t offset, char* to, std::size_t count,
                        const std::string& name);

/// Return 0, or the error number.
int write_all(const Descriptor& file, std::string_view bytes);
int write_all_at(const Descriptor& file, std::uint64_t offset, std::string_view bytes);

}  // namespace conflux
