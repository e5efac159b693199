#include "metrics/paper_wd.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <numbers>

#include "conflux/core/error.h"
#include "tests/metrics/clouds.h"

namespace conflux {
namespace paper_wd_test {

using testing::AllOf;
using testing::Ge;
using testing::HasSubstr;
using testing::Le;
using testing::ThrowsMessage;

constexpr PaperWdOptions kDouble{.scalar = PaperWdScalar::kDouble};

// Computed once with the papers' code in double precision, printed to nine decimals.
constexpr double kPrintedDigits = 6e-10;

TEST(PaperWd, MeetsTheReferenceInBothOrders) {
  const Matrix x = column({0, 1, 3, 6});
  const Matrix y = column({0.5, 1.5, 2, 7});
  const PaperWd forth = paper_wd(x, y, kDouble, Workers(1));
  const PaperWd back = paper_wd(y, x, kDouble, Workers(1));
  EXPECT_NEAR(forth.value, 0.625000025, kPrintedDigits);
  EXPECT_NEAR(back.value, 0.651785740, kPrintedDigits);
  EXPECT_EQ(forth.iterations, 2);
  EXPECT_EQ(back.iterations, 2);
}

// The true squared distance is 9: the iteration stops long before it gets there.
TEST(PaperWd, StopsAsEarlyAsTheReference) {
  const Matrix x = column({0, 1, 2, 3, 4});
  const Matrix y = column({3, 4, 5, 6, 7});
  for (const PaperWd& found :
       {paper_wd(x, y, kDouble, Workers(1)), paper_wd(y, x, kDouble, Workers(1))}) {
    EXPECT_NEAR(found.value, 3.500000175, kPrintedDigits);
    EXPECT_EQ(found.iterations, 2);
  }
}

// Costs near 10 are rounded to 1e-6, a hundredth of the blur, and enter through exp(cost / blur).
TEST(PaperWd, InSinglePrecisionMeetsNumPy) {
  for (const GoldenCase& golden : golden_cases()) {
    SCOPED_TRACE(golden.name);
    const double expected = golden.values.at("paper_wd");
    EXPECT_NEAR(paper_wd(golden.x, golden.y, {}, Workers(1)).value, expected, 0.01 * expected);
  }
}

Matrix upper_moon(Index rows, std::uint64_t name) {
  Stream stream(13, Purpose::kTest, name);
  Matrix moon = 0.1 * stream.normal_matrix(rows, 2);
  for (Index i = 0; i < rows; ++i) {
    const double angle = std::numbers::pi * stream.uniform();
    moon.row(i) += Eigen::RowVector2d(std::cos(angle), std::sin(angle));
  }
  return moon;
}

// The calibration of the reference says 0.0018 to 0.0020; NumPy gives 0.0014 to 0.0019 for ten
// draws of this moon. The true squared distance is about five times as large.
TEST(PaperWd, OfTwoSamplesOfOneMoonIsThePublishedFloor) {
  for (std::uint64_t name = 0; name < 10; name += 2) {
    const PaperWd found =
        paper_wd(upper_moon(490, name), upper_moon(490, name + 1), {}, Workers(2));
    EXPECT_THAT(found.value, AllOf(Ge(0.0012), Le(0.0023)));
    EXPECT_EQ(found.iterations, 2);
  }
}

TEST(PaperWd, OfBlocksIsTheirMeanBySize) {
  const Matrix x = normal_cloud(25, 3, 1);
  const Matrix y = normal_cloud(25, 3, 2);
  PaperWdOptions options = kDouble;
  const auto part = [&](Index begin, Index rows) {
    return paper_wd(ConstRows(x).middle_rows(begin, rows), ConstRows(y).middle_rows(begin, rows),
                    options, Workers(1))
        .value;
  };
  const double expected = (10 * part(0, 10) + 10 * part(10, 10) + 5 * part(20, 5)) / 25;
  options.block = 10;
  EXPECT_DOUBLE_EQ(paper_wd(x, y, options, Workers(1)).value, expected);
}

TEST(PaperWd, OneThreadGivesTheBitsOfThree) {
  const Matrix x = normal_cloud(230, 20, 1);
  const Matrix y = normal_cloud(230, 20, 2);
  for (const PaperWdOptions& options : {PaperWdOptions{}, PaperWdOptions{.block = 50}, kDouble}) {
    EXPECT_EQ(paper_wd(x, y, options, Workers(1)).value, paper_wd(x, y, options, Workers(3)).value);
  }
}

TEST(PaperWd, RefusesWhatItCannotCompare) {
  const Matrix x = normal_cloud(4, 2, 1);
  Matrix bad = x;
  bad(2, 1) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT([&] { paper_wd(x, bad, {}, Workers(1)); },
              ThrowsMessage<InvalidData>(AllOf(HasSubstr("second cloud"), HasSubstr("row 2"),
                                               HasSubstr("column 1"), HasSubstr("nan"))));
  bad(2, 1) = 1e30;  // fine in double, too large to square in float
  EXPECT_THROW(paper_wd(x, bad, {}, Workers(1)), InvalidData);
  EXPECT_NO_THROW(paper_wd(x, bad, kDouble, Workers(1)));
  EXPECT_THROW(paper_wd(x, normal_cloud(4, 3, 1), {}, Workers(1)), InvalidData);
  EXPECT_THROW(paper_wd(x, Matrix(0, 2), {}, Workers(1)), InvalidData);
  EXPECT_THROW(paper_wd(x, x, {.block = 0}, Workers(1)), InvalidOption);
  EXPECT_THROW(paper_wd(x, x, {.epsilon = 0}, Workers(1)), InvalidOption);
  EXPECT_THROW(paper_wd(x, normal_cloud(1, 2, 1), {.block = 2}, Workers(1)), InvalidOption);
}

}  // namespace paper_wd_test
}  // namespace conflux
