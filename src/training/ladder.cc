#include "training/ladder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

#include "conflux/core/error.h"
#include "conflux/metrics/group_prediction.h"
#include "core/rng.h"
#include "core/take_rows.h"
#include "metrics/feature_transfer.h"
#include "options/automatic.h"
#include "training/moved_groups.h"

namespace conflux {

namespace {

struct Rung {
  std::string_view name;
  /// For the summary, after «Correction:».
  std::string_view words;
  Method method;
  Index layers = 0;  // 0: as the method chooses
  Gating gate = Gating::kNone;
  /// Every feature is moved by itself.
  bool by_feature = false;
  bool linear_by_feature = false;
  /// Kept columns may have an effect of their own in each group.
  bool interaction = false;
};

constexpr std::array kRungs{
    Rung{"none", "none", Method::kAuto, 0, Gating::kNone, true, true},
    Rung{"means", "means of the features", Method::kMeans, 0, Gating::kNone, true, true},
    Rung{"location-scale", "location and scale of the features", Method::kLocationScale, 0,
         Gating::kNone, true, true},
    Rung{"location-scale-by-group",
         "location and scale of the features, with effects of the kept columns by group",
         Method::kLocationScale, 0, Gating::kNone, true, true, true},
    Rung{"gb", "means and covariances (Gaussian barycenter)", Method::kGb},
    Rung{"nb", "one increasing map per feature", Method::kNb, 0, Gating::kNone, true},
    Rung{"sliced", "few sliced layers", Method::kInb, 20},
    Rung{"cascade", "sliced, conditional and tree layers", Method::kCascade},
    Rung{"kept", "sliced layers gated by the columns that are kept", Method::kInb, 0, Gating::kKept,
         true},
    Rung{"kept-by-group", "sliced layers gated by the columns that are kept, with effects by group",
         Method::kInb, 0, Gating::kKept, true, false, true},
    Rung{"conditional-by-group",
         "conditional layers that see the columns that are kept, with effects by group",
         Method::kConditional, 0, Gating::kNone, true, false, true},
    Rung{"clusters", "sliced layers within clusters", Method::kInb, 0, Gating::kClusters},
};

// Covariances of more features take too long for a rung among others.
constexpr Index kMostFeaturesOfGb = 1'000;
// Clusters of smaller groups are not found reliably.
constexpr Index kFewestRowsOfClusters = 100;
// Groups of fewer rows are fitted as they are and do not judge.
constexpr Index kFewestRowsToHalve = 10;
// A difference of AUC within one standard deviation, which is this fraction of the chance band at
// 0.5 and smaller near 1, is a tie.
constexpr double kClearAuc = 0.6;
// Standard errors by which a difference of transfers is clear.
constexpr double kClearTransfer = 2.0;
// A rung beyond location and scale that hides the group may cost so much transfer, a clear
// difference counted against it: of few rows, where a loss would not be seen, it is not taken
// (penguins by sex: 20 layers cost 0.08 of the task and 0.00 +- 0.02 of the transfer).
constexpr double kMostTransferLost = 0.005;
// The same for corrections within clusters, if proportions of clusters differ: clusters are found
// less well while a third of the features is left out (2.1 with ten separate clusters).
constexpr double kErrorsOfClusters = 3.0;

/// A rung with what was measured.
struct Climbed {
  const Rung* rung;
  RungRecord record;
  std::optional<FeatureTransfer> transfer;
};

FitOptions options_of(const Rung& rung, const FitOptions& requested) {
  FitOptions out = requested;
  out.method = rung.method;
  out.goal = Goal::kAuto;
  out.gate = rung.gate;
  out.interaction = rung.interaction || requested.interaction;
  if (rung.layers > 0) out.layers = rung.layers;
  // On small samples the cascade would cross-validate, which takes ten fits.
  if (rung.method == Method::kCascade && !out.validation_fraction) {
    out.validation_fraction = automatic::kValidationFractionOfTables;
  }
  return without_ignored(out);
}

/// Two disjoint samples of the groups: rows to fit and rows to judge.
struct Sample {
  GroupSet fitted;
  GroupSet judged;
};

Sample draw_sample(const GroupSet& groups, std::uint64_t seed) {
  const double share =
      std::min(0.5, static_cast<double>(kLadderRows) / static_cast<double>(groups.num_samples()));
  std::vector<std::vector<Index>> fitted, judged;
  for (Index m = 0; m < groups.num_groups(); ++m) {
    const Index rows = groups[m].rows.rows();
    Stream stream(seed, Purpose::kLadder, static_cast<std::uint64_t>(m));
    std::vector<Index> order = stream.permutation(rows);
    const bool halved = rows >= kFewestRowsToHalve;
    const auto least = std::min(rows / 2, kFewestRowsOfClusters);
    const Index most = std::max(least, static_cast<Index>(share * static_cast<double>(rows)));
    const Index count = halved ? most : rows;
    std::vector<Index> first(order.begin(), order.begin() + count);
    std::vector<Index> second;
    if (halved) second.assign(order.begin() + count, order.begin() + 2 * count);
    std::sort(first.begin(), first.end());
    std::sort(second.begin(), second.end());
    fitted.push_back(std::move(first));
    judged.push_back(std::move(second));
  }
  return {take_rows(groups, fitted), take_rows(groups, judged)};
}

/// Root mean square distance of the moves, in standard deviations within groups.
double distance_moved(const GroupSet& before, const GroupSet& after) {
  double moves = 0, values = 0;
  Vector within = Vector::Zero(before.dim());
  Vector moved = Vector::Zero(before.dim());
  Vector largest = Vector::Zero(before.dim());
  for (Index m = 0; m < before.num_groups(); ++m) {
    const Matrix a = before[m].rows.to_matrix(), b = after[m].rows.to_matrix();
    if (a.rows() == 0) continue;
    const Vector mean = a.colwise().mean().transpose();
    largest = largest.cwiseMax(a.cwiseAbs().colwise().maxCoeff().transpose());
    within += (a.rowwise() - mean.transpose()).colwise().squaredNorm().transpose();
    moved += (b - a).colwise().squaredNorm().transpose();
  }
  for (Index j = 0; j < within.size(); ++j) {
    // Constant but for rounding.
    if (within[j] <= 1e-20 * largest[j] * largest[j]) continue;
    moves += moved[j] / within[j];
    values += 1;
  }
  return values > 0 ? std::sqrt(moves / values) : 0;
}

class Ladder {
 public:
  Ladder(const GroupSet& groups, const FitOptions& requested, bool clusters, const FitRung& fit,
         const PlainValues& plain_values, const Workers& workers)
      : groups_(groups),
        requested_(requested),
        clusters_(clusters),
        fit_(fit),
        plain_values_(plain_values),
        workers_(workers),
        sample_(draw_sample(groups, requested.seed)),
        judge_(
            groups,
            {.max_judged_rows = kLadderRows, .max_fit_rows = kLadderRows, .seed = requested.seed},
            workers) {}

