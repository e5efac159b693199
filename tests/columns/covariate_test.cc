#include "conflux/columns/covariate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "conflux/core/error.h"
#include "core/rng.h"
#include "tests/support/error_text.h"

namespace conflux {
namespace covariate_test {

using testing::ElementsAre;
using testing::HasSubstr;

const double kNone = std::numeric_limits<double>::quiet_NaN();

Table table_of(const std::string& name, std::vector<double> numbers) {
  Table out;
  out.add(name, std::move(numbers));
  return out;
}

std::vector<double> many_numbers(Index count, double scale, double shift) {
  Stream stream(3, Purpose::kTest);
  std::vector<double> out;
  for (Index i = 0; i < count; ++i) out.push_back(shift + scale * stream.normal());
  return out;
}

std::vector<double> at(const Covariate& covariate, const Table& table, Index row) {
  std::vector<double> out(static_cast<std::size_t>(covariate.width()));
  covariate.coordinates(table, table[covariate.name], row, out.data());
  return out;
}

// Slopes of unlike units would make a pseudo-inverse drop small ones.
TEST(Covariates, HaveMeanZeroAndDeviationOneInAllCoordinates) {
  const Table table = table_of("age", many_numbers(500, 1e4, -1e6));
  for (const std::string word : {"linear", "smooth", "cyclic:3e4"}) {
    const Covariate covariate = find_covariate(table, {"age", word});
    for (std::size_t k = 0; k < static_cast<std::size_t>(covariate.width()); ++k) {
      double sum = 0, squares = 0;
      for (Index i = 0; i < 500; ++i) {
        const double value = at(covariate, table, i)[k];
        sum += value;
        squares += value * value;
      }
      EXPECT_NEAR(sum / 500, 0, 1e-9) << word << k;
      EXPECT_NEAR(squares / 500, 1, 1e-9) << word << k;
    }
  }
}

TEST(Covariates, AreSmoothOfManyValuesAndLinearOfFew) {
  EXPECT_EQ(find_covariate(table_of("age", many_numbers(300, 1, 0)), {"age"}).kind,
            CovariateKind::kSmooth);
  EXPECT_EQ(find_covariate(table_of("age", many_numbers(60, 1, 0)), {"age"}).kind,
            CovariateKind::kLinear);
  std::vector<double> doses;
  for (int i = 0; i < 300; ++i) doses.push_back(i % 3);
  EXPECT_EQ(find_covariate(table_of("dose", doses), {"dose"}).width(), 1);
  EXPECT_EQ(find_covariate(table_of("dose", doses), {"dose", "category"}).width(), 2);
}

// A spline that bends beyond its knots would extrapolate by cubes.
TEST(Covariates, OfASplineAreLinearBeyondTheOuterKnots) {
  std::vector<double> numbers = many_numbers(300, 1, 0);
  const Covariate covariate = find_covariate(table_of("age", numbers), {"age", "smooth"});
  const double last = covariate.knots.back();
  const Table far = table_of("age", {last + 1, last + 2, last + 3, -90, -100, -110});
  for (std::size_t k = 0; k < static_cast<std::size_t>(covariate.width()); ++k) {
    const auto value = [&](Index row) { return at(covariate, far, row)[k]; };
    EXPECT_NEAR(value(2) - value(1), value(1) - value(0), 1e-9 * std::abs(value(2)));
    EXPECT_NEAR(value(5) - value(4), value(4) - value(3), 1e-9 * (1 + std::abs(value(5))));
  }
}

TEST(Covariates, OfACycleMeetWhereItBeginsAgain) {
  std::vector<double> months;
  for (int i = 0; i < 24; ++i) months.push_back(1 + i % 12);
  const Table table = table_of("Month", months);
  const Covariate covariate = find_covariate(table, {"Month", "cyclic"});
  EXPECT_EQ(covariate.period, 12);
  const Table others = table_of("Month", {12, 0, 24, 6});
  const std::vector<double> december = at(covariate, others, 0), june = at(covariate, others, 3);
  for (std::size_t k = 0; k < december.size(); ++k) {
    EXPECT_NEAR(december[k], at(covariate, others, 1)[k], 1e-12);
    EXPECT_NEAR(december[k], at(covariate, others, 2)[k], 1e-12);
  }
  EXPECT_GT(std::abs(december[1] - june[1]), 1);
}

TEST(Covariates, OfACategoryTellMissingCellsAndUnknownTexts) {
  Table table;
  table.add("sex", std::vector<std::string>{"m", "f", "f", "NA", "m", "f"});
  const Covariate covariate = find_covariate(table, {"sex"});
  EXPECT_THAT(covariate.categories, ElementsAre("f", "m"));
  EXPECT_THAT(covariate.coordinate_names(), ElementsAre("sex=m", "sex missing"));
  EXPECT_TRUE(std::isnan(at(covariate, table, 3)[0]));
  EXPECT_GT(at(covariate, table, 3)[1], at(covariate, table, 0)[1]);
  Table more;
  more.add("sex", std::vector<std::string>{"x"});
  EXPECT_FALSE(covariate.knows(more["sex"], 0));
}

TEST(Covariates, AreNamedWithWordsBehindTheLastColons) {
  const std::vector<std::string> names = {"age", "a:b", "month"};
  EXPECT_EQ(kept_column("age", names).word, "");
  EXPECT_EQ(kept_column("a:b", names).name, "a:b");
  EXPECT_EQ(kept_column("a:b:linear", names).word, "linear");
  EXPECT_EQ(kept_column("month:cyclic:12", names).name, "month");
  EXPECT_EQ(kept_column("month:cyclic:12", names).word, "cyclic:12");
}

TEST(Covariates, RefuseWhatCannotBeKept) {
  const Table table = table_of("size", {1, 2, 3, 4, kNone});
  EXPECT_THAT(error_text([&] {
                (void)find_covariate(table, {"size", "cyclic"});
              }),
              HasSubstr("size:cyclic:24"));
  EXPECT_THAT(error_text([&] {
                (void)find_covariate(table, {"size", "bent"});
              }),
              HasSubstr("choose linear"));
  EXPECT_THAT(error_text([&] {
                (void)find_covariate(table_of("size", {1, 1, 1}), {"size"});
              }),
              HasSubstr("the same in all rows"));
}

}  // namespace covariate_test
}  // namespace conflux
