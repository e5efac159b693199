// Files of earlier versions are read for ever.

#include "tests/support/golden.h"

#include <gtest/gtest.h>

#include <fstream>

#include "tests/storage/golden_model.h"

namespace conflux {
namespace golden_test {

const std::string kModel = golden_folder() / "model_v1.conflux";
// A line: layer, group, then the three rows of the group after that layer (-1: before the first).
const std::string kRows = golden_folder() / "model_v1.txt";

Matrix golden_rows(Index m) {
  Matrix rows(3, 3);
  rows << 0.1, 0.5, 0.9, 0.01, 0.99, 0.3, -0.2, 0.4, 1.5;
  return rows.array() + 0.01 * static_cast<double>(m);
}

// Exponentials of other libraries and products of other processors may round differently.
TEST(GoldenModel, OfVersion1MovesRowsToTheSamePlaces) {
  const Model model = load_model(kModel);
  EXPECT_EQ(model.flow.group_names()[2], "mittwoch \u00fc");
  EXPECT_EQ(model.feature_names, (std::vector<std::string>{"x", "y", "z"}));
  EXPECT_EQ(model.group_column, "day");
  ASSERT_EQ(model.flow.num_layers(), 8);
  std::ifstream in(kRows);
  std::vector<Matrix> rows(3);
  Index lines = 0;
  for (Index layer, m; in >> layer >> m; ++lines) {
    Matrix expected(3, 3);
    for (double& value : expected.reshaped<Eigen::RowMajor>()) in >> value;
    if (layer < 0) {
      rows[m] = golden_rows(m);
    } else {
      model.flow.layer(layer).forward(m, Rows(rows[m]), nullptr);
    }
    // Scores of values outside the unit cube are large.
    const double size = 1 + expected.cwiseAbs().maxCoeff();
    EXPECT_LT((rows[m] - expected).cwiseAbs().maxCoeff(), 1e-13 * size) << layer << " " << m;
    rows[m] = expected;
  }
  EXPECT_EQ(lines, 9 * 3);
  for (Index m = 0; m < 3; ++m) {
    const Matrix x = golden_rows(m);
    EXPECT_LT((model.flow.forward(m, x, Workers(1)) - rows[m]).cwiseAbs().maxCoeff(), 1e-9);
    EXPECT_LT((model.flow.inverse(m, rows[m], Workers(1)) - x).cwiseAbs().maxCoeff(), 1e-9);
  }
}

TEST(GoldenModel, HasEveryKindOfLayer) {
  std::vector<std::string_view> kinds;
  const Model model = load_model(kModel);
  for (const auto& layer : model.flow.layers()) kinds.push_back(layer->kind());
  EXPECT_EQ(kinds,
            (std::vector<std::string_view>{"cube-to-normal", "affine", "coordinate", "coordinate",
                                           "sliced", "sliced", "sliced", "normal-to-cube"}));
}

// Run once per version, with --gtest_also_run_disabled_tests; the files are never written again.
TEST(GoldenModel, DISABLED_IsWritten) {
  const Model model = golden_model();
  save_model(kModel, model);
  std::ofstream out(kRows);
  for (Index m = 0; m < 3; ++m) {
    Matrix rows = golden_rows(m);
    for (Index layer = -1; layer < model.flow.num_layers(); ++layer) {
      if (layer >= 0) model.flow.layer(layer).forward(m, Rows(rows), nullptr);
      out << layer << " " << m;
      for (const double value : rows.reshaped<Eigen::RowMajor>()) {
        out << fmt::format(" {}", value);
      }
      out << "\n";
    }
  }
}

}  // namespace golden_test
}  // namespace conflux
