#include "tables/fcs.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "conflux/core/error.h"
#include "tables/fcs_text.h"
#include "tests/support/public_data.h"
#include "tests/tables/files.h"

namespace conflux {
namespace fcs_test {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::ThrowsMessage;

const TableOptions kMeasured = {.short_names = true, .uncompensated = true};

/// A file made by hand: keywords behind those that every file needs, and data.
struct HandMade {
  std::string version = "FCS3.0";
  std::string type = "I";
  std::string order = "4,3,2,1";
  FileKeywords more = {};
  std::string data = {};
  std::string total = "1";
  char separator = '/';
  /// Added to what the header says of the data.
  int begin_off = 0;
  int end_off = 0;
  bool in_text = true;
};

std::string bytes_of(const HandMade& file) {
  FileKeywords all = {{"$DATATYPE", file.type}, {"$BYTEORD", file.order}, {"$MODE", "L"}};
  if (!file.total.empty()) all.emplace_back("$TOT", file.total);
  all.insert(all.end(), file.more.begin(), file.more.end());
  const auto text_with = [&](std::size_t begin) {
    std::string text(1, file.separator);
    FileKeywords listed = all;
    if (file.in_text) {
      listed.emplace_back("$BEGINDATA", fmt::format("{:06}", begin));
      listed.emplace_back("$ENDDATA", fmt::format("{:06}", begin + file.data.size() - 1));
    }
    for (const auto& [keyword, value] : listed) {
      text += keyword + file.separator + value + file.separator;
    }
    return text;
  };
  const std::size_t begin = 58 + text_with(0).size();
  const auto at = static_cast<int>(begin);
  return fmt::format("{}    {:8}{:8}{:8}{:8}{:8}{:8}", file.version, 58, begin - 1,
                     at + file.begin_off,
                     at + static_cast<int>(file.data.size()) - 1 + file.end_off, 0, 0) +
         text_with(begin) + file.data;
}

FileKeywords channel(const std::string& bits, const std::string& range,
                     const std::string& amplification = "0,0") {
  return {
      {"$PAR", "1"}, {"$P1N", "FL1-H"}, {"$P1B", bits}, {"$P1R", range}, {"$P1E", amplification}};
}

Table read_bytes(const std::string& bytes, const TableOptions& options = {}) {
  return kFcsFormat.open(ByteSource::memory(bytes, "t.fcs"), options)->read_rest();
}

std::vector<double> column_of(const HandMade& file, const TableOptions& options = {}) {
  return read_bytes(bytes_of(file), options).columns.front().numbers;
}

// ---- files of other programs

TableOptions named_fcs(TableOptions options) {
  options.format = "fcs";
  return options;
}

void expect_truth(const std::string& file, const std::string& truth, const TableOptions& options) {
  const auto folder = public_data("fcs_conformance");
  if (!folder) GTEST_SKIP() << "no public data";
  const Table ours = read_table(*folder / file, named_fcs(options));
  const Table theirs = read_table(*folder / truth);
  ASSERT_EQ(ours.num_columns(), theirs.num_columns());
  ASSERT_EQ(ours.num_rows(), theirs.num_rows());
  for (Index j = 0; j < ours.num_columns(); ++j) {
    for (Index i = 0; i < ours.num_rows(); ++i) {
      const double want = theirs.columns[j].numbers[i];
      // Powers of ten may round differently in the last place.
      ASSERT_NEAR(ours.columns[j].numbers[i], want, 1e-12 * std::abs(want)) << i << " " << j;
    }
  }
}

TEST(Fcs, StoredNumbersAreThoseOfFlowIo) {
  expect_truth("data1.fcs", "data1_original_events.npy", {.stored_values = true});
}

// Gains divide, logarithmic channels become powers of ten.
TEST(Fcs, MeasuredValuesAreThoseOfFlowIo) {
  expect_truth("data1.fcs", "data1_preprocessed.npy", kMeasured);
}

TEST(Fcs, WholeNumbersOf32BitsAreThoseOfFlowIo) {
  expect_truth("B01_KC-A-W---91-US.fcs", "B01_KC-A-W---91-US_preprocessed_events.npy", kMeasured);
}

TEST(Fcs, EveryConformanceFileOpensWithAllItsEvents) {
  const auto folder = public_data("fcs_conformance");
  if (!folder) GTEST_SKIP() << "no public data";
  const std::vector<std::tuple<std::string, Index, Index>> files = {
      {"0877408774.B08", 10000, 8},
      {"3FITC_4PE_004.fcs", 94569, 4},
      {"G11.fcs", 5785, 12},
      {"data1.fcs", 13367, 8},
      {"B01_KC-A-W---91-US.fcs", 1589, 14},
      {"variable_int_example.fcs", 2, 26}};
  for (const auto& [name, rows, columns] : files) {
    const Table table = read_table(*folder / name, named_fcs(kMeasured));
    EXPECT_EQ(table.num_rows(), rows) << name;
    EXPECT_EQ(table.num_columns(), columns) << name;
  }
}

// Empty values look like doubled separators; $P3E must not be lost with them.
TEST(Fcs, EmptyValuesAreNotTakenForSeparators) {
  const auto folder = public_data("fcs_conformance");
  if (!folder) GTEST_SKIP() << "no public data";
  const Table table = read_table(*folder / "0877408774.B08", named_fcs({}));
  EXPECT_EQ(table.columns[2].name, "FL1-H");
  for (const double value : table.columns[2].numbers) {
    ASSERT_GE(value, 1);
    ASSERT_LE(value, 10000);
  }
}

// Header and text disagree; the events are where they fit.
TEST(Fcs, WrongPlacesOfTheDataAreFoundAndTold) {
  const auto folder = public_data("fcs_conformance");
  if (!folder) GTEST_SKIP() << "no public data";
  const Table right = read_table(*folder / "variable_int_example.fcs", kMeasured);
  for (const std::string which : {"start", "stop"}) {
    const auto path = *folder / ("data_" + which + "_offset_discrepancy_example.fcs");
    EXPECT_TRUE(same_table(read_table(path, kMeasured), right)) << which;
    const auto notes = open_table(path, kMeasured)->notes();
    ASSERT_FALSE(notes.empty()) << which;
    EXPECT_THAT(notes.front(), HasSubstr("the header tells of data in bytes")) << which;
  }
  EXPECT_THAT(open_table(*folder / "variable_int_example.fcs", kMeasured)->notes(), IsEmpty());
}

// The measured values are the compensated ones, spilled again.
TEST(Fcs, CompensationUndoesTheSpillover) {
  const auto folder = public_data("fcs_conformance");
  if (!folder) GTEST_SKIP() << "no public data";
  const auto path = *folder / "B01_KC-A-W---91-US.fcs";
  const Table raw = read_table(path, {.uncompensated = true});
  const Table clean = read_table(path);
  // The first row of $SPILLOVER: FITC spills 0.1203 into PE, 0.0240 into PerCP, 0.0001 into APC.
  const std::vector<std::string> names = {"FITC-A", "PE-A", "PerCP-A", "APC-A"};
  const std::vector<double> into_pe = {0.1203, 1, 0.0, 0.0};
  for (Index i = 0; i < 50; ++i) {
    double spilled = 0;
    for (std::size_t k = 0; k < 4; ++k) spilled += into_pe[k] * clean[names[k]].numbers[i];
    const double rest = raw["PE-A"].numbers[i] - spilled;
    EXPECT_LT(std::abs(rest), 0.2 * (1 + std::abs(clean["PerCP-A"].numbers[i]) +
                                     std::abs(clean["APC-A"].numbers[i])));
  }
  EXPECT_EQ(raw["FSC-A"].numbers, clean["FSC-A"].numbers);
}

TEST(Fcs, ChannelsOfMassCytometryAreCalledByTheirMarkers) {
  const auto folder = public_data("cytonorm_fcs");
  if (!folder) GTEST_SKIP() << "no public data";
  const auto path = *folder / "Gates_PTLG021_Unstim_Control_1.fcs";
  const Table table = read_table(path);
  EXPECT_EQ(table.num_rows(), 1000);
  EXPECT_EQ(table.num_columns(), 55);
  EXPECT_TRUE(table.has("CD4"));
  EXPECT_TRUE(table.has("Time"));
  EXPECT_TRUE(read_table(path, {.short_names = true}).has("Nd145Di"));
}

// ---- laws

TEST(Fcs, BitsAboveTheRangeAreMasked) {
  const std::string data("\xff\xff", 2);
  EXPECT_THAT(column_of({.more = channel("16", "1024"), .data = data}), ElementsAre(1023));
  EXPECT_THAT(column_of({.more = channel("16", "1000"), .data = data}), ElementsAre(1023));
  EXPECT_THAT(column_of({.more = channel("16", "65536"), .data = data}), ElementsAre(65535));
  EXPECT_THAT(column_of({.more = channel("16", "1e9"), .data = data}), ElementsAre(65535));
}

TEST(Fcs, EveryByteOrderAndWidthIsRead) {
  const std::string data("\x01\x02\x03\x04", 4);
  const auto read = [&](const std::string& order, const std::string& bits) {
    const std::size_t bytes = static_cast<std::size_t>(std::stoi(bits)) / 8;
    return column_of({.order = order,
                      .more = channel(bits, "18446744073709551616"),
                      .data = data.substr(0, bytes)})
        .front();
  };
  EXPECT_EQ(read("1,2,3,4", "32"), 0x04030201);
  EXPECT_EQ(read("4,3,2,1", "32"), 0x01020304);
  EXPECT_EQ(read("3,4,1,2", "32"), 0x02010403);
  EXPECT_EQ(read("2,1", "16"), 0x0102);
  EXPECT_EQ(read("1,2", "32"), 0x04030201);
  EXPECT_EQ(read("4,3,2,1", "24"), 0x010203);
  EXPECT_EQ(read("1,2,3,4", "8"), 1);
}

TEST(Fcs, LogarithmsAndGainsAreUndoneUnlessStoredNumbersAreWanted) {
  const std::string data("\x02\x00", 2);  // 512
  const HandMade logarithmic{.more = channel("16", "1024", "4,0.1"), .data = data};
  EXPECT_DOUBLE_EQ(column_of(logarithmic).front(), 0.1 * 100);
  EXPECT_EQ(column_of(logarithmic, {.stored_values = true}).front(), 512);
  HandMade amplified{.more = channel("16", "1024"), .data = data};
  amplified.more.emplace_back("$P1G", "4");
  EXPECT_EQ(column_of(amplified).front(), 128);
}

TEST(Fcs, ASeparatorWithinAValueIsDoubled) {
  HandMade file{.more = channel("8", "256"), .data = "\x07"};
  file.more.emplace_back("$P1S", "CD4//CD8");
  EXPECT_EQ(read_bytes(bytes_of(file)).columns.front().name, "CD4/CD8");
}

// Marker names that occur twice would make columns that cannot be distinguished.
TEST(Fcs, SharedMarkerNamesGiveWayToChannelNames) {
  const FileKeywords two = {{"$PAR", "2"},   {"$P1N", "A"},   {"$P1B", "8"},
                            {"$P1R", "256"}, {"$P1S", "CD4"}, {"$P2N", "B"},
                            {"$P2B", "8"},   {"$P2R", "256"}, {"$P2S", "CD4"}};
  EXPECT_THAT(read_bytes(bytes_of({.more = two, .data = "ab"})).names(), ElementsAre("A", "B"));
}

// Offsets of both places, one of them wrong, or one byte too far.
TEST(Fcs, EventsAreReadFromWhereTheyFit) {
  for (const int begin : {0, -3, 5}) {
    for (const int end : {0, 1, -1}) {
      const HandMade file{.more = channel("16", "65536"),
                          .data = std::string("\x00\x01\x00\x02", 4),
                          .total = "2",
                          .begin_off = begin,
                          .end_off = end};
      EXPECT_THAT(column_of(file), ElementsAre(1, 2)) << begin << " " << end;
    }
  }
  const HandMade old{.version = "FCS2.0",
                     .more = channel("16", "65536"),
                     .data = std::string("\x00\x01\x00\x02", 4),
                     .total = "",
                     .in_text = false};
  EXPECT_THAT(column_of(old), ElementsAre(1, 2));
}

TEST(Fcs, TextThatIsNotUtf8IsReadAsLatin1) {
  HandMade file{.more = channel("8", "256"), .data = "\x07"};
  file.more.emplace_back("$P1S", "\xb5m");
  EXPECT_EQ(read_bytes(bytes_of(file)).columns.front().name, "\xc2\xb5m");
}

// ---- writing

TEST(Fcs, KeywordsAreKeptAndNothingIsUndoneTwice) {
  const auto folder = public_data("fcs_conformance");
  if (!folder) GTEST_SKIP() << "no public data";
  const TemporaryFolder made;
  for (const std::string name : {"B01_KC-A-W---91-US.fcs", "data1.fcs", "G11.fcs"}) {
    const Table table = read_table(*folder / name);
    write_table(made / name, table);
    const Table back = read_table(made / name);
    EXPECT_TRUE(same_table(back, table)) << name;
    const FcsText before(table.extras->keywords), after(back.extras->keywords);
    for (const std::string keyword : {"$CYT", "$DATE", "$P3S", "$P3N", "$FIL", "$P1V"}) {
      const auto *was = before.find(keyword), *is = after.find(keyword);
      ASSERT_EQ(was == nullptr, is == nullptr) << keyword;
      if (was != nullptr) {
        EXPECT_EQ(*was, *is) << keyword;
      }
    }
    EXPECT_EQ(after.find("$SPILLOVER") != nullptr, name == "G11.fcs") << name;
  }
}

TEST(Fcs, KeywordsFollowTheirColumns) {
  FileKeywords three = {{"$PAR", "3"}};
  for (const std::string k : {"1", "2", "3"}) {
    three.insert(three.end(), {{"$P" + k + "N", "F" + k},
                               {"$P" + k + "B", "8"},
                               {"$P" + k + "R", "256"},
                               {"$P" + k + "V", "30" + k}});
  }
  Table table = read_bytes(bytes_of({.more = three, .data = "abc"}));
  table.columns.erase(table.columns.begin() + 1);
  table.add("a,b", std::vector<double>{1});
  const TemporaryFolder folder;
  write_table(folder / "t.fcs", table, {.single_precision = true});
  const Table back = read_table(folder / "t.fcs");
  EXPECT_THAT(back.names(), ElementsAre("F1", "F3", "a,b"));
  const FcsText text(back.extras->keywords);
  EXPECT_EQ(*text.find("$P2V"), "303");
  EXPECT_EQ(text.find("$P3V"), nullptr);
  EXPECT_EQ(*text.find("$P2B"), "32");
}

// ---- refusals

TEST(Fcs, EveryRefusalNamesThePlaceAndTheRemedy) {
  struct Case {
    std::string bytes;
    std::string what;
  };
  const auto with = [](FileKeywords more, std::string data = "ab") {
    return bytes_of({.more = std::move(more), .data = std::move(data)});
  };
  const auto spilled = [](const std::string& spillover) {
    FileKeywords more = channel("16", "1024");
    more.emplace_back("$SPILLOVER", spillover);
    return bytes_of({.more = more, .data = "ab"});
  };
  const FileKeywords good = channel("16", "1024");
  FileKeywords of_own = good,
               twins = {{"$PAR", "2"}, {"$P1N", "A"}, {"$P1B", "8"},  {"$P1R", "256"},
                        {"$P2N", "A"}, {"$P2B", "8"}, {"$P2R", "256"}};
  of_own.emplace_back("$P1DATATYPE", "F");
  std::string far = with(good), letters = with(good);
  far.replace(18, 8, "99999999");
  letters.replace(26, 8, "   12x45");
  const std::vector<Case> cases = {
      {"a,b\n1,2\n", "t.fcs is not an FCS file, which begins with FCS and a version; name its"},
      {bytes_of({.version = "FCS1.0", .more = good, .data = "ab"}),
       "t.fcs: this is FCS 1.0; versions 2.0 to 3.1 can be read: export the file as FCS 3.1."},
      {letters, "position 3 of the FCS header is \"12x45\", not a number; copy or export"},
      {far, "the header places the text segment at bytes 58 to 99999999, but the file has"},
      {bytes_of({.type = "A", .more = good, .data = "ab"}), "$DATATYPE is A; I, F and D can be"},
      {bytes_of({.order = "1,1", .more = good, .data = "ab"}), "$BYTEORD is \"1,1\", not an order"},
      {bytes_of({.order = "3,4,1,2", .more = good, .data = "ab"}),
       "$BYTEORD names 4 bytes, but values have 2"},
      {with({{"$PAR", "1"}, {"$P1N", "x"}, {"$P1R", "8"}}), "the keyword $P1B is missing"},
      {with(channel("10", "1024")), "$P1B is 10 bits; whole numbers of 8, 16, 24 ... 64 bits"},
      {with(channel("16", "0")), "$P1R is \"0\", not a range above zero"},
      {with(channel("16", "1024", "4")), "$P1E is \"4\", not two numbers like 4,1"},
      {with({{"$PAR", "4000000000"}}), "$PAR tells of 4000000000 channels, but there are"},
      {with({{"$PAR", "x"}}), "$PAR is \"x\", not a whole number"},
      {bytes_of({.more = good, .data = "ab", .total = "1000000000000"}),
       "$TOT announces 1000000000000 events of 2 bytes, but the data are at bytes"},
      {with(of_own), "channel 1 has a type of its own ($P1DATATYPE, FCS 3.2)"},
      {with(twins), "channels 1 and 2 are both called \"A\"; rename one of them"},
      {spilled("2,FL1-H,1"),
       "the spillover in $SPILLOVER tells of \"2\" channels in 3 fields; "
       "correct it, or read the file without: --fcs uncompensated."},
      {spilled("1,XX,2"), "names \"XX\", which is no channel"},
      {spilled("1,FL1-H,x"), "has an entry that is no number"},
      {spilled("1,FL1-H,0"), "cannot be undone, because its matrix has no inverse"},
  };
  for (const Case& c : cases) {
    EXPECT_THAT([&] { read_bytes(c.bytes); }, ThrowsMessage<InvalidData>(HasSubstr(c.what)));
  }
  Table words;
  words.add("x", std::vector<std::string>{"a"});
  const TemporaryFolder folder;
  EXPECT_THAT([&] { write_table(folder / "t.fcs", words); },
              ThrowsMessage<InvalidData>(HasSubstr("column \"x\" is text, which FCS does not")));
}

TEST(Fcs, HistogramsAreRefused) {
  std::string bytes = bytes_of({.more = channel("16", "1024"), .data = "ab"});
  bytes.replace(bytes.find("$MODE/L"), 7, "$MODE/C");
  EXPECT_THAT([&] { read_bytes(bytes); },
              ThrowsMessage<InvalidData>(HasSubstr("$MODE is C, a histogram; export the file")));
}

}  // namespace fcs_test
}  // namespace conflux
