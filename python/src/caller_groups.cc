#include "caller_groups.h"

#include <fmt/format.h>

#include "conflux/core/error.h"
#include "samples.h"

namespace conflux::python {

namespace {

template <class Rows>
Rows gather(const Samples& samples, const RowPositions& where, const Workers& workers) {
  Rows rows(where.count(), samples.cols());
  workers.for_each_block(rows.rows(), kRowsPerTask, [&](Index begin, Index end) {
    std::vector<double> row(static_cast<std::size_t>(samples.cols()));
    for (Index i = begin; i < end; ++i) {
      samples.copy_row(where[i], row.data());
      for (Index j = 0; j < rows.cols(); ++j) {
        rows(i, j) = static_cast<typename Rows::Scalar>(row[j]);
      }
    }
  });
  return rows;
}

}  // namespace

std::span<const double> masses_of(const OptionalNumbers& masses, Index rows) {
  if (!masses) return {};
  if (masses->size() != rows) {
    throw InvalidData(fmt::format("there are {} rows but {} sample weights; give one per row.",
                                  rows, masses->size()));
  }
  return span_of(*masses);
}

std::span<const std::int64_t> span_of(const GroupNumbers& groups, Index rows) {
  if (groups.size() != rows) {
    throw InvalidData(fmt::format("there are {} rows but {} group labels; give one per row.", rows,
                                  groups.size()));
  }
  return {groups.data(), static_cast<std::size_t>(groups.size())};
}

CallerGroups::CallerGroups(const pybind11::array& x, RowFacts facts)
    : facts_(std::move(facts)), samples_(x) {
  const Index rows = samples_.rows();
  if (!facts_.groups) one_group_.assign(static_cast<std::size_t>(rows), 0);
  group_of_ = facts_.groups ? span_of(*facts_.groups, rows) : one_group_;
  mass_of_ = masses_of(facts_.masses, rows);
}

GroupSet CallerGroups::group_set(const Workers& workers) {
  samples_.check_finite(facts_.feature_names, workers);
  GroupSet set;
  const auto where = positions_of(group_of_, static_cast<Index>(facts_.group_names.size()));
  kept_masses_.assign(where.size(), {});
  for (std::size_t m = 0; m < where.size(); ++m) {
    if (!mass_of_.empty()) {
      for (Index i = 0; i < where[m].count(); ++i) {
        kept_masses_[m].push_back(mass_of_[where[m][i]]);
      }
    }
    add(set, facts_.group_names[m], where[m], kept_masses_[m], workers);
  }
  if (!facts_.feature_names.empty()) set.set_feature_names(facts_.feature_names);
  return set;
}

void CallerGroups::add(GroupSet& set, const std::string& name, const RowPositions& where,
                       const std::vector<double>& masses, const Workers& workers) const {
  if (samples_.in_place() && where.regular()) {
    set.add(name, samples_.view(where.first(), where.step(), where.count()), masses);
  } else if (samples_.single()) {
    set.add(name, gather<SingleMatrix>(samples_, where, workers), std::vector<double>(masses));
  } else {
    set.add(name, gather<Matrix>(samples_, where, workers), std::vector<double>(masses));
  }
}

}  // namespace conflux::python
