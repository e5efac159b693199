// print_features NET TABLE: what a network sees in the images of a table, a line each.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "baselines/feature_net.h"
#include "conflux/core/error.h"
#include "conflux/tables/table.h"

int main(int argc, char** argv) {
  using namespace conflux;
  if (argc != 3) return 2;
  try {
    const Table table = read_table(argv[2], {});
    Matrix images(table.num_rows(), static_cast<Index>(table.columns.size()));
    for (Index j = 0; j < images.cols(); ++j) {
      for (Index i = 0; i < images.rows(); ++i) images(i, j) = table.columns[j].numbers[i];
    }
    const Matrix seen = FeatureNet::load(argv[1]).features(images, Workers(1));
    for (const auto row : seen.rowwise()) fmt::print("{}\n", fmt::join(row, ","));
  } catch (const Error& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
