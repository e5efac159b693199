#include "support/console.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

namespace conflux::app {

namespace {

constexpr const char* kClearLine = "\r\x1b[K";

}  // namespace

void Console::say(const char* level, const std::string& text, const Json& fields) const {
  finish_progress();
  if (format == LogFormat::kText) {
    const std::string prefix = *level == 'w' ? "warning: " : *level == 'e' ? program + ": " : "";
    std::fprintf(stderr, "%s%s\n", prefix.c_str(), printable(text).c_str());
    return;
  }
  Json line = {{"level", level}, {"message", text}};
  line.update(fields);
  std::fprintf(stderr, "%s\n", line.dump().c_str());
}

void Console::info(const std::string& text, const Json& fields) const {
  if (verbosity >= 0) say("info", text, fields);
}

void Console::detail(const std::string& text, const Json& fields) const {
  if (verbosity >= 1) say("detail", text, fields);
}

void Console::warn(const std::string& text, const Json& fields) const {
  say("warning", text, fields);
}

void Console::error(const std::string& text) const { say("error", text, {}); }

bool Console::shows_progress() const {
  return verbosity == 0 && format == LogFormat::kText && ::isatty(STDERR_FILENO) == 1;
}

void Console::progress(const std::string& text) const {
  if (!shows_progress()) return;
  std::fprintf(stderr, "%s%s", kClearLine, printable(text).c_str());
  std::fflush(stderr);
  line_open_ = true;
}

void Console::finish_progress() const {
  if (line_open_) std::fputs(kClearLine, stderr);
  line_open_ = false;
}

MessageCallback shown_on(const Console& console) {
  return [&console](const Message& message) {
    switch (message.kind) {
      case MessageKind::kInfo:
        return console.info(message.text);
      case MessageKind::kDetail:
        return console.detail(message.text);
      case MessageKind::kWarning:
        return console.warn(message.text);
      case MessageKind::kProgress:
        return console.progress(message.text);
    }
  };
}

void print_json(const Json& json) { std::printf("%s\n", json.dump(2).c_str()); }

std::string printable(const std::string& text) {
  std::string out;
  unsigned char before = 0;
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    // U+0080 to U+009F are control characters, too; UTF-8 writes them as C2 and a second byte.
    const bool second = before == 0xc2 && code >= 0x80 && code < 0xa0;
    const bool control = code < 0x20 || code == 0x7f || second;
    if (second) out.pop_back();
    if (control && c != '\n' && c != '\t') {
      out += fmt::format("\\x{:02x}", code);
    } else {
      out += c;
    }
    before = code;
  }
  return out;
}

}  // namespace conflux::app
