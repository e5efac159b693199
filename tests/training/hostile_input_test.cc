// Input that breaks naive code: each case gives a typed error with a remedy, or a finite result
// that can be undone.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "conflux/core/error.h"
#include "conflux/training/fit.h"
#include "core/rng.h"
#include "options/option_table.h"

namespace conflux {
namespace hostile_input_test {

using testing::HasSubstr;

constexpr Method kTried[] = {Method::kNb,       Method::kInb,     Method::kRandNb,
                             Method::kNbInb,    Method::kGbInb,   Method::kGb,
                             Method::kNbRandNb, Method::kSinf,    Method::kDd,
                             Method::kTree,     Method::kTreeInb, Method::kConditional};

GroupSet two_groups(Matrix a, Matrix b) {
  GroupSet groups;
  groups.add("a", std::move(a));
  groups.add("b", std::move(b));
  return groups;
}

Matrix noise(Index rows, Index cols, std::uint64_t seed) {
  return Stream(seed, Purpose::kTest).normal_matrix(rows, cols);
}

struct Refused {
  const char* name;
  GroupSet (*make)();
  const char* words;
};

class RefusedData : public testing::TestWithParam<Refused> {};

TEST_P(RefusedData, GivesATypedErrorThatSaysWhatToDo) {
  try {
    fit_flow(GetParam().make(), FitOptions{});
    FAIL() << "accepted";
  } catch (const InvalidData& error) {
    EXPECT_THAT(error.what(), HasSubstr(GetParam().words));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Each, RefusedData,
    testing::Values(
        Refused{"no_groups", [] { return GroupSet(); }, "no group"},
        Refused{"one_group",
                [] {
                  GroupSet groups;
                  groups.add("a", noise(5, 2, 1));
                  return groups;
                },
                "at least 2"},
        Refused{"empty_group", [] { return two_groups(noise(5, 2, 1), Matrix(0, 2)); },
                "\"b\") has no rows"},
        Refused{"no_columns", [] { return two_groups(Matrix(5, 0), Matrix(5, 0)); }, "no columns"},
        Refused{"nan",
                [] {
                  Matrix b = noise(5, 2, 1);
                  b(3, 1) = std::nan("");
                  return two_groups(noise(5, 2, 2), b);
                },
                "group 1 (\"b\"): row 3, column 1 is nan"},
        Refused{"infinity",
                [] {
                  Matrix a = noise(5, 2, 1);
                  a(0, 0) = -std::numeric_limits<double>::infinity();
                  return two_groups(a, noise(5, 2, 2));
                },
                "row 0, column 0 is -inf"},
        Refused{"too_large",
                [] { return two_groups(Matrix::Constant(2, 2, 1e300), noise(5, 2, 2)); },
                "rescale"},
        Refused{"no_mass",
                [] {
                  GroupSet groups;
                  groups.add("a", noise(2, 2, 1), {0, 0});
                  groups.add("b", noise(2, 2, 2));
                  return groups;
                },
                "positive weight"}),
    [](const auto& each) { return std::string(each.param.name); });

struct Hard {
  const char* name;
  GroupSet (*make)();
};

class HardData : public testing::TestWithParam<Hard> {};

TEST_P(HardData, GivesAFiniteResultThatCanBeUndone) {
  const GroupSet groups = GetParam().make();
  const Workers workers(2);
  for (const Method method : kTried) {
    for (const Estimator estimator :
         {Estimator::kQuantile, Estimator::kHistogram, Estimator::kSpline}) {
      FitOptions options;
      options.method = method;
      options.estimator = estimator;
      if (!method_info(method).one_layer()) options.layers = 4;
      const Fit fit = fit_flow(groups, without_ignored(options));
      for (Index m = 0; m < groups.num_groups(); ++m) {
        const Matrix original = groups[m].rows.eigen();
        const Matrix moved = fit.flow.forward(m, original, workers);
        ASSERT_TRUE(moved.allFinite()) << name_of(method) << " " << name_of(estimator);
        const Matrix back = fit.flow.inverse(m, moved, workers);
        const double scale = original.cwiseAbs().maxCoeff() + moved.cwiseAbs().maxCoeff();
        EXPECT_LE((back - original).cwiseAbs().maxCoeff(), 1e-6 * scale)
            << name_of(method) << " " << name_of(estimator);
      }
    }
  }
}

Matrix with_zeros(Matrix rows, double share) {
  for (Index i = 0; i < rows.rows(); ++i) {
    if (static_cast<double>(i) < share * static_cast<double>(rows.rows())) rows(i, 0) = 0;
  }
  return rows;
}

INSTANTIATE_TEST_SUITE_P(
    Each, HardData,
    testing::Values(
        Hard{"one_row_each", [] { return two_groups(noise(1, 3, 1), noise(1, 3, 2)); }},
        Hard{"one_row_against_many", [] { return two_groups(noise(1, 3, 1), noise(200, 3, 2)); }},
        Hard{"one_dimension", [] { return two_groups(noise(50, 1, 1), 3 * noise(70, 1, 2)); }},
        Hard{"fewer_rows_than_knots", [] { return two_groups(noise(3, 4, 1), noise(5, 4, 2)); }},
        Hard{"duplicate_rows",
             [] {
               return two_groups(Matrix(noise(1, 4, 1).replicate(30, 1)),
                                 Matrix(noise(2, 4, 2).replicate(20, 1)));
             }},
        Hard{"all_rows_equal",
             [] { return two_groups(Matrix::Constant(9, 3, 2), Matrix::Constant(7, 3, 2)); }},
        Hard{"huge_values",
             [] { return two_groups(1e30 * noise(60, 3, 1), 1e30 * noise(60, 3, 2)); }},
        Hard{"tiny_values",
             [] { return two_groups(1e-30 * noise(60, 3, 1), 1e-30 * noise(60, 3, 2)); }},
        Hard{"scales_apart",
             [] { return two_groups(1e6 * noise(60, 3, 1), 1e-3 * noise(60, 3, 2)); }},
        Hard{"far_from_zero",
             [] {
               return two_groups(Matrix(noise(60, 3, 1).array() + 1e5),
                                 Matrix(noise(60, 3, 2).array() + 1e5 + 2));
             }},
        Hard{"mostly_zeros",
             [] {
               return two_groups(with_zeros(noise(100, 3, 1), 0.92),
                                 with_zeros(noise(100, 3, 2), 0.5));
             }},
        Hard{"constant_column",
             [] {
               Matrix a = noise(80, 3, 1);
               Matrix b = noise(80, 3, 2);
               a.col(1).setConstant(4);
               b.col(1).setConstant(4);
               b.col(2).setConstant(-1);
               return two_groups(a, b);
             }},
        Hard{"outlier",
             [] {
               Matrix a = noise(80, 3, 1);
               a(7, 2) = 1e12;
               return two_groups(a, noise(80, 3, 2));
             }},
        Hard{"unequal_sizes", [] { return two_groups(noise(7, 3, 1), noise(3001, 3, 2)); }}),
    [](const auto& each) { return std::string(each.param.name); });

TEST(HostileInput, HalfOfOneRowCannotBeSplit) {
  FitOptions options;
  options.method = Method::kInb;
  options.split = Split::kRandomHalf;
  EXPECT_THROW(fit_flow(two_groups(noise(1, 2, 1), noise(9, 2, 2)), options), InvalidOption);
}

TEST(HostileInput, UnitCubeOnNeedsValuesInTheCube) {
  FitOptions options;
  options.unit_cube = UnitCube::kOn;
  EXPECT_THROW(fit_flow(two_groups(noise(9, 2, 1), noise(9, 2, 2)), options), InvalidOption);
}

TEST(HostileInput, FeaturesThatOneGroupLacksAreWarnedAbout) {
  Matrix b = noise(40, 3, 2);
  b.col(1).setConstant(7);
  GroupSet groups = two_groups(noise(40, 3, 1), b);
  groups.set_feature_names({"height", "dose", "age"});
  const Fit fit = fit_flow(groups, FitOptions{.layers = 2});
  ASSERT_EQ(fit.record.warnings.size(), 1u);
  EXPECT_THAT(fit.record.warnings[0], HasSubstr("\"b\" is constant in 1 of 3"));
  EXPECT_THAT(fit.record.warnings[0], HasSubstr("dose"));
}

TEST(HostileInput, SmallGroupsAreWarnedAbout) {
  FitOptions options;
  options.method = Method::kGbInb;
  options.shrinkage = false;
  const Fit fit = fit_flow(two_groups(noise(5, 6, 1), noise(90, 6, 2)), options);
  ASSERT_EQ(fit.record.warnings.size(), 2u);
  EXPECT_THAT(fit.record.warnings[0], HasSubstr("5 rows for 8 knots"));
  EXPECT_THAT(fit.record.warnings[1], HasSubstr("singular"));
}

// Fill values of 1e20 pass for numbers; whoever gives them should hear of it.
TEST(HostileInput, ARowFarOutIsNamed) {
  for (const Method method : {Method::kInb, Method::kGb}) {
    for (const double far : {1e12, -1e20}) {
      Matrix rows = noise(200, 3, 1);
      rows(17, 2) = far;
      const FitOptions options{.method = method};
      const Fit fit = fit_flow(two_groups(noise(200, 3, 2), rows), options);
      const auto named = testing::AllOf(HasSubstr("row 17"), HasSubstr("feature 2"));
      EXPECT_THAT(fit.record.warnings, testing::Contains(named)) << far;
    }
  }
  const Fit fit =
      fit_flow(two_groups(noise(200, 3, 2), noise(200, 3, 1)), FitOptions{.method = Method::kInb});
  EXPECT_THAT(fit.record.warnings, testing::Not(testing::Contains(HasSubstr("row"))));
}

}  // namespace hostile_input_test
}  // namespace conflux
