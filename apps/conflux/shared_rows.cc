#include "shared_rows.h"

#include <fmt/format.h>

#include <cmath>

#include "comm/agreement.h"
#include "conflux/core/error.h"

namespace conflux::app {

namespace {

// As GroupSet::validate() does, which would number the rows of the share.
void check_numbers(const GroupSet& share, Index m, Index first_row) {
  std::vector<double> buffer;
  for (Index i = 0; i < share[m].rows.rows(); ++i) {
    const double* row = share[m].rows.row(i, buffer);
    for (Index j = 0; j < share.dim(); ++j) {
      if (std::isfinite(row[j])) continue;
      throw InvalidData(
          fmt::format("group {} (\"{}\"): row {}, column {} is {}; drop the row or impute before "
                      "fitting.",
                      m, share[m].name, first_row + i, j, row[j]));
    }
  }
}

}  // namespace

GroupSet share_of(const GroupSet& all, Communicator& comm) {
  GroupSet out;
  std::vector<Index> first;
  for (Index m = 0; m < all.num_groups(); ++m) {
    const Index rows = all[m].rows.rows();
    first.push_back(rows * comm.rank() / comm.size());
    const Index end = rows * (comm.rank() + 1) / comm.size();
    out.add(all[m].name, all[m].rows.middle_rows(first[m], end - first[m]));
  }
  out.set_feature_names(all.feature_names());
  do_together(comm, [&] {
    for (Index m = 0; m < all.num_groups(); ++m) check_numbers(out, m, first[m]);
  });
  return out;
}

DataShape largest_share(DataShape all, const Communicator& comm) {
  for (Index& rows : all.group_sizes) rows = (rows + comm.size() - 1) / comm.size();
  return all;
}

}  // namespace conflux::app
