#include "matching/valley.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "core/log_gamma.h"

namespace conflux {

namespace {

// The part of the line that is looked at begins here; it is twice as long as the parts are apart.
constexpr double kBegin = -0.5;
constexpr double kLength = 2;
// Bins on either side of a window's middle.
constexpr Index kMostWing = 3;
constexpr double kDeep = 0.5;

// Sums over windows of 2 wing + 1 bins; entry i is that of the window that begins at bin i.
template <class Histogram>
std::vector<double> window_sums(const Histogram& bins, Index wing) {
  const auto width = static_cast<std::size_t>(2 * wing + 1);
  std::vector<double> out(bins.size() - width + 1, 0.0);
  for (std::size_t i = 0; i < out.size(); ++i) {
    for (std::size_t j = 0; j < width; ++j) out[i] += bins[i + j];
  }
  return out;
}

// P(X <= few) of X ~ Binomial(of, 1/2).
double chance_of_so_few(double few, double of) {
  double sum = 0;
  for (double x = 0; x <= few; ++x) {
    sum +=
        std::exp(log_gamma(of + 1) - log_gamma(x + 1) - log_gamma(of - x + 1) - of * std::log(2.0));
  }
  return std::min(1.0, sum);
}

}  // namespace

struct Valley::Windows {
  double sureness = -1;
  Index wing = 1;
  std::size_t left = 0;
  std::size_t valley = 0;
  std::size_t right = 0;
};

void Valley::add(Index fold, double at, bool held_out) {
  const double bin = std::floor((at - kBegin) * static_cast<double>(kBins) / kLength);
  if (!(bin >= 0 && bin < static_cast<double>(kBins))) return;
  Line& line = lines_[static_cast<std::size_t>(fold)];
  (held_out ? line.held_out : line.others)[static_cast<std::size_t>(bin)] += 1;
}

Valley::Windows Valley::choose_windows(const Histogram& others) {
  Windows best;
  for (Index wing = 1; wing <= kMostWing; ++wing) {
    const std::vector<double> sums = window_sums(others, wing);
    const auto width = static_cast<std::size_t>(2 * wing + 1);
    for (std::size_t i = width; i + width < sums.size(); ++i) {
      const auto first = sums.begin(), at = first + static_cast<std::ptrdiff_t>(i);
      const auto apart = static_cast<std::ptrdiff_t>(width);
      const auto left = std::max_element(first, at - apart + 1);
      const auto right = std::max_element(at + apart, sums.end());
      const double peak = std::min(*left, *right);
      const double sureness = (peak - *at) / std::sqrt(peak + *at + 1);
      if (sureness <= best.sureness) continue;
      best = {.sureness = sureness,
              .wing = wing,
              .left = static_cast<std::size_t>(left - first),
              .valley = i,
              .right = static_cast<std::size_t>(right - first)};
    }
  }
  return best;
}

double Valley::chance(Communicator& comm) {
  std::vector<double> all;
  for (const Line& line : lines_) {
    all.insert(all.end(), line.others.begin(), line.others.end());
    all.insert(all.end(), line.held_out.begin(), line.held_out.end());
  }
  comm.sum(all);
  auto next = all.begin();
  double left = 0, valley = 0, right = 0;
  for (Line& line : lines_) {
    for (Histogram* part : {&line.others, &line.held_out}) {
      std::copy_n(next, kBins, part->begin());
      next += kBins;
    }
    const Windows windows = choose_windows(line.others);
    const std::vector<double> counts = window_sums(line.held_out, windows.wing);
    left += counts[windows.left];
    valley += counts[windows.valley];
    right += counts[windows.right];
  }
  const double peak = std::min(left, right);
  if (!(peak > 0) || valley > kDeep * peak) return 1;
  return chance_of_so_few(valley, valley + peak);
}

}  // namespace conflux
