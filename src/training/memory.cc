#include "training/memory.h"

#include <algorithm>
#include <numeric>

#include "conflux/core/parallel.h"
#include "fitting/layer_kinds.h"
#include "options/methods.h"

namespace conflux {

namespace {

// The program itself, and rows that judge.
constexpr double kProgram = 35e6;
// Lists of rows: those that are fitted and held out, drawn and judged, and values on two lines.
constexpr double kBytesPerRow = 48;
// Values on a line that a thread sorts, and its buffer.
constexpr double kBytesPerSorted = 16;

}  // namespace

double memory_needed(const DataShape& data, bool single, const FitOptions& options) {
  const FitOptions resolved = resolve(options, data);
  const double rows = std::accumulate(data.group_sizes.begin(), data.group_sizes.end(), 0.0);
  const auto largest =
      static_cast<double>(*std::max_element(data.group_sizes.begin(), data.group_sizes.end()));
  // A fit takes over rows in single precision, and copies others.
  const double copies = single ? 1 : 2;
  const double number = single ? sizeof(float) : sizeof(double);
  double per_row = copies * number * static_cast<double>(data.dim) + kBytesPerRow;
  const MethodInfo& method = method_info(resolved.method);
  // Rows move along their projections.
  if (method.has("sliced")) per_row += number * static_cast<double>(*resolved.directions);
  const double threads = Workers(options.threads).threads();
  double out = kProgram + rows * per_row + kBytesPerSorted * threads * largest;
  for (const LayerKind& kind : layer_kinds()) {
    if (method.has(kind.name) && kind.memory != nullptr) out += kind.memory(data, resolved);
  }
  return out;
}

}  // namespace conflux
