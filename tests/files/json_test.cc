#include "files/json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "conflux/core/error.h"

namespace conflux {
namespace json_test {

using testing::HasSubstr;
using testing::ThrowsMessage;

// Seeds use all 64 bits, and figures of a record must come back to the bit.
TEST(JsonText, ReadsTheValuesThatItWrote) {
  const Json written = {{"seed", std::numeric_limits<std::uint64_t>::max()},
                        {"least", std::numeric_limits<std::int64_t>::min()},
                        {"figure", 0.1},
                        {"small", 5e-324},
                        {"name", "a \"b\"\n\xc3\xa9"},
                        {"list", std::vector<double>{1.5, -2}},
                        {"none", nullptr},
                        {"yes", true}};
  const Json read = parse_json(to_text(written), 2, "the text");
  EXPECT_EQ(read, written);
  EXPECT_EQ(read.at("seed").count(), std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(read.at("least").whole(), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(read.at("figure").number(), 0.1);
  EXPECT_EQ(read.at("small").number(), 5e-324);
  EXPECT_EQ(read.at("name").text(), "a \"b\"\n\xc3\xa9");
  EXPECT_TRUE(read.at("yes").boolean());
  EXPECT_TRUE(read.at("none").is_null());
}

// The reader of a file must be able to tell -1 from a count, and 1 from 1.0.
TEST(JsonText, TellsKindsOfNumbersApart) {
  const Json read = parse_json("[1, -1, 1.0]", 1, "the text");
  EXPECT_TRUE(read[0].is_count());
  EXPECT_TRUE(read[1].is_whole());
  EXPECT_FALSE(read[1].is_count());
  EXPECT_FALSE(read[2].is_whole());
  EXPECT_TRUE(read[2].is_number());
}

TEST(JsonText, KeepsTheOrderOfMembers) {
  EXPECT_EQ(parse_json(R"({"b":1,"a":2,"c":{}})", 2, "the text").dump(), R"({"b":1,"a":2,"c":{}})");
}

TEST(JsonText, RefusesWhatNobodyVouchesFor) {
  const auto refusal = [](const std::string& text, const std::string& sentence) {
    EXPECT_THAT([&] { parse_json(text, 3, "the header"); },
                ThrowsMessage<InvalidData>(HasSubstr(sentence)))
        << text;
    EXPECT_THAT([&] { parse_json(text, 3, "the header"); },
                ThrowsMessage<InvalidData>(HasSubstr("the header")));
  };
  refusal(R"({"a":1,"a":2})", "names \"a\" twice");
  refusal(R"([{"a":{"b":1,"b":1}}])", "names \"b\" twice");
  refusal("[[[[1]]]]", "nested too deeply");
  refusal(R"({"a":)", "no JSON");
  refusal("[1] 2", "no JSON");
  refusal("", "no JSON");
}

// The same name in two objects is no repetition, nor does an object end its parent's names.
TEST(JsonText, ComparesNamesWithinOneObjectOnly) {
  EXPECT_NO_THROW(parse_json(R"([{"a":{"a":1}},{"a":2}])", 3, "the text"));
  EXPECT_THROW(parse_json(R"({"a":{"b":1},"a":2})", 3, "the text"), InvalidData);
}

TEST(JsonText, RefusesToWriteBytesThatAreNotUtf8) {
  EXPECT_THROW(to_text(Json(std::string("\xff"))), InvalidData);
  EXPECT_NO_THROW(Json(std::string("\xff")).dump());
}

TEST(JsonText, IsUnsetForTextThatIsNoJson) {
  EXPECT_FALSE(Json::parse("{").has_value());
  EXPECT_FALSE(Json::parse(std::string(200, '[')).has_value());
  EXPECT_EQ(Json::parse("[1]")->size(), 1U);
}

}  // namespace json_test
}  // namespace conflux
