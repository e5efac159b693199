// What conflux throws.
//
// Each message names the place, the value and the remedy. Mistakes of a caller throw one of these;
// broken promises of our own are assertions.

#pragma once

#include <stdexcept>
#include <string>

namespace conflux {

/// Base of everything thrown on purpose.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The samples cannot be used: not finite, empty, of different widths.
class InvalidData : public Error {
 public:
  using Error::Error;
};

/// An option is out of its range or does not suit the data.
class InvalidOption : public Error {
 public:
  using Error::Error;
};

}  // namespace conflux
