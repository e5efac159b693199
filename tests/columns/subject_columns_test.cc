#include "columns/subject_columns.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "conflux/columns/find_columns.h"

namespace conflux {
namespace subject_columns_test {

using testing::ElementsAre;

TEST(SubjectColumns, AreKnownByTheirColumnsName) {
  for (const char* name : {"id", "ID", "patient_id", "Patient ID", "userId", "sensorID", "uid"}) {
    EXPECT_TRUE(names_subjects(name)) << name;
  }
  for (const char* name : {"age", "acid", "paid", "identity", "grid", "PID1"}) {
    EXPECT_FALSE(names_subjects(name)) << name;
  }
}

// 60 rows in two groups, and a column of names that is copied unchanged.
struct Measured {
  Table table;
  Columns columns;
  std::vector<std::vector<Index>> rows{2};
};

template <class Value>
Measured measured(const std::string& name, const std::vector<Value>& values) {
  Measured out;
  std::vector<double> numbers;
  std::vector<Index> groups;
  for (Index i = 0; i < static_cast<Index>(values.size()); ++i) {
    numbers.push_back(static_cast<double>((i * 37) % 61) + 0.5);
    groups.push_back(i % 2);
    out.rows[static_cast<std::size_t>(i % 2)].push_back(i);
  }
  out.table.add("x", numbers);
  out.table.add(name, values);
  out.columns = find_columns(out.table, groups, 2, {}, Workers(1));
  return out;
}

std::vector<std::string> visits(Index rows, Index per_patient) {
  std::vector<std::string> out;
  for (Index i = 0; i < rows; ++i) out.push_back("P" + std::to_string(i / per_patient));
  return out;
}

TEST(SubjectColumns, GroupTheRowsOfEachGroup) {
  std::vector<std::string> names = visits(60, 4);
  names[5] = "";  // which is nobody else
  const Measured data = measured("patient_id", names);
  const auto found = find_subjects(data.table, data.columns, data.rows);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->column, "patient_id");
  EXPECT_THAT(std::vector<Index>(found->subject_of[0].begin(), found->subject_of[0].begin() + 4),
              ElementsAre(0, 0, 1, 1));
  EXPECT_THAT(std::vector<Index>(found->subject_of[1].begin(), found->subject_of[1].begin() + 4),
              ElementsAre(0, 0, 2, 1));
}

TEST(SubjectColumns, AreNotFoundWhereEachHasOneRowOrVeryMany) {
  for (const Index per_patient : {1, 30}) {
    const Measured data = measured("patient_id", visits(1800, per_patient));
    EXPECT_FALSE(find_subjects(data.table, data.columns, data.rows)) << per_patient;
  }
  const Measured other = measured("remark", visits(60, 2));
  EXPECT_FALSE(find_subjects(other.table, other.columns, other.rows));
}

}  // namespace subject_columns_test
}  // namespace conflux
