// Files for tests: a folder that is gone afterwards, and what stands in a file.

#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <bit>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "conflux/tables/table.h"
#include "tests/support/golden.h"

namespace conflux {

inline const std::filesystem::path kTables = golden_folder() / "tables";
/// Real data that do not ship: the folder named by CONFLUX_DATA, or shared/data beside the project.
/// Tests skip when a file is absent.
inline std::filesystem::path real_data(const std::string& name) {
  const char* folder = std::getenv("CONFLUX_DATA");
  return (folder == nullptr ? kTables / "../../../../shared/data" : std::filesystem::path(folder)) /
         name;
}

class TemporaryFolder {
 public:
  TemporaryFolder() {
    static int count = 0;
    path_ = std::filesystem::temp_directory_path() /
            ("conflux_test_" + std::to_string(getpid()) + "_" + std::to_string(++count));
    std::filesystem::create_directories(path_);
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
  const std::filesystem::path& path() const { return path_; }

  std::filesystem::path with(const std::string& name, const std::string& bytes) const {
    std::ofstream(path_ / name, std::ios::binary) << bytes;
    return path_ / name;
  }

 private:
  std::filesystem::path path_;
};

inline std::string bytes_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// The numbers of tools/make_table_fixtures.py, in the first three columns.
inline void expect_quarters(const Table& table) {
  ASSERT_EQ(table.num_rows(), 5);
  for (Index i = 0; i < 5; ++i) {
    for (Index j = 0; j < 3; ++j) {
      EXPECT_EQ(table.columns[j].numbers[i], static_cast<double>(3 * i + j) / 4 - 1);
    }
  }
}

/// The same columns and the same bits; any NaN is like any other.
inline bool same_table(const Table& a, const Table& b) {
  if (a.schema() != b.schema() || a.num_rows() != b.num_rows()) return false;
  for (Index j = 0; j < a.num_columns(); ++j) {
    const Column& left = a.columns[j];
    const Column& right = b.columns[j];
    if (left.text != right.text) return false;
    for (std::size_t i = 0; i < left.numbers.size(); ++i) {
      const double x = left.numbers[i];
      const double y = right.numbers[i];
      if (x != x && y != y) continue;
      if (std::bit_cast<std::uint64_t>(x) != std::bit_cast<std::uint64_t>(y)) return false;
    }
  }
  return true;
}

}  // namespace conflux
