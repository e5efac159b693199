// Data for a page that watches a fit: some rows while they move, and at the end their whole paths.

#pragma once

#include <chrono>
#include <fstream>
#include <string>

#include "conflux/core/group_set.h"
#include "conflux/model/model.h"
#include "file_checks.h"
#include "report/row_paths.h"
#include "support/flag.h"

namespace conflux::app {

struct WatchFlags {
  /// A file that gets a line of JSON when places have changed, not oftener than eyes can see.
  std::string way = {};
  /// A file that gets the whole way, when the model is there.
  std::string final = {};
  /// Name of the table in a report; empty: its path.
  std::string shown_as = {};

  bool wanted() const { return !way.empty() || !final.empty(); }
};

/// --watch, --final and --shown-as, which conflux serve uses.
std::vector<Flag> watch_flags(WatchFlags& flags);
void add_watch(ResultFiles& results, const WatchFlags& flags);

class FitWatch {
 public:
  FitWatch(WatchFlags flags, const GroupSet& groups, std::uint64_t seed, int threads);

  void show(const Flow& flow);
  void finish(const Model& model) const;

 private:
  WatchFlags flags_;
  RowPaths paths_;
  std::ofstream way_;
  std::vector<std::string> groups_;
  std::chrono::steady_clock::time_point last_ = {};
};

}  // namespace conflux::app
