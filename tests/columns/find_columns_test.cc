#include "conflux/columns/find_columns.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "conflux/core/error.h"
#include "tests/columns/mixed_table.h"

namespace conflux {
namespace find_columns_test {

using testing::HasSubstr;
using testing::Not;

const Feature& feature(const Columns& columns, const std::string& name) {
  for (const Feature& each : columns.features) {
    if (each.name == name) return each;
  }
  throw std::runtime_error("no feature " + name);
}

std::string carried(const Columns& columns, const std::string& name) {
  for (const CarriedColumn& each : columns.carried) {
    if (each.name == name) return each.why;
  }
  return "";
}

Columns found(const MixedTable& mixed, ColumnOptions options = {}) {
  return find_columns(mixed.table, mixed.groups, 2, options, Workers(1));
}

// Patients come again, so that their numbers repeat; they are no measurements all the same. A rate
// of bids is one, whatever its name ends with.
TEST(FindColumns, CopiesNamesOfSubjectsThatAreMeasuredAgain) {
  MixedTable mixed(2000);
  std::vector<double> patients, bids;
  for (Index i = 0; i < mixed.table.num_rows(); ++i) {
    patients.push_back(static_cast<double>(1000 + i / 10));
    bids.push_back(static_cast<double>(i * 7919 % 97));
  }
  mixed.table.add("patientID", patients);
  mixed.table.add("patient_id", patients);
  mixed.table.add("bid", bids);
  const Columns columns = found(mixed);
  EXPECT_THAT(carried(columns, "patientID"), HasSubstr("name subjects"));
  EXPECT_THAT(carried(columns, "patient_id"), HasSubstr("name subjects"));
  EXPECT_EQ(feature(columns, "bid").kind, FeatureKind::kWhole);
}

// Plants of two places, and chicks that are counted on from one diet to the next, tell the group
// and nothing else; a number of another sensor may be that of a shift, however large.
TEST(FindColumns, CarriesWhatEachGroupHasForItself) {
  MixedTable mixed(2000);
  std::vector<std::string> plants, sites;
  std::vector<double> chicks, shifted;
  for (Index i = 0; i < mixed.table.num_rows(); ++i) {
    const Index group = mixed.groups[static_cast<std::size_t>(i)];
    plants.push_back((group == 0 ? "north" : "south") + std::to_string(i % 5));
    sites.push_back(i == 0 ? "north1" : plants.back());
    chicks.push_back(static_cast<double>(1 + 20 * group + i % 20));
    shifted.push_back(chicks.back() + 500.0 * static_cast<double>(group));
  }
  sites[1] = mixed.groups[1] == 0 ? "south1" : "north1";
  mixed.table.add("plant", plants);
  mixed.table.add("site", sites);
  mixed.table.add("chick", chicks);
  mixed.table.add("counts", shifted);
  const Columns columns = found(mixed);
  EXPECT_THAT(carried(columns, "plant"), HasSubstr("occurs in one group only"));
  EXPECT_THAT(carried(columns, "chick"), HasSubstr("1 to 40, occurs in one group only"));
  EXPECT_EQ(feature(columns, "site").kind, FeatureKind::kCategory);
  EXPECT_EQ(feature(columns, "counts").kind, FeatureKind::kWhole);
  const Columns asked = found(mixed, {.as = {{"plant", "category"}, {"chick", "whole"}}});
  EXPECT_EQ(feature(asked, "plant").kind, FeatureKind::kCategory);
  EXPECT_EQ(feature(asked, "chick").kind, FeatureKind::kWhole);
}

TEST(FindColumns, TellsWhatColumnsMean) {
  const MixedTable mixed(2000);
  const Columns columns = found(mixed);
  EXPECT_EQ(feature(columns, "age").kind, FeatureKind::kWhole);
  EXPECT_EQ(feature(columns, "rain").kind, FeatureKind::kRepeated);
  EXPECT_EQ(feature(columns, "rain").scale, FeatureScale::kNormal);
  EXPECT_EQ(feature(columns, "rain").support.low, 0);
  EXPECT_EQ(feature(columns, "pressure").kind, FeatureKind::kNumber);
  EXPECT_EQ(feature(columns, "pressure").scale, FeatureScale::kStandard);
  EXPECT_EQ(feature(columns, "humidity").support, (Interval{0, 1}));
  EXPECT_EQ(feature(columns, "color").kind, FeatureKind::kCategory);
  EXPECT_THAT(carried(columns, "id"), HasSubstr("numbers the rows"));
  EXPECT_THAT(carried(columns, "name"), HasSubstr("a text of its own"));
  EXPECT_THAT(carried(columns, "constant"), HasSubstr("in every row"));
  EXPECT_EQ(columns.describe().size(), mixed.table.columns.size());
}

// Most pixels are zero in one group and bright in another, in the same unit.
TEST(FindColumns, AMedianOfZeroRaisesNoDoubtAboutUnits) {
  MixedTable mixed(2000);
  for (Column& column : mixed.table.columns) {
    if (column.name != "pressure") continue;
    for (std::size_t i = 0; i < column.numbers.size(); ++i) {
      const auto wave = static_cast<double>(i % 160) / 10;
      column.numbers[i] = mixed.groups[i] == 0 ? (i % 10 < 6 ? 0 : wave / 16) : wave;
    }
  }
  EXPECT_TRUE(found(mixed).doubts.empty());
}

// 0.55 is not the same number as 0.6 - 0.05: a model with cells that overlap could not be read.
TEST(FindColumns, CellsOfTenthsDoNotOverlap) {
  MixedTable mixed(2000);
  for (Column& column : mixed.table.columns) {
    if (column.name != "pressure") continue;
    for (std::size_t i = 0; i < column.numbers.size(); ++i) {
      column.numbers[i] = static_cast<double>(i % 23) / 10;
    }
  }
  const Columns columns = found(mixed);
  const std::vector<Atom>& atoms = feature(columns, "pressure").atoms;
  ASSERT_GT(atoms.size(), 20u);
  for (std::size_t k = 1; k < atoms.size(); ++k) {
    EXPECT_LE(atoms[k - 1].cell.high, atoms[k].cell.low) << atoms[k].value;
    EXPECT_TRUE(atoms[k].cell.contains(atoms[k].value));
  }
}

TEST(FindColumns, CanBeOverruled) {
  const MixedTable mixed(500);
  const Columns columns =
      found(mixed, {.as = {{"age", "category"}, {"color", "ignore"}, {"rain", "number"}},
                    .support = {{"pressure", "positive"}, {"rain", "any"}}});
  EXPECT_EQ(feature(columns, "age").kind, FeatureKind::kCategory);
  EXPECT_EQ(feature(columns, "rain").kind, FeatureKind::kNumber);
  EXPECT_EQ(feature(columns, "rain").support, Interval{});
  EXPECT_EQ(feature(columns, "pressure").support.low, 0);
  EXPECT_EQ(carried(columns, "color"), "as asked for");
  EXPECT_THROW(found(mixed, {.as = {{"age", "wohle"}}}), InvalidOption);
  EXPECT_THROW(found(mixed, {.as = {{"agee", "whole"}}}), InvalidOption);
  EXPECT_THROW(found(mixed, {.support = {{"age", "0:10"}}}), InvalidData);
}

// A stray word must not cost the whole column.
TEST(FindColumns, RefusesAWordAmongNumbers) {
  Table table;
  std::vector<std::string> text(100, "1.5");
  text[41] = "1,7x";
  table.add("x", text);
  table.source = "t.csv";
  const std::vector<Index> groups(100, 0);
  try {
    find_columns(table, groups, 1, {}, Workers(1));
    FAIL();
  } catch (const InvalidData& error) {
    EXPECT_THAT(error.what(), HasSubstr("t.csv"));
    EXPECT_THAT(error.what(), HasSubstr("1,7x"));
    EXPECT_THAT(error.what(), HasSubstr("row 42"));
  }
}

// Coordinates of one unit must not be bent: their lengths mean something.
TEST(FindColumns, LeavesCoordinatesOfOneUnitAlone) {
  Table table;
  std::vector<Index> groups;
  for (Index i = 0; i < 400; ++i) groups.push_back(i % 2);
  for (int j = 0; j < 8; ++j) {
    std::vector<double> numbers;
    for (int i = 0; i < 400; ++i) numbers.push_back(std::sin(17.3 * i * (j + 1)) / (1 + 3 * j));
    table.add("PC" + std::to_string(j + 1), numbers);
  }
  const Columns columns = find_columns(table, groups, 2, {}, Workers(1));
  for (const Feature& each : columns.features) EXPECT_TRUE(each.as_it_is()) << each.name;
  const Matrix rows = columns.coordinates(table, Workers(1));
  EXPECT_EQ(rows(3, 5), table["PC6"].numbers[3]);
}

// A component that sets a rare type apart has a small spread for most rows, and a large deviation.
TEST(FindColumns, KnowsPrincipalComponentsByDeviationOrName) {
  const auto reason = [](const std::string& stem, int count, double scale) {
    Table table;
    std::vector<Index> groups;
    for (Index i = 0; i < 600; ++i) groups.push_back(i % 2);
    for (int j = 0; j < count; ++j) {
      std::vector<double> numbers;
      for (int i = 0; i < 600; ++i) {
        const double rare = j == 1 && i % 20 < 2 ? 3.0 : 0;
        numbers.push_back((std::sin(17.3 * i * (j + 1)) * (j == 1 ? 0.02 : 1) + rare) *
                          std::pow(scale, j));
      }
      table.add(stem + std::to_string(j + 1), numbers);
    }
    return find_columns(table, groups, 2, {}, Workers(1)).scale_reason;
  };
  EXPECT_THAT(reason("x", 9, 0.8), HasSubstr("principal components"));
  EXPECT_THAT(reason("PC_", 3, 0.2), HasSubstr("principal components"));
  EXPECT_THAT(reason("pc", 3, 8), HasSubstr("principal components"));
  EXPECT_THAT(reason("x", 9, 1.5), HasSubstr("different units"));
  EXPECT_THAT(reason("x", 4, 0.2), HasSubstr("different units"));
  EXPECT_THAT(reason("pcx", 4, 0.2), HasSubstr("different units"));
}

// Values that pixels have, beside others like them; rates have such values, but no such neighbors.
TEST(FindColumns, LeavesPixelsAlone) {
  Table table;
  std::vector<Index> groups;
  for (Index i = 0; i < 100; ++i) groups.push_back(i % 2);
  for (int j = 0; j < 20; ++j) {
    std::vector<double> numbers;
    for (int i = 0; i < 100; ++i) {
      numbers.push_back(std::round(8.5 + 8.5 * std::sin(1.7 * i + 0.15 * j)));
    }
    table.add("p" + std::to_string(j), numbers);
  }
  const Columns columns = find_columns(table, groups, 2, {}, Workers(1));
  EXPECT_THAT(columns.scale_reason, HasSubstr("pixels"));
  for (const Feature& each : columns.features) EXPECT_TRUE(each.as_it_is()) << each.name;
}

TEST(FindColumns, Truth20TakesNoRatesForPixels) {
  Table table;
  std::vector<Index> groups;
  for (Index i = 0; i < 100; ++i) groups.push_back(i % 2);
  for (int j = 0; j < 20; ++j) {
    std::vector<double> numbers;
    for (int i = 0; i < 100; ++i) {
      numbers.push_back(std::clamp(0.5 + 0.8 * std::sin(1.7 * i * (j + 1)), 0.0, 1.0));
    }
    table.add("rate" + std::to_string(j), numbers);
  }
  EXPECT_THAT(find_columns(table, groups, 2, {}, Workers(1)).scale_reason,
              Not(HasSubstr("pixels")));
}

// Normal scores of all groups together are normal, atoms and categories included.
TEST(FindColumns, ChoicesAreMadeByWords) {
  ColumnOptions options;
  set_column_choice(options, "scale", "normal");
  set_column_choice(options, "repeats", "keep");
  set_column_choice(options, "missing", "drop");
  EXPECT_EQ(options.scale, ScaleChoice::kNormal);
  EXPECT_EQ(options.repeats, Repeats::kKeep);
  EXPECT_EQ(options.missing, MissingRule::kDrop);
  EXPECT_THAT(column_choice_words("missing"),
              testing::ElementsAre("auto", "refuse", "drop", "empty"));
  EXPECT_THROW(set_column_choice(options, "scale", "log"), InvalidOption);
  EXPECT_THROW(set_column_choice(options, "scales", "none"), InvalidOption);
}

// Knots have two slopes; between them the slope is that of the coordinates.
TEST(FindColumns, SlopesAreThoseOfTheCoordinates) {
  const Columns columns = found(MixedTable(2000), {.scale = ScaleChoice::kNormal});
  const Feature& pressure = feature(columns, "pressure");
  const double first = pressure.coordinate_knots.front(), last = pressure.coordinate_knots.back();
  for (const double share : {-0.1, 0.123456, 0.5, 0.87654, 1.1}) {
    const double at = first + share * (last - first);
    const double step = 1e-7;
    const double numerical = 2 * step / (pressure.point(at + step) - pressure.point(at - step));
    EXPECT_NEAR(pressure.slope(at) / numerical, 1, 1e-5) << share;
  }
}

TEST(FindColumns, NormalScoresAreNormal) {
  const MixedTable mixed(4000);
  const Columns columns = found(mixed, {.scale = ScaleChoice::kNormal});
  const Matrix rows = columns.coordinates(mixed.table, Workers(1));
  for (Index j = 0; j < rows.cols(); ++j) {
    const Vector column = rows.col(j).array().isNaN().select(0, rows.col(j));
    EXPECT_NEAR(column.mean(), 0, 0.1) << columns.features[j].name;
    const auto there = static_cast<double>((!rows.col(j).array().isNaN()).count());
    EXPECT_NEAR(column.squaredNorm() / there, 1, 0.1) << columns.features[j].name;
  }
}

TEST(FindColumns, KnowsANewGroup) {
  const MixedTable mixed(1000);
  Columns columns = found(mixed);
  add_group(columns, mixed.table, Workers(1));
  for (const Feature& each : columns.features) EXPECT_EQ(each.held.size(), 3u);
  EXPECT_EQ(columns.expected.size(), 3u);
}

// Counts of mass cytometry: a heap of zeros, and a long tail that arcsinh shortens.
Table markers(Index rows) {
  Table out;
  std::vector<double> many, some;
  for (Index i = 0; i < rows; ++i) {
    const double u = static_cast<double>((i * 7919) % rows) / static_cast<double>(rows);
    many.push_back(i % 3 == 0 ? 0 : std::sinh(6 * u));
    some.push_back(40 * std::sinh(3 * u) + 1e-3 * static_cast<double>(i) + 1);
  }
  out.add("CD3", many);
  out.add("CD4", some);
  return out;
}

std::vector<Index> halves(Index rows) {
  std::vector<Index> out;
  for (Index i = 0; i < rows; ++i) out.push_back(i % 2);
  return out;
}

TEST(FindColumns, ArcsinhIsUndoneOnTheWayBack) {
  const Table table = markers(2000);
  const std::vector<Index> groups = halves(2000);
  const Workers workers(1);
  for (const ScaleChoice scale :
       {ScaleChoice::kAuto, ScaleChoice::kStandard, ScaleChoice::kNormal, ScaleChoice::kNone}) {
    const Columns columns = find_columns(table, groups, 2, {.arcsinh = 5, .scale = scale}, workers);
    EXPECT_EQ(feature(columns, "CD3").cofactor, 5);
    EXPECT_THAT(columns.describe().front(), HasSubstr("arcsinh(x / 5)"));
    const Matrix rows = columns.coordinates(table, workers);
    for (const bool shared : {false, true}) {
      Table back = table;
      if (shared) {
        columns.put_shared(back, rows, workers);
        const Matrix again = columns.shared_coordinates(back, workers);
        EXPECT_LT((again - rows).cwiseAbs().maxCoeff(), 1e-9);
        continue;
      }
      columns.put_values(back, rows, groups, groups, workers);
      for (const char* name : {"CD3", "CD4"}) {
        for (Index i = 0; i < 2000; ++i) {
          const double was = table[name].numbers[i], is = back[name].numbers[i];
          if (was == 0) {
            ASSERT_EQ(is, 0) << name << i;
          }
          ASSERT_NEAR(is, was, 1e-10 * (1 + was)) << name << i;
        }
      }
    }
  }
}

// The unit is that of arcsinh: a channel of thousands is no longer wider than one of tens.
TEST(FindColumns, CoordinatesAreArcsinhOfTheValues) {
  const Table table = markers(1000);
  const Workers workers(1);
  const Columns columns = find_columns(
      table, halves(1000), 2,
      {.features = {"CD4"}, .as = {{"CD4", "arcsinh:150"}}, .scale = ScaleChoice::kNone}, workers);
  const Matrix rows = columns.coordinates(table, workers);
  for (Index i = 0; i < rows.rows(); ++i) {
    ASSERT_DOUBLE_EQ(rows(i, 0), std::asinh(table["CD4"].numbers[i] / 150));
  }
  // Coordinates per unit of the data, which densities need.
  const Feature& cd4 = columns.features.front();
  for (const double point : {3.0, 200.0, 900.0}) {
    const double numerical = (cd4.coordinate(point + 1e-3) - cd4.coordinate(point - 1e-3)) / 2e-3;
    EXPECT_NEAR(cd4.slope(cd4.coordinate(point)), numerical, 1e-7 * numerical);
  }
}

TEST(FindColumns, CofactorsAreNumbersAboveZero) {
  const Table table = markers(100);
  for (const std::string word :
       {"arcsinh", "arcsinh:0", "arcsinh:-5", "arcsinh:x", "arcsinh:inf"}) {
    EXPECT_THROW(find_columns(table, halves(100), 2, {.as = {{"CD4", word}}}, Workers(1)),
                 InvalidOption)
        << word;
  }
}

// A column that the file marks as no feature is one only if it is named.
TEST(FindColumns, FilesTellWhatIsNoFeature) {
  Table table = markers(100);
  table.extras = std::make_shared<const FileExtras>(
      FileExtras{"fcs", {}, {{"CD3", "because it is the time of the measurement"}}});
  const Columns columns = find_columns(table, halves(100), 2, {}, Workers(1));
  EXPECT_EQ(columns.feature_names(), std::vector<std::string>{"CD4"});
  EXPECT_EQ(carried(columns, "CD3"), "because it is the time of the measurement");
  EXPECT_EQ(find_columns(table, halves(100), 2, {.features = {"CD3"}}, Workers(1)).feature_names(),
            std::vector<std::string>{"CD3"});
}

}  // namespace find_columns_test
}  // namespace conflux
