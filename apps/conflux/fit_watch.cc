#include "fit_watch.h"

#include <fmt/format.h>

#include <cerrno>
#include <cmath>

#include "files/atomic_file.h"
#include "files/json.h"
#include "files/whole_file.h"

namespace conflux::app {

namespace {

constexpr Index kRowsShown = 500;
constexpr Index kRowsElsewhere = 200;
constexpr Index kFrames = 20;
constexpr std::chrono::milliseconds kBetweenFrames{100};

// x and y in turn; finer than a screen shows.
Json places_json(const Matrix& places) {
  Json out = Json::array();
  for (Index i = 0; i < places.rows(); ++i) {
    for (Index k = 0; k < places.cols(); ++k) {
      out.push_back(std::round(places(i, k) * 1e4) / 1e4);
    }
  }
  return out;
}

Json rows_json(const JudgedRows& rows, const std::vector<std::string>& groups) {
  return {{"groups", groups}, {"group_of", rows.group_of}, {"position_of", rows.position_of}};
}

Json plane_json(const PathFrames& frames) {
  return {{"x_name", frames.x_name},
          {"y_name", frames.y_name},
          {"share", frames.share},
          {"share_of", frames.share_of}};
}

Json elsewhere_json(const Model& model, const RowPaths& paths) {
  const std::vector<Index> chosen = some_rows(paths, kRowsElsewhere);
  const RowsElsewhere found = rows_elsewhere(model, paths, chosen);
  std::vector<std::string> features;
  for (const Index j : found.features) features.push_back(paths.feature_names()[j]);
  Json values = Json::array();
  for (const auto& row : found.values) values.push_back(row);
  return {{"rows", chosen}, {"features", features}, {"groups", found.groups}, {"values", values}};
}

}  // namespace

std::vector<Flag> watch_flags(WatchFlags& flags) {
  return {{.names = "--watch",
           .value = "FILE",
           .help = "write the places of some rows while the fit runs, a line of JSON at a time",
           .target = &flags.way,
           .shown = Shown::kToExperts},
          {.names = "--final",
           .value = "FILE",
           .help = "write the paths of these rows through the finished model, as JSON",
           .target = &flags.final,
           .shown = Shown::kToExperts},
          {.names = "--shown-as",
           .value = "NAME",
           .help = "what a report calls the table [its path]",
           .target = &flags.shown_as,
           .shown = Shown::kToExperts}};
}

void add_watch(ResultFiles& results, const WatchFlags& flags) {
  results.add(flags.way, FileKind::kJson);
  results.add(flags.final, FileKind::kJson);
}

FitWatch::FitWatch(WatchFlags flags, const GroupSet& groups, std::uint64_t seed, int threads)
    : flags_(std::move(flags)),
      paths_(groups, kRowsShown, seed, threads),
      way_(flags_.way),
      groups_(groups.names()) {
  if (!flags_.way.empty() && !way_) fail_to_write(flags_.way, errno);
  Json first = rows_json(paths_.rows(), groups_);
  first.update(plane_json(paths_.start()));
  first["layers"] = 0;
  first["places"] = places_json(paths_.start().places.front());
  way_ << first.dump() << std::endl;
}

void FitWatch::show(const Flow& flow) {
  const auto now = std::chrono::steady_clock::now();
  if (now - last_ < kBetweenFrames) return;
  last_ = now;
  const Json frame = {{"layers", flow.num_layers()}, {"places", places_json(paths_.follow(flow))}};
  way_ << frame.dump() << std::endl;
}

void FitWatch::finish(const Model& model) const {
  const PathFrames frames = paths_.key_frames(model.flow, kFrames);
  Json out = rows_json(paths_.rows(), groups_);
  out.update(plane_json(frames));
  out["layers"] = frames.layers;
  Json places = Json::array();
  for (const Matrix& each : frames.places) places.push_back(places_json(each));
  out["places"] = std::move(places);
  out["elsewhere"] = elsewhere_json(model, paths_);
  if (!flags_.final.empty()) replace_file(flags_.final, out.dump());
}

}  // namespace conflux::app
