#include "dataset/row_pieces.h"

namespace conflux {

GroupSet share_of(const GroupSet& all, const Communicator& comm) {
  GroupSet out;
  for (Index m = 0; m < all.num_groups(); ++m) {
    const Piece own(all[m].rows.rows(), comm);
    out.add(all[m].name, all[m].rows.middle_rows(own.begin, own.end - own.begin));
  }
  out.set_feature_names(all.feature_names());
  out.set_covariates(all.covariates());
  return out;
}

DataShape largest_share(DataShape all, const Communicator& comm) {
  for (Index& rows : all.group_sizes) rows = (rows + comm.size() - 1) / comm.size();
  return all;
}

}  // namespace conflux
