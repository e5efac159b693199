#include "serve/job.h"

#include <fmt/format.h>

#include <fstream>
#include <iterator>

namespace conflux::app {

namespace {

constexpr const char* kOutputFile = "output.json";
constexpr const char* kLogFile = "log.jsonl";

std::string in_folder(const JobPlan& plan, const char* name) { return plan.folder + "/" + name; }

std::string text_of(const Json& object, const char* name) {
  const Json* found = object.is_object() ? object.find(name) : nullptr;
  return found != nullptr && found->is_text() ? found->text() : "";
}

}  // namespace

std::vector<std::string> GrowingFile::new_lines() {
  std::ifstream file(path_, std::ios::binary);
  file.seekg(static_cast<std::streamoff>(read_));
  std::vector<std::string> out;
  for (std::string line; std::getline(file, line) && !file.eof();) {
    read_ += line.size() + 1;
    out.push_back(std::move(line));
  }
  return out;
}

Job::Job(JobPlan plan)
    : plan_(std::move(plan)),
      log_(in_folder(plan_, kLogFile)),
      way_(in_folder(plan_, kWayFile)),
      child_(std::make_unique<Child>(plan_.words, plan_.folder, in_folder(plan_, kOutputFile),
                                     in_folder(plan_, kLogFile), plan_.most_memory)) {}

std::string Job::named(std::string text) const {
  if (plan_.path.empty()) return text;
  for (std::size_t at = text.find(plan_.path); at != std::string::npos;
       at = text.find(plan_.path, at + plan_.name.size())) {
    text.replace(at, plan_.path.size(), plan_.name);
  }
  return text;
}

void Job::read_log() {
  for (const std::string& line : log_.new_lines()) {
    const std::optional<Json> event = Json::parse(line);
    if (!event || !event->is_object()) continue;
    const std::string text = named(text_of(*event, "message"));
    if (text_of(*event, "level") == "error") {
      error_ = text;
    } else if (text_of(*event, "event") == "layer") {
      layers_ = event->at("layers");
    } else if (!text.empty()) {
      message_ = text;
    }
  }
}

void Job::read_way() {
  for (const std::string& line : way_.new_lines()) {
    std::optional<Json> frame = Json::parse(line);
    if (!frame || !frame->is_object()) continue;
    if (first_frame_.is_null()) first_frame_ = *frame;
    last_frame_ = *std::move(frame);
  }
}

void Job::end() {
  if (child_->was_stopped()) {
    error_ = "stopped; nothing was kept.";
  } else if (child_->code() < 0) {
    error_ =
        fmt::format("the work was ended by signal {}; if memory ran out, give a smaller table.",
                    -child_->code());
  } else if (child_->code() == 0) {
    error_.clear();
    std::ifstream file(in_folder(plan_, kOutputFile), std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    if (std::optional<Json> parsed = Json::parse(named(text))) output_ = *std::move(parsed);
  } else if (error_.empty()) {
    error_ = fmt::format("the fit ended with exit code {} without a message.", child_->code());
  }
}

void Job::refresh() {
  if (!running_) return;
  // The state is read first: the output before the end of the process is in the files by then.
  running_ = child_->running();
  read_log();
  read_way();
  seconds_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count();
  if (!running_) end();
}

Json Job::state() const {
  return {{"kind", plan_.kind},
          {"running", running_},
          {"stopping", running_ && child_->was_stopped()},
          {"seconds", seconds_},
          {"message", message_},
          {"error", error_},
          {"command", plan_.command},
          {"most_layers", layers_},
          {"first", first_frame_},
          {"last", last_frame_}};
}

}  // namespace conflux::app