  LadderChoice choose() {
    const bool few = kept() && smallest_group() < kFewestRowsOfClusters;
    if (few || (!kept() && !judge_.reason().empty())) return unjudged();
    for (const Rung& rung : kRungs) {
      if (suits(rung) && may_pay(rung)) climb(rung);
    }
    return climbed_.size() < 2 ? unjudged() : choice(best_rung());
  }

 private:
  /// Whether columns are kept. Rungs that would move them are left out, and the group AUC judges
  /// alone, of rows with their covariates.
  bool kept() const { return groups_.covariates() > 0; }

  bool suits(const Rung& rung) const {
    if (rung.interaction && (!kept() || smallest_group() < kFewestRowsOfClusters)) return false;
    if (rung.method == Method::kConditional) return kept();
    if (kept() && !rung.linear_by_feature && rung.gate != Gating::kKept) return false;
    if (rung.gate == Gating::kKept) return kept() && smallest_group() >= kFewestRowsOfClusters;
    if (rung.method == Method::kGb) return groups_.dim() <= kMostFeaturesOfGb;
    if (rung.gate != Gating::kClusters) return true;
    return clusters_ || smallest_group() >= kFewestRowsOfClusters;
  }

  /// The cascade takes most of the time of a ladder. It begins with sliced layers, and where few of
  /// these already move unlike rows onto each other, it does so too.
  bool may_pay(const Rung& rung) const {
    if (rung.method != Method::kCascade || climbed_.empty()) return true;
    return gain(climbed_.size() - 1, best_transfer()) <= 0;
  }

  /// The coordinates that the rung moves.
  GroupSet coordinates(const Rung& rung, const GroupSet& rows,
                       const std::vector<Index>& features = {}) const {
    return rung.linear_by_feature && plain_values_ ? plain_values_(rows, features) : rows;
  }

  GroupSet align(const Rung& rung, const GroupSet& fitted, const GroupSet& moved) const {
    if (rung.name == "none") return moved;
    return moved_by(fit_(fitted, options_of(rung, requested_)).flow, moved, workers_);
  }

