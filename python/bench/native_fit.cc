// Fits Gaussian groups by INB and transforms them, without Python.
//
//   conflux_native_fit GROUPS DIM ROWS LAYERS THREADS REPEATS FOLDER
//
// Prints the seconds that the processors worked for each repetition of fit and transform. FOLDER
// gets the model of the last one and the rows in the shared space, group after group; "-" keeps
// nothing.

#include <fmt/format.h>

#include <cstdlib>
#include <ctime>
#include <fstream>
#include <string>

#include "conflux/conflux.h"
#include "conflux/storage/model_file.h"
#include "conflux/toys/toy.h"

int main(int argc, char** argv) {
  using namespace conflux;
  if (argc != 8) {
    fmt::print(stderr, "usage: {} GROUPS DIM ROWS LAYERS THREADS REPEATS FOLDER\n", argv[0]);
    return 2;
  }
  const auto number = [&](int i) { return static_cast<Index>(std::atoll(argv[i])); };
  const GroupSet groups = make_gaussian_groups(number(1), number(2), number(3), 0);
  FitOptions options;
  options.method = Method::kInb;
  options.layers = number(4);
  options.threads = static_cast<int>(number(5));
  Fit fit;
  std::vector<Matrix> shared(static_cast<std::size_t>(groups.num_groups()));
  for (Index repeat = 0; repeat < number(6); ++repeat) {
    const std::clock_t start = std::clock();
    fit = fit_flow(groups, options);
    const Workers workers(options.threads);
    for (Index m = 0; m < groups.num_groups(); ++m) {
      shared[static_cast<std::size_t>(m)] = fit.flow.forward(m, groups[m].rows, workers);
    }
    fmt::print("{}\n", static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
  }
  const std::string folder = argv[7];
  if (folder == "-") return 0;
  save_model(folder + "/native.conflux", {.flow = fit.flow, .record = fit.record});
  std::ofstream file(folder + "/native.f64", std::ios::binary);
  for (const Matrix& rows : shared) {
    file.write(reinterpret_cast<const char*>(rows.data()),
               static_cast<std::streamsize>(rows.size() * static_cast<Index>(sizeof(double))));
  }
  return file.good() ? 0 : 1;
}
