#include "core/shell_word.h"

#include <gtest/gtest.h>

namespace conflux {
namespace shell_word_test {

TEST(ShellWord, LeavesPlainWordsAlone) {
  EXPECT_EQ(shell_word("--group=a,b"), "--group=a,b");
  EXPECT_EQ(shell_command({"conflux", "fit", "t.csv"}), "conflux fit t.csv");
}

// Whoever copies a command must not run what a file name says.
TEST(ShellWord, QuotesWhatAShellWouldRead) {
  EXPECT_EQ(shell_word(""), "''");
  EXPECT_EQ(shell_word("$(reboot)"), "'$(reboot)'");
  EXPECT_EQ(shell_word("it's"), "'it'\\''s'");
  EXPECT_EQ(shell_command({"a b", "c"}), "'a b' c");
}

}  // namespace shell_word_test
}  // namespace conflux
