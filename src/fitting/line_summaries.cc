#include "fitting/line_summaries.h"

#include <algorithm>
#include <cstdint>

#include "fitting/line_values.h"
#include "kernels/sort.h"

namespace conflux {

namespace {

void pack(const QuantileSummary& summary, std::vector<double>& out) {
  out.insert(out.end(), {summary.min, summary.max, static_cast<double>(summary.values.size())});
  out.insert(out.end(), summary.values.begin(), summary.values.end());
  out.insert(out.end(), summary.masses.begin(), summary.masses.end());
}

QuantileSummary unpack(const double*& at) {
  QuantileSummary summary;
  summary.min = at[0];
  summary.max = at[1];
  const auto count = static_cast<std::ptrdiff_t>(at[2]);
  at += 3;
  summary.values.assign(at, at + count);
  summary.masses.assign(at + count, at + 2 * count);
  at += 2 * count;
  return summary;
}

// Features of a group, a few at a time. Small groups are read by one thread each.
template <class Scalar>
void summarize_group(const Group& group, const RowList& chosen, Index first, Index count,
                     Index capacity, const Workers& workers,
                     const std::function<QuantileSummary&(Index k)>& out) {
  const std::vector<double> masses = chosen_masses(group, chosen);
  const Index at_a_time = lines_of_group(static_cast<Index>(chosen.size()), workers);
  for (Index begin = 0; begin < count; begin += at_a_time) {
    const Index some = std::min(at_a_time, count - begin);
    MatrixOf<Scalar> lines = read_features<Scalar>(group, chosen, first + begin, some, workers);
    workers.for_each(some, [&](Index k) {
      const std::span<Scalar> line(lines.row(k).data(), static_cast<std::size_t>(lines.cols()));
      out(begin + k) = summarize_line(line, masses, capacity);
    });
  }
}

// Rows of a group that are one task.
constexpr Index kSmallGroup = 4096;

}  // namespace

QuantileSummary summarize_line(std::span<double> values, const std::vector<double>& masses,
                               Index capacity) {
  const auto count = static_cast<Index>(values.size());
  if (masses.empty()) {
    kernels::sort_values(values.data(), count);
    return summarize(values, {}, capacity);
  }
  thread_local kernels::SortBuffer buffer;
  thread_local std::vector<std::uint32_t> rows;
  thread_local std::vector<double> sorted_masses;
  rows.resize(values.size());
  sorted_masses.resize(values.size());
  kernels::sort_rows(values.data(), count, rows.data(), buffer);
  for (std::size_t i = 0; i < values.size(); ++i) sorted_masses[i] = masses[rows[i]];
  return summarize(values, sorted_masses, capacity);
}

QuantileSummary summarize_line(std::span<float> values, const std::vector<double>& masses,
                               Index capacity) {
  if (!masses.empty()) {
    std::vector<double> doubles(values.begin(), values.end());
    return summarize_line(std::span(doubles), masses, capacity);
  }
  kernels::sort_values(values.data(), static_cast<Index>(values.size()));
  return summarize(std::span<const float>(values), capacity);
}

std::vector<QuantileSummary> summarize_together(LineValues& lines, Index capacity,
                                                Communicator& comm, const Workers& workers) {
  const Index groups = lines.num_groups(), pairs = lines.num_lines() * groups;
  std::vector<std::vector<double>> sent(static_cast<std::size_t>(comm.size()));
  for (Index s = 0; s < pairs; ++s) {
    std::vector<double>& to = sent[s % comm.size()];
    const std::span<const double> values = lines.line(s % groups, s / groups);
    const std::vector<double>& masses = lines.masses[s % groups];
    to.push_back(static_cast<double>(values.size()));
    to.push_back(static_cast<double>(masses.size()));
    to.insert(to.end(), values.begin(), values.end());
    to.insert(to.end(), masses.begin(), masses.end());
  }
  const std::vector<std::vector<double>> got = comm.exchange(sent);
  const Index own = (pairs - comm.rank() + comm.size() - 1) / comm.size();
  std::vector<std::vector<double>> values(static_cast<std::size_t>(own)), masses(values.size());
  for (const std::vector<double>& from : got) {
    const double* at = from.data();
    for (Index p = 0; p < own; ++p) {
      const auto count = static_cast<std::ptrdiff_t>(*at++);
      const auto with_mass = static_cast<std::ptrdiff_t>(*at++);
      values[p].insert(values[p].end(), at, at + count);
      at += count;
      masses[p].insert(masses[p].end(), at, at + with_mass);
      at += with_mass;
    }
  }
  std::vector<QuantileSummary> mine(values.size());
  workers.for_each(
      own, [&](Index p) { mine[p] = summarize_line(std::span(values[p]), masses[p], capacity); });
  std::vector<double> packed;
  for (const QuantileSummary& summary : mine) pack(summary, packed);
  const std::vector<double> all = comm.gather(packed);
  const double* at = all.data();
  std::vector<QuantileSummary> out(static_cast<std::size_t>(pairs));
  for (Index rank = 0; rank < comm.size(); ++rank) {
    for (Index s = rank; s < pairs; s += comm.size()) out[s] = unpack(at);
  }
  return out;
}

std::vector<QuantileSummary> summarize_features(const GroupSet& groups, const RowChoice& chosen,
                                                Index first, Index count, Index capacity,
                                                const Workers& workers) {
  const Index num_groups = groups.num_groups();
  std::vector<QuantileSummary> out(static_cast<std::size_t>(count * num_groups));
  const auto summarize_one = [&](Index m, const Workers& used) {
    const auto place = [&](Index k) -> QuantileSummary& { return out[k * num_groups + m]; };
    const auto& summarize_some =
        groups[m].rows.single() ? summarize_group<float> : summarize_group<double>;
    summarize_some(groups[m], chosen[m], first, count, capacity, used, place);
  };
  const auto small = [&](Index m) { return chosen[m].size() <= kSmallGroup; };
  workers.for_each(num_groups, [&](Index m) {
    static const Workers alone(1);
    if (small(m)) summarize_one(m, alone);
  });
  for (Index m = 0; m < num_groups; ++m) {
    if (!small(m)) summarize_one(m, workers);
  }
  return out;
}

template <class Scalar>
std::vector<QuantileSummary> summarize_read(const ReadLine<Scalar>& read_line,
                                            const GroupSet& groups, const RowChoice& chosen,
                                            Index first, Index count, Index capacity,
                                            const Workers& workers) {
  const Index num_groups = groups.num_groups();
  std::vector<std::vector<double>> masses;
  for (Index m = 0; m < num_groups; ++m) masses.push_back(chosen_masses(groups[m], chosen[m]));
  std::vector<QuantileSummary> out(static_cast<std::size_t>(count * num_groups));
  workers.for_each(static_cast<Index>(out.size()), [&](Index s) {
    const Index m = s % num_groups;
    // A thread that kept it would hold a line of the largest group while others work.
    std::vector<Scalar> line(chosen[m].size());
    read_line(m, first + s / num_groups, line);
    out[s] = summarize_line(std::span<Scalar>(line), masses[m], capacity);
  });
  return out;
}

template std::vector<QuantileSummary> summarize_read(const ReadLine<float>&, const GroupSet&,
                                                     const RowChoice&, Index, Index, Index,
                                                     const Workers&);
template std::vector<QuantileSummary> summarize_read(const ReadLine<double>&, const GroupSet&,
                                                     const RowChoice&, Index, Index, Index,
                                                     const Workers&);

}  // namespace conflux
