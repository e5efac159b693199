// Models of every release are read for ever, and move rows to the same places.
// tools/make_release_fixtures.sh has written them.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "conflux/components/components.h"
#include "conflux/model/table_mover.h"
#include "conflux/storage/model_file.h"
#include "conflux/tables/table.h"
#include "conflux/tables/table_groups.h"
#include "tests/support/golden.h"

namespace conflux {
namespace releases_test {

namespace fs = std::filesystem;

std::vector<fs::path> models() {
  std::vector<fs::path> out;
  for (const auto& entry : fs::recursive_directory_iterator(golden_folder() / "releases")) {
    if (entry.path().extension() == ".conflux") out.push_back(entry.path());
  }
  return out;
}

Table rows_for(const Model& model, const fs::path& folder) {
  if (model.components.empty()) return read_table(folder / "table.csv", {.text = {"kind"}});
  Table out = open_projected(folder / "cells", {}, model.components)->read_rest();
  out.add("group", read_table(folder / "cells/meta.csv")["group"].text);
  return out;
}

TEST(Releases, ModelsMoveRowsWhereTheyMovedThem) {
  ASSERT_GE(models().size(), 7u);
  for (const fs::path& path : models()) {
    const Model model = load_model(path);
    Table table = rows_for(model, path.parent_path());
    std::vector<Index> groups;
    for (const std::string& name : groups_of_rows(table, "group")) {
      groups.push_back(model.flow.group_index(name));
    }
    const Workers workers(1);
    TableMover(model, workers).transform(table, groups);
    const Table expected = read_table(fs::path(path).replace_extension(".csv"));
    for (const std::string& name : model.feature_names) {
      for (Index i = 0; i < table.num_rows(); ++i) {
        const double was = expected[name].numbers[i];
        const double is = table[name].numbers[i];
        EXPECT_EQ(std::isnan(was), std::isnan(is)) << path << " " << name << " " << i;
        if (std::isnan(was)) continue;
        EXPECT_NEAR(is, was, 1e-7 * (1 + std::abs(was))) << path << " " << name << " " << i;
      }
    }
  }
}

}  // namespace releases_test
}  // namespace conflux
