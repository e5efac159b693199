#include "metrics/panel.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <optional>

#include "core/rng.h"
#include "metrics/auc.h"
#include "metrics/boosted_trees.h"
#include "metrics/dense_experts.h"
#include "metrics/stacking.h"

namespace conflux {

namespace {

// Rows of other groups that trees learn from: more would add time and little knowledge.
constexpr Index kOthersPerMember = 4;
constexpr Index kFewestOthers = 1000;
// Rows to learn from up to which each inner part is predicted in turn, and beyond which nothing is
// fitted again.
constexpr Index kFewToLearn = 1'000;
constexpr Index kManyToLearn = 10'000;
constexpr Index kInnerParts = 4;
constexpr Index kInnerShare = 5;
constexpr Index kMostInnerRows = 5'000;
// Discriminants and kernels are as good as they get with so many rows.
constexpr Index kMostDenseRows = 20'000;
// Few rows to learn from deserve fewer trees: one for so many rows, and no fewer than twenty.
constexpr Index kRowsPerTree = 10;
constexpr Index kFewestTrees = 20;
// Boosting is scored after this number of trees, too, as an expert of its own.
constexpr Index kEarlyTrees = 5;
constexpr Index kTreeExperts = 2;
constexpr Index kExperts = DenseExperts::kCount + kTreeExperts;
// Rows of a part that are scored again when a feature is shuffled.
constexpr Index kMostShuffled = 1'000;
constexpr Index kFewestShuffled = 200;
constexpr Index kShuffledNumbers = 50'000;
// Experts with less weight hardly change the score.
constexpr double kLeastWeight = 0.02;

// Rows to learn from, those of them that say the weights, and rows to be judged.
struct Split {
  Index part = 0;
  std::vector<Index> learned = {};
  std::vector<Index> inner = {};
  std::vector<Index> judged = {};
};

// By expert and class, scores of rows.
using Opinions = std::vector<std::vector<std::vector<double>>>;

class Experts {
 public:
  Experts(const PredictionPool& pool, const Split& split, const PanelSettings& settings)
      : pool_(pool),
        split_(split),
        settings_(settings),
        features_(telling_features(pool, split.learned)),
        num_trees_(std::min(settings.trees,
                            std::max(kFewestTrees, std::ssize(split.learned) / kRowsPerTree))),
        trees_(static_cast<std::size_t>(pool.scored())) {}

  const std::vector<Index>& features() const { return features_; }

  void learn_dense() {
    const std::vector<Index> rows = thinned(split_.learned, kMostDenseRows, 0);
    std::vector<Index> classes;
    classes.reserve(rows.size());
    for (const Index i : rows) classes.push_back(pool_.class_of[i]);
    dense_.emplace(pool_.cut_scores(rows, features_), classes, pool_.classes(), settings_.seed);
  }

  void learn_trees(Index which) {
    const std::vector<Index> rows = rows_for_trees(which);
    const std::vector<char> is_member = pool_.members(rows, which);
    const auto members = std::count(is_member.begin(), is_member.end(), char{1});
    if (members == 0 || members == std::ssize(is_member)) return;
    trees_[which] = std::make_unique<BoostedTrees>(
        pool_.cut_ranks(rows, features_), is_member,
        BoostingSettings{.trees = num_trees_, .seed = settings_.seed});
  }

  /// Frees what a job has learned.
  void forget(Index job) {
    if (job == 0) {
      dense_.reset();
    } else {
      trees_[job - 1].reset();
    }
  }

  void ask_dense(const Matrix& scores, Opinions& out) const {
    const std::vector<Matrix> found = dense_->scores(scores);
    for (std::size_t e = 0; e < found.size(); ++e) {
      for (Index c = 0; c < pool_.scored(); ++c) {
        out[e][c].assign(found[e].col(c).begin(), found[e].col(c).end());
      }
    }
  }

