// What the command says while it works.
//
// Results go to standard output; everything said here goes to standard error: a progress line if
// that is a terminal, and log lines, as text or as one JSON object each.

#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace conflux::app {

using Json = nlohmann::ordered_json;

enum class LogFormat { kText, kJson };

class Console {
 public:
  int verbosity = 0;  // -1 with -q, 1 with -v
  LogFormat format = LogFormat::kText;

  /// One event; `fields` are for the JSON form. Details are shown with -v only, warnings always.
  void info(const std::string& text, const Json& fields = {}) const;
  void detail(const std::string& text, const Json& fields = {}) const;
  void warn(const std::string& text, const Json& fields = {}) const;
  void error(const std::string& text) const;

  /// Whether progress() shows anything.
  bool shows_progress() const;
  /// Replaces the progress line; it disappears before the next log line.
  void progress(const std::string& text) const;
  void finish_progress() const;

 private:
  void say(const char* level, const std::string& text, Json fields) const;

  mutable bool line_open_ = false;
};

}  // namespace conflux::app
