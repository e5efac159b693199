#include "core/nearest_name.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace conflux {
namespace nearest_name_test {

TEST(NearestName, ForgivesSwapsSlipsAndCase) {
  const std::vector<std::string> names = {"x", "batch", "patch", "cell_type", "Donor"};
  EXPECT_EQ(nearest_name("bacth", names), "batch");
  EXPECT_EQ(nearest_name("btch", names), "batch");
  EXPECT_EQ(nearest_name("celltype", names), "cell_type");
  EXPECT_EQ(nearest_name("donor", names), "Donor");
}

// A wrong prediction is worse than none.
TEST(NearestName, OffersNothingThatSharesTooLittle) {
  EXPECT_EQ(nearest_name("group", {"x", "y", "batch"}), std::nullopt);
  EXPECT_EQ(nearest_name("z", {"x", "y"}), std::nullopt);
  EXPECT_EQ(nearest_name("", {"", "x"}), std::nullopt);
  EXPECT_EQ(nearest_name("batch", {}), std::nullopt);
}

TEST(NearestName, GivesTheFirstOfEquallyNearOnes) {
  EXPECT_EQ(nearest_name("pc3", {"pc1", "pc2"}), "pc1");
}

RC_GTEST_PROP(NearestName, FindsANameThatIsThere, (std::vector<std::string> names)) {
  RC_PRE(!names.empty());
  const std::string wanted = names[*rc::gen::inRange<std::size_t>(0, names.size())];
  RC_PRE(!wanted.empty() && wanted.size() <= 200);
  const auto found = nearest_name(wanted, names);
  RC_ASSERT(found.has_value());
  RC_ASSERT(found->size() == wanted.size());
}

TEST(UnknownName, NamesTheNearestOrListsWhatThereIs) {
  EXPECT_EQ(unknown_name("column", "bacth", {"x", "batch"}),
            "no column \"bacth\"; did you mean \"batch\"?");
  EXPECT_EQ(unknown_name("column", "group", {"x", "y"}),
            "no column \"group\"; the columns are \"x\", \"y\".");
  EXPECT_EQ(unknown_name("array", "X", {}), "no array \"X\"; there are none.");
  const std::vector<std::string> many(12, "pixel");
  EXPECT_NE(unknown_name("column", "group", many).find("\"pixel\" and 2 more."), std::string::npos);
}

}  // namespace nearest_name_test
}  // namespace conflux
