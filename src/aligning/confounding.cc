#include "conflux/aligning/confounding.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>

#include "comparing/confounding.h"

namespace conflux {

namespace {

// Above this AUC the covariates tell the group nearly as well as the group itself.
constexpr double kNearlyTheGroup = 0.9;
// A part of a group's rows that effects may be extrapolated to without a word.
constexpr double kFewRows = 0.05;

/// Values of a number in the rows of a group.
struct ValueRange {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();
};

// The first coordinate of a number is linear in its value.
double value_of_coordinate(const Covariate& covariate, double coordinate) {
  const double x = coordinate * covariate.scales.front() + covariate.centers.front();
  if (covariate.kind != CovariateKind::kSmooth) return x;
  return covariate.knots.front() + x * (covariate.knots.back() - covariate.knots.front());
}

void look_at_number(const GroupSet& groups, const Covariate& covariate, Index at,
                    std::vector<std::string>& warnings) {
  ValueRange common{-std::numeric_limits<double>::infinity(),
                    std::numeric_limits<double>::infinity()};
  for (Index m = 0; m < groups.num_groups(); ++m) {
    ValueRange own;
    for (Index i = 0; i < groups[m].rows.rows(); ++i) {
      const double value = groups[m].rows(i, at);
      own = {std::min(own.low, value), std::max(own.high, value)};
    }
    common = {std::max(common.low, own.low), std::min(common.high, own.high)};
  }
  if (common.low > common.high) {
    warnings.push_back(
        fmt::format("no value of \"{}\" lies within the range of every group: its effect and that "
                    "of the group cannot be separated.",
                    covariate.name));
    return;
  }
  double worst = kFewRows;
  Index group = -1;
  for (Index m = 0; m < groups.num_groups(); ++m) {
    double outside = 0;
    for (Index i = 0; i < groups[m].rows.rows(); ++i) {
      const double value = groups[m].rows(i, at);
      outside += value < common.low || value > common.high ? 1 : 0;
    }
    outside /= static_cast<double>(std::max<Index>(1, groups[m].rows.rows()));
    if (outside <= worst) continue;
    worst = outside;
    group = m;
  }
  if (group < 0) return;
  warnings.push_back(
      fmt::format("{:.0f} % of the rows of group \"{}\" lie outside of {:.4g} to {:.4g} in \"{}\", "
                  "the common range of all groups: its effect is extrapolated there.",
                  100 * worst, groups[group].name, value_of_coordinate(covariate, common.low),
                  value_of_coordinate(covariate, common.high), covariate.name));
}

// Indicators are standardized: the smallest coordinate of each is that of the other categories.
void look_at_category(const GroupSet& groups, const Covariate& covariate, Index at,
                      std::vector<std::string>& warnings) {
  const auto count = covariate.categories.size();
  std::vector<Index> holders(count, 0);
  for (Index m = 0; m < groups.num_groups(); ++m) {
    std::vector<char> held(count, 0);
    for (Index i = 0; i < groups[m].rows.rows(); ++i) {
      std::size_t category = 0;
      for (std::size_t k = 1; k < count; ++k) {
        const double x =
            groups[m].rows(i, at + static_cast<Index>(k) - 1) * covariate.scales[k - 1] +
            covariate.centers[k - 1];
        if (x > 0.5) category = k;
      }
      held[category] = 1;
    }
    for (std::size_t k = 0; k < count; ++k) holders[k] += held[k];
  }
  std::vector<std::string> alone;
  for (std::size_t k = 0; k < count; ++k) {
    if (holders[k] == 1) alone.push_back(covariate.categories[k]);
  }
  if (alone.empty()) return;
  warnings.push_back(fmt::format(
      "{} of \"{}\" {} in one group only: {} effect rests on a model of the other rows.",
      fmt::join(alone, ", "), covariate.name, alone.size() == 1 ? "occurs" : "occur",
      alone.size() == 1 ? "its" : "their"));
}

}  // namespace

Confounding find_confounding(const Dataset& data, std::uint64_t seed, int threads) {
  Confounding out;
  const GroupSet& groups = data.groups;
  if (groups.covariates() == 0) return out;
  if (const auto prediction = predict_from_covariates(groups, seed, Workers(threads))) {
    out.auc = prediction->auc;
    out.auc_by_chance = prediction->by_chance();
    out.sentence = fmt::format(
        "The columns that are kept predict the group with an AUC of {:.3f} (0.5 is chance; 95 % of "
        "random assignments score below {:.3f}).",
        prediction->auc, prediction->by_chance());
    if (prediction->auc > kNearlyTheGroup) {
      out.warnings.push_back(
          fmt::format("the kept columns predict the group with an AUC of {:.3f}, so their effects "
                      "and those of the group can hardly be separated; keep fewer columns, or add "
                      "rows in which they vary within groups.",
                      prediction->auc));
    }
  }
  Index at = groups.features();
  for (const Covariate& covariate : data.columns.kept) {
    if (covariate.category()) {
      look_at_category(groups, covariate, at, out.warnings);
    } else if (covariate.kind != CovariateKind::kCyclic) {
      look_at_number(groups, covariate, at, out.warnings);
    }
    at += covariate.width();
  }
  return out;
}

}  // namespace conflux
