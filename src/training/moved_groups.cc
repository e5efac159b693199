#include "training/moved_groups.h"

#include <vector>

namespace conflux {

GroupSet moved_by(const Flow& flow, const GroupSet& groups, const Workers& workers) {
  GroupSet out;
  for (Index m = 0; m < groups.num_groups(); ++m) {
    const Group& group = groups[m];
    out.add(group.name, flow.forward(m, group.rows, workers),
            std::vector<double>(group.masses.begin(), group.masses.end()));
  }
  if (!groups.feature_names().empty()) out.set_feature_names(groups.feature_names());
  out.set_covariates(groups.covariates());
  return out;
}

}  // namespace conflux
