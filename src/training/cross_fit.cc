#include "training/cross_fit.h"

#include <algorithm>

#include "core/rng.h"
#include "core/take_rows.h"
#include "fitting/latent.h"
#include "training/automatic.h"
#include "training/held_out.h"

namespace conflux {

namespace {

constexpr Index kParts = 5;
// A distance within a group takes two rows of a part. Smaller groups stay whole and help to fit.
constexpr Index kFewestSplit = 2 * kParts;
// Rows of a group beyond which more say nothing about how many layers a small one deserves.
constexpr Index kMostOfGroup = 2000;
// Rows of all groups together after which no further part is judged: each costs a fit.
constexpr Index kEnoughRows = 2000;
// Apart from the other draws of rows that are held out.
constexpr std::uint64_t kSplitRows = 3;

struct RowSplit {
  std::vector<std::vector<Index>> fitted;
  std::vector<std::vector<Index>> unseen;
};

// Groups of equal size are permuted in the same way, so that groups that are copies of each other
// stay copies.
RowSplit split_rows(const GroupSet& groups, Index part, Index parts, std::uint64_t seed) {
  RowSplit out;
  for (Index m = 0; m < groups.num_groups(); ++m) {
    std::vector<Index> order =
        Stream(seed, Purpose::kHeldOut, 0, kSplitRows).permutation(groups[m].rows.rows());
    const bool whole = static_cast<Index>(order.size()) < kFewestSplit;
    if (static_cast<Index>(order.size()) > kMostOfGroup) order.resize(kMostOfGroup);
    out.fitted.emplace_back();
    out.unseen.emplace_back();
    for (std::size_t i = 0; i < order.size(); ++i) {
      const bool left_out = !whole && static_cast<Index>(i) % parts == part;
      (left_out ? out.unseen : out.fitted).back().push_back(order[i]);
    }
  }
  return out;
}

GroupSet without_empty(const GroupSet& groups) {
  GroupSet out;
  for (Index m = 0; m < groups.num_groups(); ++m) {
    if (groups[m].rows.rows() > 0) out.add(groups[m].name, groups[m].rows, groups[m].masses);
  }
  return out;
}

// One part of the rows, moved layer by layer by the fit of the other parts, and its scores.
class Part {
 public:
  Part(const GroupSet& groups, RowSplit split, const Workers& workers)
      : workers_(workers), split_(std::move(split)), unseen_(take_rows(groups, split_.unseen)) {}

  void fit(const GroupSet& groups, const FitOptions& options, const LayerCallback& on_layer) {
    SelfCommunicator alone;
    FitPlan control;
    control.on_progress = [&](const Fit& so_far) { follow(so_far.flow); };
    const auto goes_on = [&](const LayerRecord& record) {
      return (!on_layer || on_layer(record)) && layers_since_best() < options.patience;
    };
    follow(Flow(groups.names(), groups.dim()));
    fit_stack(take_rows(groups, split_.fitted), options, alone, goes_on, control);
  }

  Index rows() const { return unseen_.groups().num_samples(); }
  /// After so many layers; a fit that ended earlier stays where it ended.
  double divergence(std::size_t layers) const {
    return divergences_[std::min(layers, divergences_.size() - 1)];
  }
  std::size_t layers() const { return divergences_.size() - 1; }

 private:
  void follow(const Flow& flow) {
    for (; followed_ < flow.num_layers(); ++followed_) {
      unseen_.move(*flow.layers()[followed_], workers_);
    }
    divergences_.push_back(judge_rows(without_empty(unseen_.groups()), workers_).divergence);
  }

  Index layers_since_best() const {
    return divergences_.end() - std::min_element(divergences_.begin(), divergences_.end()) - 1;
  }

  const Workers& workers_;
  RowSplit split_;
  Latent unseen_;
  Index followed_ = 0;
  std::vector<double> divergences_;
};

Index layers_of_nearest(const std::vector<Part>& parts) {
  std::size_t most = 0, best = 0;
  for (const Part& part : parts) most = std::max(most, part.layers());
  double nearest = 0;
  for (std::size_t l = 0; l <= most; ++l) {
    double sum = 0;
    for (const Part& part : parts) sum += part.divergence(l);
    if (l > 0 && sum >= nearest) continue;
    nearest = sum;
    best = l;
  }
  return static_cast<Index>(best);
}

}  // namespace

std::optional<Index> layers_by_cross_fit(const GroupSet& groups, const FitOptions& resolved,
                                         const LayerCallback& on_layer, const Workers& workers) {
  // Its layers only mean something between those that enter the cube and leave it.
  if (resolved.unit_cube == UnitCube::kOn) return std::nullopt;
  Index split_groups = 0;
  for (Index m = 0; m < groups.num_groups(); ++m) {
    split_groups += groups[m].rows.rows() < kFewestSplit ? 0 : 1;
  }
  if (split_groups < 2) return std::nullopt;
  std::vector<Part> parts;
  bool go_on = true;
  const auto watched = [&](const LayerRecord& record) {
    return go_on = !on_layer || on_layer(record);
  };
  Index seen = 0;
  for (Index p = 0; p < kParts && seen < kEnoughRows; ++p) {
    Part& part = parts.emplace_back(groups, split_rows(groups, p, kParts, resolved.seed), workers);
    part.fit(groups, resolved, watched);
    if (!go_on) return std::nullopt;
    seen += part.rows();
  }
  return layers_of_nearest(parts);
}

Halves halve_rows(const GroupSet& groups, std::uint64_t seed) {
  const RowSplit halves = split_rows(groups, 0, 2, seed);
  return {take_rows(groups, halves.fitted), take_rows(groups, halves.unseen)};
}

}  // namespace conflux
