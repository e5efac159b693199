#include "matching/known_labels.h"

#include <algorithm>
#include <numeric>

namespace conflux {

namespace {

// One row or two of a label may be mistakes.
constexpr double kFewestRows = 3;
// Work and memory grow with their number, and labels by the thousand are names of rows.
constexpr std::size_t kMostLabels = 500;

}  // namespace

KnownLabels known_labels(const GroupSet& groups, Communicator& comm) {
  Matrix rows = Matrix::Zero(groups.num_groups(), 2);
  for (Index m = 0; m < groups.num_groups(); ++m) {
    for (Index i = 0; i < groups[m].rows.rows(); ++i) rows(m, groups[m].label(i) >= 0 ? 1 : 0) += 1;
  }
  comm.sum(std::span(rows.data(), static_cast<std::size_t>(rows.size())));
  const double known = rows.col(1).sum();
  return {.part = known / std::max(1.0, rows.sum()),
          .in_part = known > 0 && (rows.col(1).array() < rows.col(0).array()).any()};
}

KnownLabels known_labels(const GroupSet& groups) {
  SelfCommunicator comm;
  return known_labels(groups, comm);
}

bool no_label_is_shared(const GroupSet& groups) {
  std::vector<Index> holder(groups.label_names().size(), -1);
  bool known = false;
  for (Index m = 0; m < groups.num_groups(); ++m) {
    for (const Index label : groups[m].labels) {
      if (label < 0) continue;
      known = true;
      if (holder[label] >= 0 && holder[label] != m) return false;
      holder[label] = m;
    }
  }
  return known;
}

SteeringLabels steering_labels(const GroupSet& groups, Communicator& comm) {
  std::vector<double> rows(groups.label_names().size(), 0.0);
  for (Index m = 0; m < groups.num_groups(); ++m) {
    for (const Index label : groups[m].labels) {
      if (label >= 0) rows[label] += 1;
    }
  }
  comm.sum(rows);
  std::vector<std::size_t> order(rows.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return rows[a] > rows[b]; });
  order.resize(std::min(order.size(), kMostLabels));
  std::erase_if(order, [&](std::size_t label) { return rows[label] < kFewestRows; });
  std::sort(order.begin(), order.end());
  SteeringLabels out{.places = std::vector<Index>(rows.size(), -1)};
  for (const std::size_t label : order) {
    out.places[label] = out.count();
    out.names.push_back(groups.label_names()[label]);
  }
  return out;
}

}  // namespace conflux
