#include "options/option_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "conflux/core/error.h"

namespace conflux {
namespace option_text_test {

using ::testing::HasSubstr;

std::string refusal(std::string_view name, std::string_view text) {
  FitOptions options;
  try {
    set_option(options, name, text);
  } catch (const InvalidOption& error) {
    return error.what();
  }
  return "accepted";
}

// Whatever a record shows can be typed again.
TEST(OptionText, EveryShownValueReadsBackToItself) {
  FitOptions chosen = paper_options(Method::kNbInb, 3);
  chosen.weights = {0.5, 0.25, 1.0 / 3};
  chosen.target = "monday";
  chosen.seed = ~std::uint64_t{0};
  chosen.pseudo_count = 1.0 / 3;
  for (const FitOptions& options : {FitOptions(), chosen}) {
    FitOptions copy = paper_options(Method::kGb, 2);
    for (const OptionText& option : option_texts(options)) {
      set_option(copy, option.name, option.value);
    }
    const auto expected = option_texts(options);
    const auto actual = option_texts(copy);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      EXPECT_EQ(actual[i].value, expected[i].value) << expected[i].name;
    }
  }
}

TEST(OptionText, AutoLeavesTheChoiceToTheFit) {
  FitOptions options;
  options.layers = 7;
  set_option(options, "layers", "auto");
  EXPECT_FALSE(options.layers.has_value());
}

TEST(OptionText, RefusalsNameOptionValueAndRemedy) {
  EXPECT_EQ(refusal("layres", "3"), "no option \"layres\"; did you mean \"layers\"?");
  EXPECT_EQ(refusal("layers", "ten"), "layers is \"ten\"; give a whole number or auto.");
  EXPECT_EQ(refusal("layers", "1.5"), "layers is \"1.5\"; give a whole number or auto.");
  EXPECT_THAT(refusal("layers", "0"), HasSubstr("at least 1"));
  EXPECT_THAT(refusal("strength", "2"), HasSubstr("at most 1"));
  EXPECT_THAT(refusal("strength", "nan"), HasSubstr("strength is nan"));
  EXPECT_THAT(refusal("method", "inbb"), HasSubstr("nb|inb|rand-nb"));
  EXPECT_THAT(refusal("polar_steps", "yes"), HasSubstr("on|off"));
  EXPECT_THAT(refusal("weights", "1,,2"), HasSubstr("uniform|size|LIST"));
  EXPECT_THAT(refusal("seed", "-1"), HasSubstr("whole number"));
}

TEST(OptionText, ARefusedValueChangesNothing) {
  FitOptions options;
  options.layers = 7;
  EXPECT_THROW(set_option(options, "layers", "0"), InvalidOption);
  EXPECT_EQ(options.layers, 7);
}

}  // namespace option_text_test
}  // namespace conflux