  void ask_trees(const SingleMatrix& ranks, Index which, Opinions& out) const {
    for (Index e = 0; e < kTreeExperts; ++e) {
      auto& scores = out[DenseExperts::kCount + e][which];
      const Index trees = e == 0 ? std::max<Index>(1, num_trees_ / kEarlyTrees) : num_trees_;
      scores = trees_[which] ? trees_[which]->scores(ranks, trees)
                             : std::vector<double>(static_cast<std::size_t>(ranks.rows()), 0.0);
    }
  }

 private:
  std::vector<Index> thinned(const std::vector<Index>& rows, Index most, Index which) const {
    if (std::ssize(rows) <= most) return rows;
    Stream stream(settings_.seed, Purpose::kPrediction, static_cast<std::uint64_t>(which),
                  static_cast<std::uint64_t>(split_.part) + 2);
    std::vector<Index> order = stream.start_of_permutation(std::ssize(rows), most);
    std::sort(order.begin(), order.end());
    for (Index& each : order) each = rows[each];
    return order;
  }

  // Members of a class and enough others.
  std::vector<Index> rows_for_trees(Index which) const {
    if (pool_.classes() == 2) return split_.learned;
    std::vector<Index> members, others;
    for (const Index i : split_.learned) {
      (pool_.class_of[i] == which ? members : others).push_back(i);
    }
    others =
        thinned(others, std::max(kFewestOthers, kOthersPerMember * std::ssize(members)), which);
    members.insert(members.end(), others.begin(), others.end());
    std::sort(members.begin(), members.end());
    return members;
  }

  const PredictionPool& pool_;
  const Split& split_;
  const PanelSettings& settings_;
  std::vector<Index> features_;
  Index num_trees_;
  std::optional<DenseExperts> dense_;
  std::vector<std::unique_ptr<BoostedTrees>> trees_;
};

Opinions no_opinions(Index classes) {
  return Opinions(static_cast<std::size_t>(kExperts),
                  std::vector<std::vector<double>>(static_cast<std::size_t>(classes)));
}

void to_normal_scores(Opinions& opinions) {
  for (auto& of_class : opinions) {
    for (auto& scores : of_class) scores = normal_scores(scores);
  }
}

std::vector<std::vector<double>> add_up(const Opinions& opinions,
                                        const std::vector<double>& weights) {
  std::vector<std::vector<double>> out(opinions.front().size());
  for (std::size_t c = 0; c < out.size(); ++c) {
    out[c].assign(opinions.front()[c].size(), 0.0);
    for (std::size_t e = 0; e < opinions.size(); ++e) {
      if (weights[e] == 0) continue;
      for (std::size_t i = 0; i < out[c].size(); ++i) out[c][i] += weights[e] * opinions[e][c][i];
    }
  }
  return out;
}

// Every n-th row of each class, beginning with row `first` of it, is left for the weights.
Split inner_split(const PredictionPool& pool, const Split& outer, Index first, Index n) {
  Split out{.part = outer.part};
  std::vector<Index> seen(static_cast<std::size_t>(pool.classes()), 0);
  for (const Index i : outer.learned) {
    const bool is_left = seen[pool.class_of[i]]++ % n == first;
    (is_left ? out.inner : out.learned).push_back(i);
  }
  return out;
}

// All splits of one part; the last one judges.
std::vector<Split> splits_of(const PredictionPool& pool, Index part) {
  Split all{.part = part, .judged = pool.rows_of_part(part)};
  for (std::size_t i = 0; i < pool.part_of.size(); ++i) {
    if (pool.part_of[i] != part) all.learned.push_back(static_cast<Index>(i));
  }
  const auto count = std::ssize(all.learned);
  std::vector<Split> out;
  if (count <= kFewToLearn) {
    for (Index p = 0; p < kInnerParts; ++p) out.push_back(inner_split(pool, all, p, kInnerParts));
  } else {
    const Index n = std::max(kInnerShare, (count + kMostInnerRows - 1) / kMostInnerRows);
    out.push_back(inner_split(pool, all, 0, n));
    if (count > kManyToLearn) {
      out.back().judged = std::move(all.judged);
      return out;
    }
  }
  out.push_back(std::move(all));
  return out;
}

// One split, with experts and what they say of its inner and judged rows.
struct Asked {
  explicit Asked(Split rows) : split(std::move(rows)) {}

