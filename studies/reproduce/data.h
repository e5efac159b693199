// The sets of the paper, split as the paper split them.
//
// Planar sets are part of the command. Images are read from IDX files as tools/get_data.sh writes
// them, dequantized by uniform noise and divided by 256; the test rows are drawn at random from
// all images of the classes, and every class is cut to the size of the smallest. Split 0 has the
// paper's generator and seed, other splits have other seeds.

#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "conflux/core/group_set.h"
#include "reproduce/scale.h"
#include "support/console.h"

namespace conflux::app {

struct SetInfo {
  std::string name;
  std::string title;
  /// Folder of the images below the data folder; empty for planar sets.
  std::string folder = {};
  std::vector<int> classes = {};
  Index test_rows = 0;

  bool images() const { return !folder.empty(); }
};

/// Throws InvalidOption for an unknown name.
const SetInfo& set_info(const std::string& name);

struct SplitSet {
  GroupSet train;
  GroupSet test;
};

class DataSource {
 public:
  DataSource(std::filesystem::path folder, Scale scale)
      : folder_(std::move(folder)), scale_(std::move(scale)) {}

  /// Fetches images that are absent. Throws Error that says what to do when that fails.
  void provide(const SetInfo& set, const Console& console) const;
  /// The set that was asked for last is kept.
  const SplitSet& get(const SetInfo& set, int split);

 private:
  struct Images {
    std::string folder;
    std::vector<std::uint8_t> pixels;
    std::vector<int> labels;
    Index side = 0;
  };
  void read_images(const SetInfo& set);
  SplitSet image_split(const SetInfo& set, int split);

  std::filesystem::path folder_;
  Scale scale_;
  Images images_;
  std::string last_;
  SplitSet kept_;
};

}  // namespace conflux::app
