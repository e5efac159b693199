// The paper's tables and figures as data: which sets, which fits, how often.

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "baselines/network_flow.h"
#include "conflux/options/options.h"
#include "reproduce/data.h"

namespace conflux::app {

/// A line of a table: one way to fit.
struct RowSpec {
  /// How two runs of this row differ. Fits without random numbers vary with the split.
  enum class Runs { kOnce, kSeed, kSplit };

  std::string label;
  Method method = Method::kInb;
  Runs runs = Runs::kSeed;
  Index layers = 0;      // 0: what the preset says
  Index directions = 0;  // 0: what the preset says
  std::string target = {};
  /// Use the defaults of the library instead of the paper's settings.
  bool automatic = false;
  /// Baselines that are no methods of the library: flows of networks, and CycleGAN.
  std::optional<NetworkKind> networks = {};
  bool cyclegan = false;

  /// The name of the method, or of the baseline.
  std::string method_name() const;
  /// All groups move to one of them, in whose units they end.
  bool to_one_group() const;
};

struct Experiment {
  enum class Kind { kTable, kCurve };

  std::string name;
  std::string title;
  Kind kind = Kind::kTable;
  std::vector<std::string> sets;
  std::vector<RowSpec> rows;
  /// Where ours differ from the published figures, and why.
  std::string note;
  /// Curves: layers between two measurements.
  Index every = 1;
  /// Curves: repetitions, whatever --runs says; 0 takes --runs.
  int repetitions = 0;
};

const std::vector<Experiment>& experiments();

/// Throws InvalidOption with the nearest name.
const Experiment& find_experiment(const std::string& name);

/// The options of one fit of networks.
NetworkOptions network_options_of(const RowSpec& row, const GroupSet& groups, const Scale& scale,
                                  int run);

/// The options of one fit.
FitOptions options_of(const RowSpec& row, const SetInfo& set, Index num_groups, Index dim,
                      const Scale& scale, int run);

}  // namespace conflux::app
