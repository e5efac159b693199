#include <gtest/gtest.h>

#include <optional>

#include "conflux/core/error.h"
#include "conflux/training/fit.h"
#include "core/rng.h"
#include "options/methods.h"

namespace conflux::obeyed_options_test {

namespace {

GroupSet shifted_groups() {
  Stream stream(0, Purpose::kTest, 5);
  GroupSet out;
  out.add("a", stream.normal_matrix(120, 5));
  out.add("b", Matrix((2 * stream.normal_matrix(120, 5)).array() + 2));
  return out;
}

std::optional<Fit> fit_unless_refused(const FitOptions& options) {
  try {
    return fit_flow(shifted_groups(), options);
  } catch (const InvalidOption&) {
    return std::nullopt;
  }
}

Matrix moved(const Fit& fit) { return fit.flow.forward(0, shifted_groups()[0].rows, Workers(1)); }

}  // namespace

// Automatic fits choose a number of layers; one that was asked for must not be lost on the way.
TEST(ObeyedOptions, LayersAreAsManyAsAskedForOrRefused) {
  for (const MethodInfo& method : kMethods) {
    for (const Goal goal : {Goal::kAuto, Goal::kTransfer, Goal::kHide}) {
      if (goal != Goal::kAuto && method.id != Method::kAuto) continue;
      FitOptions options;
      options.method = method.id;
      options.goal = goal;
      options.layers = 3;
      const std::optional<Fit> fit = fit_unless_refused(options);
      if (fit) {
        EXPECT_EQ(fit->record.layers.size(), 3u) << method.name;
      }
    }
  }
}

TEST(ObeyedOptions, StrengthChangesTheModelOrIsRefused) {
  for (const MethodInfo& method : kMethods) {
    FitOptions options;
    options.method = method.id;
    options.strength = 0.3;
    const std::optional<Fit> weak = fit_unless_refused(options);
    options.strength = 0.9;
    const std::optional<Fit> strong = fit_unless_refused(options);
    EXPECT_EQ(weak.has_value(), strong.has_value()) << method.name;
    if (weak && strong) {
      EXPECT_NE(moved(*weak), moved(*strong)) << method.name;
    }
  }
}

// One kind of layer is fitted if its method was asked for, whatever held-out features say.
TEST(ObeyedOptions, TheMethodIsTheOneAskedFor) {
  for (const MethodInfo& method : kMethods) {
    if (method.id == Method::kAuto) continue;
    FitOptions options;
    options.method = method.id;
    EXPECT_EQ(fit_flow(shifted_groups(), options).record.options.method, method.id) << method.name;
  }
}

}  // namespace conflux::obeyed_options_test
