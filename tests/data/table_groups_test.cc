#include "conflux/data/table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <numbers>

#include "conflux/core/error.h"

namespace conflux {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

const std::filesystem::path kGolden = CONFLUX_TEST_DATA;

// A file that is gone after the test.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& text = "") {
    std::ofstream(path_, std::ios::binary) << text;
  }
  ~TemporaryFile() { std::filesystem::remove(path_); }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_ = std::filesystem::path(testing::TempDir()) /
                                ("table_test_" + std::to_string(getpid()) + ".csv");
};

GroupSet read_text(const std::string& text) { return read_csv(TemporaryFile(text).path()); }

std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

RC_GTEST_PROP(Table, RoundTripKeepsEveryBit, (const std::vector<std::uint64_t>& patterns)) {
  std::vector<double> values = {0.1, -0.0, 5e-324, 1.7976931348623157e308, 1e22, -1.0 / 3};
  for (const std::uint64_t bits : patterns) {
    const double value = std::bit_cast<double>(bits);
    if (std::isfinite(value)) values.push_back(value);
  }
  const Index rows = static_cast<Index>(values.size());
  const Matrix column = Eigen::Map<const Matrix>(values.data(), rows, 1);
  GroupSet groups;
  groups.add("first", Matrix(column));
  groups.add("second", Matrix(-column));
  const TemporaryFile file;
  write_csv(file.path(), groups);
  const GroupSet back = read_csv(file.path());
  RC_ASSERT(back.names() == groups.names());
  for (Index m = 0; m < 2; ++m) {
    RC_ASSERT(back[m].rows.rows() == rows);
    for (Index i = 0; i < rows; ++i) {
      RC_ASSERT(std::bit_cast<std::uint64_t>(back[m].rows(i, 0)) ==
                std::bit_cast<std::uint64_t>(groups[m].rows(i, 0)));
    }
  }
}

TEST(Table, GroupsComeInTheOrderOfTheirFirstRows) {
  const GroupSet groups = read_text("height,weight,group\r\n1,2,b\r\n3,4,a\r\n5,-6.5e1,b\r\n");
  EXPECT_THAT(groups.names(), ElementsAre("b", "a"));
  EXPECT_THAT(groups.feature_names(), ElementsAre("height", "weight"));
  EXPECT_THAT(groups[0].rows.row_span(1), ElementsAre(5.0, -65.0));
  EXPECT_THAT(groups[1].rows.row_span(0), ElementsAre(3.0, 4.0));
}

TEST(Table, WritesThroughAStrideAndNamesTheUnnamed) {
  const Matrix wide = Matrix::Constant(2, 5, 1.5);
  GroupSet groups;
  groups.add("a", ConstRows(wide.data(), 2, 2, 5));
  const TemporaryFile file;
  write_csv(file.path(), groups);
  EXPECT_EQ(text_of(file.path()), "x0,x1,group\n1.5,1.5,a\n1.5,1.5,a\n");
}

TEST(Table, MalformedTextIsRefusedByLineAndColumn) {
  const auto expect_refusal = [](const std::string& text, const std::string& where,
                                 const std::string& what) {
    EXPECT_THAT([&] { read_text(text); },
                ThrowsMessage<InvalidData>(AllOf(HasSubstr(where), HasSubstr(what))));
  };
  expect_refusal("x,y,group\n1,2,a\n1,zwei,a\n", "line 3, column 2", "\"zwei\" of \"y\"");
  expect_refusal("x,y,group\n1,2 ,a\n", "line 2, column 2", "not a number");
  expect_refusal("x,y,group\n1e999,2,a\n", "line 2, column 1", "not a number");
  expect_refusal("x,y,group\n,2,a\n", "line 2, column 1", "not a number");
  expect_refusal("x,y,group\n1,2,a\n1,a\n", "line 3, column 2", "2 cells but the header 3");
  expect_refusal("x,y,group\n1,2,3,a\n", "line 2, column 3", "4 cells but the header 3");
  expect_refusal("x,y,group\n1,2,a\n\n", "line 3", "1 cells");
  expect_refusal("x,y,group\n1,2,\n", "line 2, column 3", "no name");
  expect_refusal("x,y,label\n1,2,a\n", "line 1, column 3", "\"label\"");
  expect_refusal("group\na\n", "line 1", "two or more");
  expect_refusal("", "line 1", "group");
  expect_refusal("x,y,group\n", ".csv", "no rows");
  EXPECT_THAT([] { read_csv("/nowhere/at/all.csv"); },
              ThrowsMessage<InvalidData>(HasSubstr("/nowhere/at/all.csv")));
}

