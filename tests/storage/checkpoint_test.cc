// Fits that end early and go on from a file.

#include "conflux/storage/checkpoint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "conflux/core/error.h"
#include "options/option_table.h"
#include "tests/storage/models.h"

namespace conflux {
namespace checkpoint_test {

// Ends after `layers` layers and leaves a checkpoint of each.
void fit_and_stop(Index layers, const GroupSet& groups, const FitOptions& options,
                  const std::string& path) {
  SelfCommunicator comm;
  const std::string digest = data_digest(groups);
  FitControl control;
  control.on_progress = [&](const Fit& so_far) { save_checkpoint(path, so_far, digest); };
  fit_flow(
      groups, options, comm, [&](const LayerRecord& record) { return record.layer + 1 < layers; },
      control);
}

Fit resume(const std::string& path, const GroupSet& groups, const FitOptions& options) {
  SelfCommunicator comm;
  const Fit earlier = load_checkpoint(path, data_digest(groups));
  return fit_flow(groups, options, comm, {}, {.on_progress = {}, .resume = &earlier});
}

GroupSet groups_inside_the_unit_cube(std::uint64_t seed) {
  Stream stream(seed, Purpose::kTest);
  GroupSet groups;
  for (const std::string name : {"a", "b", "c"}) {
    Matrix rows(70, 5);
    for (double& value : rows.reshaped()) value = stream.uniform();
    groups.add(name, std::move(rows));
  }
  return groups;
}

class Checkpoint : public testing::TestWithParam<Kind> {};

TEST_P(Checkpoint, GivesTheBitsOfAnUninterruptedFit) {
  const TemporaryFolder folder;
  const GroupSet gaussian = make_gaussian_groups(3, 5, 90, 1);
  const GroupSet cube = groups_inside_the_unit_cube(1);
  for (const GroupSet* groups : {&gaussian, &cube}) {
    FitOptions options = options_of(GetParam());
    options.layers = 6;
    if (GetParam().method != Method::kDd) options.split = Split::kRandomHalf;
    options.search_rows = 40;
    options = without_ignored(options);
    const Fit whole = fit_flow(*groups, options);
    // Methods that look for evidence find none where groups are alike, and have nothing to resume.
    if (whole.record.layers.empty() && groups == &cube) continue;
    for (const Index layers : {1, 3, 6}) {
      fit_and_stop(layers, *groups, options, folder.file("checkpoint"));
      const Fit resumed = resume(folder.file("checkpoint"), *groups, options);
      expect_same_bits(whole.flow, resumed.flow, (*groups)[0].rows.eigen());
      EXPECT_EQ(whole.record.layers.size(), resumed.record.layers.size());
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Each, Checkpoint,
                         testing::Values(Kind{Method::kInb}, Kind{Method::kNbRandNb},
                                         Kind{Method::kGbInb},
                                         Kind{Method::kInb, Estimator::kHistogram},
                                         Kind{Method::kNbInb, Estimator::kHistogram, 50},
                                         Kind{Method::kSinf}, Kind{Method::kDd},
                                         Kind{Method::kTreeInb}, Kind{Method::kConditional}),
                         [](const auto& each) {
                           std::string name(name_of(each.param.method));
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name + "_" + std::string(name_of(each.param.estimator));
                         });

TEST(Checkpoints, AreRefusedWithOtherDataOrOptions) {
  const TemporaryFolder folder;
  const std::string path = folder.file("checkpoint");
  const GroupSet groups = make_gaussian_groups(2, 4, 50, 2);
  const FitOptions options = options_of({Method::kInb});
  fit_and_stop(2, groups, options, path);
  try {
    resume(path, make_gaussian_groups(2, 4, 50, 3), options);
    FAIL() << "resumed with other data";
  } catch (const InvalidData& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("checkpoint was made from other data"));
  }
  FitOptions other = options;
  other.seed = 1;
  EXPECT_THROW(resume(path, groups, other), InvalidOption);
  other = options;
  other.threads = 1;
  EXPECT_NO_THROW(resume(path, groups, other));
}

// A worker that takes over a fit has no file of the one that is gone.
TEST(Checkpoints, HaveTheSameBytesInMemory) {
  const TemporaryFolder folder;
  const GroupSet groups = make_gaussian_groups(2, 4, 50, 5);
  const FitOptions options = options_of({Method::kInb});
  const std::string digest = data_digest(groups);
  std::vector<std::byte> bytes;
  SelfCommunicator comm;
  const auto keep = [&](const Fit& so_far) { bytes = checkpoint_bytes(so_far, digest); };
  fit_flow(groups, options, comm, [](const LayerRecord& record) { return record.layer < 1; },
           {.on_progress = keep});
  fit_and_stop(2, groups, options, folder.file("checkpoint"));
  const Fit expected = resume(folder.file("checkpoint"), groups, options);
  const Fit earlier = parse_checkpoint(bytes, digest);
  const Fit resumed = fit_flow(groups, options, comm, {}, {.resume = &earlier});
  expect_same_bits(expected.flow, resumed.flow, groups[0].rows.eigen());
  EXPECT_EQ(resumed.record.layers.size(), expected.record.layers.size());
  EXPECT_THROW(parse_checkpoint(bytes, "another"), InvalidData);
  const Model whole = fit_model(groups, {Method::kInb});
  EXPECT_THROW(parse_checkpoint(model_bytes(whole), digest), InvalidData);
}

TEST(Checkpoints, AreNoModelsAndModelsNoCheckpoints) {
  const TemporaryFolder folder;
  const GroupSet groups = make_gaussian_groups(2, 4, 50, 4);
  fit_and_stop(2, groups, options_of({Method::kInb}), folder.file("checkpoint"));
  save_model(folder.file("model"), fit_model(groups, {Method::kInb}));
  EXPECT_THROW(load_model(folder.file("checkpoint")), InvalidData);
  EXPECT_THROW(load_checkpoint(folder.file("model"), data_digest(groups)), InvalidData);
}

// Weights of rows may change between a fit and its use; only a checkpoint asks for the same.
TEST(DataDigest, TellsRowsAndNamesApartAndForCheckpointsMasses) {
  const Matrix rows = Matrix::Random(4, 3);
  Matrix other_rows = rows;
  other_rows(3, 2) = -other_rows(3, 2);
  const std::vector<double> ones(4, 1.0), masses{1, 1, 1, 2};
  const auto digest = [](const std::string& name, const Matrix& x, std::span<const double> w) {
    GroupSet groups;
    groups.add(name, ConstRows(x), w);
    groups.add("b", ConstRows(x));
    const std::string rows_only = data_digest(groups);
    return std::pair(rows_only, checkpoint_digest(groups, rows_only));
  };
  const std::vector all{digest("a", rows, {}), digest("a", other_rows, {}), digest("c", rows, {}),
                        digest("a", rows, ones), digest("a", rows, masses)};
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      EXPECT_NE(all[i].second, all[j].second) << i << " " << j;
      if (i >= 3) continue;
      EXPECT_NE(all[i].first, all[j].first) << i << " " << j;
    }
  }
  EXPECT_EQ(all[3].first, all[0].first);
  EXPECT_EQ(all[4].first, all[0].first);
  EXPECT_EQ(all[0], digest("a", rows, {}));
}

}  // namespace checkpoint_test
}  // namespace conflux