  Split split;
  std::unique_ptr<Experts> experts = nullptr;
  Opinions of_inner = {};
  Opinions of_judged = {};
};

void ask(const PredictionPool& pool, Asked& asked, Index job, bool importance) {
  const auto ask_of = [&](const std::vector<Index>& rows, Opinions& out) {
    if (rows.empty()) return;
    if (job == 0)
      return asked.experts->ask_dense(pool.cut_scores(rows, asked.experts->features()), out);
    asked.experts->ask_trees(pool.cut_ranks(rows, asked.experts->features()), job - 1, out);
  };
  if (job == 0) {
    asked.experts->learn_dense();
  } else {
    asked.experts->learn_trees(job - 1);
  }
  ask_of(asked.split.inner, asked.of_inner);
  ask_of(asked.split.judged, asked.of_judged);
  if (!importance || asked.split.judged.empty()) asked.experts->forget(job);
}

// Members of a class count as much as others, and all classes together as each row once.
void add_rows(const PredictionPool& pool, const Asked& asked, StackingRows& out) {
  const auto& rows = asked.split.inner;
  for (Index c = 0; c < pool.scored(); ++c) {
    const std::vector<char> is_member = pool.members(rows, c);
    const auto members =
        static_cast<double>(std::count(is_member.begin(), is_member.end(), char{1}));
    const double count = static_cast<double>(rows.size());
    if (members == 0 || members == count) continue;
    const double mass = 0.5 * count / static_cast<double>(pool.scored());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      for (std::size_t e = 0; e < out.of_expert.size(); ++e) {
        out.of_expert[e].push_back(asked.of_inner[e][c][i]);
      }
      out.is_member.push_back(is_member[i]);
      out.mass.push_back(mass / (is_member[i] ? members : count - members));
    }
  }
}

// The AUC that is lost when one feature is permuted among the test rows.
class Shuffling {
 public:
  Shuffling(const PredictionPool& pool, const Asked& asked, std::vector<double> weights,
            std::uint64_t seed)
      : pool_(pool), asked_(asked), weights_(std::move(weights)), seed_(seed) {
    const auto features = std::ssize(asked.experts->features());
    const Index most =
        std::clamp(kShuffledNumbers / std::max<Index>(1, features), kFewestShuffled, kMostShuffled);
    Stream stream(seed, Purpose::kPrediction, static_cast<std::uint64_t>(asked.split.part),
                  1'000'001);
    const auto& judged = asked.split.judged;
    rows_ = stream.start_of_permutation(std::ssize(judged), std::min(most, std::ssize(judged)));
    for (Index& each : rows_) each = judged[each];
    ranks_ = pool.cut_ranks(rows_, asked.experts->features());
    base_ = influences(ranks_);
  }

  struct Loss {
    double mean = 0;
    double variance = 0;
  };

  Loss of(std::size_t feature) const {
    SingleMatrix ranks = ranks_;
    Stream stream(seed_, Purpose::kPrediction, feature,
                  1'000'010 + static_cast<std::uint64_t>(asked_.split.part));
    const std::vector<Index> order = stream.permutation(std::ssize(rows_));
    const auto j = static_cast<Index>(feature);
    for (std::size_t i = 0; i < order.size(); ++i) {
      ranks(static_cast<Index>(i), j) = ranks_(order[i], j);
    }
    const std::vector<ClassResult> found = influences(ranks);
    Loss out;
    for (std::size_t c = 0; c < found.size(); ++c) {
      if (found[c].influences.empty()) continue;
      out.mean += base_[c].auc - found[c].auc;
      for (std::size_t i = 0; i < rows_.size(); ++i) {
        out.variance += std::pow(base_[c].influences[i] - found[c].influences[i], 2);
      }
    }
    const auto classes = static_cast<double>(found.size());
    return {out.mean / classes, out.variance / classes};
  }

 private:
  struct ClassResult {
    double auc = 0.5;
    std::vector<double> influences = {};
  };

