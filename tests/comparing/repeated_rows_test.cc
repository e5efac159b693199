#include "comparing/repeated_rows.h"

#include <gtest/gtest.h>

#include "conflux/comparing/check.h"
#include "core/rng.h"

namespace conflux {
namespace repeated_rows_test {

constexpr Index kSubjects = 400;

enum class Kind { kNumbers, kAnswers, kMixed, kLongTails };

double value(Kind kind, Index feature, Stream& stream) {
  const double normal = stream.normal();
  switch (kind) {
    case Kind::kNumbers:
      return normal;
    case Kind::kAnswers:
      return static_cast<double>(stream.below(5));
    case Kind::kMixed:
      return feature == 0 ? normal : static_cast<double>(stream.below(3));
    case Kind::kLongTails:
      return std::exp(2 * normal);
  }
  return 0;
}

// Subjects of two groups, each measured `times` times with some noise.
GroupSet measured(Kind kind, Index times, double noise, double shift, std::uint64_t name) {
  constexpr Index kFeatures = 5;
  Stream stream(7, Purpose::kTest, name);
  std::vector<std::vector<double>> values(2);
  for (Index subject = 0; subject < kSubjects; ++subject) {
    const auto group = static_cast<std::size_t>(stream.below(2));
    std::vector<double> row;
    for (Index j = 0; j < kFeatures; ++j) row.push_back(value(kind, j, stream));
    row[0] += group == 0 ? 0 : shift;
    for (Index k = 0; k < times; ++k) {
      for (const double each : row) values[group].push_back(each + noise * stream.normal());
    }
  }
  GroupSet out;
  for (std::size_t m = 0; m < 2; ++m) {
    out.add(m == 0 ? "a" : "b",
            Matrix(Eigen::Map<const Matrix>(
                values[m].data(), static_cast<Index>(values[m].size()) / kFeatures, kFeatures)));
  }
  return out;
}

TEST(RepeatedRowsTest, RandomlyAssignedGroupsDoNotDifferByTheirTwins) {
  int alarms = 0;
  for (std::uint64_t name = 0; name < 12; ++name) {
    const Index times = 2 + static_cast<Index>(name % 4);
    const double noise = 0.05 * static_cast<double>(name % 3);
    const CheckReport found = check(measured(Kind::kNumbers, times, noise, 0, name));
    EXPECT_GT(found.repeated_rows, kSubjects / 2) << name;
    alarms += found.differ ? 1 : 0;
  }
  // Without the twins left out, all of them.
  EXPECT_LE(alarms, 3);
}

// Measurements that differ as much as subjects do, so that only a column can identify the rows of
// one subject.
TEST(RepeatedRowsTest, RowsOfOneSubjectCountOnce) {
  const GroupSet groups = measured(Kind::kNumbers, 3, 0.5, 0, 4);
  RowsOfSubjects subjects{.column = "patient_id"};
  for (Index m = 0; m < 2; ++m) {
    auto& own = subjects.subject_of.emplace_back();
    for (Index i = 0; i < groups[m].rows.rows(); ++i) own.push_back(1000 * m + i / 3);
  }
  EXPECT_TRUE(check(groups).differ);
  const CheckReport found = check(groups, {.subjects = &subjects});
  EXPECT_FALSE(found.differ);
  EXPECT_EQ(found.repeated_rows, 2 * kSubjects);
  EXPECT_EQ(found.sentences[1],
            "One row per \"patient_id\" (subject) counts here: 400 of 1200 rows.");
}

TEST(RepeatedRowsTest, ADifferenceOfThingsIsStillFound) {
  EXPECT_TRUE(check(measured(Kind::kNumbers, 3, 0.1, 1.0, 1)).differ);
}

TEST(RepeatedRowsTest, ATableThatRepeatsNothingIsLeftAsItIs) {
  for (const Kind kind : {Kind::kNumbers, Kind::kAnswers, Kind::kMixed, Kind::kLongTails}) {
    for (std::uint64_t name = 0; name < 3; ++name) {
      for (const double shift : {0.0, 1.0}) {
        EXPECT_EQ(check(measured(kind, 1, 0, shift, name)).repeated_rows, 0)
            << static_cast<int>(kind) << " " << name << " " << shift;
      }
    }
  }
}

TEST(RepeatedRowsTest, TheSentenceSaysWhatWasCounted) {
  const CheckReport found = check(measured(Kind::kNumbers, 3, 0, 0, 2));
  ASSERT_GT(found.sentences.size(), 1U);
  EXPECT_NE(found.sentences[1].find("100 % of the rows have a near copy"), std::string::npos)
      << found.sentences[1];
  EXPECT_NE(found.sentences[1].find("of 1200 rows"), std::string::npos) << found.sentences[1];
}

}  // namespace repeated_rows_test
}  // namespace conflux
