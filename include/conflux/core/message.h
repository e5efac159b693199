// What long work reports to its caller while it runs.

#pragma once

#include <functional>
#include <string>

namespace conflux {

enum class MessageKind {
  kInfo,      ///< a fact that a user of the result wants to know
  kDetail,    ///< sizes and times, for whoever asks for them
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