TEST(Table, WriterRefusesWhatItCouldNotReadBack) {
  const TemporaryFile file;
  const auto refuses = [&](const std::string& name, Matrix rows, std::vector<double> weights) {
    GroupSet groups;
    groups.add(name, std::move(rows), std::move(weights));
    EXPECT_THROW(write_csv(file.path(), groups), InvalidData) << name;
  };
  refuses("a,b", Matrix::Zero(1, 1), {});
  refuses("", Matrix::Zero(1, 1), {});
  refuses("weighted", Matrix::Zero(1, 1), {2.0});
  refuses("without rows", Matrix::Zero(0, 1), {});
  GroupSet groups;
  groups.add("a", Matrix(Matrix::Zero(1, 1)));
  EXPECT_THROW(write_csv("/nowhere/at/all.csv", groups), Error);
}

// Distances of two groups of equal size along the angle and across it, the larger first.
std::array<double, 2> frame_distances(const GroupSet& groups, double angle) {
  std::array<double, 2> out{};
  for (int k = 0; k < 2; ++k, angle += std::numbers::pi / 2) {
    const Eigen::Vector2d direction(std::cos(angle), std::sin(angle));
    Vector a = groups[0].rows.eigen() * direction;
    Vector b = groups[1].rows.eigen() * direction;
    std::sort(a.begin(), a.end());
    std::sort(b.begin(), b.end());
    out[k] = std::sqrt((a - b).squaredNorm() / static_cast<double>(a.size()));
  }
  if (out[0] < out[1]) std::swap(out[0], out[1]);
  return out;
}

struct Fixture {
  std::string name;
  Index train_rows, test_rows;
  std::array<double, 2> reported;
  double angle;
};

class FixtureTest : public testing::TestWithParam<Fixture> {};

TEST_P(FixtureTest, LoadsWithEqualGroups) {
  const Fixture& fixture = GetParam();
  for (const auto& [part, rows] :
       {std::pair{"_train.csv", fixture.train_rows}, std::pair{"_test.csv", fixture.test_rows}}) {
    const GroupSet groups = read_csv(kGolden / (fixture.name + part));
    groups.validate();
    EXPECT_THAT(groups.names(), ElementsAre("0", "1"));
    EXPECT_THAT(groups.feature_names(), ElementsAre("x", "y"));
    EXPECT_EQ(groups[0].rows.rows(), rows);
    EXPECT_EQ(groups[1].rows.rows(), rows);
  }
}

// The paper's runs report the distances along their first two directions with four decimals.
TEST_P(FixtureTest, HasTheReportedDistancesAlongItsFirstFrame) {
  const Fixture& fixture = GetParam();
  const GroupSet train = read_csv(kGolden / (fixture.name + "_train.csv"));
  const auto found = frame_distances(train, fixture.angle);
  EXPECT_NEAR(found[0], fixture.reported[0], 1e-4);
  EXPECT_NEAR(found[1], fixture.reported[1], 1e-4);
}

// The angle is the best one, or, on the nearly round circles, as good within 0.1 %.
TEST_P(FixtureTest, NoOtherFrameIsClearlyBetter) {
  const Fixture& fixture = GetParam();
  const GroupSet train = read_csv(kGolden / (fixture.name + "_train.csv"));
  const auto objective = [&](double angle) {
    const auto pair = frame_distances(train, angle);
    return pair[0] * pair[0] + pair[1] * pair[1];
  };
  const double at_angle = objective(fixture.angle);
  for (double angle = 0; angle < std::numbers::pi / 2; angle += 0.01) {
    EXPECT_LT(objective(angle), 1.001 * at_angle) << angle;
  }
}

INSTANTIATE_TEST_SUITE_P(Golden, FixtureTest,
                         testing::Values(Fixture{"moons", 981, 481, {1.2953, 0.3305}, 0.7934},
                                         Fixture{"circles", 981, 481, {0.3560, 0.3437}, 0.2560},
                                         Fixture{"pattern", 992, 494, {1.5505, 1.2418}, 0.6793}),
                         [](const auto& instance) { return instance.param.name; });

TEST(Digits, LoadAsTenGroupsOfSixtyFourPixels) {
  const GroupSet digits = read_csv(kGolden / "../../examples/digits.csv");
  EXPECT_EQ(digits.dim(), 64);
  EXPECT_EQ(digits.num_samples(), 1797);
  EXPECT_THAT(digits.names(), ElementsAre("0", "1", "2", "3", "4", "5", "6", "7", "8", "9"));
  EXPECT_EQ(digits.feature_names().front(), "p00");
  EXPECT_EQ(digits.feature_names().back(), "p77");
  for (Index m = 0; m < 10; ++m) {
    EXPECT_GE(digits[m].rows.rows(), 174);
    EXPECT_LE(digits[m].rows.rows(), 183);
    EXPECT_EQ(digits[m].rows.eigen().minCoeff(), 0);
    EXPECT_EQ(digits[m].rows.eigen().maxCoeff(), 16);
  }
}

}  // namespace
}  // namespace conflux
