// numpy and pandas read what we write. Their own files are in the tests of each format.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <cstring>

#include "tests/tables/files.h"

namespace conflux {
namespace foreign_readers_test {

bool python_works() {
  static const bool works =
      std::system("/usr/bin/python3 -c 'import numpy, pandas' >/dev/null 2>&1") == 0;
  return works;
}

Table table() {
  Table out;
  out.add("x", std::vector<double>{0.1, -0.0, 5e-324, NAN, 1e22});
  out.add("y", std::vector<double>{1, INFINITY, -1.0 / 3, 1.7976931348623157e308, -2.5e-8});
  out.add("group", std::vector<std::string>{"a", "b\nc", "say \"hi\", you", "", "βγ😀"});
  return out;
}

class ForeignReader : public testing::TestWithParam<std::string> {};

TEST_P(ForeignReader, FindsTheSameNumbersAndText) {
  if (!python_works()) GTEST_SKIP() << "python3 has no numpy or no pandas";
  Table written = table();
  if (GetParam().starts_with("npy")) written.columns.pop_back();
  const TemporaryFolder folder;
  const auto path = folder / fmt::format("t.{}", GetParam());
  write_table(path, written);
  const std::string script = kTables / "../../tables/reread.py";
  const std::string command =
      fmt::format("/usr/bin/python3 {} {} {} {}", script, path.string(),
                  (folder / "numbers").string(), (folder / "text").string());
  ASSERT_EQ(std::system(command.c_str()), 0);

  const std::string numbers = bytes_of(folder / "numbers");
  ASSERT_EQ(numbers.size(), 10 * sizeof(double));
  for (std::size_t k = 0; k < 10; ++k) {
    double found = 0;
    std::memcpy(&found, numbers.data() + k * sizeof(double), sizeof(double));
    const double expected = written.columns[k / 5].numbers[k % 5];
    if (std::isnan(expected)) {
      EXPECT_TRUE(std::isnan(found));
    } else {
      EXPECT_EQ(std::bit_cast<std::uint64_t>(found), std::bit_cast<std::uint64_t>(expected)) << k;
    }
  }
  std::string expected_text;
  for (const Column& column : written.columns) {
    for (const std::string& cell : column.text) expected_text += cell + '\0';
  }
  EXPECT_EQ(bytes_of(folder / "text"), expected_text);
}

INSTANTIATE_TEST_SUITE_P(Tables, ForeignReader,
                         testing::Values("csv", "tsv", "csv.gz", "npy", "npz"),
                         [](const auto& instance) {
                           std::string name = instance.param;
                           std::replace(name.begin(), name.end(), '.', '_');
                           return name;
                         });

// zstd's own program must understand our frames, and we its.
TEST(ForeignCompressor, ZstdAgreesBothWays) {
  if (std::system("zstd --version >/dev/null 2>&1") != 0) GTEST_SKIP() << "no zstd program";
  const TemporaryFolder folder;
  write_table(folder / "ours.csv.zst", table());
  write_table(folder / "plain.csv", table());
  const std::string in = folder.path().string();
  ASSERT_EQ(std::system(fmt::format("zstd -qd {0}/ours.csv.zst -o {0}/ours.csv", in).c_str()), 0);
  EXPECT_EQ(bytes_of(folder / "ours.csv"), bytes_of(folder / "plain.csv"));
  ASSERT_EQ(std::system(fmt::format("zstd -q {0}/plain.csv -o {0}/theirs.csv.zst", in).c_str()), 0);
  EXPECT_TRUE(same_table(read_table(folder / "theirs.csv.zst"), read_table(folder / "plain.csv")));
}

}  // namespace foreign_readers_test
}  // namespace conflux
