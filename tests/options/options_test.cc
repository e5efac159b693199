#include "conflux/options/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

#include "conflux/core/error.h"
#include "options/option_table.h"
#include "options/option_text.h"

namespace conflux {
namespace options_test {

using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

DataShape shape(Index dim, std::vector<Index> sizes) {
  DataShape out{.dim = dim, .group_sizes = sizes};
  for (std::size_t m = 0; m < sizes.size(); ++m) {
    out.group_names.push_back("group" + std::to_string(m));
  }
  return out;
}

// The options that a fit reports can be requested again, and so can both presets.
TEST(FitOptions, ResolvedOptionsAreResolvedToThemselves) {
  for (const MethodInfo& method : kMethods) {
    for (FitOptions options : {FitOptions{.method = method.id}, paper_options(method.id, 2)}) {
      options = resolve(options, shape(28, {900, 800}));
      const FitOptions again = resolve(options, shape(28, {900, 800}));
      const std::vector<OptionText> once = option_texts(options), twice = option_texts(again);
      for (std::size_t i = 0; i < once.size(); ++i) {
        EXPECT_EQ(once[i].value, twice[i].value) << method.name << " " << once[i].name;
      }
    }
  }
}

TEST(FitOptions, HelpSaysTheNumbersOfTheCode) {
  std::map<std::string, std::string> unset;
  for (const OptionText& each : option_texts({})) {
    EXPECT_EQ(each.unset.find('{'), std::string::npos) << each.name;
    unset[each.name] = each.unset;
  }
  EXPECT_THAT(unset["strength"], HasSubstr("0.2, up to 0.3 "));
  EXPECT_THAT(unset["layers"], HasSubstr("times 2 "));
  EXPECT_THAT(unset["pseudo_count"], HasSubstr("1e-6; for dd 100"));
}

TEST(FitOptions, DefaultsAndPaperPresetAreValid) {
  EXPECT_NO_THROW(validate(FitOptions{}));
  for (const auto& [method, name] : EnumNames<Method>::kNames) {
    EXPECT_NO_THROW(validate(paper_options(method, 2))) << name;
    EXPECT_NO_THROW(validate(paper_options(method, 10))) << name;
  }
}

TEST(FitOptions, EveryOptionIsToldOnceWithHelp) {
  FitOptions options;
  std::set<std::string_view> names;
  visit_options(options, [&](const OptionInfo& info, auto&) {
    EXPECT_TRUE(names.insert(info.name).second) << info.name;
    EXPECT_FALSE(info.help.empty()) << info.name;
  });
  EXPECT_GE(names.size(), 18u);
}

TEST(FitOptions, ResolvingLeavesNothingToPredict) {
  const FitOptions options = resolve(FitOptions{}, shape(784, {4500, 4501, 9000}));
  EXPECT_EQ(options.layers, 392);
  EXPECT_EQ(resolve(FitOptions{}, shape(784, {10, 10})).layers, 196);
  EXPECT_EQ(resolve(FitOptions{}, shape(2, {10, 10})).layers, 100);
  EXPECT_EQ(resolve(FitOptions{}, shape(5000, {10, 10})).layers, 200);
  EXPECT_EQ(options.directions, 16);
  EXPECT_EQ(resolve(FitOptions{}, shape(784, {10, 10})).directions, 10);
  EXPECT_EQ(options.search_rows, 1666);
  EXPECT_NEAR(*options.strength, 0.2 * std::sqrt(1.5), 1e-12);
  EXPECT_EQ(resolve(FitOptions{}, shape(784, {10, 10})).strength, 0.2);
  EXPECT_EQ(resolve(FitOptions{}, shape(784, std::vector<Index>(10, 4500))).strength, 0.3);
  // Many groups of few rows are as noisy as two.
  const FitOptions small = resolve(FitOptions{}, shape(64, std::vector<Index>(10, 135)));
  EXPECT_EQ(small.strength, 0.2);
  EXPECT_EQ(small.directions, 10);
  EXPECT_EQ(small.layers, 100);
  EXPECT_EQ(options.knots, 67);
  EXPECT_EQ(options.weights, (GroupWeights{1.0 / 3, 1.0 / 3, 1.0 / 3}));
  EXPECT_EQ(resolve(FitOptions{}, shape(2, {4500, 4500, 4500})).directions, 2);
  EXPECT_EQ(resolve(FitOptions{}, shape(2, {10, 10, 10})).knots, 8);
  FitOptions random;
  random.method = Method::kRandNb;
  EXPECT_EQ(resolve(random, shape(2, {10, 10, 10})).search_steps, 0);
}

TEST(FitOptions, BaselinesHaveDefaultsOfTheirOwn) {
  FitOptions options;
  options.method = Method::kDd;
  FitOptions resolved = resolve(options, shape(784, {4500, 4500}));
  EXPECT_EQ(resolved.layers, 11);
  EXPECT_EQ(resolved.bins, 40);
  EXPECT_EQ(resolved.pseudo_count, 100.0);
  EXPECT_EQ(resolved.validation_fraction, 0.0);
  options.dd_stack = DdStack::kRandom;
  resolved = resolve(options, shape(2, {1000, 1000}));
  EXPECT_EQ(resolved.layers, 16);
  EXPECT_EQ(resolved.pseudo_count, 1.0);
  options = {};
  options.method = Method::kSinf;
  resolved = resolve(options, shape(2, {1000, 1000}));
  EXPECT_EQ(resolved.target, "group1");
  EXPECT_EQ(resolved.weights, (GroupWeights{0, 1}));
  EXPECT_EQ(resolved.estimator, Estimator::kSpline);
  EXPECT_EQ(resolve(FitOptions{}, shape(2, {9, 9})).pseudo_count, 1e-6);
}

TEST(FitOptions, WeightsAreDividedByTheirSum) {
  FitOptions options;
  options.weights = {1, 3, 0};
  EXPECT_EQ(resolve(options, shape(2, {10, 10, 10})).weights, (GroupWeights{0.25, 0.75, 0}));
}

TEST(FitOptions, TargetIsTheOnlyGroupThatCounts) {
  FitOptions options;
  options.target = "group2";
  const FitOptions resolved = resolve(options, shape(2, {10, 10, 10}));
  EXPECT_EQ(resolved.weights, (GroupWeights{0, 0, 1}));
  EXPECT_EQ(resolve(resolved, shape(2, {10, 10, 10})).weights, resolved.weights);
}

TEST(FitOptions, OnlyLargeGroupsHoldOutRowsByThemselves) {
  const FitOptions inb{.method = Method::kInb};
  EXPECT_EQ(resolve(inb, shape(2, {499, 9000})).validation_fraction, 0.0);
  EXPECT_EQ(resolve(inb, shape(2, {500, 9000})).validation_fraction, 0.1);
  EXPECT_LT(resolve(inb, shape(2, {1000000, 1000000})).validation_fraction, 0.01);
  // Tables are judged by predicting as well, which needs more rows.
  EXPECT_EQ(resolve(FitOptions{}, shape(2, {499, 9000})).validation_fraction, 0.0);
  EXPECT_EQ(resolve(FitOptions{}, shape(2, {500, 9000})).validation_fraction, 0.2);
  EXPECT_LT(resolve(FitOptions{}, shape(2, {1000000, 1000000})).validation_fraction, 0.01);
  EXPECT_EQ(resolve(FitOptions{}, shape(784, {500, 9000})).validation_fraction, 0.1);
  FitOptions single;
  single.method = Method::kNb;
  EXPECT_EQ(resolve(single, shape(2, {9000, 9000})).validation_fraction, 0.0);
}

TEST(FitOptions, ImagesHaveHeightWidthAndChannels) {
  const auto gray = parse_image_shape("28x28", 784);
  ASSERT_TRUE(gray.has_value());
  EXPECT_EQ(gray->height, 28);
  EXPECT_EQ(gray->channels, 1);
  const auto color = parse_image_shape("4x5x3", 60);
  EXPECT_EQ(color->width, 5);
  EXPECT_EQ(color->channels, 3);
  EXPECT_FALSE(parse_image_shape("", 60).has_value());
}

// Mistakes of a caller, and words that must be in the message.
struct Wrong {
  const char* name;
  void (*set)(FitOptions&);
  std::vector<std::string> words;
};

class WrongOption : public testing::TestWithParam<Wrong> {};

TEST_P(WrongOption, IsRefusedWithValueAndRemedy) {
  FitOptions options;
  GetParam().set(options);
  try {
    resolve(options, shape(28, {100, 100}));
    FAIL() << "accepted";
  } catch (const InvalidOption& error) {
    for (const std::string& word : GetParam().words) EXPECT_THAT(error.what(), HasSubstr(word));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Each, WrongOption,
    testing::Values(
        Wrong{"directions",
              [](FitOptions& o) { o.directions = 40; },
              {"directions is 40", "28 columns", "at most 28"}},
        Wrong{"no_directions", [](FitOptions& o) { o.directions = 0; }, {"directions is 0"}},
        Wrong{"layers", [](FitOptions& o) { o.layers = 0; }, {"layers is 0", "at least 1"}},
        Wrong{"layers_of_nb",
              [](FitOptions& o) {
                o.method = Method::kNb;
                o.layers = 3;
              },
              {"layers is 3", "nb always has 1"}},
        Wrong{"layers_of_nb_inb",
              [](FitOptions& o) {
                o.method = Method::kNbInb;
                o.layers = 1;
              },
              {"layers is 1", "opening layer", "2 or more"}},
        Wrong{"estimator_of_sinf",
              [](FitOptions& o) {
                o.method = Method::kSinf;
                o.estimator = Estimator::kHistogram;
              },
              {"estimator is histogram but sinf does not use it", "choose inb"}},
        Wrong{"search_of_rand_nb",
              [](FitOptions& o) {
                o.method = Method::kRandNb;
                o.search_steps = 50;
              },
              {"search_steps is 50 but rand-nb does not use it"}},
        Wrong{"leaves_of_inb",
              [](FitOptions& o) {
                o.method = Method::kInb;
                o.tree_leaves = 7;
              },
              {"tree_leaves is 7 but inb does not use it",
               "choose auto or cascade or tree or tree-inb or conditional"}},
        Wrong{"weights_of_dd",
              [](FitOptions& o) {
                o.method = Method::kDd;
                o.weights = {1, 3};
              },
              {"weights is 1,3 but dd does not use it"}},
        Wrong{"strength", [](FitOptions& o) { o.strength = 0; }, {"strength is 0", "above 0"}},
        Wrong{"strong", [](FitOptions& o) { o.strength = 1.5; }, {"strength is 1.5", "at most 1"}},
        Wrong{
            "nan_strength", [](FitOptions& o) { o.strength = std::nan(""); }, {"strength is nan"}},
        Wrong{"knots", [](FitOptions& o) { o.knots = 0; }, {"knots is 0"}},
        Wrong{"grid", [](FitOptions& o) { o.grid = 1; }, {"grid is 1", "at least 2"}},
        Wrong{"pseudo_count", [](FitOptions& o) { o.pseudo_count = 0; }, {"pseudo_count is 0"}},
        Wrong{"search_steps", [](FitOptions& o) { o.search_steps = -1; }, {"search_steps is -1"}},
        Wrong{"tree_leaves", [](FitOptions& o) { o.tree_leaves = 1; }, {"tree_leaves is 1"}},
        Wrong{"tree_uniform", [](FitOptions& o) { o.tree_uniform = 0; }, {"tree_uniform is 0"}},
        Wrong{"threads", [](FitOptions& o) { o.threads = -2; }, {"threads is -2"}},
        Wrong{
            "margin", [](FitOptions& o) { o.unit_cube_margin = 0.5; }, {"unit_cube_margin is 0.5"}},
        Wrong{"weight_count",
              [](FitOptions& o) {
                o.weights = {1, 1, 1};
              },
              {"3 entries", "2 groups"}},
        Wrong{"negative_weight",
              [](FitOptions& o) {
                o.weights = {1, -1};
              },
              {"weights is -1"}},
        Wrong{"no_weight",
              [](FitOptions& o) {
                o.weights = {0, 0};
              },
              {"no positive entry"}},
        Wrong{"target",
              [](FitOptions& o) { o.target = "gruop1"; },
              {"no group \"gruop1\"", "did you mean \"group1\""}},
        Wrong{"target_and_weights",
              [](FitOptions& o) {
                o.target = "group1";
                o.weights = {1, 2};
              },
              {"weights is 1,2", "target \"group1\""}},
        Wrong{"validation_fraction",
              [](FitOptions& o) { o.validation_fraction = 1; },
              {"validation_fraction is 1", "at most 0.9"}},
        Wrong{"image",
              [](FitOptions& o) { o.image = "4by7"; },
              {"image is \"4by7\"", "HEIGHTxWIDTH"}},
        Wrong{"image_tail", [](FitOptions& o) { o.image = "4x7x"; }, {"image is \"4x7x\""}},
        Wrong{"image_zero", [](FitOptions& o) { o.image = "28x0"; }, {"image is \"28x0\""}},
        Wrong{"image_size", [](FitOptions& o) { o.image = "4x6"; }, {"image is 4x6", "28 columns"}},
        Wrong{"patience", [](FitOptions& o) { o.patience = 0; }, {"patience is 0"}}),
    [](const auto& each) { return std::string(each.param.name); });

}  // namespace options_test
}  // namespace conflux
