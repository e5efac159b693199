// Saved models are restored bit by bit.

#include "conflux/storage/model_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <csignal>
#include <fstream>

#include "conflux/core/error.h"
#include "conflux/model/model.h"
#include "flow/tree_layer.h"
#include "options/option_table.h"
#include "tests/storage/models.h"

namespace conflux {
namespace model_file_test {

class ModelFile : public testing::TestWithParam<Kind> {};

TEST_P(ModelFile, GivesBackTheSameBits) {
  const GroupSet groups = make_gaussian_groups(3, 5, 120, 1);
  const Model model = fit_model(groups, GetParam());
  const TemporaryFolder folder;
  save_model(folder.file("a"), model);
  const Model loaded = load_model(folder.file("a"));
  for (const double reach : {1.0, 1e3}) {
    expect_same_bits(model.flow, loaded.flow, reach * Matrix(groups[1].rows.eigen()));
  }
  // Whatever else was in the model is in the second file, too, so equal files mean equal models.
  save_model(folder.file("b"), loaded);
  EXPECT_EQ(read_whole_file(folder.file("a")), read_whole_file(folder.file("b")));
  EXPECT_EQ(read_whole_file(folder.file("a")), model_bytes(model));
  EXPECT_EQ(folder.num_files(), 2);
}

TEST_P(ModelFile, GivesBackWhatAddingAGroupNeeds) {
  const GroupSet groups = make_gaussian_groups(3, 5, 120, 2);
  GroupSet old;
  for (Index m = 0; m < 2; ++m) old.add(groups[m].name, groups[m].rows);
  const Model model = fit_model(old, GetParam());
  const Workers workers(1);
  const Model wider = add_group(model, "new", groups[2].rows, {}, workers);
  const Model loaded = parse_model(bytes_of(model));
  const Model loaded_wider =
      parse_model(bytes_of(add_group(loaded, "new", groups[2].rows, {}, workers)));
  expect_same_bits(wider.flow, loaded_wider.flow, groups[2].rows.eigen());
}

INSTANTIATE_TEST_SUITE_P(
    Each, ModelFile,
    testing::Values(
        Kind{Method::kNb}, Kind{Method::kInb}, Kind{Method::kRandNb}, Kind{Method::kNbInb},
        Kind{Method::kNbRandNb}, Kind{Method::kGb}, Kind{Method::kGbInb}, Kind{Method::kMeans},
        Kind{Method::kLocationScale}, Kind{Method::kNb, Estimator::kHistogram},
        Kind{Method::kInb, Estimator::kHistogram}, Kind{Method::kRandNb, Estimator::kHistogram},
        Kind{Method::kNbInb, Estimator::kHistogram}, Kind{Method::kNbRandNb, Estimator::kHistogram},
        Kind{Method::kGbInb, Estimator::kHistogram}, Kind{Method::kNb, Estimator::kHistogram, 100},
        Kind{Method::kInb, Estimator::kHistogram, 100}, Kind{Method::kNb, Estimator::kSpline},
        Kind{Method::kSinf, Estimator::kSpline}, Kind{Method::kDd}),
    [](const auto& each) {
      std::string name(name_of(each.param.method));
      std::replace(name.begin(), name.end(), '-', '_');
      return name + "_" + std::string(name_of(each.param.estimator)) +
             (each.param.grid > 0 ? "_grid" : "");
    });

TEST(ModelFiles, KeepTrees) {
  const GroupSet groups = make_gaussian_groups(3, 5, 120, 10);
  for (const Method method : {Method::kTree, Method::kTreeInb, Method::kConditional}) {
    const Model model = fit_model(groups, {method});
    const Bytes bytes = bytes_of(model);
    const Model loaded = parse_model(bytes);
    expect_same_bits(model.flow, loaded.flow, groups[1].rows.eigen());
    EXPECT_EQ(bytes_of(loaded), bytes);
    const Workers workers(1);
    expect_same_bits(add_group(model, "new", groups[1].rows, {}, workers).flow,
                     add_group(loaded, "new", groups[1].rows, {}, workers).flow,
                     groups[1].rows.eigen());
  }
}

// Files of earlier versions hold no barycenters of trees: they load, move rows as before, and say
// why no group can join.
TEST(ModelFiles, OfTreesWithoutBarycentersStillLoad) {
  const GroupSet groups = make_gaussian_groups(2, 3, 80, 12);
  const Model model = fit_model(groups, {Method::kTree});
  Model old = model;
  old.flow = Flow(model.flow.group_names(), model.flow.dim());
  for (const auto& layer : model.flow.layers()) {
    const auto& tree = dynamic_cast<const TreeLayer&>(*layer);
    old.flow.append(
        std::make_shared<TreeLayer>(tree.dim(), tree.axes(), tree.nodes(), tree.maps()));
  }
  const Model earlier = parse_model(bytes_of(old));
  expect_same_bits(model.flow, earlier.flow, groups[1].rows.eigen());
  try {
    add_group(earlier, "new", groups[0].rows, {}, Workers(1));
    FAIL() << "no refusal";
  } catch (const InvalidData& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("fit the model again with all groups"));
  }
}

// Equal groups give the tree nothing to cut.
TEST(ModelFiles, KeepTreesWithoutNodes) {
  const GroupSet one = make_gaussian_groups(1, 3, 40, 11);
  GroupSet twins;
  twins.add("a", one[0].rows);
  twins.add("b", one[0].rows);
  const Model model = fit_model(twins, {Method::kTree});
  expect_same_bits(model.flow, parse_model(bytes_of(model)).flow, one[0].rows.eigen());
}

GroupSet unit_cube_groups() {
  Stream stream(3, Purpose::kTest);
  GroupSet groups;
  for (const std::string name : {"a", "b"}) {
    Matrix rows(80, 4);
    for (double& value : rows.reshaped()) value = stream.uniform();
    groups.add(name, std::move(rows));
  }
  return groups;
}

TEST(ModelFiles, KeepTheUnitCube) {
  const GroupSet groups = unit_cube_groups();
  const Model model = fit_model(groups, {Method::kInb});
  ASSERT_EQ(model.flow.layer(0).kind(), "cube-to-normal");
  expect_same_bits(model.flow, parse_model(bytes_of(model)).flow, groups[0].rows.eigen());
}

TEST(ModelFiles, KeepNamesOptionsAndRecord) {
  const GroupSet groups = make_gaussian_groups(2, 4, 30, 4);
  Model model = fit_model(groups, {Method::kNbInb});
  model.record.options.seed = ~std::uint64_t{0};
  model.record.warnings = {"one", "two \"quoted\""};
  model.record.layers[1].spread_before = 0.1 + 0.2;
  const Model loaded = parse_model(bytes_of(model));
  EXPECT_EQ(loaded.feature_names, model.feature_names);
  EXPECT_EQ(loaded.group_column, model.group_column);
  EXPECT_EQ(loaded.label_column, model.label_column);
  EXPECT_EQ(loaded.metadata, model.metadata);
  EXPECT_EQ(loaded.flow.group_names(), model.flow.group_names());
  EXPECT_EQ(loaded.record.group_sizes, model.record.group_sizes);
  EXPECT_EQ(loaded.record.warnings, model.record.warnings);
  EXPECT_EQ(loaded.record.options.seed, model.record.options.seed);
  EXPECT_EQ(loaded.record.options.method, Method::kNbInb);
  EXPECT_EQ(loaded.record.options.knots, model.record.options.knots);
  EXPECT_EQ(loaded.record.options.bins, std::nullopt);
  EXPECT_EQ(loaded.record.options.weights, model.record.options.weights);
  ASSERT_EQ(loaded.record.layers.size(), model.record.layers.size());
  EXPECT_EQ(loaded.record.layers[1].spread_before, 0.1 + 0.2);
  EXPECT_EQ(loaded.record.layers[1].kind, "sliced");
}

TEST(ModelFiles, KeepWhatHeldOutRowsSaid) {
  Model model = fit_model(make_gaussian_groups(2, 4, 30, 4), {Method::kInb});
  model.record.held_out_at_start = 0.1 + 0.2;
  model.record.layers[1].held_out = -1e-3;
  model.record.layers[1].held_out_error = 1e-4;
  model.record.dropped_layers = {model.record.layers[1], {.layer = 9}};
  model.record.options.weights = GroupWeights(GroupWeights::Kind::kSize);
  model.record.options.target = "no \"such\"";
  const Model loaded = parse_model(bytes_of(model));
  EXPECT_EQ(loaded.record.held_out_at_start, 0.1 + 0.2);
  EXPECT_EQ(loaded.record.held_out_nb, std::nullopt);
  EXPECT_EQ(loaded.record.layers[0].held_out, std::nullopt);
  EXPECT_EQ(loaded.record.layers[1].held_out, -1e-3);
  EXPECT_EQ(loaded.record.layers[0].held_out_error, std::nullopt);
  EXPECT_EQ(loaded.record.layers[1].held_out_error, 1e-4);
  ASSERT_EQ(loaded.record.dropped_layers.size(), 2u);
  EXPECT_EQ(loaded.record.dropped_layers[0].held_out, -1e-3);
  EXPECT_EQ(loaded.record.dropped_layers[1].layer, 9);
  EXPECT_EQ(loaded.record.options.weights, model.record.options.weights);
  EXPECT_EQ(loaded.record.options.target, model.record.options.target);
}

// The check before the fit and the neighborhoods of labels are stored; a model without both has the
// bytes that it had before these were added.
TEST(ModelFiles, KeepWhatWasFoundBeforeAndAroundLabels) {
  Model model = fit_model(make_gaussian_groups(2, 4, 30, 4), {Method::kInb});
  EXPECT_EQ(parse_model(bytes_of(model)).record.check, std::nullopt);
  const std::vector<std::byte> plain = bytes_of(model);
  const std::string_view text(reinterpret_cast<const char*>(plain.data()), plain.size());
  EXPECT_EQ(text.find("neighborhoods"), text.npos);
  EXPECT_EQ(text.find("overlap"), text.npos);
  model.record.check = CheckRecord{.differ = true,
                                   .p_value = 1e-9,
                                   .auc = 0.1 + 0.2,
                                   .auc_by_chance = 0.55,
                                   .overlap = 0.25,
                                   .advice = "align",
                                   .rows = 60,
                                   .sentences = {"They \"differ\"."}};
  model.record.neighborhoods = {
      {.label = "mono", .rows = 40, .before = {1, 0}, .after = {0.9, 0.1}},
      {.label = "t", .rows = 20, .before = {0, 1}, .after = {1.0 / 3, 2.0 / 3}}};
  const FitRecord loaded = parse_model(bytes_of(model)).record;
  EXPECT_EQ(loaded.check, model.record.check);
  EXPECT_EQ(loaded.neighborhoods, model.record.neighborhoods);
}

// Held-out rows may leave no layer at all.
TEST(ModelFiles, MayHaveNoLayers) {
  Model model;
  model.flow = Flow({"a", "b"}, 3);
  model.record.group_sizes = {5, 6};
  const Model loaded = parse_model(bytes_of(model));
  EXPECT_EQ(loaded.flow.num_layers(), 0);
  EXPECT_EQ(loaded.flow.dim(), 3);
}

// Times differ from run to run; a file that held them could not be compared.
TEST(ModelFiles, OfEqualFitsAreEqual) {
  const GroupSet groups = make_gaussian_groups(2, 4, 60, 12);
  for (const Method method : {Method::kInb, Method::kGbInb, Method::kDd}) {
    Model model = fit_model(groups, {method});
    EXPECT_EQ(bytes_of(model), bytes_of(fit_model(groups, {method})));
    model.record.seconds += 1;
    for (LayerRecord& layer : model.record.layers) layer.seconds = layer.sort_seconds = 2;
    model.record.dropped_layers = {{.seconds = 3}};
    Model other = model;
    other.record.dropped_layers = {{.product_seconds = 4}};
    EXPECT_EQ(bytes_of(model), bytes_of(other));
  }
}

// Numpy users want few large arrays, and a header that is read at once.
TEST(ModelFiles, HaveFewArraysPerLayerAndTheirNumbersAligned) {
  const Model model = fit_model(make_gaussian_groups(5, 40, 60, 5), {Method::kNb});
  const RawFile raw(bytes_of(model));
  EXPECT_EQ(raw.header.size(), 1 + 4u);
  EXPECT_EQ((bytes_of(model).size() - raw.payload.size()) % 8, 0u);
}

TEST(ModelFiles, AreReplacedAsAWhole) {
  const TemporaryFolder folder;
  const Model small = fit_model(make_gaussian_groups(2, 3, 30, 6), {Method::kNb});
  const Model large = fit_model(make_gaussian_groups(4, 9, 90, 6), {Method::kInb});
  save_model(folder.file("model"), large);
  save_model(folder.file("model"), small);
  EXPECT_EQ(load_model(folder.file("model")).flow.dim(), 3);
  EXPECT_EQ(folder.num_files(), 1);
}

TEST(ModelFiles, KeepThePermissionsAndTheLinkOfTheFileTheyReplace) {
  const TemporaryFolder folder;
  const Model model = fit_model(make_gaussian_groups(2, 3, 30, 6), {Method::kNb});
  save_model(folder.file("model"), model);
  constexpr auto kPrivate =
      std::filesystem::perms::owner_read | std::filesystem::perms::owner_write;
  std::filesystem::permissions(folder.file("model"), kPrivate);
  std::filesystem::create_symlink("model", folder.file("link"));
  save_model(folder.file("link"), model);
  EXPECT_TRUE(std::filesystem::is_symlink(folder.file("link")));
  EXPECT_EQ(std::filesystem::status(folder.file("model")).permissions(), kPrivate);
}

TEST(ModelFiles, SayWhyTheyCannotBeReadOrWritten) {
  const TemporaryFolder folder;
  const Model model = fit_model(make_gaussian_groups(2, 3, 30, 7), {Method::kNb});
  const auto reason = [](const auto& attempt) -> std::string {
    try {
      attempt();
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  };
  const std::string missing = folder.file("missing");
  EXPECT_THAT(reason([&] { load_model(missing); }), testing::HasSubstr("missing cannot be opened"));
  EXPECT_THAT(reason([&] { load_model(folder.path()); }), testing::HasSubstr("is a folder"));
  EXPECT_THAT(reason([&] { save_model(folder.path(), model); }), testing::HasSubstr("is a folder"));
  EXPECT_THAT(reason([&] { save_model("/dev/null", model); }),
              testing::HasSubstr("no regular file"));
  EXPECT_THAT(reason([&] { save_model(missing + "/model", model); }),
              testing::HasSubstr("No such file or directory"));
  EXPECT_EQ(folder.num_files(), 0);
  Model latin = model;
  latin.feature_names[1] = "m\xfcll";
  EXPECT_THAT(reason([&] { save_model(folder.file("latin"), latin); }),
              testing::HasSubstr("not valid UTF-8"));
}

TEST(ModelFiles, AreToldFromTables) {
  const std::string gzip("\x1f\x8b\x08\0\0\0\0\0\0\0", 10);
  for (const std::string& bytes : {std::string("once upon a time"), std::string("x\n1\n"),
                                   std::string("gr\xc3\xb6\xc3\x9f\x65,y\r\n1,2\r\n"), gzip,
                                   std::string("\x93NUMPY\x01\0v\0", 10)}) {
    const auto text = std::as_bytes(std::span(bytes));
    EXPECT_THAT([&] { parse_model(text); },
                testing::ThrowsMessage<InvalidData>(testing::HasSubstr(
                    "this is a table or other text, not a model; are the arguments swapped?")))
        << bytes;
  }
}

// The writer is shot at random moments; the time of a save decides how many hit the middle of one.
TEST(ModelFiles, SurviveAKilledWriter) {
  const TemporaryFolder folder;
  const std::string path = folder.file("model");
  const Model even = fit_model(make_gaussian_groups(2, 60, 200, 8), {Method::kGb});
  const Model odd = fit_model(make_gaussian_groups(3, 50, 200, 8), {Method::kGb});
  save_model(path, even);
  Stream stream(9, Purpose::kTest);
  for (int shot = 0; shot < 20; ++shot) {
    const pid_t writer = ::fork();
    if (writer == 0) {
      for (;;) {
        save_model(path, odd);
        save_model(path, even);
      }
    }
    ::usleep(static_cast<useconds_t>(500 + stream.below(15000)));
    ::kill(writer, SIGKILL);
    ::waitpid(writer, nullptr, 0);
    const Model loaded = load_model(path);
    EXPECT_TRUE(loaded.flow.dim() == 60 || loaded.flow.dim() == 50);
  }
  // A temporary file has a name for a moment before it is renamed.
  EXPECT_LE(folder.num_files(), 3);
}

}  // namespace model_file_test
}  // namespace conflux
