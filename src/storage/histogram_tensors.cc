// Histogram maps as arrays: the bins of every group, and barycenters that name the groups they are
// made of.

#include <algorithm>
#include <cmath>

#include "storage/damaged.h"
#include "storage/map_pieces.h"

namespace conflux {

namespace {

constexpr std::int64_t kThinned = -1;
constexpr Index kMapOptions = 3;  // strength, tail mass, slope floor
// Masses and weights are sums of many terms.
constexpr double kSumTolerance = 1e-6;
// Numbers of a fit can be squared.
constexpr double kLargest = 1e160;

// The barycenters of all lines. A part is the number of a group, whose histogram it is, or kThinned
// for the next thinned histogram.
struct BarycenterArrays {
  Pieces weights;
  std::vector<std::int64_t> parts;
  Pieces knots;  // edge and level, each below and above
  std::vector<double> moments;
};

const HistogramMap& histogram(const Maps& maps, Index m, Index k) {
  return std::get<HistogramMap>(maps[m][k]);
}

bool same(const HistogramBarycenter& a, const HistogramBarycenter& b) {
  return &a == &b || (a.parts == b.parts && a.weights == b.weights);
}

// Groups whose histograms are the parts, in order; empty if there are none.
std::vector<std::int64_t> groups_of_parts(const Maps& maps, Index k,
                                          const HistogramBarycenter& target) {
  std::vector<std::int64_t> found;
  Index m = 0;
  for (const GaussianHistogram& part : target.parts) {
    const auto groups = static_cast<Index>(maps.size());
    while (m < groups && !(histogram(maps, m, k).source() == part)) ++m;
    if (m == groups) return {};
    found.push_back(m++);
  }
  return found;
}

void append(const GaussianHistogram& thinned, BarycenterArrays& out) {
  if (!(GaussianHistogram(thinned.mean(), thinned.deviation(), thinned.edges(), thinned.levels()) ==
        thinned)) {
    cannot_save("a barycenter is made of histograms that no group has");
  }
  out.moments.insert(out.moments.end(), {thinned.mean(), thinned.deviation()});
  for (std::size_t i = 0; i < thinned.edges().size(); ++i) {
    const Probability edge = thinned.edges()[i];
    const Probability level = thinned.levels()[i];
    out.knots.numbers.insert(out.knots.numbers.end(),
                             {edge.below, edge.above, level.below, level.above});
  }
  out.knots.offsets.push_back(out.knots.size() / 4);
}

BarycenterArrays barycenter_arrays(const Maps& maps) {
  BarycenterArrays out;
  for (Index k = 0; k < static_cast<Index>(maps.front().size()); ++k) {
    const HistogramBarycenter& target = *histogram(maps, 0, k).target();
    for (Index m = 1; m < static_cast<Index>(maps.size()); ++m) {
      if (!same(*histogram(maps, m, k).target(), target)) {
        cannot_save("groups lead to different barycenters");
      }
    }
    const std::vector<std::int64_t> groups = groups_of_parts(maps, k, target);
    if (!groups.empty()) {
      out.parts.insert(out.parts.end(), groups.begin(), groups.end());
    } else {
      if (target.parts.size() != 1) {
        cannot_save("a barycenter is made of histograms that no group has");
      }
      out.parts.push_back(kThinned);
      append(target.parts.front(), out);
    }
    out.weights.add(target.weights);
  }
  return out;
}

void check_moments(const double* moments, const std::string& name) {
  if (!(std::abs(moments[0]) < kLargest)) damaged(name, "has a mean out of range");
  if (!(moments[1] > 0 && moments[1] < kLargest)) damaged(name, "has a deviation out of range");
}

void check_shares(std::span<const double> shares, bool positive, const std::string& name) {
  double sum = 0;
  for (const double share : shares) {
    if (positive ? !(share > 0) : !(share >= 0)) damaged(name, "has a negative or empty share");
    sum += share;
  }
  if (!(std::abs(sum - 1) < kSumTolerance)) damaged(name, "does not sum to 1");
}

GaussianHistogram histogram_from(const double* moments, std::span<const double> masses,
                                 const std::string& prefix) {
  check_moments(moments, prefix + ".moments");
  check_shares(masses, true, prefix + ".masses");
  return {moments[0], moments[1], std::vector<double>(masses.begin(), masses.end())};
}

// Probabilities from (0, 1) to (1, 0), whose complements fit and which increase.
void check_knots(const std::vector<Probability>& knots, const std::string& name) {
  const bool whole =
      knots.size() >= 2 && knots.front() == Probability{0, 1} && knots.back() == Probability{1, 0};
  if (!whole) damaged(name, "does not go from 0 to 1");
  for (std::size_t i = 0; i < knots.size(); ++i) {
    const auto [below, above] = knots[i];
    const bool probability =
        below >= 0 && above >= 0 && std::abs(below + above - 1) < kSumTolerance;
    if (!probability) damaged(name, "has a number that is no probability");
    if (i == 0) continue;
    const Probability last = knots[i - 1];
    const bool increases = below < above ? below > last.below : above < last.above;
    if (!increases) damaged(name, "has knots that do not increase");
  }
}

GaussianHistogram thinned_from(const double* moments, std::span<const double> knots,
                               const std::string& prefix) {
  check_moments(moments, prefix + ".barycenter.moments");
  std::vector<Probability> edges, levels;
  for (std::size_t i = 0; i + 3 < knots.size(); i += 4) {
    edges.push_back({knots[i], knots[i + 1]});
    levels.push_back({knots[i + 2], knots[i + 3]});
  }
  check_knots(edges, prefix + ".barycenter.knots");
  check_knots(levels, prefix + ".barycenter.knots");
  return {moments[0], moments[1], std::move(edges), std::move(levels)};
}

// sources[m][k]
using Sources = std::vector<std::vector<GaussianHistogram>>;

Sources read_sources(const std::string& prefix, Index groups, Index lines, TensorFile& file) {
  const std::vector<std::int64_t> offsets =
      file.offsets(prefix + ".offsets", product_of_sizes(groups, lines));
  const std::vector<double> masses = file.doubles(prefix + ".masses", {offsets.back()});
  const std::vector<double> moments = file.doubles(prefix + ".moments", {groups, lines, 2});
  Sources out(static_cast<std::size_t>(groups));
  for (Index i = 0; i < groups * lines; ++i) {
    const auto bins = static_cast<std::size_t>(offsets[i + 1] - offsets[i]);
    out[i / lines].push_back(
        histogram_from(moments.data() + 2 * i, {masses.data() + offsets[i], bins}, prefix));
  }
  return out;
}

// The thinned histograms of a layer, one after the other.
class ThinnedReader {
 public:
  ThinnedReader(const std::string& prefix, Index count, TensorFile& file) : prefix_(prefix) {
    if (count == 0) return;
    moments_ = file.doubles(prefix + ".barycenter.moments", {count, 2});
    offsets_ = file.offsets(prefix + ".barycenter.knot_offsets", count);
    knots_ = file.doubles(prefix + ".barycenter.knots", {offsets_.back(), 4});
  }

