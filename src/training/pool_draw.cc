#include "training/pool_draw.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "core/rng.h"
#include "fitting/line_maps.h"
#include "options/automatic.h"

namespace conflux {

namespace {

// Rows of each group that come next and may judge: two groups need no more.
constexpr Index kNextRows = 5000;
// Below this many kept rows thinning is not worth its time.
constexpr std::size_t kFewKept = 20'000;
// The limit of a label that no row has shown yet.
constexpr double kUnknown = -1;
constexpr Index kRowsPerOffer = Index{1} << 16;

double number_of(std::uint64_t seed, Index position) {
  return Stream(seed, Purpose::kPool, static_cast<std::uint64_t>(position)).uniform();
}

Index sum(const std::vector<Index>& numbers) {
  return std::accumulate(numbers.begin(), numbers.end(), Index{0});
}

std::vector<Index> taken(const std::vector<Index>& rows, const std::vector<Index>& places) {
  std::vector<Index> out;
  out.reserve(places.size());
  for (const Index place : places) out.push_back(rows[static_cast<std::size_t>(place)]);
  return out;
}

Index count_all(const std::vector<std::vector<Index>>& rows) {
  Index out = 0;
  for (const auto& each : rows) out += static_cast<Index>(each.size());
  return out;
}

// The number that `most` of the numbers do not exceed; 1 if there are no more than these.
double limit_of(std::vector<double>& numbers, Index most) {
  if (static_cast<Index>(numbers.size()) <= most) return 1;
  if (most == 0) return 0;
  const auto last = numbers.begin() + most - 1;
  std::nth_element(numbers.begin(), last, numbers.end());
  return *last;
}

// Rare labels get at most half of a pool from frequent ones.
Index rows_of_label(RowLimit fitted, Index labels) {
  return std::min(automatic::kPoolRowsOfLabel, fitted.rows / 2 / std::max<Index>(labels, 1));
}

Index rows_kept(RowLimit fitted) { return fitted.all() ? RowLimit::kAll : fitted.rows + kNextRows; }

}  // namespace

Index Pool::num_fitted() const { return count_all(fitted); }

bool Pool::whole() const { return num_fitted() == sum(sizes); }

bool PoolDraw::is_wanted(const Kept& row) const {
  const Drawn& group = groups_[row.group];
  return row.number <= group.limit || row.number <= group.label_limits[row.label];
}

PoolDraw::Drawn& PoolDraw::drawn_of(std::size_t group, std::size_t label) {
  if (group >= groups_.size()) groups_.resize(group + 1);
  Drawn& out = groups_[group];
  if (label >= out.label_limits.size()) out.label_limits.resize(label + 1, kUnknown);
  if (out.label_limits[label] == kUnknown) {
    out.label_limits[label] = 1;
    ++out.labels;
  }
  return out;
}

std::vector<Index> PoolDraw::offer(std::span<const Index> groups, std::span<const Index> labels) {
  std::vector<Index> out;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const auto m = static_cast<std::size_t>(groups[i]);
    const std::size_t label = labels.empty() ? 0 : static_cast<std::size_t>(labels[i] + 1);
    Drawn& group = drawn_of(m, label);
    ++group.seen;
    const Kept row{number_of(seed_, group.next++), m, label};
    if (!is_wanted(row)) continue;
    kept_.push_back(row);
    out.push_back(static_cast<Index>(i));
  }
  return out;
}

void PoolDraw::begin_at(const std::vector<Index>& positions) {
  groups_.resize(positions.size());
  for (std::size_t m = 0; m < positions.size(); ++m) groups_[m].next = positions[m];
}

std::vector<Index> PoolDraw::merge(Index num_labels, Communicator& comm) {
  const auto labels = static_cast<std::size_t>(num_labels + 1);
  std::vector<double> sizes, shown(groups_.size() * labels, 0.0), numbers;
  for (std::size_t m = 0; m < groups_.size(); ++m) {
    sizes.push_back(static_cast<double>(groups_[m].seen));
    for (std::size_t label = 0; label < groups_[m].label_limits.size(); ++label) {
      if (groups_[m].label_limits[label] != kUnknown) shown[m * labels + label] = 1;
    }
  }
  for (const Kept& row : kept_) {
    numbers.insert(numbers.end(),
                   {row.number, static_cast<double>(row.group), static_cast<double>(row.label)});
  }
  comm.sum(sizes);
  comm.max(shown);
  const auto own = static_cast<Index>(kept_.size());
  const std::vector<double> counts = comm.gather(std::vector{static_cast<double>(own)});
  const auto before =
      static_cast<Index>(std::accumulate(counts.begin(), counts.begin() + comm.rank(), 0.0));
  numbers = comm.gather(numbers);

  groups_.assign(sizes.size(), {});
  for (std::size_t m = 0; m < sizes.size(); ++m) {
    groups_[m].seen = static_cast<Index>(sizes[m]);
    for (std::size_t label = 0; label < labels; ++label) {
      if (shown[m * labels + label] > 0) drawn_of(m, label);
    }
  }
  kept_.clear();
  for (std::size_t i = 0; i < numbers.size(); i += 3) {
    kept_.push_back({numbers[i], static_cast<std::size_t>(numbers[i + 1]),
                     static_cast<std::size_t>(numbers[i + 2])});
  }
  std::vector<Index> out;
  for (const Index i : thin()) {
    if (i >= before && i < before + own) out.push_back(i - before);
  }
  return out;
}

bool PoolDraw::should_thin() const {
  return !limit_.all() && 2 * kept_.size() > 3 * std::max(kept_after_thinning_, kFewKept);
}

