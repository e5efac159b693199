#include "dataset/group_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "conflux/core/error.h"
#include "dataset/name_patterns.h"

namespace conflux {
namespace group_names_test {

using testing::ElementsAre;

TEST(GroupNames, StemsLeaveFoldersCompressionAndFormatsOut) {
  EXPECT_EQ(stem_of("a/monday.csv.gz"), "monday");
  EXPECT_EQ(stem_of("monday.tsv.zst"), "monday");
  EXPECT_EQ(stem_of("runs/./v1.2.npy"), "v1.2");
  // All samples of 10x Genomics call their files alike.
  EXPECT_EQ(stem_of("lung/outs/filtered_feature_bc_matrix/matrix.mtx.gz"), "lung");
}

TEST(GroupNames, RenamesByAPatternWithOneStar) {
  const std::vector<std::string> rename = {"gcm_c=gcm", "day_*_b=*"};
  EXPECT_EQ(renamed("gcm_c", rename), "gcm");
  EXPECT_EQ(renamed("day_12_b", rename), "12");
  EXPECT_EQ(renamed("day_b", rename), "day_b");  // the star is not there to be found
  EXPECT_EQ(renamed("other", rename), "other");
  EXPECT_THROW(renamed("other", {"=x"}), InvalidOption);
}

TEST(GroupNames, AreNumberedByFirstRowsUnlessAnOrderIsGiven) {
  const NumberedGroups plain({"b", "a", "b"});
  EXPECT_THAT(plain.names, ElementsAre("b", "a"));
  EXPECT_THAT(plain.of_row, ElementsAre(0, 1, 0));
  const NumberedGroups ordered({"b", "a", "b"}, {"gone", "a"});
  EXPECT_THAT(ordered.names, ElementsAre("a", "b"));
  EXPECT_THAT(ordered.rows[1], ElementsAre(0, 2));
}

TEST(NamePatterns, ExpandInTheOrderOfTheTableAndOnceEach) {
  const std::vector<std::string> names = {"id", "PC1", "PC2", "PC3", "PC10"};
  EXPECT_THAT(expand_patterns({"PC1:PC3"}, names, "t"), ElementsAre("PC1", "PC2", "PC3"));
  EXPECT_THAT(expand_patterns({"PC?", "PC*"}, names, "t"),
              ElementsAre("PC1", "PC2", "PC3", "PC10"));
  EXPECT_THROW(expand_patterns({"PC3:PC1"}, names, "t"), InvalidOption);
  EXPECT_THROW(expand_patterns({"gene*"}, names, "t"), InvalidOption);
  EXPECT_THROW(expand_patterns({"id", "id"}, names, "t"), InvalidOption);
}

TEST(NamePatterns, FindNamesThatAreAlike) {
  EXPECT_EQ(names_alike({"m", "f", "M "}).second, "M ");
  EXPECT_EQ(names_alike({"m", "f"}).second, "");
}

}  // namespace group_names_test
}  // namespace conflux
