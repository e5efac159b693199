#include "training/memory.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

#include "conflux/core/parallel.h"
#include "fitting/latent.h"
#include "fitting/layer_kinds.h"
#include "options/methods.h"
#include "options/option_table.h"
#include "training/pool_draw.h"

namespace conflux {

namespace {

// The program itself, rows that judge, and the classifiers that look at them.
constexpr double kProgram = 45e6;
// Histograms look at values on two lines of all rows.
constexpr double kBytesPerRowOfHistograms = 16;

// Bytes of the numbers of a row: its features `copies` times, and its values on the lines of a
// layer, along which it moves.
double bytes_of_numbers(const DataShape& data, bool single, double copies,
                        const FitOptions& resolved) {
  const double number = single ? sizeof(float) : sizeof(double);
  const bool has_lines = method_info(resolved.method).has("sliced");
  const double lines = has_lines ? static_cast<double>(*resolved.directions) : 0;
  return number * (copies * static_cast<double>(data.dim) + lines);
}

double count_all(const DataShape& data) {
  return std::accumulate(data.group_sizes.begin(), data.group_sizes.end(), 0.0);
}

// All that is not the numbers of rows.
double bytes_beside_rows(const DataShape& data, bool single, const FitOptions& resolved) {
  const auto largest =
      static_cast<double>(*std::max_element(data.group_sizes.begin(), data.group_sizes.end()));
  const double threads = Workers(resolved.threads).threads();
  // Each thread sorts one line of one group.
  const auto bytes = static_cast<double>(single ? sizeof(float) : sizeof(double));
  double out = kProgram + bytes * threads * largest;
  if (resolved.estimator == Estimator::kHistogram) {
    out += count_all(data) * kBytesPerRowOfHistograms;
  }
  for (const LayerKind& kind : layer_kinds()) {
    if (method_info(resolved.method).has(kind.name) && kind.memory != nullptr) {
      out += kind.memory(data, resolved);
    }
  }
  return out;
}

bool walks_through_rows(const MethodInfo& method) {
  for (const LayerKind& kind : layer_kinds()) {
    const bool walks = kind.name == "sliced" || kind.name == "coordinate" || kind.name == "affine";
    if (!walks && method.has(kind.name)) return false;
  }
  return true;
}

}  // namespace

double memory_needed(const DataShape& data, bool single, const FitOptions& options) {
  const FitOptions resolved = resolve(options, data);
  // A fit takes over rows in single precision, and copies others.
  return count_all(data) * bytes_of_numbers(data, single, single ? 1 : 2, resolved) +
         bytes_beside_rows(data, single, resolved);
}

double memory_needed_on_disk(const DataShape& data, bool single, const FitOptions& options) {
  return bytes_beside_rows(data, single, resolve(options, data)) + kResidentRows;
}

double scratch_needed(const DataShape& data, bool single, const FitOptions& options) {
  const FitOptions resolved = resolve(options, data);
  const MethodInfo& method = method_info(resolved.method);
  // Moves of the first sliced layers are kept in memory and never written.
  const bool waits =
      method.opens.empty() && method.has("sliced") && *resolved.layers <= Latent::kMostWaiting + 1;
  return count_all(data) * bytes_of_numbers(data, single, waits ? 0 : 1, resolved);
}

bool can_use_scratch(const FitOptions& options) {
  const bool gated = (kGatedMethods & only(options.method)) != 0 && options.gate != Gating::kNone;
  return !gated && walks_through_rows(method_info(options.method));
}

bool rows_can_stay(const FitOptions& options) {
  return rows_to_fit(options).all() && can_use_scratch(options) &&
         options.estimator != Estimator::kHistogram && options.judge != Judging::kPrediction;
}

std::string methods_with_scratch() {
  std::vector<std::string_view> names;
  for (const MethodInfo& method : kMethods) {
    if (walks_through_rows(method)) names.push_back(method.name);
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace conflux
