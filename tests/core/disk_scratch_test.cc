// Memory of files: what is written comes back, and does not stay in memory.

#include "core/disk_scratch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <thread>
#include <vector>

#include "conflux/core/error.h"

namespace conflux {
namespace disk_scratch_test {

constexpr std::size_t kPage = 4096;

std::size_t resident_file_pages() {
  std::size_t size = 0, resident = 0, shared = 0;
  std::FILE* file = std::fopen("/proc/self/statm", "r");
  EXPECT_EQ(std::fscanf(file, "%zu %zu %zu", &size, &resident, &shared), 3);
  std::fclose(file);
  return shared;
}

// Pages are let go while two threads write: none of what they write may be lost.
TEST(DiskScratch, KeepsWhatIsWrittenThoughFewPagesStayInMemory) {
  constexpr std::size_t kBytes = 64'000'000;
  constexpr double kLimit = 8e6;
  const std::size_t before = resident_file_pages();
  DiskScratch scratch("/var/tmp", kLimit);
  const std::shared_ptr<void> memory = scratch.allocate(kBytes);
  const std::size_t count = kBytes / sizeof(std::uint64_t);
  auto* numbers = static_cast<std::uint64_t*>(memory.get());
  EXPECT_EQ(numbers[count - 1], 0U);
  const auto add = [&](std::size_t begin, std::size_t end) {
    for (std::uint64_t round = 0; round < 3; ++round) {
      for (std::size_t i = begin; i < end; ++i) numbers[i] += i + round;
    }
  };
  std::thread other(add, count / 2, count);
  add(0, count / 2);
  other.join();
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < count; ++i) wrong += numbers[i] != 3 * i + 3 ? 1 : 0;
  EXPECT_EQ(wrong, 0U);
  // The next look lets go of what is beyond the limit.
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  EXPECT_LT(static_cast<double>((resident_file_pages() - before) * kPage), 2 * kLimit);
}

TEST(DiskScratch, LeavesNoFile) {
  const auto folder = std::filesystem::temp_directory_path() / "conflux_scratch_test";
  std::filesystem::create_directory(folder);
  DiskScratch scratch(folder.string(), 1e6);
  const std::shared_ptr<void> memory = scratch.allocate(10'000);
  EXPECT_TRUE(std::filesystem::is_empty(folder));
  std::filesystem::remove(folder);
}

std::string refusal(const std::string& folder, std::size_t bytes) {
  try {
    DiskScratch scratch(folder, 1e6);
    scratch.allocate(bytes);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

// Pages of a file in memory would be written to memory.
TEST(DiskScratch, RefusesFoldersThatAreNoDiskOrTooSmall) {
  EXPECT_THAT(refusal("/nowhere", 1), testing::HasSubstr("set TMPDIR"));
  EXPECT_THAT(refusal("/var/tmp", std::size_t{1} << 60), testing::HasSubstr("more room"));
  if (!std::filesystem::exists("/dev/shm")) GTEST_SKIP() << "there is no /dev/shm";
  EXPECT_THAT(refusal("/dev/shm", 1), testing::HasSubstr("is in memory"));
}

}  // namespace disk_scratch_test
}  // namespace conflux
