// Sends messages to a caller that may not listen.

#pragma once

#include <string>
#include <utility>

#include "conflux/core/error.h"

namespace conflux {

inline void send(const MessageCallback& on_message, MessageKind kind, std::string text) {
  if (on_message) on_message({kind, std::move(text)});
}
inline void inform(const MessageCallback& on_message, std::string text) {
  send(on_message, MessageKind::kInfo, std::move(text));
}
inline void detail(const MessageCallback& on_message, std::string text) {
  send(on_message, MessageKind::kDetail, std::move(text));
}
inline void warn(const MessageCallback& on_message, std::string text) {
  send(on_message, MessageKind::kWarning, std::move(text));
}
inline void show_progress(const MessageCallback& on_message, std::string text) {
  send(on_message, MessageKind::kProgress, std::move(text));
}

}  // namespace conflux