  /// Measures a rung. One that the sample does not allow is left out.
  void climb(const Rung& rung) {
    Climbed out{.rung = &rung, .record = {.name = std::string(rung.name)}, .transfer = {}};
    try {
      // Repeated values that are shifted by a trifle would tell the group whatever else a
      // correction does (zeros of mass cytometry: 0.99 after 0.93), so all rungs are asked with
      // these spread.
      const GroupSet& before = sample_.judged;
      const GroupSet after = align(rung, sample_.fitted, before);
      const GroupPrediction prediction =
          predict_groups(after, {.folds = 2, .trees = 40, .seed = requested_.seed}, workers_);
      out.record.auc = prediction.auc;
      out.record.auc_by_chance = prediction.by_chance();
      out.record.moved = distance_moved(without_covariates(before), without_covariates(after));
      if (kept()) return climbed_.push_back(std::move(out));
      out.transfer = judge_.judge([&](const GroupSet& fitted, const GroupSet& moved,
                                      const std::vector<Index>& features) {
        return align(rung, coordinates(rung, fitted, features), coordinates(rung, moved, features));
      });
      out.record.transfer = out.transfer->score;
    } catch (const InvalidData&) {
      return;
    } catch (const InvalidOption&) {
      return;
    }
    climbed_.push_back(std::move(out));
  }

  /// Whether the group is clearly harder to predict after rung `b` than after rung `a`.
  bool clearly_harder(std::size_t a, std::size_t b) const {
    const RungRecord& from = climbed_[a].record;
    const RungRecord& to = climbed_[b].record;
    const double auc = std::clamp(to.auc, 0.5, 0.9999);
    const double deviation = kClearAuc * (to.auc_by_chance - 0.5) * 2 * std::sqrt(auc * (1 - auc));
    return from.auc - to.auc > deviation;
  }

  /// Transfer of rung `b` less that of rung `a`, less so many of its standard errors.
  double gain(std::size_t a, std::size_t b, double errors = kClearTransfer) const {
    const PairedTransfer found = compare(*climbed_[a].transfer, *climbed_[b].transfer);
    return found.difference - errors * found.standard_error;
  }

  double transfer(std::size_t rung) const { return climbed_[rung].transfer->score; }

  bool anything_is_transferred() const {
    if (kept()) return false;
    std::vector<FeatureTransfer> all;
    for (const Climbed& each : climbed_) all.push_back(*each.transfer);
    return anything_transfers(all);
  }

  std::size_t best_transfer() const {
    std::size_t best = 0;
    for (std::size_t r = 1; r < climbed_.size(); ++r) {
      if (transfer(r) > transfer(best)) best = r;
    }
    return best;
  }

  std::size_t best_rung() const {
    if (!anything_is_transferred()) return clusters_ ? last_rung() : best_by_feature();
    if (clusters_ && gain(climbed_.size() - 1, best_transfer(), kErrorsOfClusters) <= 0) {
      return clusters_or_none();
    }
    std::size_t out = first_step();
    for (std::size_t r = 0; r < climbed_.size(); ++r) {
      if (!climbed_[r].rung->linear_by_feature && pays(out, r)) out = r;
    }
    return out;
  }

  /// Location and scale, shrunken, unless held-out features clearly speak for means or for none. At
  /// equal transfer it serves tasks better than either (docs/decisions/0014).
  std::size_t first_step() const {
    const std::optional<std::size_t> means = find_rung("means");
    std::size_t out = find_rung("location-scale").value_or(means.value_or(0));
    if (means && gain(out, *means) > 0) out = *means;
    const bool better = gain(0, out) > 0 || clearly_harder(0, out);
    return better && gain(out, 0) <= 0 ? out : 0;
  }

  /// Whether a rung beyond location and scale is better than `from`: like rows meet more often, or
  /// the group is hidden at no cost.
  bool pays(std::size_t from, std::size_t rung) const {
    const double least = gain(from, rung);
    return least > 0 || (clearly_harder(from, rung) && least > -kMostTransferLost);
  }

  std::optional<std::size_t> find_rung(std::string_view name) const {
    for (std::size_t r = 0; r < climbed_.size(); ++r) {
      if (climbed_[r].rung->name == name) return r;
    }
    return std::nullopt;
  }

  /// Where clusters differ in proportions, even a shift of whole groups moves one cluster onto
  /// another, and a lower group AUC is no gain. So only corrections within clusters are tried,
  /// unless another one is clearly better by transfer.
  std::size_t clusters_or_none() const {
    const std::size_t last = last_rung();
    return gain(0, last) > 0 || clearly_harder(0, last) ? last : 0;
  }

