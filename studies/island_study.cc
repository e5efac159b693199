// How often parts are claimed in clouds that have none, and seen where they are.
//
//   island_study [REPEATS]
//
// The clouds of the first table were looked at while the rule was made, those marked * were not.

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <functional>
#include <numbers>
#include <string>
#include <vector>

#include "matching/islands.h"

namespace {

using namespace conflux;

using Row = Eigen::Ref<Eigen::RowVectorXd>;

struct Cloud {
  std::string name;
  std::function<void(Row, Stream&)> shape;  // of a row of independent normal numbers
};

void bend(Row row, double angle, double noise) {
  row *= noise;
  row(0) += 3 * std::cos(angle);
  row(1) += 3 * std::sin(angle);
}

std::vector<Cloud> single_clouds() {
  const double pi = std::numbers::pi;
  return {
      {"normal", [](Row, Stream&) {}},
      {"two deviations apart", [](Row x, Stream& s) { x(0) += 2 * (s.uniform() < 0.5); }},
      {"heavy tails", [](Row x, Stream& s) { x /= std::sqrt(-std::log(s.uniform())); }},
      {"skewed", [](Row x, Stream&) { x = (0.8 * x.array()).exp(); }},
      {"uniform",
       [](Row x, Stream& s) {
         for (double& each : x) each = s.uniform();
       }},
      {"whole numbers, spread",
       [](Row x, Stream& s) {
         for (double& each : x) each = std::round(each) + s.uniform();
       }},
      {"a line", [](Row x, Stream& s) { x(0) = 30 * s.uniform(); }},
      {"half of a ring", [pi](Row x, Stream& s) { bend(x, pi * s.uniform(), 0.2); }},
      {"a banana", [](Row x, Stream&) { x(0) *= 3, x(1) += 0.3 * x(0) * x(0); }},
      {"* most of a ring", [pi](Row x, Stream& s) { bend(x, 1.6 * pi * s.uniform(), 0.25); }},
      {"* Cauchy by feature",
       [](Row x, Stream& s) {
         for (double& each : x) each /= s.normal();
       }},
      {"* counts, spread",
       [](Row x, Stream& s) {
         for (double& each : x) each = std::floor(-2 * std::log(s.uniform())) + s.uniform();
       }},
      {"* unequal spreads",
       [](Row x, Stream&) {
         for (Index j = 0; j < x.size(); ++j) x(j) *= std::exp2(-0.5 * static_cast<double>(j));
       }},
      {"* a fork",
       [](Row x, Stream& s) {
         const double along = 12 * s.uniform();
         x *= 0.6;
         x(0) += along;
         x(1) += (s.uniform() < 0.5 ? -1 : 1) * std::max(0.0, along - 5);
       }},
      {"* three deviations apart, 1:4", [](Row x, Stream& s) { x(0) += 3 * (s.uniform() < 0.2); }},
  };
}

double share_with_islands(int repeats, Index rows, Index dim,
                          const std::function<void(Matrix&, Stream&)>& make) {
  double seen = 0;
  SelfCommunicator self;
  for (int repeat = 0; repeat < repeats; ++repeat) {
    Stream stream(static_cast<std::uint64_t>(repeat), Purpose::kTest,
                  static_cast<std::uint64_t>(1000 * rows + dim));
    Matrix points = stream.normal_matrix(rows, dim);
    make(points, stream);
    seen += count_islands(points, static_cast<std::uint64_t>(repeat), 0, self) > 1;
  }
  return seen / repeats;
}

void show_errors(int repeats) {
  const std::vector<std::pair<Index, Index>> sizes = {{60, 2},   {60, 20},  {150, 5},
                                                      {400, 20}, {1000, 2}, {2000, 20}};
  fmt::print("| single cloud |");
  for (const auto& [rows, dim] : sizes) fmt::print(" {} x {} |", rows, dim);
  fmt::print("\n|---|---|---|---|---|---|---|\n");
  for (const Cloud& cloud : single_clouds()) {
    fmt::print("| {} |", cloud.name);
    for (const auto& [rows, dim] : sizes) {
      fmt::print(" {:.3g} |",
                 share_with_islands(repeats, rows, dim, [&](Matrix& points, Stream& s) {
                   for (Index i = 0; i < points.rows(); ++i) cloud.shape(points.row(i), s);
                 }));
    }
    fmt::print("\n");
    std::fflush(stdout);
  }
}

void show_power(int repeats) {
  fmt::print(
      "\n| parts, rows each | 5 deviations apart | 6 | 7 | 8 | 10 |\n|---|---|---|---|---|---|\n");
  for (const auto& [parts, rows] : std::vector<std::pair<Index, Index>>{
           {2, 25}, {3, 25}, {2, 50}, {2, 100}, {5, 60}, {2, 400}}) {
    fmt::print("| {} x {} |", parts, rows);
    for (const double apart : {5.0, 6.0, 7.0, 8.0, 10.0}) {
      fmt::print(" {:.2g} |",
                 share_with_islands(repeats, parts * rows, 10, [&](Matrix& points, Stream&) {
                   for (Index i = 0; i < points.rows(); ++i) {
                     points(i, i % parts) += apart / std::sqrt(2.0);
                   }
                 }));
    }
    fmt::print("\n");
  }
}

}  // namespace

int main(int argc, char** argv) {
  const int repeats = argc > 1 ? std::atoi(argv[1]) : 50;
  show_errors(repeats);
  show_power(repeats);
}