std::vector<std::vector<double>> PoolDraw::numbers_of_groups() const {
  std::vector<std::vector<double>> out(groups_.size());
  for (const Kept& row : kept_) out[row.group].push_back(row.number);
  return out;
}

void PoolDraw::set_limits() {
  std::vector<std::vector<double>> of_group = numbers_of_groups();
  std::vector<std::vector<std::vector<double>>> of_label(groups_.size());
  for (std::size_t m = 0; m < groups_.size(); ++m) {
    of_label[m].resize(groups_[m].label_limits.size());
  }
  for (const Kept& row : kept_) of_label[row.group][row.label].push_back(row.number);
  for (std::size_t m = 0; m < groups_.size(); ++m) {
    groups_[m].limit = limit_of(of_group[m], rows_kept(limit_));
    const Index most = rows_of_label(limit_, groups_[m].labels);
    for (std::size_t label = 0; label < of_label[m].size(); ++label) {
      double& limit = groups_[m].label_limits[label];
      if (limit != kUnknown) limit = limit_of(of_label[m][label], most);
    }
  }
}

std::vector<Index> PoolDraw::thin() {
  set_limits();
  std::vector<Index> out;
  std::vector<Kept> left;
  for (std::size_t i = 0; i < kept_.size(); ++i) {
    if (!is_wanted(kept_[i])) continue;
    out.push_back(static_cast<Index>(i));
    left.push_back(kept_[i]);
  }
  kept_ = std::move(left);
  kept_after_thinning_ = kept_.size();
  return out;
}

Pool PoolDraw::finish() const {
  Pool out;
  std::vector<std::vector<double>> numbers = numbers_of_groups();
  std::vector<double> limits;
  for (std::size_t m = 0; m < groups_.size(); ++m) {
    out.sizes.push_back(groups_[m].seen);
    limits.push_back(limit_of(numbers[m], limit_.rows));
  }
  out.fitted.resize(groups_.size());
  out.next.resize(groups_.size());
  for (std::size_t i = 0; i < kept_.size(); ++i) {
    const Kept& row = kept_[i];
    const bool fitted =
        row.number <= limits[row.group] || row.number <= groups_[row.group].label_limits[row.label];
    (fitted ? out.fitted : out.next)[row.group].push_back(static_cast<Index>(i));
  }
  return out;
}

RowLimit rows_to_fit(const FitOptions& options) {
  return options.fit_rows.value_or(RowLimit(automatic::kPoolRows));
}

void fix_size_weights(FitOptions& options, const std::vector<Index>& sizes) {
  if (options.weights.kind != GroupWeights::Kind::kSize) return;
  options.weights = normalized_weights(options.weights, sizes);
}

std::vector<Index> offer_all(PoolDraw& draw, Index rows, std::span<const Index> labels) {
  std::vector<Index> kept;
  for (Index begin = 0; begin < rows; begin += kRowsPerOffer) {
    const Index count = std::min(kRowsPerOffer, rows - begin);
    const std::vector<Index> same_group(static_cast<std::size_t>(count), 0);
    const std::span<const Index> own = labels.empty() ? labels : labels.subspan(begin, count);
    for (const Index i : draw.offer(same_group, own)) kept.push_back(begin + i);
    if (draw.should_thin()) kept = taken(kept, draw.thin());
  }
  return taken(kept, draw.thin());
}

std::vector<Index> draw_rows_of_group(RowLimit limit, std::uint64_t seed, Index rows,
                                      std::span<const Index> labels) {
  if (rows <= limit.rows) {
    std::vector<Index> all(static_cast<std::size_t>(rows));
    std::iota(all.begin(), all.end(), Index{0});
    return all;
  }
  PoolDraw draw(limit, seed);
  const std::vector<Index> kept = offer_all(draw, rows, labels);
  return taken(kept, draw.finish().fitted.front());
}

Pool draw_pool(const GroupSet& groups, RowLimit rows_per_group, std::uint64_t seed) {
  Pool out;
  const RowChoice usable = all_rows(groups);
  for (Index m = 0; m < groups.num_groups(); ++m) {
    const auto count = static_cast<Index>(usable[static_cast<std::size_t>(m)].size());
    if (count <= rows_per_group.rows) {
      out.sizes.push_back(groups[m].rows.rows());
      out.fitted.emplace_back(static_cast<std::size_t>(out.sizes.back()));
      std::iota(out.fitted.back().begin(), out.fitted.back().end(), Index{0});
      out.next.emplace_back();
      continue;
    }
    const std::vector<Index> rows(usable[m].begin(), usable[m].end());
    std::vector<Index> labels;
    if (!groups[m].labels.empty()) {
      for (const Index i : rows) labels.push_back(groups[m].labels[i]);
    }
    PoolDraw draw(rows_per_group, seed);
    const std::vector<Index> kept = offer_all(draw, count, labels);
    const Pool of_group = draw.finish();
    out.sizes.push_back(count);
    out.fitted.push_back(taken(rows, taken(kept, of_group.fitted.front())));
    out.next.push_back(taken(rows, taken(kept, of_group.next.front())));
  }
  return out;
}

std::string pool_sentence(const FitRecord& record) {
  if (record.given_sizes.empty()) return "";
  return fmt::format(
      "Fitted on {} of {} rows, drawn by the seed{} (fit_rows all would fit every row).",
      sum(record.group_sizes), sum(record.given_sizes),
      record.options.gate == Gating::kLabel ? ", with all rare labels" : "");
}

}  // namespace conflux
