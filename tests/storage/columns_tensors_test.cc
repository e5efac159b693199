#include "storage/columns_tensors.h"

#include <gtest/gtest.h>

#include "conflux/columns/find_columns.h"
#include "conflux/core/error.h"
#include "tests/columns/mixed_table.h"
#include "tests/storage/models.h"

namespace conflux {
namespace columns_tensors_test {

Model model_of(const MixedTable& mixed) {
  const Workers workers(1);
  Model model;
  const ColumnOptions options = {.as = {{"pressure", "arcsinh:150"}}};
  model.columns = find_columns(mixed.table, mixed.groups, 2, options, workers);
  model.columns.features.front().missing_codes = {-999, 1e20};
  model.flow = Flow({"a", "b"}, static_cast<Index>(model.columns.features.size()));
  model.record.group_sizes = {400, 200};
  model.record.options.weights = {};
  model.feature_names = model.columns.feature_names();
  return model;
}

// The shared space of a saved model is that of the model: coordinates have the same bits.
TEST(ColumnsTensors, ComeBackToTheBit) {
  const TemporaryFolder folder;
  const MixedTable mixed(600);
  const Model model = model_of(mixed);
  save_model(folder.file("m.conflux"), model);
  const Model back = load_model(folder.file("m.conflux"));
  const Workers workers(1);
  const Matrix a = model.columns.coordinates(mixed.table, workers);
  const Matrix b = back.columns.coordinates(mixed.table, workers);
  EXPECT_TRUE((a.array() == b.array() || a.array().isNaN()).all());
  EXPECT_EQ(model.columns.describe(), back.columns.describe());
  EXPECT_EQ(model.columns.scale_reason, back.columns.scale_reason);
  Matrix filled_a = a, filled_b = b;
  model.columns.fill_missing(Rows(filled_a), 1);
  back.columns.fill_missing(Rows(filled_b), 1);
  EXPECT_TRUE((filled_a.array() == filled_b.array()).all());
  Table table_a = mixed.table, table_b = mixed.table;
  const std::vector<Index> to(600, 1);
  model.columns.put_values(table_a, filled_a, mixed.groups, to, workers);
  back.columns.put_values(table_b, filled_b, mixed.groups, to, workers);
  for (const char* name : {"age", "rain", "pressure"}) {
    EXPECT_EQ(table_a[name].numbers, table_b[name].numbers);
  }
}

// Models of coordinates are still written as older releases read them.
TEST(ColumnsTensors, AreNotWrittenWithoutColumns) {
  const TemporaryFolder folder;
  const MixedTable mixed(100);
  Model model = model_of(mixed);
  save_model(folder.file("new.conflux"), model);
  EXPECT_EQ(inspect_model_file(folder.file("new.conflux")).format_version, 2);
  model.columns = {};
  save_model(folder.file("old.conflux"), model);
  EXPECT_EQ(inspect_model_file(folder.file("old.conflux")).format_version, 1);
  EXPECT_TRUE(load_model(folder.file("old.conflux")).columns.empty());
}

}  // namespace columns_tensors_test
}  // namespace conflux