  std::vector<ClassResult> influences(const SingleMatrix& ranks) const {
    Opinions opinions = no_opinions(pool_.scored());
    const bool dense = has_weight(0, DenseExperts::kCount);
    const bool trees = has_weight(DenseExperts::kCount, kExperts);
    for (auto& expert : opinions) {
      for (auto& each : expert) each.assign(rows_.size(), 0.0);
    }
    if (dense) {
      asked_.experts->ask_dense(pool_.to_scores(ranks, asked_.experts->features()), opinions);
    }
    for (Index c = 0; trees && c < pool_.scored(); ++c) {
      asked_.experts->ask_trees(ranks, c, opinions);
    }
    to_normal_scores(opinions);
    const auto sums = add_up(opinions, weights_);
    std::vector<ClassResult> out(sums.size());
    for (std::size_t c = 0; c < sums.size(); ++c) {
      const std::vector<char> is_member = pool_.members(rows_, static_cast<Index>(c));
      const auto members = std::count(is_member.begin(), is_member.end(), char{1});
      if (members == 0 || members == std::ssize(is_member)) continue;
      out[c] = {area_under_curve(sums[c], is_member), auc_influences(sums[c], is_member)};
    }
    return out;
  }

  bool has_weight(Index begin, Index end) const {
    return std::any_of(weights_.begin() + begin, weights_.begin() + end,
                       [](double weight) { return weight >= kLeastWeight; });
  }

  const PredictionPool& pool_;
  const Asked& asked_;
  std::vector<double> weights_;
  std::uint64_t seed_;
  std::vector<Index> rows_;
  SingleMatrix ranks_;
  std::vector<ClassResult> base_;
};

void measure_losses(const PredictionPool& pool, const Asked& asked, std::vector<double> weights,
                    const PanelSettings& settings, const Workers& workers, PanelScores& out) {
  out.loss.assign(static_cast<std::size_t>(pool.ranks.cols()), 0.0);
  out.loss_variance = out.loss;
  const Shuffling shuffling(pool, asked, std::move(weights), settings.seed);
  const std::vector<Index>& features = asked.experts->features();
  workers.for_each(std::ssize(features), [&](Index j) {
    const Shuffling::Loss loss = shuffling.of(static_cast<std::size_t>(j));
    out.loss[features[j]] = loss.mean;
    out.loss_variance[features[j]] = loss.variance;
  });
}

}  // namespace

std::vector<PanelScores> ask_panel(const PredictionPool& pool, const PanelSettings& settings,
                                   const Workers& workers) {
  std::vector<Asked> asked;
  for (Index part = 0; part < pool.judged_parts; ++part) {
    for (Split& split : splits_of(pool, part)) asked.emplace_back(std::move(split));
  }
  workers.for_each(std::ssize(asked), [&](Index s) {
    asked[s].experts = std::make_unique<Experts>(pool, asked[s].split, settings);
    asked[s].of_inner = asked[s].of_judged = no_opinions(pool.scored());
  });
  const Index jobs = 1 + pool.scored();
  workers.for_each(std::ssize(asked) * jobs, [&](Index task) {
    ask(pool, asked[task / jobs], task % jobs, settings.importance);
  });
  std::vector<PanelScores> out(static_cast<std::size_t>(pool.judged_parts));
  for (Index part = 0; part < pool.judged_parts; ++part) {
    StackingRows rows{.of_expert = std::vector<std::vector<double>>(kExperts)};
    const Asked* last = nullptr;
    for (Asked& each : asked) {
      if (each.split.part != part) continue;
      to_normal_scores(each.of_inner);
      to_normal_scores(each.of_judged);
      if (!each.split.inner.empty()) add_rows(pool, each, rows);
      last = &each;
    }
    const std::vector<double> weights = weigh_experts(rows);
    out[part].rows = last->split.judged;
    out[part].of_class = add_up(last->of_judged, weights);
    if (settings.importance) measure_losses(pool, *last, weights, settings, workers, out[part]);
  }
  return out;
}

}  // namespace conflux
