#include "training/gathered_pool.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "comm/agreement.h"
#include "conflux/core/error.h"
#include "fitting/line_maps.h"
#include "training/pool_draw.h"

namespace conflux {

namespace {

// The names of all processes, in the order of the first that has them.
std::vector<std::string> joined_names(const std::vector<std::vector<std::string>>& names) {
  std::vector<std::string> out;
  for (const auto& of_process : names) {
    for (const std::string& name : of_process) {
      if (std::find(out.begin(), out.end(), name) == out.end()) out.push_back(name);
    }
  }
  return out;
}

// The place of each name in a list that has it.
std::vector<Index> places_in(const std::vector<std::string>& names,
                             const std::vector<std::string>& list) {
  std::vector<Index> out;
  out.reserve(names.size());
  for (const std::string& name : names) {
    out.push_back(std::find(list.begin(), list.end(), name) - list.begin());
  }
  return out;
}

// Processes without groups have no features to compare.
std::vector<std::string> features_of_all(const GroupSet& mine, Communicator& comm) {
  std::vector<std::string> own = mine.feature_names();
  if (mine.num_groups() > 0) own.insert(own.begin(), fmt::format("{}", mine.dim()));
  const auto all = gather_texts(own, comm);
  const std::vector<std::string>* first = nullptr;
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    if (all[rank].empty()) continue;
    if (first == nullptr) first = &all[rank];
    if (all[rank] == *first) continue;
    throw InvalidData(fmt::format(
        "process {} has other features than the processes before it ({} columns, they have {}); "
        "give all of them the same columns in the same order.",
        rank, all[rank].front(), first->front()));
  }
  return first == nullptr ? std::vector<std::string>{"0"} : *first;
}

// Names that the processes agree on before anything is drawn.
struct Names {
  Index dim = 0;
  std::vector<std::string> features = {};
  std::vector<std::string> groups = {};
  std::vector<std::string> labels = {};
  /// Positions of this process's groups and labels among those of all.
  std::vector<Index> group_places = {};
  std::vector<Index> label_places = {};
};

Names agree_on_names(const GroupSet& mine, Communicator& comm) {
  Names out;
  out.features = features_of_all(mine, comm);
  out.dim = std::stol(out.features.front());
  out.features.erase(out.features.begin());
  out.groups = joined_names(gather_texts(mine.names(), comm));
  out.labels = joined_names(gather_texts(mine.label_names(), comm));
  // As tables number them.
  std::sort(out.labels.begin(), out.labels.end());
  out.group_places = places_in(mine.names(), out.groups);
  out.label_places = places_in(mine.label_names(), out.labels);
  return out;
}

// A row of this process, by its group there.
struct OwnRow {
  Index group;
  Index row;
};

// Rows of the groups on the processes before this one.
std::vector<Index> rows_before(const std::vector<Index>& sizes, Communicator& comm) {
  const std::vector<double> all = comm.gather(std::vector<double>(sizes.begin(), sizes.end()));
  std::vector<Index> out(sizes.size(), 0);
  for (Index rank = 0; rank < comm.rank(); ++rank) {
    for (std::size_t m = 0; m < sizes.size(); ++m) {
      out[m] += static_cast<Index>(all[static_cast<std::size_t>(rank) * sizes.size() + m]);
    }
  }
  return out;
}

// Offers the rows of this process; returns those that may be drawn.
std::vector<OwnRow> offer_own(PoolDraw& draw, const GroupSet& mine, const Names& names,
                              Communicator& comm) {
  const RowChoice usable = all_rows(mine);
  std::vector<Index> sizes(names.groups.size(), 0);
  for (std::size_t m = 0; m < usable.size(); ++m) {
    sizes[names.group_places[m]] = static_cast<Index>(usable[m].size());
  }
  draw.begin_at(rows_before(sizes, comm));
  std::vector<OwnRow> out;
  for (Index m = 0; m < mine.num_groups(); ++m) {
    const RowList& rows = usable[static_cast<std::size_t>(m)];
    std::vector<Index> labels;
    for (const Index i : rows) {
      const Index label = mine[m].label(i);
      labels.push_back(label < 0 ? -1 : names.label_places[label]);
    }
    const std::vector<Index> group(rows.size(), names.group_places[m]);
    for (const Index i : draw.offer(group, labels)) out.push_back({m, rows[i]});
  }
  std::vector<OwnRow> left;
  for (const Index i : draw.thin()) left.push_back(out[static_cast<std::size_t>(i)]);
  return left;
}

// Rows of all processes, one after the other: features, mass, label.
Matrix gather_rows_of(const GroupSet& mine, const std::vector<OwnRow>& rows, const Names& names,
                      Communicator& comm) {
  const Index width = names.dim + 2;
  std::vector<double> packed(rows.size() * static_cast<std::size_t>(width));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Group& group = mine[rows[i].group];
    double* to = packed.data() + static_cast<Index>(i) * width;
    group.rows.copy_row(rows[i].row, to);
    to[names.dim] = mass_of(group, rows[i].row);
    const Index label = group.label(rows[i].row);
    to[names.dim + 1] = label < 0 ? -1.0 : static_cast<double>(names.label_places[label]);
  }
  const std::vector<double> all = comm.gather(packed);
  return Eigen::Map<const Matrix>(all.data(), static_cast<Index>(all.size()) / width, width);
}

