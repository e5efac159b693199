// How the seconds of a layer grow with rows, features and groups: each is doubled in turn, and the
// exponent fitted to the least of several fits.
//
//   scale_study [REPEATS]

#include <conflux/conflux.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace {

using namespace conflux;

struct Size {
  Index groups;
  Index dim;
  Index rows;
};

// Without held-out rows, which cost the same for every size.
double seconds_per_layer(const Size& size, int repeats) {
  const GroupSet groups = make_gaussian_groups(size.groups, size.dim, size.rows, 1);
  FitOptions options;
  options.layers = 4;
  options.validation_fraction = 0;
  options.fit_rows = RowLimit();
  double least = INFINITY;
  for (int r = 0; r < repeats; ++r) {
    double seconds = 0;
    for (const LayerRecord& layer : fit_flow(groups, options).record.layers) {
      seconds += layer.seconds / 4;
    }
    least = std::min(least, seconds);
  }
  return least;
}

void double_in_turn(const std::string& name, Size size, Index Size::*field, int repeats) {
  std::vector<double> logs;
  fmt::print("| {} |", name);
  for (int step = 0; step < 4; ++step, size.*field *= 2) {
    const double seconds = seconds_per_layer(size, repeats);
    logs.push_back(std::log2(seconds));
    fmt::print(" {}: {:.4f} |", size.*field, seconds);
    std::fflush(stdout);
  }
  // Least squares through four points one apart.
  const double slope = (3 * (logs[3] - logs[0]) + (logs[2] - logs[1])) / 10;
  fmt::print(" {:.2f} |\n", slope);
}

}  // namespace

int main(int argc, char** argv) {
  const int repeats = argc > 1 ? std::atoi(argv[1]) : 3;
  fmt::print("| doubled | seconds per layer at | | | | exponent |\n|---|---|---|---|---|---|\n");
  double_in_turn("rows", {2, 100, 10000}, &Size::rows, repeats);
  double_in_turn("features", {2, 100, 10000}, &Size::dim, repeats);
  double_in_turn("groups", {5, 100, 2000}, &Size::groups, repeats);
}
