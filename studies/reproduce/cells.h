// One fit and its figures: the smallest piece of an experiment, kept as a file.
//
// A cell is written when it is complete, so that an interrupted run goes on where it was. Its file
// also holds the settings; a cell of other settings (another scale, other options) is measured
// again.

#pragma once

#include <filesystem>
#include <optional>

#include "conflux/core/parallel.h"
#include "reproduce/experiments.h"
#include "reproduce/features.h"
#include "support/console.h"

namespace conflux::app {

struct CellId {
  const Experiment& experiment;
  const SetInfo& set;
  const RowSpec& row;
  int run = 0;

  int split() const { return row.runs == RowSpec::Runs::kSplit ? run : 0; }
  /// Without folder and ending, fit for a file name.
  std::string file_stem() const;
};

/// How many runs this row needs.
int num_runs(const Experiment& experiment, const RowSpec& row, const Scale& scale, int runs);

class CellRunner {
 public:
  /// `features_net`: a file of a network that looks at images, beside those of the library; may be
  /// empty.
  CellRunner(std::filesystem::path folder, DataSource& data, const Scale& scale, int threads,
             const std::string& features_net, const Console& console);

  /// The cell if it is there already.
  std::optional<Json> find(const CellId& id) const;
  /// Reads the cell, or measures and keeps it, also if another network looked at it.
  Json get(const CellId& id);
  Index num_measured() const { return measured_; }

 private:
  std::filesystem::path path_of(const CellId& id) const;
  Json settings_of(const CellId& id) const;
  Json measure(const CellId& id);
  Json measure_cyclegan(const CellId& id, const SplitSet& data);
  Json measure_networks(const CellId& id, const SplitSet& data);
  /// Adds what the test rows say.
  void judge(const CellId& id, const SplitSet& data, const Translator& translator, Json& out);
  Json measure_features(const CellId& id, const SplitSet& data, const Translator& translator);
  /// Whether the network that is given is to look at images of this cell, and whether it did.
  bool given_net_looks_at(const CellId& id) const;
  bool was_looked_at(const CellId& id, const Json& cell) const;

  std::filesystem::path folder_;
  DataSource& data_;
  const Scale& scale_;
  Workers workers_;
  std::string net_name_;
  std::optional<FeatureDistances> net_;
  const Console& console_;
  Index measured_ = 0;
};

}  // namespace conflux::app
