#include "conflux/toys/toy.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <string_view>

#include "conflux/core/error.h"
#include "core/rng.h"

namespace conflux {

namespace {

constexpr double kUnbounded = std::numeric_limits<double>::max();
constexpr Index kMostFactors = 4;

// Names of streams: which set, then which part of it. Rows of group m come from part m, what a
// whole group or pattern shares from part kShape + m.
enum ToySet : std::uint64_t { kMoons, kCircles, kPattern, kGaussians, kGaussianGroups };
constexpr std::uint64_t kShape = std::uint64_t{1} << 32;

Stream toy_stream(std::uint64_t seed, ToySet set, std::uint64_t part) {
  return Stream(seed, Purpose::kToyData, set, part);
}

void require_count(std::string_view what, Index value) {
  if (value >= 1) return;
  throw InvalidOption(fmt::format("{} is {}; choose at least 1.", what, value));
}

void require_range(std::string_view what, double value, double low, double high) {
  if (low <= value && value <= high) return;
  const std::string remedy = high == kUnbounded ? fmt::format("a finite number of at least {}", low)
                                                : fmt::format("from {} to {}", low, high);
  throw InvalidOption(fmt::format("{} is {}; choose {}.", what, value, remedy));
}

GroupSet named_groups(std::vector<Matrix> groups) {
  GroupSet out;
  for (Matrix& rows : groups) out.add(std::to_string(out.num_groups()), std::move(rows));
  return out;
}

GroupSet planar_groups(std::vector<Matrix> groups) {
  GroupSet out = named_groups(std::move(groups));
  out.set_feature_names({"x", "y"});
  return out;
}

// The points curve(0), curve(step), curve(2 step), ... in random order, plus noise.
template <class Curve>
Matrix noisy_curve(const Curve& curve, double step, Index samples, double noise, Stream stream) {
  const std::vector<Index> order = stream.permutation(samples);
  Matrix rows = noise * stream.normal_matrix(samples, 2);
  for (Index i = 0; i < samples; ++i) {
    rows.row(i) += curve(step * static_cast<double>(order[i])).transpose();
  }
  return rows;
}

// The four clusters of one pattern; cluster k belongs to its group k % 2.
struct Pattern {
  std::array<Eigen::Matrix2d, 4> mixing;
  std::array<Eigen::RowVector2d, 4> center;

  Pattern(double class_sep, Stream stream) {
    const std::vector<Index> corner = stream.permutation(4);
    for (Index k = 0; k < 4; ++k) {
      center[k] = class_sep * Eigen::RowVector2d(corner[k] & 1 ? 1 : -1, corner[k] & 2 ? 1 : -1);
      for (double& entry : mixing[k].reshaped()) entry = 2 * stream.uniform() - 1;
    }
  }

  // Drawing the true group of each row, given its label, keeps all groups equally large and gives
  // the law of flipped labels.
  Matrix draw(Index label, double shift, const RandomPatternOptions& options, Stream stream) const {
    Matrix rows(options.samples, 2);
    for (Index i = 0; i < options.samples; ++i) {
      const Index group = stream.uniform() < options.flip ? stream.below(2) : label;
      const Index cluster = 2 * stream.below(2) + group;
      const double z0 = stream.normal();
      const double z1 = stream.normal();
      rows.row(i) = z0 * mixing[cluster].row(0) + z1 * mixing[cluster].row(1) + center[cluster] +
                    Eigen::RowVector2d(shift, shift);
    }
    return rows;
  }
};

struct FactorModel {
  Vector mean;
  Vector scale;
  Matrix factors;

  FactorModel(Index dim, Stream stream)
      : mean(dim), scale(dim), factors(stream.normal_matrix(dim, std::min(dim, kMostFactors))) {
    factors /= std::sqrt(static_cast<double>(factors.cols()));
    for (double& entry : mean) entry = stream.normal();
    for (double& entry : scale) entry = 0.5 + 0.5 * stream.uniform();
  }

