// This program once more, as a process of its own.
//
// Whatever a table does to the reader or the fit, the page that waits for it lives on, and all
// memory comes back. A child never outlives its owner.

#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace conflux::app {

class Child {
 public:
  /// Runs the program with these words in a folder; what it prints goes to the files `output` and
  /// `log`. It has at most `most_memory` bytes. Throws Error when there can be no further process.
  Child(const std::vector<std::string>& words, const std::string& folder, const std::string& output,
        const std::string& log, double most_memory);
  /// Ends it at once.
  ~Child();
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  bool running();
  /// The exit code; negative when a signal ended it. Only when it has ended.
  int code() const { return code_; }
  /// Signals it to end; a process that does not within some seconds is killed.
  void stop();
  bool was_stopped() const { return stopped_.has_value(); }

 private:
  pid_t process_ = -1;
  int code_ = 0;
  std::optional<std::chrono::steady_clock::time_point> stopped_;
};

}  // namespace conflux::app
