#include "comparing/confounding.h"

#include "conflux/core/error.h"
#include "metrics/unexplained.h"

namespace conflux {

namespace {

constexpr Index kMostRowsToConfound = 20'000;

}  // namespace

std::optional<GroupPrediction> predict_from_covariates(const GroupSet& groups, std::uint64_t seed,
                                                       const Workers& workers) {
  try {
    return predict_groups(covariates_of(groups), {.max_rows = kMostRowsToConfound, .seed = seed},
                          workers);
  } catch (const InvalidData&) {
    return std::nullopt;
  }
}

}  // namespace conflux