  GaussianHistogram next() {
    const std::size_t i = next_++;
    const auto size = static_cast<std::size_t>(offsets_[i + 1] - offsets_[i]);
    return thinned_from(moments_.data() + 2 * i, {knots_.data() + 4 * offsets_[i], 4 * size},
                        prefix_);
  }

 private:
  const std::string& prefix_;
  std::vector<double> moments_, knots_;
  std::vector<std::int64_t> offsets_;
  std::size_t next_ = 0;
};

using Targets = std::vector<std::shared_ptr<const HistogramBarycenter>>;

Targets read_targets(const std::string& prefix, const Sources& sources, Index lines,
                     TensorFile& file) {
  const auto groups = static_cast<std::int64_t>(sources.size());
  const std::string name = prefix + ".barycenter.parts";
  const std::vector<std::int64_t> offsets = file.offsets(prefix + ".barycenter.offsets", lines);
  const std::vector<std::int64_t> parts = file.integers(name, {offsets.back()});
  const std::vector<double> weights =
      file.doubles(prefix + ".barycenter.weights", {offsets.back()});
  ThinnedReader thinned(prefix, std::count(parts.begin(), parts.end(), kThinned), file);
  Targets out;
  for (Index k = 0; k < lines; ++k) {
    auto target = std::make_shared<HistogramBarycenter>();
    target->weights.assign(weights.begin() + offsets[k], weights.begin() + offsets[k + 1]);
    check_shares(target->weights, false, prefix + ".barycenter.weights");
    const bool is_thinned = offsets[k + 1] - offsets[k] == 1 && parts[offsets[k]] == kThinned;
    std::int64_t last = -1;
    for (std::int64_t p = offsets[k]; p < offsets[k + 1]; ++p) {
      if (is_thinned) {
        target->parts.push_back(thinned.next());
        continue;
      }
      if (parts[p] <= last || parts[p] >= groups) damaged(name, "names no group, or one twice");
      target->parts.push_back(sources[parts[p]][k]);
      last = parts[p];
    }
    out.push_back(std::move(target));
  }
  return out;
}

HistogramMapOptions options_from(const double* numbers, const std::string& prefix) {
  const HistogramMapOptions options{
      .strength = numbers[0], .tail_mass = numbers[1], .slope_floor = numbers[2]};
  if (!(options.strength > 0 && options.strength <= 1 && options.tail_mass > 0 &&
        options.tail_mass <= 0.5 && options.slope_floor >= 0 && options.slope_floor <= 1)) {
    damaged(prefix + ".options", "has a number out of range");
  }
  return options;
}

}  // namespace

void write_histogram_maps(const Maps& maps, const std::string& prefix, TensorWriter& out) {
  const auto groups = static_cast<Index>(maps.size());
  const auto lines = static_cast<Index>(maps.front().size());
  Pieces masses;
  std::vector<double> moments, options;
  for_each_map<HistogramMap>(maps, [&](const HistogramMap& map) {
    const GaussianHistogram& source = map.source();
    if (!(GaussianHistogram(source.mean(), source.deviation(), source.masses()) == source)) {
      cannot_save("a group's histogram has bins of different widths");
    }
    masses.add(source.masses());
    moments.insert(moments.end(), {source.mean(), source.deviation()});
    options.insert(options.end(),
                   {map.options().strength, map.options().tail_mass, map.options().slope_floor});
  });
  const BarycenterArrays barycenters = barycenter_arrays(maps);
  out.add(prefix + ".offsets", {masses.count() + 1}, masses.offsets);
  out.add(prefix + ".masses", {masses.size()}, masses.numbers);
  out.add(prefix + ".moments", {groups, lines, 2}, moments);
  out.add(prefix + ".options", {groups, lines, kMapOptions}, options);
  out.add(prefix + ".barycenter.offsets", {lines + 1}, barycenters.weights.offsets);
  out.add(prefix + ".barycenter.parts", {barycenters.weights.size()}, barycenters.parts);
  out.add(prefix + ".barycenter.weights", {barycenters.weights.size()},
          barycenters.weights.numbers);
  const Index thinned = barycenters.knots.count();
  if (thinned == 0) return;
  out.add(prefix + ".barycenter.moments", {thinned, 2}, barycenters.moments);
  out.add(prefix + ".barycenter.knot_offsets", {thinned + 1}, barycenters.knots.offsets);
  out.add(prefix + ".barycenter.knots", {barycenters.knots.size() / 4, 4},
          barycenters.knots.numbers);
}

LineMaps read_histogram_maps(const std::string& prefix, Index groups, Index lines,
                             TensorFile& file) {
  Sources sources = read_sources(prefix, groups, lines, file);
  const std::vector<double> options =
      file.doubles(prefix + ".options", {groups, lines, kMapOptions});
  const Targets targets = read_targets(prefix, sources, lines, file);
  LineMaps out;
  out.maps.resize(sources.size());
  for (Index m = 0; m < groups; ++m) {
    for (Index k = 0; k < lines; ++k) {
      out.maps[m].emplace_back(
          HistogramMap(std::move(sources[m][k]), targets[k],
                       options_from(options.data() + kMapOptions * (m * lines + k), prefix)));
    }
  }
  return out;
}

}  // namespace conflux
