#include "training/memory.h"

#include <numeric>

#include "fitting/layer_kinds.h"
#include "options/methods.h"

namespace conflux {

double memory_needed(const DataShape& data, bool single, const FitOptions& options) {
  const FitOptions resolved = resolve(options, data);
  const double rows = std::accumulate(data.group_sizes.begin(), data.group_sizes.end(), 0.0);
  // A fit takes over rows in single precision, and copies others.
  const double bytes = single ? sizeof(float) : 2 * sizeof(double);
  double out = bytes * rows * static_cast<double>(data.dim);
  for (const LayerKind& kind : layer_kinds()) {
    const bool fitted = method_info(resolved.method).has(kind.name);
    if (fitted && kind.memory != nullptr) out += kind.memory(data, resolved);
  }
  return out;
}

}  // namespace conflux
