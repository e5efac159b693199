#include "baselines/instructions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "conflux/core/error.h"

namespace conflux {
namespace instructions_test {

using testing::HasSubstr;

WeightFile file_with(std::vector<std::string> lines) {
  WeightFile out{"net.npz", {}, {}};
  out.arrays["c.weights"] = {{3, 3, 1, 2}, std::vector<float>(18, 1.0F)};
  out.arrays["c.bias"] = {{2}, {0, 0}};
  out.arrays["d.weights"] = {{8, 2}, std::vector<float>(16, 1.0F)};
  out.arrays["d.bias"] = {{2}, {0, 0}};
  out.texts["layers"] = std::move(lines);
  return out;
}

const std::string kImage = "x: image height=4 width=4";

TEST(Instructions, KnowTheShapesOfWhatTheyMake) {
  const auto all =
      read_instructions(file_with({kImage, "a: conv x weights=c pad=1 relu=1",
                                   "b: maxpool a size=2 stride=2", "e: dense b weights=d"}));
  ASSERT_EQ(all.size(), 4u);
  EXPECT_EQ(all[1].shape.size(), 4 * 4 * 2);
  EXPECT_TRUE(all[1].relu);
  EXPECT_EQ(all[2].shape.height, 2);
  EXPECT_EQ(all[3].shape.channels, 2);
  // Ones under a window of nine, padded: 4, 6 or 9 of them; the largest of each corner is 9.
  const std::vector<double> ones(16, 1.0);
  EXPECT_EQ(run(all, ones.data()), (std::vector<float>{72, 72}));
}

struct Wrong {
  std::vector<std::string> lines;
  const char* message;
};

TEST(Instructions, EveryRefusalNamesTheLineAndWhatIsWrong) {
  const std::vector<Wrong> all = {
      {{}, "has no array \"layers\""},
      {{"x"}, "has no \"NAME: OPERATION\""},
      {{"x: image height=4"}, "has no width"},
      {{"x: image height=0 width=4"}, "has no height"},
      {{"x: image height=4.5 width=4"}, "has no height"},
      {{"x: image height=four width=4"}, "height=four, which is no number"},
      {{"x: image height=100000 width=100000"}, "too many values"},
      {{"x: image height=4 width=4 depth=2"}, "a setting depth that it does not use"},
      {{"x: mean x"}, "takes \"x\", which no line before makes"},
      {{kImage, "x: mean x"}, "is there already"},
      {{kImage, "y: image height=4 width=4"}, "out of place"},
      {{kImage, "y: mean"}, "takes 0 images"},
      {{kImage, "y: mean x x"}, "takes 2 images"},
      {{kImage, "y: blur x"}, "operation \"blur\""},
      {{kImage, "y: conv x"}, "names no weights"},
      {{kImage, "y: conv x weights=q"}, "needs an array \"q.weights\""},
      {{kImage, "y: conv x weights=d"}, "height x width x channels x outputs"},
      {{kImage, "y: dense x weights=d"}, "does not suit the image"},
      {{kImage, "y: repeat x channels=2", "z: conv y weights=c"}, "does not suit the image"},
      {{kImage, "y: repeat x channels=2", "z: repeat y channels=2"}, "several channels already"},
      {{kImage, "y: maxpool x size=5"}, "larger than the image"},
      {{kImage, "y: maxpool x size=2 pad=2"}, "outside of the image"},
      {{kImage, "y: maxpool x size=2", "z: concat x y"}, "different sizes"},
  };
  for (const Wrong& each : all) {
    try {
      read_instructions(file_with(each.lines));
      FAIL() << "accepted: " << each.message;
    } catch (const InvalidData& error) {
      EXPECT_THAT(error.what(), HasSubstr(each.message));
      EXPECT_THAT(error.what(), HasSubstr("net.npz"));
      if (each.lines.empty()) continue;
      EXPECT_THAT(error.what(), HasSubstr(each.lines.back()));
    }
  }
}

}  // namespace instructions_test
}  // namespace conflux
