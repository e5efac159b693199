#include "conflux/flow/layer.h"

#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include "tests/support/layer_laws.h"

namespace conflux {
namespace layer_test {

// Doubles every coordinate, except for one mistake.
class Doubling final : public Layer {
 public:
  enum class Mistake {
    kNone,
    kInverse,
    kFarInverse,
    kLogDet,
    kLogDetAssigned,
    kNeighbors,
    kStride,
    kShared,
  };

  explicit Doubling(Mistake mistake) : mistake_(mistake) {}

  std::string_view kind() const override { return "doubling"; }
  Index dim() const override { return 3; }
  Index num_groups() const override { return mistake_ == Mistake::kShared ? 2 : 0; }
  void forward(Index, Rows rows, double* log_det) const override { move(rows, 2, log_det); }
  void inverse(Index, Rows rows, double* log_det) const override {
    const bool far = rows.rows() > 0 && rows.eigen().cwiseAbs().maxCoeff() > 100;
    const bool wrong = mistake_ == Mistake::kInverse || (mistake_ == Mistake::kFarInverse && far);
    move(rows, wrong ? 0.5 + 1e-8 : 0.5, log_det);
  }

 private:
  void move(Rows rows, double factor, double* log_det) const {
    if (mistake_ == Mistake::kStride) {
      // Takes the rows for contiguous.
      for (Index i = 0; i < rows.rows() * rows.cols(); ++i) rows.data()[i] *= factor;
    } else {
      rows.eigen() *= factor;
    }
    if (mistake_ == Mistake::kNeighbors && rows.rows() > 30) rows(0, 0) *= 1 + 1e-15;
    const double change = (mistake_ == Mistake::kLogDet ? 2 : 3) * std::log(factor);
    for (Index i = 0; log_det != nullptr && i < rows.rows(); ++i) {
      log_det[i] = change + (mistake_ == Mistake::kLogDetAssigned ? 0 : log_det[i]);
    }
  }

  Mistake mistake_;
};

void check(Doubling::Mistake mistake) {
  check_layer_laws(Doubling(mistake), 2, Stream(30, Purpose::kTest));
}

TEST(LayerLaws, HoldForALayerWithoutMistakes) { check(Doubling::Mistake::kNone); }

// The laws are worth something only if breaking one is noticed.
TEST(LayerLaws, NoticeEveryMistake) {
  using Mistake = Doubling::Mistake;
  for (const Mistake mistake :
       {Mistake::kInverse, Mistake::kFarInverse, Mistake::kLogDet, Mistake::kLogDetAssigned,
        Mistake::kNeighbors, Mistake::kStride, Mistake::kShared}) {
    testing::TestPartResultArray failures;
    {
      testing::ScopedFakeTestPartResultReporter reporter(
          testing::ScopedFakeTestPartResultReporter::INTERCEPT_ONLY_CURRENT_THREAD, &failures);
      check(mistake);
    }
    EXPECT_GT(failures.size(), 0) << "mistake " << static_cast<int>(mistake);
  }
}

}  // namespace layer_test
}  // namespace conflux
