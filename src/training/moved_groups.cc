#include "training/moved_groups.h"

#include <vector>

namespace conflux {

GroupSet moved_by(const Flow& flow, const GroupSet& groups, const Workers& workers) {
  GroupSet out;
  for (Index m = 0; m < groups.num_groups(); ++m) {
    const Group& group = groups[m];
    const std::vector<Index> labels = flow.label_codes(groups.label_names(), group.labels);
    out.add(group.name,
            flow.moved(group.rows, Route::to_shared({&m, 1}).of_labels(labels), workers),
            std::vector<double>(group.masses.begin(), group.masses.end()));
  }
  if (!groups.feature_names().empty()) out.set_feature_names(groups.feature_names());
  out.set_covariates(groups.covariates());
  return out;
}

}  // namespace conflux
