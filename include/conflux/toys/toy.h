// Small data sets that are made, not read.
//
// Every set depends on its options and the seed alone. Groups are named "0", "1", ...; all groups
// of a set have the same number of rows, in random order. The features of two-dimensional sets are
// called "x" and "y". Options out of range throw InvalidOption.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "conflux/core/group_set.h"

namespace conflux {

struct MoonsOptions {
  /// Rows of each group, at least 1.
  Index samples = 1000;
  /// Standard deviation of the noise on each coordinate, at least 0.
  double noise = 0.1;
  std::uint64_t seed = 0;
};

/// Two interleaved half circles: (cos t, sin t) and (1 - cos t, 1/2 - sin t) with t equally spaced
/// on [0, pi], plus noise.
GroupSet make_moons(const MoonsOptions& options = {});

struct CirclesOptions {
  /// Rows of each group, at least 1.
  Index samples = 1000;
  /// Standard deviation of the noise on each coordinate, at least 0.
  double noise = 0.1;
  /// Radius of the inner circle, in [0, 1].
  double factor = 0.5;
  std::uint64_t seed = 0;
};

/// Two circles around the origin: (cos t, sin t) and factor * (cos t, sin t) with t equally spaced
/// on [0, 2 pi), plus noise.
GroupSet make_circles(const CirclesOptions& options = {});

struct RandomPatternOptions {
  /// Rows of each group, at least 1.
  Index samples = 1000;
  /// 2, or 4 for two independent patterns, shifted by (-2, -2) (groups 0, 1) and by (2, 2).
  Index num_groups = 2;
  /// Half the side of the square whose corners are the centers, at least 0.
  double class_sep = 1.0;
  /// Share of rows that get a random label of their pattern, in [0, 1]; half of these labels happen
  /// to be right.
  double flip = 0.01;
  std::uint64_t seed = 0;
};

/// Two clusters per group, as in scikit-learn's make_classification. The four centers c are the
/// corners (+-class_sep, +-class_sep) in random order; a row is z A + c with z standard normal and
/// a 2 x 2 matrix A per cluster with entries uniform on (-1, 1).
GroupSet make_random_pattern(const RandomPatternOptions& options = {});

struct GaussiansOptions {
  /// Rows of each group, at least 1.
  Index samples = 1000;
  std::uint64_t seed = 0;
};

/// Three Gaussians in the plane with standard deviations `a` along and `b` across a direction u:
/// mean (0, 0),  a = 1.4, b = 0.4,  u ~ (1, -0.6);
/// mean (2, -2), a = 1.7, b = 0.9,  u ~ (1, 0.6);
/// mean (-3, 2), a = 1.5, b = 0.35, u ~ (1, 0.45).
/// A stand-in: the covariances of the paper were random and not kept; these are read off its
/// scatter plot.
GroupSet make_gaussians(const GaussiansOptions& options = {});

struct Gaussian {
  Vector mean;
  Matrix covariance;
};

/// Gaussian groups in any dimension, each with a random mean and a random covariance: a row is
/// mean + scale * z + F u with z and u standard normal. Mean entries are standard normal, scales
/// uniform on (1/2, 1), and F has min(dim, 4) columns with entries N(0, 1/columns). Every
/// covariance therefore has eigenvalues of at least 1/4. Costs O(dim) per row.
GroupSet make_gaussian_groups(Index num_groups, Index dim, Index samples_per_group,
                              std::uint64_t seed = 0);

/// The law from which make_gaussian_groups draws group number `group`, in closed form.
Gaussian gaussian_group_law(Index group, Index dim, std::uint64_t seed = 0);

/// The names of all toy data sets.
std::vector<std::string> toy_names();

/// The set of that name with `samples` rows per group and otherwise default options. "pattern4" is
/// the random pattern of four groups. An unknown name throws InvalidOption with the known ones.
GroupSet make_toy(const std::string& name, Index samples, std::uint64_t seed);

}  // namespace conflux
