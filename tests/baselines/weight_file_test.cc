#include "baselines/weight_file.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "baselines/instructions.h"
#include "conflux/core/error.h"
#include "core/rng.h"
#include "tests/support/golden.h"

namespace conflux {
namespace weight_file_test {

std::string golden_bytes() {
  std::ifstream file(golden_folder() / "features" / "small_net.npz", std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(WeightFile, HasArraysAndLines) {
  const WeightFile file = read_weight_file(ByteSource::memory(golden_bytes(), "small"));
  EXPECT_EQ(file.texts.at("layers").size(), 11u);
  EXPECT_EQ(file.texts.at("layers").back(), "out: dense means weights=e");
  EXPECT_EQ(file.arrays.at("a.weights").shape, (std::vector<Index>{3, 2, 3, 4}));
  EXPECT_EQ(file.arrays.at("a.weights").values.size(), 72u);
}

// Archives have checksums of their members, headers have none: whatever is changed, the file is
// refused by a typed error or is a network.
TEST(WeightFile, DamagedIsRefusedOrUsable) {
  const std::string bytes = golden_bytes();
  Stream stream(1, Purpose::kTest);
  int refused = 0;
  for (int i = 0; i < 400; ++i) {
    std::string changed = bytes;
    if (i % 2 == 0) {
      changed.resize(static_cast<std::size_t>(stream.below(static_cast<Index>(bytes.size()))));
    } else {
      changed[static_cast<std::size_t>(stream.below(static_cast<Index>(bytes.size())))] ^=
          static_cast<char>(1 << stream.below(8));
    }
    try {
      read_instructions(read_weight_file(ByteSource::memory(changed, "changed")));
    } catch (const InvalidData&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 200);
}

}  // namespace weight_file_test
}  // namespace conflux
