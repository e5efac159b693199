// One job in a process of its own, for a page: its messages, progress and result.

#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "files/json.h"
#include "serve/child.h"

namespace conflux::app {

/// Lines that were appended to a growing file since the last call; an incomplete line is left for
/// later.
class GrowingFile {
 public:
  explicit GrowingFile(std::string path) : path_(std::move(path)) {}
  std::vector<std::string> new_lines();

 private:
  std::string path_;
  std::size_t read_ = 0;
};

struct JobPlan {
  /// overview, check or align
  std::string kind;
  std::vector<std::string> words = {};
  /// The same as a person would type it; may be empty.
  std::string command = {};
  /// Where it runs and leaves its results.
  std::string folder = {};
  /// Bytes that it may have.
  double most_memory = 0;
  /// The table's path, and its name in messages.
  std::string path = {};
  std::string name = {};
};

class Job {
 public:
  explicit Job(JobPlan plan);

  const JobPlan& plan() const { return plan_; }
  /// Takes in what has happened since the last call.
  void refresh();
  bool running() const { return running_; }
  bool succeeded() const { return !running_ && error_.empty(); }
  void stop() { child_->stop(); }
  Json state() const;
  /// The JSON that the process printed; null unless it succeeded and printed JSON.
  const Json& output() const { return output_; }

 private:
  void read_log();
  void read_way();
  void end();
  std::string named(std::string text) const;

  JobPlan plan_;
  GrowingFile log_;
  GrowingFile way_;
  std::unique_ptr<Child> child_;
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  double seconds_ = 0;
  bool running_ = true;
  std::string message_;
  std::string error_;
  Json layers_;
  Json first_frame_;
  Json last_frame_;
  Json output_;
};

/// The file in a job's folder with the paths of rows while they move.
inline constexpr const char* kWayFile = "way.jsonl";

}  // namespace conflux::app