  // Sums are spelled out: products of Eigen add in an order that depends on the machine.
  Matrix draw(Index samples, Stream stream) const {
    Matrix rows = stream.normal_matrix(samples, mean.size());
    const Matrix common = stream.normal_matrix(samples, factors.cols());
    for (Index i = 0; i < samples; ++i) {
      for (Index j = 0; j < mean.size(); ++j) {
        double sum = mean[j] + scale[j] * rows(i, j);
        for (Index r = 0; r < factors.cols(); ++r) sum += factors(j, r) * common(i, r);
        rows(i, j) = sum;
      }
    }
    return rows;
  }
};

FactorModel factor_model(Index group, Index dim, std::uint64_t seed) {
  return FactorModel(dim, toy_stream(seed, kGaussianGroups, kShape + group));
}

using Maker = GroupSet (*)(Index samples, std::uint64_t seed);

struct NamedMaker {
  std::string_view name;
  Maker make;
};

constexpr std::array<NamedMaker, 5> kMakers = {{
    {"moons", [](Index n, std::uint64_t seed) { return make_moons({.samples = n, .seed = seed}); }},
    {"circles",
     [](Index n, std::uint64_t seed) { return make_circles({.samples = n, .seed = seed}); }},
    {"pattern",
     [](Index n, std::uint64_t seed) { return make_random_pattern({.samples = n, .seed = seed}); }},
    {"pattern4",
     [](Index n, std::uint64_t seed) {
       return make_random_pattern({.samples = n, .num_groups = 4, .seed = seed});
     }},
    {"gaussians",
     [](Index n, std::uint64_t seed) { return make_gaussians({.samples = n, .seed = seed}); }},
}};

}  // namespace

GroupSet make_moons(const MoonsOptions& options) {
  require_count("MoonsOptions.samples", options.samples);
  require_range("MoonsOptions.noise", options.noise, 0, kUnbounded);
  const auto upper = [](double t) { return Eigen::Vector2d(std::cos(t), std::sin(t)); };
  const auto lower = [](double t) { return Eigen::Vector2d(1 - std::cos(t), 0.5 - std::sin(t)); };
  const double step =
      std::numbers::pi / static_cast<double>(std::max<Index>(options.samples - 1, 1));
  return planar_groups({noisy_curve(upper, step, options.samples, options.noise,
                                    toy_stream(options.seed, kMoons, 0)),
                        noisy_curve(lower, step, options.samples, options.noise,
                                    toy_stream(options.seed, kMoons, 1))});
}

GroupSet make_circles(const CirclesOptions& options) {
  require_count("CirclesOptions.samples", options.samples);
  require_range("CirclesOptions.noise", options.noise, 0, kUnbounded);
  require_range("CirclesOptions.factor", options.factor, 0, 1);
  const double step = 2 * std::numbers::pi / static_cast<double>(options.samples);
  std::vector<Matrix> groups;
  for (const double radius : {1.0, options.factor}) {
    const auto circle = [radius](double t) {
      return Eigen::Vector2d(radius * std::cos(t), radius * std::sin(t));
    };
    groups.push_back(noisy_curve(circle, step, options.samples, options.noise,
                                 toy_stream(options.seed, kCircles, groups.size())));
  }
  return planar_groups(std::move(groups));
}

GroupSet make_random_pattern(const RandomPatternOptions& options) {
  require_count("RandomPatternOptions.samples", options.samples);
  if (options.num_groups != 2 && options.num_groups != 4) {
    throw InvalidOption(
        fmt::format("RandomPatternOptions.num_groups is {}; choose 2 or 4.", options.num_groups));
  }
  require_range("RandomPatternOptions.class_sep", options.class_sep, 0, kUnbounded);
  require_range("RandomPatternOptions.flip", options.flip, 0, 1);
  std::vector<Matrix> groups;
  for (Index m = 0; m < options.num_groups; ++m) {
    const Pattern pattern(options.class_sep, toy_stream(options.seed, kPattern, kShape + m / 2));
    const double shift = options.num_groups == 2 ? 0 : m < 2 ? -2 : 2;
    groups.push_back(pattern.draw(m % 2, shift, options, toy_stream(options.seed, kPattern, m)));
  }
  return planar_groups(std::move(groups));
}

GroupSet make_gaussians(const GaussiansOptions& options) {
  struct Ellipse {
    Eigen::RowVector2d mean;
    double along;
    double across;
    Eigen::RowVector2d direction;
  };
  require_count("GaussiansOptions.samples", options.samples);
  std::vector<Matrix> groups;
  for (const Ellipse& ellipse :
       {Ellipse{{0, 0}, 1.4, 0.4, {1, -0.6}}, Ellipse{{2, -2}, 1.7, 0.9, {1, 0.6}},
        Ellipse{{-3, 2}, 1.5, 0.35, {1, 0.45}}}) {
    const Eigen::RowVector2d u = ellipse.direction.normalized();
    const Eigen::RowVector2d v(-u[1], u[0]);
    Stream stream = toy_stream(options.seed, kGaussians, groups.size());
    Matrix rows = stream.normal_matrix(options.samples, 2);
    for (Index i = 0; i < options.samples; ++i) {
      rows.row(i) =
          (ellipse.mean + ellipse.along * rows(i, 0) * u + ellipse.across * rows(i, 1) * v).eval();
    }
    groups.push_back(std::move(rows));
  }
  return planar_groups(std::move(groups));
}

GroupSet make_gaussian_groups(Index num_groups, Index dim, Index samples_per_group,
                              std::uint64_t seed) {
  require_count("num_groups", num_groups);
  require_count("dim", dim);
  require_count("samples_per_group", samples_per_group);
  std::vector<Matrix> groups;
  for (Index m = 0; m < num_groups; ++m) {
    groups.push_back(
        factor_model(m, dim, seed).draw(samples_per_group, toy_stream(seed, kGaussianGroups, m)));
  }
  return named_groups(std::move(groups));
}

Gaussian gaussian_group_law(Index group, Index dim, std::uint64_t seed) {
  require_count("dim", dim);
  const FactorModel model = factor_model(group, dim, seed);
  Matrix covariance = model.factors * model.factors.transpose();
  covariance.diagonal() += model.scale.cwiseAbs2();
  return {model.mean, std::move(covariance)};
}

std::vector<std::string> toy_names() {
  std::vector<std::string> names;
  names.reserve(std::size(kMakers));
  for (const NamedMaker& maker : kMakers) names.emplace_back(maker.name);
  return names;
}

GroupSet make_toy(const std::string& name, Index samples, std::uint64_t seed) {
  for (const NamedMaker& maker : kMakers) {
    if (maker.name == name) return maker.make(samples, seed);
  }
  throw InvalidOption(fmt::format("there is no toy data set \"{}\"; the sets are \"{}\".", name,
                                  fmt::join(toy_names(), "\", \"")));
}

}  // namespace conflux
