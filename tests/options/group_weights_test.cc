#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "conflux/core/error.h"
#include "conflux/options/options.h"

namespace conflux {
namespace group_weights_test {

using testing::HasSubstr;

TEST(GroupWeights, TextKeepsEveryBit) {
  const GroupWeights all[] = {GroupWeights(), GroupWeights(GroupWeights::Kind::kSize),
                              GroupWeights{1, 2, 0.5}, GroupWeights{1.0 / 3, 1e-300, 1e22, 0}};
  for (const GroupWeights& weights : all) {
    EXPECT_EQ(parse_group_weights(to_text(weights)), weights) << to_text(weights);
  }
  EXPECT_EQ(to_text(GroupWeights{1, 2, 0.5}), "1,2,0.5");
  EXPECT_EQ(parse_group_weights(" 1 , 2,3 "), (GroupWeights{1, 2, 3}));
}

TEST(GroupWeights, OtherTextsAreRefusedWithTheChoices) {
  for (const char* text : {"", "sizes", "1,,2", "1,2,", "1;2", "1,x", "1 2"}) {
    try {
      parse_group_weights(text);
      FAIL() << "accepted " << text;
    } catch (const InvalidOption& error) {
      EXPECT_THAT(error.what(), HasSubstr("choose uniform, size, or one number per group"));
    }
  }
}

TEST(GroupWeights, SumToOne) {
  const std::vector<Index> sizes{10, 30};
  EXPECT_EQ(normalized_weights({}, sizes), (std::vector<double>{0.5, 0.5}));
  EXPECT_EQ(normalized_weights(GroupWeights(GroupWeights::Kind::kSize), sizes),
            (std::vector<double>{0.25, 0.75}));
  EXPECT_EQ(normalized_weights({8, 0}, sizes), (std::vector<double>{1, 0}));
}

}  // namespace group_weights_test
}  // namespace conflux
