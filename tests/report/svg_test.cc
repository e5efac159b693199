#include "report/svg.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/charts.h"

namespace conflux {
namespace svg_test {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

TEST(Escaped, LeavesNothingThatABrowserWouldObey) {
  EXPECT_EQ(escaped("<img onerror=\"a('&')\">"),
            "&lt;img onerror=&quot;a(&#39;&amp;&#39;)&quot;&gt;");
  EXPECT_EQ(escaped("naïve 漢字 🙂"), "naïve 漢字 🙂");
}

// Names come from files that nobody vouches for.
TEST(Escaped, ReplacesWhatIsNoText) {
  const std::string sign = "\xef\xbf\xbd";
  EXPECT_EQ(escaped(std::string("a\0b", 3)), "a" + sign + "b");
  EXPECT_EQ(escaped("a\x1b[31m"), "a" + sign + "[31m");
  EXPECT_EQ(escaped("\xff\xc3"), sign + sign);
  EXPECT_EQ(escaped("\xc0\xbc"), sign + sign);             // "<", spelled too long
  EXPECT_EQ(escaped("\xed\xa0\x80"), sign + sign + sign);  // half of a pair
}

TEST(Shortened, CutsLettersAndNotBytes) {
  EXPECT_EQ(shortened("äöüäöü", 6), "äöüäöü");
  EXPECT_EQ(shortened("äöüäöü", 4), "äöü…");
  EXPECT_EQ(shortened("", 4), "");
}

TEST(RoundMarks, CoverTheRangeByRoundNumbers) {
  EXPECT_THAT(round_marks(0, 1, 5),
              ElementsAre(0, 0.2, 0.4, testing::DoubleNear(0.6, 1e-12), 0.8, 1));
  EXPECT_THAT(round_marks(-3, 12, 4), ElementsAre(0, 5, 10));
  EXPECT_THAT(round_marks(2, 2, 4), ElementsAre(2));
}

TEST(Svg, NamesWhatItShowsAndEscapesNames) {
  const std::string picture = draw_dumbbells(
      {{.name = "<b>", .before = 1, .after = 0, .band = std::pair{0.0, 0.2}, .warned = true}}, 0, 1,
      {"Title & more", "Text", "axis"});
  EXPECT_THAT(picture, HasSubstr("role=\"img\"><title>Title &amp; more</title><desc>Text</desc>"));
  EXPECT_THAT(picture, HasSubstr("▲ &lt;b&gt;"));
  EXPECT_THAT(picture, Not(HasSubstr("<b>")));
}

// Whatever numbers come, a picture stays within its frame.
TEST(Scale, KeepsValuesInside) {
  const Scale scale{0, 10, 100, 200};
  EXPECT_EQ(scale.at(-5), 100);
  EXPECT_EQ(scale.at(5), 150);
  EXPECT_EQ(scale.at(1e300), 200);
  EXPECT_EQ((Scale{3, 3, 100, 200}).at(3), 150);
}

TEST(GroupStyles, FewGroupsLookDifferentAndOfManyTwoAreChosen) {
  const GroupStyles few({"a", "b", "c", "d", "e", "f"}, {0, 1});
  std::vector<std::string> looks;
  for (Index m = 0; m < 6; ++m) {
    EXPECT_TRUE(few.shown(m));
    looks.push_back(few.line_class(m));
  }
  for (std::size_t a = 0; a < looks.size(); ++a) {
    for (std::size_t b = 0; b < a; ++b) EXPECT_NE(looks[a], looks[b]);
  }
  const GroupStyles many(std::vector<std::string>(30, "g"), {7, 3});
  for (Index m = 0; m < 30; ++m) EXPECT_EQ(many.shown(m), m == 7 || m == 3);
}

}  // namespace svg_test
}  // namespace conflux
