#include "tables/picture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "conflux/core/error.h"
#include "tests/tables/files.h"

namespace conflux {
namespace picture_test {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

const std::string kColor = std::string("P6\n# two by two\n2 2\n255\n") +
                           std::string("\x00\x01\x02\xff\xfe\xfd\x10\x20\x30\x40\x50\x60", 12);

TEST(Picture, PixelsAreRowsAndColorsAreColumns) {
  const TemporaryFolder folder;
  const Table table = read_table(folder.with("p.ppm", kColor));
  EXPECT_THAT(table.names(), ElementsAre("red", "green", "blue", "x", "y"));
  EXPECT_THAT(table["red"].numbers, ElementsAre(0, 255, 16, 64));
  EXPECT_THAT(table["blue"].numbers, ElementsAre(2, 253, 48, 96));
  EXPECT_THAT(table["x"].numbers, ElementsAre(0, 1, 0, 1));
  EXPECT_THAT(table["y"].numbers, ElementsAre(0, 0, 1, 1));
  const Table gray = read_table(folder.with("g.pgm", std::string("P5 1 2 255\n\x07\x09", 13)));
  EXPECT_THAT(gray["gray"].numbers, ElementsAre(7, 9));
}

TEST(Picture, ComesBackThroughEveryFormat) {
  const TemporaryFolder folder;
  const Table table = read_table(folder.with("p.ppm", kColor));
  write_table(folder / "p.png", table);
  EXPECT_TRUE(bytes_of(folder / "p.png").starts_with("\x89PNG"));
  const Table png = read_table(folder / "p.png");
  EXPECT_TRUE(same_table(png, table));
  write_table(folder / "back.ppm", png);
  EXPECT_TRUE(same_table(read_table(folder / "back.ppm"), table));
  write_table(folder / "packed.ppm.gz", png);
  EXPECT_TRUE(same_table(read_table(folder / "packed.ppm.gz"), table));
}

TEST(Picture, NumbersAreRoundedAndCutAtTheEnds) {
  const TemporaryFolder folder;
  Table table = read_table(folder.with("p.ppm", kColor));
  table.columns[0].numbers = {-3, 0.4, 254.6, 300};
  write_table(folder / "cut.png", table);
  EXPECT_THAT(read_table(folder / "cut.png")["red"].numbers, ElementsAre(0, 0, 255, 255));
}

TEST(Picture, AFolderOfThemIsATableWithARowEach) {
  const TemporaryFolder folder;
  const auto path = folder / "threes";
  std::filesystem::create_directory(path);
  folder.with("threes/b.pgm", std::string("P5 2 1 255\n\x07\x09", 13));
  folder.with("threes/a.pgm", std::string("P5 2 1 255\n\x01\x02", 13));
  folder.with("threes/notes.txt", "no picture");
  Table table = read_table(path);
  EXPECT_THAT(table.names(), ElementsAre("p0", "p1", "file"));
  EXPECT_THAT(table["p1"].numbers, ElementsAre(2, 9));
  EXPECT_THAT(table["file"].text, ElementsAre("a.pgm", "b.pgm"));
  table.columns[0].numbers = {100, 200};
  write_table(folder / "out", table, {.format = "pictures"});
  EXPECT_THAT(read_table(folder / "out")["p0"].numbers, ElementsAre(100, 200));
  folder.with("threes/c.pgm", std::string("P5 1 1 255\n\x07", 12));
  EXPECT_THAT([&] { read_table(path); },
              ThrowsMessage<InvalidData>(HasSubstr("all pictures need the same size")));
}

TEST(Picture, EveryRefusalNamesTheRemedy) {
  const TemporaryFolder folder;
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"P3\n1 1\n255\n0 0 0\n", "begins with P6 or P5"},
      {"P6\n", "has no size"},
      {"P6\n2 x\n255\n", "has no size"},
      {"P6\n2 2\n65535\n" + std::string(24, 'a'), "values up to 65535"},
      {"P6\n2 2\n255\nabc", "do not stand behind the head"},
      {"P6\n2 2\n255", "do not stand behind the head"},
      {"P6\n1000000 1000000\n255\n", "1000000 x 1000000 pixels"},
      {"P6\n18446744073709551615 2\n255\n", "pixels, but the data have"},
  };
  for (const auto& [bytes, message] : cases) {
    const auto file = folder.with("bad.ppm", bytes);
    EXPECT_THAT([&] { read_table(file); }, ThrowsMessage<InvalidData>(HasSubstr(message)));
  }
  EXPECT_THROW(read_table(folder.with("bad.png", "\x89PNG\r\n\x1a\nrest")), InvalidData);
  const Table table = read_table(folder.with("p.ppm", kColor));
  write_table(folder / "p.png", table);
  const std::string png = bytes_of(folder / "p.png");
  EXPECT_THROW(read_table(folder.with("cut.png", png.substr(0, png.size() / 2))), InvalidData);
  EXPECT_THAT(
      [&] {
        write_table(folder / "part.png", table.rows(std::vector<Index>{0, 1}));
      },
      ThrowsMessage<InvalidData>(HasSubstr("needs all of them")));
  Table other;
  other.add("red", std::vector<double>{1});
  EXPECT_THAT([&] { write_table(folder / "other.png", other); },
              ThrowsMessage<InvalidOption>(HasSubstr("come from elsewhere")));
}

}  // namespace picture_test
}  // namespace conflux