bool any_process(bool here, Communicator& comm) {
  double value = here ? 1 : 0;
  comm.max(std::span(&value, 1));
  return value > 0;
}

// The drawn rows as groups; positions in the pool become positions in its groups.
GroupSet groups_of_rows(const Matrix& rows, const Names& names, bool weighted, bool single,
                        Pool& pool) {
  GroupSet out;
  std::vector<std::vector<Index>> labels;
  for (std::size_t m = 0; m < names.groups.size(); ++m) {
    std::vector<Index> own;
    std::merge(pool.fitted[m].begin(), pool.fitted[m].end(), pool.next[m].begin(),
               pool.next[m].end(), std::back_inserter(own));
    for (auto* part : {&pool.fitted[m], &pool.next[m]}) {
      for (Index& i : *part) i = std::lower_bound(own.begin(), own.end(), i) - own.begin();
    }
    Matrix of_group = rows(own, Eigen::seqN(0, names.dim));
    std::vector<double> masses;
    auto& of_rows = labels.emplace_back();
    for (const Index i : own) {
      if (weighted) masses.push_back(rows(i, names.dim));
      of_rows.push_back(static_cast<Index>(rows(i, names.dim + 1)));
    }
    if (single) {
      out.add(names.groups[m], SingleMatrix(of_group.cast<float>()), std::move(masses));
    } else {
      out.add(names.groups[m], std::move(of_group), std::move(masses));
    }
  }
  if (!names.features.empty()) out.set_feature_names(names.features);
  if (!names.labels.empty()) out.set_labels(names.labels, std::move(labels));
  return out;
}

/// Properties that the rows of all processes have if those of one have them.
struct Numbers {
  bool weighted = false;
  bool doubles = false;
};

Numbers agree_on_numbers(const GroupSet& mine, Communicator& comm) {
  Numbers out;
  for (Index m = 0; m < mine.num_groups(); ++m) {
    out.weighted = out.weighted || !mine[m].masses.empty();
    out.doubles = out.doubles || !mine[m].rows.single();
  }
  return {.weighted = any_process(out.weighted, comm), .doubles = any_process(out.doubles, comm)};
}

}  // namespace

GroupSet arrange_groups(const GroupSet& mine, Communicator& comm) {
  const Names names = agree_on_names(mine, comm);
  const auto [weighted, doubles] = agree_on_numbers(mine, comm);
  bool as_they_are = mine.names() == names.groups;
  for (Index m = 0; m < mine.num_groups(); ++m) {
    as_they_are = as_they_are && mine[m].rows.single() != doubles &&
                  (!weighted || static_cast<Index>(mine[m].masses.size()) == mine[m].rows.rows());
  }
  if (as_they_are) return mine;
  GroupSet out;
  for (Index g = 0; g < static_cast<Index>(names.groups.size()); ++g) {
    const auto own = std::find(names.group_places.begin(), names.group_places.end(), g);
    Group group{names.groups[g], SampleRows(ConstRows(nullptr, 0, names.dim)), {}};
    if (own != names.group_places.end()) group = mine[own - names.group_places.begin()];
    std::vector<double> masses(group.masses.begin(), group.masses.end());
    if (weighted) masses.resize(static_cast<std::size_t>(group.rows.rows()), 1.0);
    if (doubles) {
      out.add(group.name, group.rows.to_matrix(), std::move(masses));
    } else {
      SingleMatrix rows(group.rows.rows(), names.dim);
      if (rows.rows() > 0) rows = group.rows.singles().eigen();
      out.add(group.name, std::move(rows), std::move(masses));
    }
  }
  if (!names.features.empty()) out.set_feature_names(names.features);
  return out;
}

GatheredPool gather_pool(const GroupSet& mine, RowLimit rows_per_group, std::uint64_t seed,
                         Communicator& comm) {
  do_together(comm, [&] { mine.validate(); });
  const Names names = agree_on_names(mine, comm);
  const auto [weighted, doubles] = agree_on_numbers(mine, comm);
  PoolDraw draw(rows_per_group, seed);
  std::vector<OwnRow> own = offer_own(draw, mine, names, comm);
  const std::vector<Index> left = draw.merge(static_cast<Index>(names.labels.size()), comm);
  std::vector<OwnRow> sent;
  sent.reserve(left.size());
  for (const Index i : left) sent.push_back(own[static_cast<std::size_t>(i)]);
  const Matrix rows = gather_rows_of(mine, sent, names, comm);
  GatheredPool out;
  out.pool = draw.finish();
  out.groups = groups_of_rows(rows, names, weighted, !doubles, out.pool);
  return out;
}

}  // namespace conflux
