#include "storage/map_tensors.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "storage/damaged.h"
#include "storage/map_pieces.h"

namespace conflux {

namespace {

// Slopes of a spline can be multiplied four times.
constexpr double kSmallestSlope = 1e-60;

void write_barycenters(const Matrix& barycenters, const std::string& prefix, TensorWriter& out) {
  if (barycenters.size() == 0) return;
  out.add(prefix + ".barycenter", {barycenters.rows(), barycenters.cols()},
          std::vector<double>(barycenters.data(), barycenters.data() + barycenters.size()));
}

void write_quantile_maps(const Maps& maps, const Matrix& barycenters, const std::string& prefix,
                         TensorWriter& out) {
  std::vector<const PiecewiseLinearMap*> all;
  for_each_map<PiecewiseLinearMap>(maps,
                                   [&](const PiecewiseLinearMap& map) { all.push_back(&map); });
  write_piecewise_linear(all, prefix, out);
  write_barycenters(barycenters, prefix, out);
}

void write_spline_maps(const Maps& maps, const Matrix& barycenters, const std::string& prefix,
                       TensorWriter& out) {
  Pieces from;
  std::vector<double> to, slopes;
  for_each_map<RationalQuadraticMap>(maps, [&](const RationalQuadraticMap& map) {
    from.add(map.from());
    to.insert(to.end(), map.to().begin(), map.to().end());
    slopes.insert(slopes.end(), map.slopes().begin(), map.slopes().end());
  });
  out.add(prefix + ".offsets", {from.count() + 1}, from.offsets);
  out.add(prefix + ".from", {from.size()}, from.numbers);
  out.add(prefix + ".to", {from.size()}, to);
  out.add(prefix + ".slopes", {from.size()}, slopes);
  write_barycenters(barycenters, prefix, out);
}

void check_increasing(std::span<const double> values, const std::string& name) {
  for (std::size_t i = 1; i < values.size(); ++i) {
    if (!(values[i - 1] < values[i])) damaged(name, "has knots that do not increase");
  }
}

// One row per line of the layer; empty if the maps have no barycenter.
Matrix read_barycenters(const std::string& prefix, Index lines, TensorFile& file) {
  const std::string name = prefix + ".barycenter";
  if (!file.has(name)) return {};
  const Index knots = file.shape(name, 2)[1];
  if (knots < 1) damaged(name, "has no knots");
  const std::vector<double> barycenter = file.doubles(name, {lines, knots});
  for (Index k = 0; k < lines; ++k) {
    const double* first = barycenter.data() + k * knots;
    if (!std::is_sorted(first, first + knots)) damaged(name, "has knots that do not increase");
  }
  return Eigen::Map<const Matrix>(barycenter.data(), lines, knots);
}

LineMaps read_quantile_maps(const std::string& prefix, Index groups, Index lines,
                            TensorFile& file) {
  LineMaps out;
  out.maps.resize(static_cast<std::size_t>(groups));
  std::vector<PiecewiseLinearMap> maps =
      read_piecewise_linear(prefix, product_of_sizes(groups, lines), file);
  for (std::size_t i = 0; i < maps.size(); ++i) {
    out.maps[i / static_cast<std::size_t>(lines)].emplace_back(std::move(maps[i]));
  }
  out.barycenters = read_barycenters(prefix, lines, file);
  return out;
}

LineMaps read_spline_maps(const std::string& prefix, Index groups, Index lines, TensorFile& file) {
  const std::vector<std::int64_t> offsets =
      file.offsets(prefix + ".offsets", product_of_sizes(groups, lines));
  const std::vector<double> from = file.doubles(prefix + ".from", {offsets.back()});
  const std::vector<double> to = file.doubles(prefix + ".to", {offsets.back()});
  const std::vector<double> slopes = file.doubles(prefix + ".slopes", {offsets.back()});
  for (const double slope : slopes) {
    if (!(slope > kSmallestSlope && slope < 1 / kSmallestSlope)) {
      damaged(prefix + ".slopes", "has a number out of range");
    }
  }
  LineMaps out;
  out.maps.resize(static_cast<std::size_t>(groups));
  for (Index i = 0; i < groups * lines; ++i) {
    const auto piece = [&](const std::vector<double>& all) {
      return std::vector<double>(all.begin() + offsets[i], all.begin() + offsets[i + 1]);
    };
    std::vector<double> x = piece(from), y = piece(to);
    check_increasing(x, prefix + ".from");
    check_increasing(y, prefix + ".to");
    out.maps[i / lines].emplace_back(
        RationalQuadraticMap(std::move(x), std::move(y), piece(slopes)));
  }
  out.barycenters = read_barycenters(prefix, lines, file);
  return out;
}

}  // namespace

std::vector<PiecewiseLinearMap> read_piecewise_linear(const std::string& prefix, Index count,
                                                      TensorFile& file) {
  const std::vector<std::int64_t> offsets = file.offsets(prefix + ".offsets", count);
  const std::vector<double> from = file.doubles(prefix + ".from", {offsets.back()});
  const std::vector<double> to = file.doubles(prefix + ".to", {offsets.back()});
  std::vector<PiecewiseLinearMap> out;
  for (Index i = 0; i < count; ++i) {
    const auto size = static_cast<std::size_t>(offsets[i + 1] - offsets[i]);
    const std::span<const double> x(from.data() + offsets[i], size);
    const std::span<const double> y(to.data() + offsets[i], size);
    check_increasing(x, prefix + ".from");
    check_increasing(y, prefix + ".to");
    out.push_back({{x.begin(), x.end()}, {y.begin(), y.end()}});
  }
  return out;
}

void write_piecewise_linear(std::span<const PiecewiseLinearMap* const> maps,
                            const std::string& prefix, TensorWriter& out) {
  Pieces from;
  std::vector<double> to;
  for (const PiecewiseLinearMap* map : maps) {
    from.add(map->from());
    to.insert(to.end(), map->to().begin(), map->to().end());
  }
  out.add(prefix + ".offsets", {from.count() + 1}, from.offsets);
  out.add(prefix + ".from", {from.size()}, from.numbers);
  out.add(prefix + ".to", {from.size()}, to);
}

std::string write_maps(const Maps& maps, const Matrix& barycenters, const std::string& prefix,
                       TensorWriter& out) {
  if (maps.empty() || maps.front().empty()) cannot_save("it has no maps");
  if (std::holds_alternative<PiecewiseLinearMap>(maps.front().front())) {
    write_quantile_maps(maps, barycenters, prefix, out);
    return "quantile";
  }
  if (std::holds_alternative<RationalQuadraticMap>(maps.front().front())) {
    write_spline_maps(maps, barycenters, prefix, out);
    return "spline";
  }
  write_histogram_maps(maps, prefix, out);
  return "histogram";
}

LineMaps read_maps(const std::string& kind, const std::string& prefix, Index groups, Index lines,
                   TensorFile& file) {
  if (kind == "quantile") return read_quantile_maps(prefix, groups, lines, file);
  if (kind == "spline") return read_spline_maps(prefix, groups, lines, file);
  if (kind == "histogram") return read_histogram_maps(prefix, groups, lines, file);
  damaged(prefix, fmt::format("has maps of the unknown kind \"{}\"", kind));
}

}  // namespace conflux
