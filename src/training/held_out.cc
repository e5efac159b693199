#include "training/held_out.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "conflux/core/error.h"
#include "conflux/flow/flow.h"
#include "conflux/training/fit.h"
#include "core/rng.h"
#include "fitting/row_choice.h"
#include "kernels/product.h"
#include "options/held_out_rows.h"
#include "slicing/search_sample.h"

namespace conflux {

namespace {

constexpr double kClearErrors = 2;
// Rows in a prediction of the group: with so many it takes seconds, and the AUC has an error of
// 0.01.
constexpr Index kMostPredictedRows = 10'000;
// Columns of a block of products.
constexpr Index kBlock = 64;

// Rows of all groups below each other.
struct PooledRows {
  explicit PooledRows(const SearchSample<float>& sample)
      : rows(sample.num_samples(), sample.dim()) {
    Index at = 0;
    for (Index m = 0; m < sample.num_groups(); ++m) {
      const Index count = sample.rows[m].rows();
      rows.middleRows(at, count) = sample.rows[m];
      at += count;
      group.insert(group.end(), static_cast<std::size_t>(count), m);
      if (sample.masses[m].empty()) {
        mass.insert(mass.end(), static_cast<std::size_t>(count), 1.0);
      } else {
        mass.insert(mass.end(), sample.masses[m].begin(), sample.masses[m].end());
      }
    }
    norm = rows.rowwise().squaredNorm().cast<double>();
  }

