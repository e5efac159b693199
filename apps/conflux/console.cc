#include "console.h"

#include <unistd.h>

#include <cstdio>

namespace conflux::app {

namespace {

constexpr const char* kClearLine = "\r\x1b[K";

}  // namespace

void Console::say(const char* level, const std::string& text, Json fields) const {
  finish_progress();
  if (format == LogFormat::kText) {
    const std::string prefix = *level == 'w' ? "warning: " : *level == 'e' ? "conflux: " : "";
    std::fprintf(stderr, "%s%s\n", prefix.c_str(), text.c_str());
    return;
  }
  Json line = {{"level", level}, {"message", text}};
  if (!fields.is_null()) line.update(fields);
  // Names of a table may hold any bytes; JSON may not.
  const std::string dumped = line.dump(-1, ' ', false, Json::error_handler_t::replace);
  std::fprintf(stderr, "%s\n", dumped.c_str());
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

void Console::error(const std::string& text) const { say("error", text, Json::object()); }

bool Console::shows_progress() const {
  return verbosity == 0 && format == LogFormat::kText && ::isatty(STDERR_FILENO) == 1;
}

void Console::progress(const std::string& text) const {
  if (!shows_progress()) return;
  std::fprintf(stderr, "%s%s", kClearLine, text.c_str());
  std::fflush(stderr);
  line_open_ = true;
}

void Console::finish_progress() const {
  if (line_open_) std::fputs(kClearLine, stderr);
  line_open_ = false;
}

}  // namespace conflux::app
