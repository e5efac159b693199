#include "conflux/core/group_set.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "conflux/core/error.h"

namespace conflux {
namespace group_set_test {

using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

TEST(GroupSet, BorrowsRowsWithoutACopy) {
  const Matrix a = Matrix::Random(5, 3);
  GroupSet groups;
  groups.add("a", ConstRows(a));
  EXPECT_EQ(groups[0].rows.data(), a.data());
}

TEST(GroupSet, KeepsRowsThatAreMovedIn) {
  GroupSet copy;
  {
    GroupSet groups;
    groups.add("a", Matrix(Matrix::Constant(2, 2, 7.0)), {1.0, 2.0});
    copy = groups;
  }
  EXPECT_EQ(copy[0].rows(1, 1), 7.0);
  EXPECT_EQ(copy[0].masses[1], 2.0);
}

TEST(GroupSet, ReadsEveryFourthColumnBlockThroughAStride) {
  const Matrix wide = Matrix::Random(4, 10);
  const ConstRows view(wide.data() + 3, 4, 2, 10);
  EXPECT_EQ(view(2, 1), wide(2, 4));
  EXPECT_EQ(view.eigen()(3, 0), wide(3, 3));
}

TEST(GroupSet, NamesGroupRowAndColumnOfTheFirstBadValue) {
  GroupSet groups;
  groups.add("a", Matrix(Matrix::Zero(3, 2)));
  Matrix bad = Matrix::Zero(4, 2);
  bad(2, 1) = std::numeric_limits<double>::quiet_NaN();
  groups.add("b", std::move(bad));
  EXPECT_THAT([&] { groups.validate(); },
              ThrowsMessage<InvalidData>(AllOf(HasSubstr("group 1 (\"b\")"), HasSubstr("row 2"),
                                               HasSubstr("column 1"), HasSubstr("nan"))));
  groups.set_feature_names({"height", "weight"});
  EXPECT_THAT([&] { groups.validate(); }, ThrowsMessage<InvalidData>(HasSubstr("\"weight\"")));
}

TEST(GroupSet, RefusesWhatCannotBeAligned) {
  GroupSet groups;
  groups.add("a", Matrix(Matrix::Zero(3, 2)));
  EXPECT_THROW(groups.add("a", Matrix(Matrix::Zero(3, 2))), InvalidData);
  EXPECT_THROW(groups.add("b", Matrix(Matrix::Zero(3, 5))), InvalidData);
  EXPECT_THROW(groups.add("b", Matrix(Matrix::Zero(3, 2)), {1.0}), InvalidData);
  EXPECT_THROW(groups.set_feature_names({"one"}), InvalidData);
  groups.add("b", Matrix(Matrix::Zero(2, 2)), {1.0, -1.0});
  EXPECT_THAT([&] { groups.validate(); }, ThrowsMessage<InvalidData>(HasSubstr("weight of row 1")));
  GroupSet huge;
  huge.add("a", Matrix(Matrix::Constant(1, 1, 1e300)));
  EXPECT_THAT([&] { huge.validate(); }, ThrowsMessage<InvalidData>(HasSubstr("rescale")));
}

TEST(GroupSet, AnswersAWrongNameWithTheRightOnes) {
  GroupSet groups;
  groups.add("donor A", Matrix(Matrix::Zero(3, 2)));
  groups.add("donor B", Matrix(Matrix::Zero(3, 2)));
  EXPECT_EQ(groups.index_of("donor B"), 1);
  EXPECT_THAT([&] { groups.index_of("donor C"); },
              ThrowsMessage<InvalidOption>(HasSubstr("\"donor A\", \"donor B\"")));
}

TEST(GroupSet, KeepsLabels) {
  GroupSet groups;
  groups.add("a", Matrix(Matrix::Zero(2, 1)));
  groups.add("b", Matrix(Matrix::Zero(1, 1)));
  EXPECT_EQ(groups[0].label(1), -1);
  groups.set_labels({"cat", "dog"}, {{1, -1}, {0}});
  EXPECT_EQ(groups[0].label(0), 1);
  EXPECT_EQ(groups[0].label(1), -1);
  EXPECT_EQ(groups[1].label(0), 0);
  EXPECT_THROW(groups.set_labels({"cat"}, {{1, 0}, {0}}), InvalidData);
  EXPECT_THROW(groups.set_labels({"cat"}, {{0}, {0}}), InvalidData);
  EXPECT_THROW(groups.set_labels({"cat"}, {{0, 0}}), InvalidData);
}

}  // namespace group_set_test
}  // namespace conflux