  MatrixOf<float> rows;
  std::vector<Index> group;
  std::vector<double> mass;
  Vector norm;
};

// Entry (i, b): sum over the rows j of group b, other than i, of mass of j times distance to i.
// Pairs of the rows `begin` .. `end` with all rows after them.
Matrix sum_distances(const PooledRows& pool, Index groups, Index begin, Index end) {
  const Index dim = pool.rows.cols();
  const Index below = pool.rows.rows() - begin;
  std::vector<float> columns(static_cast<std::size_t>(dim * kBlock), 0.0F);
  for (Index j = begin; j < end; ++j) {
    for (Index f = 0; f < dim; ++f) columns[f * kBlock + j - begin] = pool.rows(j, f);
  }
  std::vector<float> products(static_cast<std::size_t>(below * kBlock));
  kernels::project(pool.rows.data() + begin * dim, dim, below, dim, columns.data(), kBlock,
                   products.data());
  Matrix sums = Matrix::Zero(pool.rows.rows(), groups);
  for (Index i = begin; i < pool.rows.rows(); ++i) {
    for (Index j = begin; j < std::min(i, end); ++j) {
      const double square =
          pool.norm(i) + pool.norm(j) - 2.0 * products[(i - begin) * kBlock + j - begin];
      const double distance = std::sqrt(std::max(square, 0.0));
      sums(i, pool.group[j]) += pool.mass[j] * distance;
      sums(j, pool.group[i]) += pool.mass[i] * distance;
    }
  }
  return sums;
}

// For every row, the sums of sum_distances() over all pairs.
Matrix sum_all_distances(const PooledRows& pool, Index groups, const Workers& workers) {
  const Index rows = pool.rows.rows();
  std::vector<Matrix> parts(static_cast<std::size_t>((rows + kBlock - 1) / kBlock));
  workers.for_each(static_cast<Index>(parts.size()), [&](Index b) {
    parts[b] = sum_distances(pool, groups, b * kBlock, std::min(rows, (b + 1) * kBlock));
  });
  Matrix total = Matrix::Zero(rows, groups);
  for (const Matrix& part : parts) total += part;
  return total;
}

HeldOutJudgement mean_energy_distance(const SearchSample<float>& sample, const Workers& workers) {
  const PooledRows pool(sample);
  const Index groups = sample.num_groups();
  const Index rows = pool.rows.rows();
  Vector group_mass = Vector::Zero(groups);
  for (Index i = 0; i < rows; ++i) group_mass(pool.group[i]) += pool.mass[i];
  Matrix to_rows = sum_all_distances(pool, groups, workers);
  Matrix mean = Matrix::Zero(groups, groups);
  Matrix mass = group_mass * group_mass.transpose();
  for (Index i = 0; i < rows; ++i) {
    const Index a = pool.group[i];
    mean.row(a) += pool.mass[i] * to_rows.row(i);
    mass(a, a) -= pool.mass[i] * pool.mass[i];
    to_rows.row(i).array() /= group_mass.transpose().array();
    to_rows(i, a) *= group_mass(a) / (group_mass(a) - pool.mass[i]);
  }
  mean.array() /= mass.array();
  const double unit = sample.scale / (0.5 * static_cast<double>(groups * (groups - 1)));
  HeldOutJudgement out;
  for (Index a = 0; a < groups; ++a) {
    for (Index b = a + 1; b < groups; ++b) {
      out.divergence += unit * (mean(a, b) + mean(b, a) - mean(a, a) - mean(b, b));
    }
  }
  for (Index i = 0; i < rows; ++i) {
    const Index a = pool.group[i];
    double sum = 0;
    for (Index b = 0; b < groups; ++b) {
      if (b != a) sum += (to_rows(i, b) - mean(a, b)) - (to_rows(i, a) - mean(a, a));
    }
    out.influences.push_back(2 * unit * pool.mass[i] / group_mass(a) * sum);
  }
  return out;
}

HeldOutJudgement share(HeldOutJudgement mine, Communicator& comm) {
  mine.influences.push_back(mine.divergence);
  comm.broadcast(mine.influences, 0);
  mine.divergence = mine.influences.back();
  mine.influences.pop_back();
  return mine;
}

HeldOutJudgement judge_chosen(const GroupSet& groups, const RowChoice& rows, Communicator& comm,
                              const Workers& workers) {
  const std::vector<double> even(static_cast<std::size_t>(groups.num_groups()),
                                 1 / static_cast<double>(groups.num_groups()));
  return mean_energy_distance(gather_search_sample<float>(groups, rows, even, comm, workers),
                              workers);
}

// By the chosen rows, each group's as `move`(group, rows) leaves them.
template <class Move>
HeldOutJudgement judge_moved(const GroupSet& groups, const RowChoice& chosen, Move move,
                             Communicator& comm, const Workers& workers) {
  GroupSet moved;
  RowChoice all;
  for (Index m = 0; m < groups.num_groups(); ++m) {
    const Group& group = groups[m];
    Matrix rows(static_cast<Index>(chosen[m].size()), groups.dim());
    Index at = 0;
    for (const Index row : chosen[m]) {
      DiskScratch::look_at(row);
      group.rows.copy_row(row, rows.row(at++).data());
    }
    all.push_back(RowList::all(rows.rows()));
    moved.add(group.name, move(m, std::move(rows)), chosen_masses(group, chosen[m]));
  }
  return judge_chosen(moved, all, comm, workers);
}

}  // namespace

HeldOut::HeldOut(RowChoice& usable, const GroupSet& groups, double fraction, std::uint64_t seed,
                 Communicator& comm) {
  if (fraction == 0) return;
  const RowPlaces places = place_rows(usable, comm);
  const auto limit =
      static_cast<double>(held_out_rows_per_group(groups.dim(), groups.num_groups()));
  for (Index m = 0; m < groups.num_groups(); ++m) {
    const Index size = places.sizes[m];
    const auto count = static_cast<Index>(std::lround(fraction * static_cast<double>(size)));
    if (count < 2 || size - count < 1) {
      throw InvalidOption(fmt::format(
          "validation_fraction is {} but group {} (\"{}\") has {} rows, of which {} would be held "
          "out; choose 0, another fraction, or give it more rows.",
          fraction, m, groups[m].name, size, count));
    }
    std::vector<Index> drawn = Stream(seed, Purpose::kHeldOut).start_of_permutation(size, count);
    all_rows_.push_back(own_rows(drawn, m, usable, places));
    // Those that are looked at after a layer.
    const auto held = static_cast<double>(count);
    drawn.resize(static_cast<std::size_t>(std::ceil(held * std::min(1.0, limit / held))));
    std::sort(drawn.begin(), drawn.end());
    rows_.push_back(own_rows(drawn, m, usable, places));
    std::vector<Index> taken(all_rows_[m].begin(), all_rows_[m].end());
    std::sort(taken.begin(), taken.end());
    usable[m] = usable[m].without(taken);
  }
}

double HeldOutJudgement::error() const {
  double square = 0;
  for (const double influence : influences) square += influence * influence;
  return std::sqrt(square);
}

double error_of_difference(const HeldOutJudgement& a, const HeldOutJudgement& b) {
  double square = 0;
  for (std::size_t i = 0; i < a.influences.size(); ++i) {
    const double difference = a.influences[i] - b.influences[i];
    square += difference * difference;
  }
  return std::sqrt(square);
}

bool clearly_better(const HeldOutJudgement& a, const HeldOutJudgement& b) {
  return b.divergence - a.divergence > kClearErrors * error_of_difference(a, b);
}

Index layers_worth_keeping(const std::vector<HeldOutJudgement>& judgements) {
  const auto lower = [](const HeldOutJudgement& a, const HeldOutJudgement& b) {
    return a.divergence < b.divergence;
  };
  const auto best = std::min_element(judgements.begin(), judgements.end(), lower);
  if (!clearly_better(*best, judgements.front())) return 0;
  auto kept = judgements.end() - 1;
  while (clearly_better(*best, *kept)) --kept;
  return kept - judgements.begin();
}

HeldOutJudgement judge_rows(const GroupSet& groups, const Workers& workers) {
  SelfCommunicator alone;
  return judge_chosen(groups, all_rows(groups), alone, workers);
}

// Different processors may round differently, and all processes must decide in the same way.
HeldOutJudgement HeldOut::judge(const Latent& latent, Communicator& comm,
                                const Workers& workers) const {
  const Latent::Some seen = latent.some(rows_);
  return share(judge_chosen(seen.groups, seen.rows, comm, workers), comm);
}

HeldOutJudgement HeldOut::judge_after(const Layer& layer, const Latent& latent, Communicator& comm,
                                      const Workers& workers) const {
  const Latent::Some seen = latent.some(rows_);
  const auto move = [&](Index m, Matrix rows) {
    forward_in_place(layer, m, Rows(rows), workers);
    return rows;
  };
  return share(judge_moved(seen.groups, seen.rows, move, comm, workers), comm);
}

HeldOutJudgement HeldOut::judge_after(const Flow& flow, const GroupSet& groups, Communicator& comm,
                                      const Workers& workers) const {
  const auto move = [&](Index m, const Matrix& rows) {
    return flow.forward(m, ConstRows(rows), workers);
  };
  return share(judge_moved(groups, rows_, move, comm, workers), comm);
}

GroupPrediction HeldOut::predict(const GroupSet& latent, std::uint64_t seed,
                                 const Workers& workers) const {
  Index total = 0;
  for (const auto& rows : all_rows_) total += static_cast<Index>(rows.size());
  Matrix rows(total, latent.dim());
  std::vector<Index> group;
  for (Index m = 0; m < latent.num_groups(); ++m) {
    for (const Index row : all_rows_[static_cast<std::size_t>(m)]) {
      DiskScratch::look_at(row);
      latent[m].rows.copy_row(row, rows.row(static_cast<Index>(group.size())).data());
      group.push_back(m);
    }
  }
  return predict_groups(ConstRows(rows), group, {.max_rows = kMostPredictedRows, .seed = seed},
                        workers);
}

std::vector<std::vector<Index>> rows_held_out(const GroupSet& groups, const FitOptions& used) {
  RowChoice usable = all_rows(groups);
  SelfCommunicator alone;
  const HeldOut held(usable, groups, used.validation_fraction.value_or(0), used.seed, alone);
  std::vector<std::vector<Index>> out;
  for (const RowList& rows : held.rows()) {
    std::vector<Index>& sorted = out.emplace_back(rows.begin(), rows.end());
    std::sort(sorted.begin(), sorted.end());
  }
  return out;
}

}  // namespace conflux
