#include "files/atomic_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include "conflux/core/error.h"
#include "files/output_stream.h"
#include "files/whole_file.h"
#include "tests/tables/files.h"

namespace conflux {
namespace atomic_file_test {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

Index files_in(const TemporaryFolder& folder) {
  return std::distance(std::filesystem::directory_iterator(folder.path()),
                       std::filesystem::directory_iterator());
}

int works(int) { return 0; }
int fails(int) { return EIO; }
int closes(Descriptor& file) { return file.close(); }
int fails_to_close(Descriptor& file) {
  file.close();
  return EDQUOT;
}
int fails_to_rename(const char*, const char*) { return EACCES; }

// Disks and servers may tell only at the end that bytes were lost.
TEST(AtomicFile, ReportsEveryErrorAtTheEndAndKeepsTheOldFile) {
  const FinishingCalls no_sync = {fails, closes, kSystemCalls.rename};
  const FinishingCalls no_close = {works, fails_to_close, kSystemCalls.rename};
  const FinishingCalls no_rename = {works, closes, fails_to_rename};
  for (const auto& [calls, why] :
       {std::pair{&no_sync, "Input/output error"}, std::pair{&no_close, "Disk quota exceeded"},
        std::pair{&no_rename, "Permission denied"}}) {
    const TemporaryFolder folder;
    const auto path = folder.with("t.csv", "old");
    const auto write = [&, calls = calls] {
      AtomicFile file(path, *calls);
      file.write("new");
      file.commit();
    };
    EXPECT_THAT(write,
                ThrowsMessage<Error>(HasSubstr(std::string("t.csv cannot be written: ") + why)));
    EXPECT_EQ(bytes_of(path), "old");
    EXPECT_EQ(files_in(folder), 1);
  }
}

TEST(AtomicFile, HasItsNameOnlyWhenItIsComplete) {
  const TemporaryFolder folder;
  {
    AtomicFile file(folder / "t");
    file.write("0123456789");
    file.patch(2, "xy");
    EXPECT_FALSE(std::filesystem::exists(folder / "t"));
    file.commit();
  }
  EXPECT_EQ(bytes_of(folder / "t"), "01xy456789");
  { AtomicFile(folder / "t").write("lost"); }
  EXPECT_EQ(bytes_of(folder / "t"), "01xy456789");
  EXPECT_EQ(files_in(folder), 1);
}

TEST(AtomicFile, RemovesWhatDeadWritersOfTheSameFileLeft) {
  const pid_t dead = ::fork();
  if (dead == 0) ::_exit(0);
  ::waitpid(dead, nullptr, 0);
  const std::string number = std::to_string(dead);
  const TemporaryFolder folder;
  folder.with("t.csv." + number + "-0.partial", "half");
  folder.with("t.csv." + number + "-12.tmp", "half");
  const std::vector<std::string> others = {
      "t.csv." + std::to_string(::getpid()) + "-99999.partial",  // This process lives.
      "u.csv." + number + "-0.partial",
      "t.csv." + number + "-0",
      "t.csv." + number + "-.partial",
      "t.csv.1x-0.partial",
      "t.csv." + number + "-0.partial.csv"};
  for (const std::string& name : others) folder.with(name, "mine");
  replace_file(folder / "t.csv", "new");
  EXPECT_EQ(bytes_of(folder / "t.csv"), "new");
  for (const std::string& name : others) EXPECT_EQ(bytes_of(folder / name), "mine") << name;
  EXPECT_EQ(files_in(folder), static_cast<Index>(others.size()) + 1);
}

TEST(AtomicFile, KeepsPermissionsAndLinks) {
  const TemporaryFolder folder;
  const auto target = folder.with("target", "old");
  constexpr auto kPrivate =
      std::filesystem::perms::owner_read | std::filesystem::perms::owner_write;
  std::filesystem::permissions(target, kPrivate);
  std::filesystem::create_symlink("target", folder / "link");
  replace_file(folder / "link", "new");
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link"));
  EXPECT_EQ(bytes_of(target), "new");
  EXPECT_EQ(std::filesystem::status(target).permissions(), kPrivate);
}

TEST(OutputStream, TellsWhenADeviceIsFull) {
  const auto write = [] {
    const auto out = create_output("/dev/full", Compression::kNone);
    out->write("x");
    out->close();
  };
  EXPECT_THAT(write, ThrowsMessage<Error>(HasSubstr("/dev/full cannot be written: No space left")));
}

}  // namespace atomic_file_test
}  // namespace conflux
