#include "baselines/feature_net.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "baselines/weight_file.h"
#include "conflux/core/error.h"
#include "core/rng.h"
#include "tests/support/golden.h"

namespace conflux {
namespace feature_net_test {

using testing::HasSubstr;

const Workers kWorkers(2);

std::string golden(const std::string& name) { return golden_folder() / "features" / name; }

Matrix matrix_of(const WeightFile& file, const std::string& name) {
  const WeightArray& array = file.arrays.at(name);
  Matrix out(array.shape[0], array.shape[1]);
  std::copy(array.values.begin(), array.values.end(), out.data());
  return out;
}

void expect_features(const FeatureNet& net, const Matrix& images, const Matrix& expected) {
  ASSERT_EQ(net.num_inputs(), images.cols());
  ASSERT_EQ(net.num_features(), expected.cols());
  const Matrix found = net.features(images, kWorkers);
  // Single precision, and sums of up to a few hundred numbers of size one.
  EXPECT_LT((found - expected).cwiseAbs().maxCoeff(), 2e-5 * (1 + expected.cwiseAbs().maxCoeff()));
}

// tools/make_feature_golden.py writes every operation once more, in numpy.
TEST(FeatureNet, DoesWhatNumpyDoes) {
  const WeightFile file = read_weight_file(ByteSource::file(golden("small_net.npz")));
  expect_features(FeatureNet::load(golden("small_net.npz")), matrix_of(file, "images"),
                  matrix_of(file, "features"));
}

TEST(FeatureNet, IsBuiltInForDigitsAndClothes) {
  const WeightFile file = read_weight_file(ByteSource::file(golden("built_in_nets.npz")));
  EXPECT_EQ(FeatureNet::built_in(), (std::vector<std::string>{"mnist", "fashion-mnist"}));
  expect_features(FeatureNet::load("mnist"), matrix_of(file, "images"), matrix_of(file, "mnist"));
  expect_features(FeatureNet::load("fashion-mnist"), matrix_of(file, "images"),
                  matrix_of(file, "fashion_mnist"));
}

TEST(FeatureNet, SeesAnImageAlikeInAnyCompany) {
  const FeatureNet net = FeatureNet::load("mnist");
  const Matrix images = Stream(1, Purpose::kTest).normal_matrix(9, 784).cwiseAbs();
  const Matrix all = net.features(images, Workers(1));
  EXPECT_EQ(net.features(images, Workers(3)), all);
  EXPECT_EQ(net.features(Matrix(images.row(4)), kWorkers), Matrix(all.row(4)));
}

TEST(FeatureNet, RefusesOtherImagesAndOtherNames) {
  const Matrix images = Matrix::Zero(2, 100);
  try {
    FeatureNet::load("mnist").features(images, kWorkers);
    FAIL() << "accepted";
  } catch (const InvalidData& error) {
    EXPECT_THAT(error.what(), HasSubstr("100 columns"));
    EXPECT_THAT(error.what(), HasSubstr("28 x 28 x 1, 784 values"));
  }
  try {
    FeatureNet::load("minst");
    FAIL() << "accepted";
  } catch (const InvalidOption& error) {
    EXPECT_THAT(error.what(), HasSubstr("\"minst\""));
    EXPECT_THAT(error.what(), HasSubstr("mnist, fashion-mnist"));
  }
}

}  // namespace feature_net_test
}  // namespace conflux
