#include "storage/components_tensors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "conflux/core/error.h"
#include "conflux/storage/model_file.h"
#include "kernels/dense.h"
#include "tests/storage/models.h"

namespace conflux {
namespace components_tensors_test {

using testing::HasSubstr;
using testing::ThrowsMessage;

Model model_of_components() {
  Model model;
  model.flow = Flow({"a", "b"}, 2);
  model.record.group_sizes = {400, 200};
  model.record.options.weights = {};
  Components& components = model.components;
  components.genes = {"CD4", "CD8A", "MS4A1"};
  components.normalization = Normalization::kLog1pCp10k;
  components.mean = Vector::LinSpaced(3, 0.1, 0.7);
  Matrix columns(3, 2);
  columns << 1, 2, 3, 4, 5, 7;
  components.loadings = kernels::orthonormal_basis(columns);
  components.variances = Vector::LinSpaced(2, 3, 1);
  components.total_variance = 4.5;
  return model;
}

TEST(ComponentsTensors, ComeBackToTheBit) {
  const TemporaryFolder folder;
  const Components components = model_of_components().components;
  save_model(folder.file("m.conflux"), model_of_components());
  EXPECT_EQ(inspect_model_file(folder.file("m.conflux")).format_version, 3);
  const Components back = load_model(folder.file("m.conflux")).components;
  EXPECT_EQ(back.genes, components.genes);
  EXPECT_EQ(back.normalization, components.normalization);
  EXPECT_EQ(back.mean, components.mean);
  EXPECT_EQ(back.loadings, components.loadings);
  EXPECT_EQ(back.variances, components.variances);
  EXPECT_EQ(back.total_variance, components.total_variance);
}

TEST(ComponentsTensors, WhatDoesNotFitIsRefused) {
  const auto refused = [](const std::function<void(Components&)>& spoil, const char* what) {
    Model model = model_of_components();
    spoil(model.components);
    const std::vector<std::byte> bytes = model_bytes(model);
    EXPECT_THAT([&] { parse_model(bytes); }, ThrowsMessage<InvalidData>(HasSubstr(what)));
  };
  refused([](Components& c) { c.loadings *= 2; }, "not orthonormal");
  refused([](Components& c) { c.mean(0) = NAN; }, "components.mean");
  refused([](Components& c) { c.loadings(0, 0) = INFINITY; }, "components.loadings");
}

}  // namespace components_tensors_test
}  // namespace conflux
