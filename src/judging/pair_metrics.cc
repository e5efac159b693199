#include "judging/pair_metrics.h"

#include <algorithm>
#include <optional>

#include "conflux/metrics/distances.h"
#include "metrics/paper_wd.h"

namespace conflux {

namespace {

std::optional<Index> block_of(const PairMetricSettings& settings) {
  return settings.block > 0 ? std::optional(settings.block) : std::nullopt;
}

}  // namespace

const std::vector<PairMetric>& pair_metrics() {
  static const std::vector<PairMetric> kMetrics = {
      {"w2_exact",
       [](ConstRows x, ConstRows y, const PairMetricSettings& settings, const Workers& workers) {
         return exact_w2_squared(x, y, {.block = block_of(settings)}, workers);
       }},
      {"paper_wd",
       [](ConstRows x, ConstRows y, const PairMetricSettings& settings, const Workers& workers) {
         // As the papers have it: the real rows first, and as many of them as of the others.
         const Index rows = std::min(x.rows(), y.rows());
         return paper_wd(y.middle_rows(0, rows), x.middle_rows(0, rows),
                         {.block = block_of(settings)}, workers)
             .value;
       }},
      {"sinkhorn_divergence",
       [](ConstRows x, ConstRows y, const PairMetricSettings&, const Workers& workers) {
         return sinkhorn_divergence(x, y, {}, workers).value;
       }},
      {"sliced_w2",
       [](ConstRows x, ConstRows y, const PairMetricSettings& settings, const Workers& workers) {
         return sliced_w2_squared(x, y, {.seed = settings.seed}, workers);
       }},
      {"max_sliced_w2",
       [](ConstRows x, ConstRows y, const PairMetricSettings& settings, const Workers& workers) {
         return max_sliced_w2_squared(x, y, {.seed = settings.seed}, workers).value;
       }},
      {"energy_distance", [](ConstRows x, ConstRows y, const PairMetricSettings&,
                             const Workers& workers) { return energy_distance(x, y, workers); }},
      {"frechet",
       [](ConstRows x, ConstRows y, const PairMetricSettings&, const Workers&) {
         return frechet_distance(x, y);
       },
       true},
      {"kernel_distance",
       [](ConstRows x, ConstRows y, const PairMetricSettings&, const Workers&) {
         return kernel_distance(x, y);
       },
       true}};
  return kMetrics;
}

}  // namespace conflux
