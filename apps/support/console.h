// All messages of a program while it works.
//
// Results go to standard output; messages go to standard error: a progress line if that is a
// terminal, and log lines, as text or as one JSON object each.

#pragma once

#include <string>

#include "conflux/core/error.h"
#include "files/json.h"

namespace conflux::app {

enum class LogFormat { kText, kJson };

class Console {
 public:
  /// Stands before messages of errors.
  std::string program = "conflux";
  int verbosity = 0;  // -1 with -q, 1 with -v
  LogFormat format = LogFormat::kText;
  /// Whether a summary is wanted as JSON on standard output.
  bool json = false;

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
  void say(const char* level, const std::string& text, const Json& fields) const;

  mutable bool line_open_ = false;
};

/// Shows the messages of the library. The console must outlive the callback.
MessageCallback shown_on(const Console& console);

/// Prints a summary on standard output.
void print_json(const Json& json);

/// Names and values of users for a terminal: control characters are spelled out, so that a name
/// cannot move the cursor or change colors.
std::string printable(const std::string& text);

}  // namespace conflux::app
