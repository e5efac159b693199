#include "mapped_groups.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <numeric>
#include <set>
#include <span>

#include "array_groups.h"
#include "comm/agreement.h"
#include "conflux/core/error.h"
#include "core/disk_scratch.h"
#include "label_column.h"
#include "listed_groups.h"
#include "memory_limit.h"
#include "processes.h"
#include "shared_rows.h"
#include "training/memory.h"
#include "training/pool_draw.h"

namespace conflux::app {

namespace {

// Every process reads a share of the rows and gets those of all.
template <class T>
MatrixOf<T> read_together(const ArrayGroup& group, Index m, const std::vector<Index>& drawn,
                          Communicator& comm) {
  const auto count = static_cast<Index>(drawn.size());
  const Piece piece(count, comm);
  MatrixOf<T> own;
  do_together(comm, [&] {
    own = group.read<T>(std::vector<Index>(drawn.begin() + piece.begin, drawn.begin() + piece.end),
                        m);
  });
  if (comm.size() == 1) return own;
  const std::vector<double> all =
      comm.gather(std::vector<double>(own.data(), own.data() + own.size()));
  return Eigen::Map<const Matrix>(all.data(), count, group.cols()).template cast<T>();
}

// Files that are all arrays of one precision; none if one of them is something else.
std::vector<MappedNpy> map_all(const std::vector<std::string>& paths) {
  std::vector<MappedNpy> out;
  for (const std::string& path : paths) {
    if (std::filesystem::path(path).extension() != ".npy") return {};
    try {
      out.push_back(map_npy(path));
    } catch (const InvalidData&) {
      return {};
    }
    const MappedNpy& rows = out.back();
    const bool numbers = rows.holds<float>() || rows.holds<double>();
    if (!numbers || rows.cols() != out.front().cols()) return {};
  }
  return out;
}

// Files that are called alike, or renamed so, are one group.
ListedGroups groups_of_files(const GroupedInputFlags& flags,
                             const std::shared_ptr<const ArrayFiles>& files) {
  ListedGroups out;
  for (std::size_t i = 0; i < files->count(); ++i) {
    const std::string name = renamed(stem_of(flags.paths[i]), flags.rename);
    auto found = std::find_if(out.groups.begin(), out.groups.end(),
                              [&](const ArrayGroup& group) { return group.name() == name; });
    if (found == out.groups.end()) found = out.groups.emplace(found, name, files);
    found->add(files->begin(i), files->begin(i + 1));
  }
  return out;
}

// Processes on other machines may see other files.
void check_same_shapes(const std::vector<MappedNpy>& files, const ListedGroups& input,
                       Communicator& comm) {
  std::vector<std::string> shapes;
  shapes.reserve(files.size() + input.groups.size());
  for (const MappedNpy& file : files) {
    shapes.push_back(fmt::format("{} rows of {} {}", file.rows(), file.cols(), file.type()));
  }
  for (const ArrayGroup& group : input.groups) {
    shapes.push_back(fmt::format("{} in \"{}\"", group.rows(), group.name()));
  }
  const auto all = gather_texts(shapes, comm);
  for (std::size_t rank = 1; rank < all.size(); ++rank) {
    if (all[rank] == all[0]) continue;
    throw InvalidData(
        fmt::format("process {} sees other arrays than process 0 ({}; {}); let all see the same "
                    "files.",
                    rank, fmt::join(all[rank], ", "), fmt::join(all[0], ", ")));
  }
}

// A piece of a group that does not lie together, on disk where it does; there is no room for other
// rows, though they are counted.
template <class T>
SampleRows put_together(const ArrayGroup& group, Index m, Piece piece, GroupedInput& out) {
  const auto row = static_cast<std::size_t>(group.cols()) * sizeof(T);
  out.spooled.push_back(out.scratch->allocate(static_cast<std::size_t>(group.rows()) * row,
                                              static_cast<std::size_t>(piece.begin) * row,
                                              static_cast<std::size_t>(piece.end) * row));
  auto* to = static_cast<T*>(out.spooled.back().get());
  group.read<T>(piece.begin, piece.end, m, [&](Index at, const MatrixOf<T>& part) {
    std::copy_n(part.data(), part.size(), to + at * group.cols());
  });
  return MatrixView<const T>(to, group.rows(), group.cols());
}

// The rows that this process looks at: the first one, which judges, at all of them.
void add_left(const ArrayGroup& group, Index m, GroupedInput& out) {
  const Communicator& comm = processes();
  Piece piece(group.rows(), comm);
  if (!out.in_place || comm.rank() == 0) piece = Piece(group.rows(), SelfCommunicator());
  if (const auto view = group.view()) {
    out.groups.add(group.name(), *view);
    for (const MappedNpy& file : group.files()) out.mapped.push_back(file);
    return;
  }
  if (!out.scratch) out.scratch = std::make_shared<DiskScratch>(scratch_folder(), kResidentRows);
  out.groups.add(group.name(), group.single() ? put_together<float>(group, m, piece, out)
                                              : put_together<double>(group, m, piece, out));
}

// Throws unless the rows that this process fits are numbers.
void check_share(const ArrayGroup& group, Index m, const Communicator& comm) {
  const Piece piece(group.rows(), comm);
  group.read<double>(piece.begin, piece.end, m, [](Index, const Matrix&) {});
}

// Groups of which all rows are fitted, and stay where they are.
bool leave_on_disk(const ListedGroups& input, const GroupedInputFlags& flags, GroupedInput& out) {
  DataShape shape{.dim = input.groups.front().cols()};
  bool single = true, together = true;
  for (const ArrayGroup& group : input.groups) {
    if (group.rows() > flags.fit_rows.rows) return false;
    shape.group_names.push_back(group.name());
    shape.group_sizes.push_back(group.rows());
    single = single && group.single();
    together = together && group.view().has_value();
  }
  const bool several = processes().size() > 1;
  const bool may_stay = flags.label.empty();
  out.in_place = several && may_stay && flags.stay_in_place && !flags.only_looks;
  const bool asks = flags.stay_on_disk && may_stay && !several;
  const RowSource source = single ? (together ? RowSource::kSingles : RowSource::kMixedSingles)
                                  : (together ? RowSource::kDoubles : RowSource::kMixedDoubles);
  const bool leave = (flags.only_looks && together && may_stay) || out.in_place ||
                     (asks && flags.stay_on_disk(shape, source));
  if (!leave) return false;
  Communicator& comm = readers(flags);
  do_together(comm, [&] {
    for (std::size_t m = 0; m < input.groups.size(); ++m) {
      if (out.in_place) check_share(input.groups[m], static_cast<Index>(m), comm);
    }
  });
  do_together(comm, [&] {
    for (std::size_t m = 0; m < input.groups.size(); ++m) {
      add_left(input.groups[m], static_cast<Index>(m), out);
    }
  });
  out.on_disk = !out.in_place;
  return true;
}

// Rows of doubles are used where they are, those of floats are read as they are; of a large group
// only those that are drawn. Returns the rows.
RowList add_mapped(const ArrayGroup& group, std::span<const Index> labels,
                   const GroupedInputFlags& flags, GroupedInput& out) {
  Communicator& comm = readers(flags);
  const Index m = out.groups.num_groups();
  const MappedNpy* own_file = group.own_file();
  const auto use_file = [&] {
    out.groups.add(group.name(), own_file->view<double>());
    out.mapped.push_back(*own_file);
  };
  // Lists of all rows would only take memory.
  if (!out.pool && comm.size() == 1) {
    RowList all = RowList::all(group.rows());
    if (group.single()) {
      out.groups.add(group.name(), group.read<float>(all, m));
    } else if (own_file != nullptr) {
      use_file();
    } else {
      out.groups.add(group.name(), group.read<double>(all, m));
    }
    return all;
  }
  if (!out.pool) out.pool.emplace();
  Pool& pool = *out.pool;
  pool.sizes.push_back(group.rows());
  std::vector<Index> drawn(static_cast<std::size_t>(group.rows()));
  std::iota(drawn.begin(), drawn.end(), Index{0});
  if (group.rows() > flags.fit_rows.rows) {
    PoolDraw draw(flags.fit_rows, flags.seed);
    drawn = offer_all(draw, group.rows(), labels);
    const Pool own = draw.finish();
    pool.fitted.push_back(own.fitted.front());
    pool.next.push_back(own.next.front());
  } else {
    pool.fitted.push_back(drawn);
    pool.next.emplace_back();
  }
  const bool whole = static_cast<Index>(drawn.size()) == group.rows();
  if (group.single()) {
    out.groups.add(group.name(), read_together<float>(group, m, drawn, comm));
  } else if (!whole || comm.size() > 1 || own_file == nullptr) {
    out.groups.add(group.name(), read_together<double>(group, m, drawn, comm));
  } else {
    use_file();
  }
  return drawn;
}

void read_into_memory(const ListedGroups& input, const GroupedInputFlags& flags,
                      GroupedInput& out) {
  double bytes = 0;
  for (const ArrayGroup& group : input.groups) {
    if (group.rows() > flags.fit_rows.rows) out.pool.emplace();
    bytes += static_cast<double>(std::min(group.rows(), flags.fit_rows.rows)) *
             static_cast<double>(group.cols()) *
             static_cast<double>(group.single() ? sizeof(float) : sizeof(double));
  }
  if (flags.max_memory > 0) check_memory(bytes, flags.max_memory);
  std::vector<std::vector<std::string>> shown;
  for (std::size_t m = 0; m < input.groups.size(); ++m) {
    const bool labelled = !flags.label.empty();
    const RowList rows = add_mapped(
        input.groups[m],
        labelled ? std::span<const Index>(input.labels[m]) : std::span<const Index>(), flags, out);
    if (!labelled) continue;
    auto& of_group = shown.emplace_back();
    for (const Index i : rows) {
      const Index label = input.labels[m][static_cast<std::size_t>(i)];
      of_group.push_back(label < 0 ? "" : input.label_names[static_cast<std::size_t>(label)]);
    }
  }
  if (!flags.label.empty()) set_labels(out.groups, shown);
  if (out.pool && out.pool->whole()) out.pool.reset();
}

// Whether groups are told by files, or by a table beside them, and no row or column is left out.
bool is_plain(const GroupedInputFlags& flags) {
  if (!flags.drop.empty() || !flags.where.empty() || !flags.meta_key.empty()) return false;
  if (!flags.group.empty()) return !flags.meta.empty();
  std::set<std::string> stems;
  for (const std::string& path : flags.paths) stems.insert(stem_of(path));
  return flags.label.empty() && flags.meta.empty() && stems.size() == flags.paths.size();
}

}  // namespace

Communicator& readers(const GroupedInputFlags& flags) {
  static SelfCommunicator alone;
  return flags.only_looks ? alone : processes();
}

bool map_groups(const GroupedInputFlags& flags, GroupedInput& out) {
  if (!is_plain(flags)) return false;
  Communicator& comm = readers(flags);
  std::vector<MappedNpy> files;
  ListedGroups input;
  do_together(comm, [&] {
    files = map_all(flags.paths);
    if (files.empty()) return;
    const auto all = std::make_shared<const ArrayFiles>(files, flags.paths);
    if (flags.group.empty()) {
      input = groups_of_files(flags, all);
    } else if (tells_groups(flags, all->cols())) {
      input = listed_groups(flags, all);
    }
  });
  if (comm.size() > 1) check_same_shapes(files, input, comm);
  if (input.groups.empty()) return false;
  std::vector<std::string> features;
  for (Index j = 0; j < files.front().cols(); ++j) features.push_back(fmt::format("c{}", j));
  if (!flags.features.empty() && flags.features != features) return false;
  out.group_column = flags.group;
  if (!leave_on_disk(input, flags, out)) read_into_memory(input, flags, out);
  out.groups.set_feature_names(features);
  return true;
}

void refuse_several_readers(const GroupedInputFlags& flags) {
  if (readers(flags).size() == 1) return;
  throw InvalidOption(
      "several processes read arrays only: .npy files of numbers, one or more for each group, or "
      "some whose groups another table tells in the order of the rows (--meta FILE --group "
      "COLUMN); no other choice of columns and rows than --fit-rows. Convert the tables (conflux "
      "convert), or start one process.");
}

}  // namespace conflux::app
