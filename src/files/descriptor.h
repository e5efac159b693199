// An open file that closes itself.

#pragma once

#include <unistd.h>

#include <string>
#include <system_error>
#include <utility>

namespace conflux {

/// What the system says about an error number.
inline std::string reason(int error) { return std::generic_category().message(error); }

class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int value) : value_(value) {}
  Descriptor(Descriptor&& other) noexcept : value_(std::exchange(other.value_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(value_, other.value_);
    return *this;
  }
  ~Descriptor() {
    if (value_ > STDERR_FILENO) ::close(value_);
  }
  int get() const { return value_; }

 private:
  int value_ = -1;
};

}  // namespace conflux
