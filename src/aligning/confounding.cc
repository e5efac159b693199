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

// The first coordinate of a number is linear in its value.
double value_of_coordinate(const Covariate& covariate, double coordinate) {
  const double x = coordinate * covariate.scales.front() + covariate.centers.front();
  if (covariate.kind != CovariateKind::kSmooth) return x;
  return covariate.knots.front() + x * (covariate.knots.back() - covariate.knots.front());
}

// The ranges of a number in the groups; outer values of all rows of a group.
std::vector<CovariateRange> ranges_of_number(const GroupSet& groups, const Covariate& covariate,
                                             Index at) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  std::vector<CovariateRange> out;
  double low = -kInfinity, high = kInfinity;
  for (Index m = 0; m < groups.num_groups(); ++m) {
    CovariateRange own{covariate.name, groups[m].name, kInfinity, -kInfinity};
    for (Index i = 0; i < groups[m].rows.rows(); ++i) {
      const double value = groups[m].rows(i, at);
      own.low = std::min(own.low, value);
      own.high = std::max(own.high, value);
    }
    low = std::max(low, own.low);
    high = std::min(high, own.high);
    out.push_back(std::move(own));
  }
  for (Index m = 0; m < groups.num_groups(); ++m) {
    double outside = 0;
    const Index rows = groups[m].rows.rows();
    for (Index i = 0; i < rows; ++i) {
      const double value = groups[m].rows(i, at);
      outside += value < low || value > high ? 1 : 0;
    }
    CovariateRange& own = out[static_cast<std::size_t>(m)];
    own.outside = outside / static_cast<double>(std::max<Index>(1, rows));
    own.low = value_of_coordinate(covariate, own.low);
    own.high = value_of_coordinate(covariate, own.high);
  }
  return out;
}

void look_at_ranges(const std::vector<CovariateRange>& ranges, std::vector<std::string>& warnings) {
  const auto by_outside = [](const CovariateRange& a, const CovariateRange& b) {
    return a.outside < b.outside;
  };
  const auto low = std::max_element(ranges.begin(), ranges.end(),
                                    [](const auto& a, const auto& b) { return a.low < b.low; });
  const auto high = std::min_element(ranges.begin(), ranges.end(),
                                     [](const auto& a, const auto& b) { return a.high < b.high; });
  if (low->low > high->high) {
    warnings.push_back(fmt::format(
        "no value of \"{}\" lies within the range of every group (group \"{}\" ends at {:.4g}, "
        "group \"{}\" begins at {:.4g}): its effect and that of the group cannot be separated.",
        low->column, high->group, high->high, low->group, low->low));
    return;
  }
  const auto worst = std::max_element(ranges.begin(), ranges.end(), by_outside);
  if (worst->outside <= kFewRows) return;
  warnings.push_back(fmt::format(
      "{:.0f} % of the rows of group \"{}\" lie outside of {:.4g} to {:.4g} in \"{}\", the common "
      "range of all groups: its effect is extrapolated there.",
      100 * worst->outside, worst->group, low->low, high->high, worst->column));
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
      const std::vector<CovariateRange> ranges = ranges_of_number(groups, covariate, at);
      look_at_ranges(ranges, out.warnings);
      out.ranges.insert(out.ranges.end(), ranges.begin(), ranges.end());
    }
    at += covariate.width();
  }
  return out;
}

}  // namespace conflux
