#include "serve/session.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <filesystem>

#include "conflux/core/error.h"
#include "core/shell_word.h"
#include "serve/page.h"
#include "serve/upload_name.h"

namespace conflux::app {

namespace {

constexpr std::size_t kResultsKept = 2;
constexpr int kDepthOfWords = 3;
constexpr const char* kModelFile = "aligned.conflux";
constexpr const char* kReportFile = "report.html";
constexpr const char* kFinalFile = "final.json";

// Files in the folder of a result, by the name that requests use.
struct Download {
  std::string_view name;
  std::string_view file;
  std::string_view type;
};
constexpr Download kDownloads[] = {{"model", kModelFile, "application/octet-stream"},
                                   {"report", kReportFile, "text/html; charset=utf-8"},
                                   {"rows", kFinalFile, "application/json"}};

Answer busy() {
  return error_answer(409, "one piece of work runs already; wait for it, or stop it first.");
}

Answer accepted() { return {.status = 202, .body = "{}"}; }

std::string text_member(const Json& object, const char* name) {
  const Json* found = object.find(name);
  if (found == nullptr || found->is_null()) return "";
  if (!found->is_text()) throw InvalidData(fmt::format("\"{}\" must be a text.", name));
  return found->text();
}

bool has_column(const Json& columns, const std::string& name) {
  const auto& all = columns.at("columns").items();
  return std::any_of(all.begin(), all.end(),
                     [&](const Json& each) { return each.at("name").text() == name; });
}

}  // namespace

Session::Session(SessionOptions options, const WorkFolder& folder)
    : options_(std::move(options)), folder_(folder) {
  if (options_.table.empty()) return;
  table_path_ = std::filesystem::absolute(options_.table).string();
  table_name_ = options_.table;
  look_at_table();
}

Answer Session::answer(const Request& request) {
  const std::lock_guard lock(mutex_);
  last_use_ = std::chrono::steady_clock::now();
  refresh();
  return route(request);
}

Answer Session::route(const Request& request) {
  const std::string& path = request.head.path;
  if (request.head.method == "GET") {
    for (const PagePart& part : page_parts()) {
      if (part.path == path) return {.type = part.type, .body = std::string(part.text)};
    }
    if (path == "/api/state") return {.body = state().dump()};
    if (path.starts_with("/api/result/")) return file_of_result(path);
    return error_answer(404, "there is no such page.");
  }
  if (path == "/api/stop") {
    if (job_) job_->stop();
    return accepted();
  }
  if (path != kUploadPath && path != "/api/check" && path != "/api/align") {
    return error_answer(404, "there is nothing that could do this.");
  }
  if (job_ && job_->running()) return busy();
  if (path == kUploadPath) return take_table(request);
  const Choice choice = choice_of(request.body);
  return path == "/api/check" ? start_check({choice.group, choice.label, "", choice.drop})
                              : start_align(choice);
}

Answer Session::take_table(const Request& request) {
  const std::string name = uploaded_name(request.head.header("X-File-Name").value_or(""));
  // The old upload is of no use any more; a table that was named on the command line stays.
  if (table_path_.starts_with(folder_.path())) std::filesystem::remove(table_path_);
  table_name_ = name;
  table_path_ = folder_.file(fmt::format("table{}{}", ++folders_, ending_of(name)));
  std::filesystem::rename(request.file, table_path_);
  columns_ = {};
  check_ = {};
  look_at_table();
  return accepted();
}

void Session::look_at_table() {
  JobPlan plan{.kind = "look", .words = {"serve", "--look=" + table_path_}};
  plan.words.insert(plan.words.end(), options_.common_words.begin(), options_.common_words.end());
  start(std::move(plan));
}

Session::Choice Session::choice_of(const std::string& body) const {
  if (columns_.is_null()) throw InvalidData("there is no table yet; drop one first.");
  const Json given = parse_json(body, kDepthOfWords, "the request");
  if (!given.is_object()) throw InvalidData("the request must be an object.");
  Choice out{.group = text_member(given, "group"),
             .label = text_member(given, "label"),
             .to = text_member(given, "to")};
  if (out.group.empty()) throw InvalidData("choose the column that tells the groups.");
  if (const Json* drop = given.find("drop")) {
    for (const Json& each : drop->items()) out.drop.push_back(each.text());
  }
  std::vector<std::string> named = out.drop;
  named.push_back(out.group);
  if (!out.label.empty()) named.push_back(out.label);
  for (const std::string& name : named) {
    if (!has_column(columns_, name)) {
      throw InvalidData(fmt::format("the table has no column \"{}\".", name));
    }
  }
  return out;
}

// A name after an equals sign is never taken for a flag, whatever it begins with.
std::vector<std::string> Session::words_of(const Choice& choice, bool for_people) const {
  std::vector<std::string> out = {for_people ? table_name_ : table_path_};
  if (out.front().starts_with("-")) out.front().insert(0, "./");
  const auto add = [&](const std::string& flag, const std::string& value) {
    if (value.empty()) return;
    if (for_people && !value.starts_with("-")) {
      out.insert(out.end(), {flag, value});
    } else {
      out.push_back(flag + "=" + value);
    }
  };
  add("--group", choice.group);
  add("--label", choice.label);
  add("--drop", fmt::format("{}", fmt::join(choice.drop, ",")));
  add("--to", choice.to);
  return out;
}

Answer Session::start_check(const Choice& choice) {
  std::vector<std::string> words = words_of(choice, false), shown = words_of(choice, true);
  words.insert(words.begin(), "check");
  words.insert(words.end(), options_.common_words.begin(), options_.common_words.end());
  shown.insert(shown.begin(), {"conflux", "check"});
  start({.kind = "check", .words = std::move(words), .command = shell_command(shown)});
  return accepted();
}

Answer Session::start_align(const Choice& choice) {
  const std::string output = columns_.at("output").text();
  std::vector<std::string> words = words_of(choice, false), shown = words_of(choice, true);
  words.insert(words.begin(), "align");
  shown.insert(shown.begin(), {"conflux", "align"});
  for (auto* list : {&words, &shown}) {
    list->insert(list->end(), {"-o", output, "--model", kModelFile, "--report", kReportFile});
  }
  words.insert(words.end(),
               {"--watch", kWayFile, "--final", kFinalFile, "--shown-as=" + table_name_});
  words.insert(words.end(), options_.common_words.begin(), options_.common_words.end());
  start({.kind = "align", .words = std::move(words), .command = shell_command(shown)});
  return accepted();
}

void Session::start(JobPlan plan) {
  plan.words.insert(plan.words.end(), {"--json", "-v", "--log-format", "json"});
  plan.folder = new_folder();
  plan.most_memory = options_.most_memory;
  plan.path = table_path_;
  plan.name = table_name_;
  job_ = std::make_unique<Job>(std::move(plan));
}

std::string Session::new_folder() {
  const std::string out = folder_.file(fmt::format("work{}", ++folders_));
  std::filesystem::create_directory(out);
  return out;
}

// Takes over what a finished piece of work has left, once.
void Session::refresh() {
  if (!job_ || !job_->running()) return;
  job_->refresh();
  if (job_->running()) return;
  last_use_ = std::chrono::steady_clock::now();
  const JobPlan& plan = job_->plan();
  if (job_->succeeded() && plan.kind == "align") {
    results_.push_back({.number = folders_,
                        .folder = plan.folder,
                        .table_name = table_name_,
                        .command = plan.command,
                        .summary = job_->output()});
    if (results_.size() > kResultsKept) {
      std::filesystem::remove_all(results_.front().folder);
      results_.erase(results_.begin());
    }
    return;
  }
  if (job_->succeeded() && plan.kind == "look") columns_ = job_->output();
  if (job_->succeeded() && plan.kind == "check") check_ = job_->output();
  std::filesystem::remove_all(plan.folder);
}

Answer Session::file_of_result(const std::string& path) {
  const std::string rest = path.substr(std::string("/api/result/").size());
  int number = 0;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
  const std::string name(end, rest.data() + rest.size());
  for (const Result& result : results_) {
    if (error != std::errc() || result.number != number) continue;
    if (name == "/aligned") {
      return {.type = "application/octet-stream",
              .file = result.folder + "/" + result.summary.at("output").text()};
    }
    for (const Download& each : kDownloads) {
      if (name != "/" + std::string(each.name)) continue;
      return {.type = std::string(each.type), .file = result.folder + "/" + std::string(each.file)};
    }
  }
  return error_answer(404, "this result is not kept any more.");
}

Json Session::state() const {
  Json table, results = Json::array();
  if (!table_name_.empty()) table = {{"name", table_name_}, {"found", columns_}};
  for (const Result& each : results_) {
    results.push_back({{"number", each.number},
                       {"table", each.table_name},
                       {"command", each.command},
                       {"summary", each.summary}});
  }
  return {{"table", table},
          {"check", check_},
          {"job", job_ ? job_->state() : Json()},
          {"results", results},
          {"most_upload", options_.most_upload}};
}

double Session::idle_seconds() {
  const std::lock_guard lock(mutex_);
  refresh();
  if (job_ && job_->running()) return 0;
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - last_use_).count();
}

void Session::end() {
  const std::lock_guard lock(mutex_);
  job_.reset();
}

}  // namespace conflux::app
