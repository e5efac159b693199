// Exceptions of conflux.
//
// Each message names the place, the value and the remedy. Mistakes of a caller throw one of these;
// broken promises of our own are assertions.

#pragma once

#include <functional>
#include <stdexcept>
#include <string>

namespace conflux {

/// Base of everything thrown on purpose.
class Error : public std::runtime_error {
 public:
  /// A zero byte, which would end the text, is spelled out.
  explicit Error(const std::string& text);
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

// Progress and warnings, which long computations report to their caller while they run.

enum class MessageKind {
  kInfo,      ///< a fact about the result, for all users
  kDetail,    ///< sizes and times, shown on request
  kWarning,   ///< something that may be a mistake in the data or in the options
  kProgress,  ///< what is being done; replaces the last progress
};

struct Message {
  MessageKind kind = MessageKind::kInfo;
  /// A sentence without a full stop at its end.
  std::string text;
};

/// Called on the thread that does the work. May be empty.
using MessageCallback = std::function<void(const Message&)>;

}  // namespace conflux