  /// Corrections within clusters; none if the sample does not allow them. If features are
  /// unrelated, as principal components are, the correspondence of clusters is all that is known.
  std::size_t last_rung() const {
    const std::size_t last = climbed_.size() - 1;
    return climbed_[last].rung->gate == Gating::kClusters ? last : 0;
  }

  /// Features that say nothing of each other can be moved one by one; more is not supported.
  std::size_t best_by_feature() const {
    std::size_t out = 0;
    for (std::size_t r = 1; r < climbed_.size(); ++r) {
      if (climbed_[r].rung->by_feature && clearly_harder(out, r)) out = r;
    }
    return out;
  }

  /// Held-out features cannot judge. Of large groups the cascade stops by itself where held-out
  /// rows gain nothing; of few rows location and scale harm least.
  LadderChoice unjudged() const {
    const bool few = kept() || (!clusters_ && smallest_group() < kFewestRowsOfClusters);
    const Rung& rung = *std::find_if(kRungs.begin(), kRungs.end(), [&](const Rung& each) {
      return each.method == (few ? Method::kLocationScale : Method::kCascade);
    });
    LadderChoice out;
    out.options = few ? options_of(rung, requested_) : requested_;
    out.linear = few;
    out.record.goal = "transfer";
    out.record.chosen = rung.name;
    out.record.sentences = {fmt::format(
        "Correction: {}. Corrections could not be compared on held-out rows: {}.", rung.words,
        kept() || judge_.reason().empty() ? "the groups have too few rows" : judge_.reason())};
    return out;
  }

  Index smallest_group() const {
    Index out = groups_.num_samples();
    for (Index m = 0; m < groups_.num_groups(); ++m) {
      out = std::min(out, groups_[m].rows.rows());
    }
    return out;
  }

  LadderChoice choice(std::size_t chosen) {
    LadderChoice out;
    const Rung& rung = *climbed_[chosen].rung;
    out.none = rung.name == "none";
    out.linear = rung.linear_by_feature;
    out.options = out.none ? requested_ : options_of(rung, requested_);
    out.options.validation_fraction = requested_.validation_fraction;
    out.record.goal = "transfer";
    out.record.chosen = rung.name;
    for (std::size_t r = 0; r < climbed_.size(); ++r) {
      if (climbed_[r].record.transfer && climbed_[chosen].record.transfer) {
        climbed_[r].record.transfer_error =
            compare(*climbed_[chosen].transfer, *climbed_[r].transfer).standard_error;
      }
      out.record.rungs.push_back(climbed_[r].record);
    }
    out.record.sentences = {what_was_taken(chosen)};
    if (chosen + 1 < climbed_.size()) out.record.sentences.push_back(what_next_would_do(chosen));
    return out;
  }

  std::string what_was_taken(std::size_t chosen) const {
    return fmt::format(
        "Correction: {}; chosen among {} by {} on rows that their fits have not seen.",
        climbed_[chosen].rung->words, climbed_.size(),
        anything_is_transferred() ? "the transfer of held-out features, then the group AUC,"
                                  : "the group AUC");
  }

  std::string what_next_would_do(std::size_t chosen) const {
    const RungRecord& here = climbed_[chosen].record;
    const Climbed& next = climbed_[chosen + 1];
    std::string out = fmt::format("The next rung, {}, changes the group AUC from {:.3f} to {:.3f}",
                                  next.rung->words, here.auc, next.record.auc);
    if (here.transfer && next.record.transfer) {
      const PairedTransfer found = compare(*climbed_[chosen].transfer, *next.transfer);
      out += fmt::format(
          " and the transfer of held-out features from {:.3f} to {:.3f} (standard "
          "error of the difference {:.3f})",
          *here.transfer, *next.record.transfer, found.standard_error);
    }
    return out + ".";
  }

  const GroupSet& groups_;
  const FitOptions& requested_;
  bool clusters_;
  const FitRung& fit_;
  const PlainValues& plain_values_;
  const Workers& workers_;
  Sample sample_;
  FeatureTransferJudge judge_;
  std::vector<Climbed> climbed_;
};

}  // namespace

bool has_ladder(const GroupSet& groups, const FitOptions& requested, bool gate_is_open) {
  return requested.method == Method::kAuto && requested.goal == Goal::kTransfer &&
         !requested.layers && !requested.strength && gate_is_open && requested.image.empty() &&
         groups.num_groups() > 1;
}

LadderChoice choose_rung(const GroupSet& groups, const FitOptions& requested, bool clusters,
                         const FitRung& fit, const PlainValues& plain_values,
                         const Workers& workers) {
  return Ladder(groups, requested, clusters, fit, plain_values, workers).choose();
}

}  // namespace conflux
