// XXH3 with 128 bits: tells damaged or exchanged bytes, not malice.

#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace conflux {

class Digest {
 public:
  Digest();
  ~Digest();
  Digest(const Digest&) = delete;
  Digest& operator=(const Digest&) = delete;

  void add(std::span<const std::byte> bytes);
  /// 32 hexadecimal digits.
  std::string hex() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace conflux
