#include "slicing/search_sample.h"

#include <cmath>
#include <cstring>

#include "core/disk_scratch.h"

namespace conflux {

namespace {

constexpr Index kRowsPerTask = 256;

template <class Scalar>
MatrixOf<Scalar> normalized_rows(const Group& group, std::span<const Index> chosen,
                                 const CentreAndScale& common, std::span<const Index> features,
                                 const Workers& workers) {
  const Index dim = features.empty() ? group.rows.cols() : static_cast<Index>(features.size());
  MatrixOf<Scalar> out(static_cast<Index>(chosen.size()), dim);
  const double per_unit = 1 / common.scale;
  group.rows.visit([&](const auto& rows) {
    workers.for_each_block(out.rows(), kRowsPerTask, [&](Index begin, Index end) {
      DiskScratch::look();
      for (Index i = begin; i < end; ++i) {
        const auto* row = rows.row(chosen[static_cast<std::size_t>(i)]);
        for (Index j = 0; j < dim; ++j) {
          const Index f = features.empty() ? j : features[static_cast<std::size_t>(j)];
          out(i, j) = static_cast<Scalar>((row[f] - common.centre(f)) * per_unit);
        }
      }
    });
  });
  return out;
}

// A communicator carries doubles; one process needs no transport.
template <class Scalar>
MatrixOf<Scalar> gather_rows(MatrixOf<Scalar>&& mine, Communicator& comm) {
  if (comm.size() == 1) return std::move(mine);
  const std::vector<double> sent(mine.data(), mine.data() + mine.size());
  const std::vector<double> all = comm.gather(sent);
  const Index rows = static_cast<Index>(all.size()) / mine.cols();
  return Eigen::Map<const Matrix>(all.data(), rows, mine.cols()).template cast<Scalar>();
}

}  // namespace

// Means over the chosen rows of all processes; first of each group, then of the groups.
CentreAndScale common_centre_and_scale(const GroupSet& groups,
                                       std::span<const std::vector<Index>> chosen,
                                       std::span<const double> weights, Communicator& comm) {
  const Index dim = groups.dim();
  std::vector<double> buffer;
  Vector centre = Vector::Zero(dim);
  std::vector<double> counts;
  for (const auto& rows : chosen) counts.push_back(static_cast<double>(rows.size()));
  comm.sum(counts);
  for (Index m = 0; m < groups.num_groups(); ++m) {
    if (counts[m] == 0) continue;
    for (const Index i : chosen[m]) {
      if (i % kRowsPerLook == 0) DiskScratch::look();
      centre +=
          (weights[m] / counts[m]) * Eigen::Map<const Vector>(groups[m].rows.row(i, buffer), dim);
    }
  }
  comm.sum(std::span(centre.data(), static_cast<std::size_t>(dim)));
  double variance = 0;
  for (Index m = 0; m < groups.num_groups(); ++m) {
    if (counts[m] == 0) continue;
    for (const Index i : chosen[m]) {
      if (i % kRowsPerLook == 0) DiskScratch::look();
      variance +=
          (weights[m] / counts[m]) *
          (Eigen::Map<const Vector>(groups[m].rows.row(i, buffer), dim) - centre).squaredNorm();
    }
  }
  variance = comm.sum(variance) / static_cast<double>(dim);
  return {std::move(centre), variance > 0 ? std::sqrt(variance) : 1.0};
}

template <class Scalar>
Index SearchSample<Scalar>::num_samples() const {
  Index total = 0;
  for (const auto& group : rows) total += group.rows();
  return total;
}

template <class Scalar>
SearchSample<Scalar> gather_search_sample(const GroupSet& groups,
                                          std::span<const std::vector<Index>> chosen,
                                          std::span<const double> weights, Communicator& comm,
                                          const Workers& workers, const CentreAndScale* common,
                                          std::span<const Index> features) {
  const CentreAndScale used =
      common != nullptr ? *common : common_centre_and_scale(groups, chosen, weights, comm);
  SearchSample<Scalar> sample;
  sample.scale = used.scale;
  for (Index m = 0; m < groups.num_groups(); ++m) {
    sample.rows.push_back(
        gather_rows(normalized_rows<Scalar>(groups[m], chosen[m], used, features, workers), comm));
    std::vector<double> masses;
    if (!groups[m].masses.empty()) {
      for (const Index i : chosen[m]) masses.push_back(groups[m].masses[i]);
    }
    sample.masses.push_back(comm.gather(masses));
  }
  return sample;
}

template struct SearchSample<float>;
template struct SearchSample<double>;
template SearchSample<float> gather_search_sample(const GroupSet&,
                                                  std::span<const std::vector<Index>>,
                                                  std::span<const double>, Communicator&,
                                                  const Workers&, const CentreAndScale*,
                                                  std::span<const Index>);
template SearchSample<double> gather_search_sample(const GroupSet&,
                                                   std::span<const std::vector<Index>>,
                                                   std::span<const double>, Communicator&,
                                                   const Workers&, const CentreAndScale*,
                                                   std::span<const Index>);

}  // namespace conflux
