// State of one page: a table, its columns, jobs on it, and results.
//
// There is one table and one piece of work at a time, and the results of the last two fits. Every
// open page shows the same.

#pragma once

#include <chrono>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "serve/http_server.h"
#include "serve/job.h"
#include "serve/work_folder.h"

namespace conflux::app {

struct SessionOptions {
  /// A table to begin with; empty: none yet.
  std::string table = {};
  /// Arguments of every job.
  std::vector<std::string> common_words = {};
  /// Bytes that a piece of work may have.
  double most_memory = 0;
  /// Bytes of the largest table that is accepted, for the page to show.
  std::uint64_t most_upload = 0;
};

class Session {
 public:
  Session(SessionOptions options, const WorkFolder& folder);

  /// Called by one thread while another calls the functions below.
  Answer answer(const Request& request);

  /// Seconds without a request and without a job.
  double idle_seconds();
  /// Ends all work.
  void end();

 private:
  struct Choice {
    std::string group = {};
    std::string label = {};
    std::string to = {};
    std::vector<std::string> drop = {};
  };
  struct Result {
    int number = 0;
    std::string folder = {};
    std::string table_name = {};
    std::string command = {};
    Json summary = {};
  };

  Answer route(const Request& request);
  Answer take_table(const Request& request);
  Answer start_check(const Choice& choice);
  Answer start_align(const Choice& choice);
  Answer file_of_result(const std::string& path);
  Json state() const;

  void refresh();
  void look_at_table();
  Choice choice_of(const std::string& body) const;
  std::vector<std::string> words_of(const Choice& choice, bool for_people) const;
  void start(JobPlan plan);
  std::string new_folder();

  std::mutex mutex_;
  SessionOptions options_;
  const WorkFolder& folder_;
  std::string table_path_;
  std::string table_name_;
  /// Result of inspecting the table; null before.
  Json columns_;
  Json check_;
  std::unique_ptr<Job> job_;
  std::vector<Result> results_;
  int folders_ = 0;
  std::chrono::steady_clock::time_point last_use_ = std::chrono::steady_clock::now();
};

}  // namespace conflux::app
