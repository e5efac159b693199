#include "dataset/array_dataset.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <numeric>
#include <set>
#include <span>

#include "comm/agreement.h"
#include "conflux/core/error.h"
#include "core/disk_scratch.h"
#include "dataset/array_group_list.h"
#include "dataset/array_groups.h"
#include "dataset/group_names.h"
#include "dataset/labels.h"
#include "dataset/memory_limit.h"
#include "dataset/row_pieces.h"
#include "training/memory.h"
#include "training/pool_draw.h"

namespace conflux {

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

// Files with the same name, or the same new name, are one group.
ArrayGroupList groups_of_files(const DatasetOptions& options,
                               const std::shared_ptr<const ArrayFiles>& files) {
  ArrayGroupList out;
  for (std::size_t i = 0; i < files->count(); ++i) {
    const std::string name = renamed(stem_of(options.paths[i]), options.rename);
    auto found = std::find_if(out.groups.begin(), out.groups.end(),
                              [&](const ArrayGroup& group) { return group.name() == name; });
    if (found == out.groups.end()) found = out.groups.emplace(found, name, files);
    found->add(files->begin(i), files->begin(i + 1));
  }
  return out;
}

// Processes on other machines may see other files.
void check_same_shapes(const std::vector<MappedNpy>& files, const ArrayGroupList& input,
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
SampleRows put_together(const ArrayGroup& group, Index m, Piece piece, Dataset& out) {
  const auto row = static_cast<std::size_t>(group.cols()) * sizeof(T);
  const std::shared_ptr<void> room = out.scratch->allocate(
      static_cast<std::size_t>(group.rows()) * row, static_cast<std::size_t>(piece.begin) * row,
      static_cast<std::size_t>(piece.end) * row);
  out.borrowed.push_back(room);
  auto* to = static_cast<T*>(room.get());
  group.read<T>(piece.begin, piece.end, m, [&](Index at, const MatrixOf<T>& part) {
    std::copy_n(part.data(), part.size(), to + at * group.cols());
  });
  return MatrixView<const T>(to, group.rows(), group.cols());
}

// Keeps a file that rows are borrowed from; its pages are let go while a fit walks through it.
void keep_file(const MappedNpy& file, Dataset& out) {
  if (out.storage != RowStorage::kDisk) {
    out.borrowed.push_back(std::make_shared<MappedNpy>(file));
    return;
  }
  out.scratch->watch(file.bytes().data(), file.bytes().size());
  out.borrowed.push_back(
      std::shared_ptr<MappedNpy>(new MappedNpy(file), [scratch = out.scratch](MappedNpy* watched) {
        scratch->forget(watched->bytes().data());
        delete watched;
      }));
}

// The rows that this process looks at: the first one, which judges, at all of them.
void add_left(const ArrayGroup& group, Index m, const Communicator& comm, Dataset& out) {
  Piece piece(group.rows(), comm);
  const bool in_place = out.storage == RowStorage::kInPlace;
  if (!in_place || comm.rank() == 0) piece = Piece(group.rows(), SelfCommunicator());
  if (const auto view = group.view()) {
    out.groups.add(group.name(), *view);
    for (const MappedNpy& file : group.files()) keep_file(file, out);
    return;
  }
  out.groups.add(group.name(), group.single() ? put_together<float>(group, m, piece, out)
                                              : put_together<double>(group, m, piece, out));
}

// Throws unless the rows that this process fits are numbers.
void check_share(const ArrayGroup& group, Index m, const Communicator& comm) {
  const Piece piece(group.rows(), comm);
  group.read<double>(piece.begin, piece.end, m, [](Index, const Matrix&) {});
}

// Groups of which all rows are fitted, and stay where they are.
bool leave_on_disk(const ArrayGroupList& input, const DatasetOptions& options,
                   const DatasetHooks& hooks, Dataset& out) {
  DataShape shape{.dim = input.groups.front().cols()};
  bool single = true, together = true;
  for (const ArrayGroup& group : input.groups) {
    if (group.rows() > options.fit_rows.rows) return false;
    shape.group_names.push_back(group.name());
    shape.group_sizes.push_back(group.rows());
    single = single && group.single();
    together = together && group.view().has_value();
  }
  Communicator& comm = readers(options, hooks);
  const bool may_stay = options.label.empty();
  const RowSource source = single ? (together ? RowSource::kSingles : RowSource::kMixedSingles)
                                  : (together ? RowSource::kDoubles : RowSource::kMixedDoubles);
  if (!may_stay) return false;
  if (comm.size() > 1) {
    if (!options.fit_in_place) return false;
    out.storage = RowStorage::kInPlace;
  } else if (rows_stay_on_disk(shape, source, options, hooks.on_message)) {
    out.storage = RowStorage::kDisk;
  } else if (!options.read_only || !together) {
    return false;
  }
  if (out.storage == RowStorage::kDisk || !together) {
    out.scratch = std::make_shared<DiskScratch>(scratch_folder(), kResidentRows);
  }
  do_together(comm, [&] {
    for (std::size_t m = 0; m < input.groups.size(); ++m) {
      if (out.storage == RowStorage::kInPlace)
        check_share(input.groups[m], static_cast<Index>(m), comm);
    }
  });
  do_together(comm, [&] {
    for (std::size_t m = 0; m < input.groups.size(); ++m) {
      add_left(input.groups[m], static_cast<Index>(m), comm, out);
    }
  });
  return true;
}

// Rows of doubles are used where they are, those of floats are read as they are; of a large group
// only those that are drawn. Returns the rows.
RowList add_mapped(const ArrayGroup& group, std::span<const Index> labels,
                   const DatasetOptions& options, Communicator& comm, Dataset& out) {
  const Index m = out.groups.num_groups();
  const MappedNpy* own_file = group.own_file();
  const auto use_file = [&] {
    out.groups.add(group.name(), own_file->view<double>());
    keep_file(*own_file, out);
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
  if (group.rows() > options.fit_rows.rows) {
    PoolDraw draw(options.fit_rows, options.seed);
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

void read_into_memory(const ArrayGroupList& input, const DatasetOptions& options,
                      Communicator& comm, Dataset& out) {
  double bytes = 0;
  for (const ArrayGroup& group : input.groups) {
    if (group.rows() > options.fit_rows.rows) out.pool.emplace();
    bytes += static_cast<double>(std::min(group.rows(), options.fit_rows.rows)) *
             static_cast<double>(group.cols()) *
             static_cast<double>(group.single() ? sizeof(float) : sizeof(double));
  }
  if (options.max_memory > 0) check_memory(bytes, options.max_memory);
  std::vector<std::vector<std::string>> shown;
  for (std::size_t m = 0; m < input.groups.size(); ++m) {
    const bool labeled = !options.label.empty();
    const RowList rows =
        add_mapped(input.groups[m],
                   labeled ? std::span<const Index>(input.labels[m]) : std::span<const Index>(),
                   options, comm, out);
    if (!labeled) continue;
    auto& of_group = shown.emplace_back();
    for (const Index i : rows) {
      const Index label = input.labels[m][static_cast<std::size_t>(i)];
      of_group.push_back(label < 0 ? "" : input.label_names[static_cast<std::size_t>(label)]);
    }
  }
  if (!options.label.empty()) set_labels(out.groups, shown);
  if (out.pool && out.pool->whole()) out.pool.reset();
}

// Whether groups are given by files, or by a table beside them, and no row or column is left out.
bool is_plain(const DatasetOptions& options) {
  if (!options.columns.drop.empty() || !options.where.empty() || !options.meta_key.empty())
    return false;
  if (!options.group.empty()) return !options.meta.empty();
  std::set<std::string> stems;
  for (const std::string& path : options.paths) stems.insert(stem_of(path));
  return options.label.empty() && options.meta.empty() && stems.size() == options.paths.size();
}

}  // namespace

Communicator& readers(const DatasetOptions& options, const DatasetHooks& hooks) {
  static SelfCommunicator alone;
  return options.read_only || hooks.processes == nullptr ? alone : *hooks.processes;
}

std::optional<Dataset> map_arrays(const DatasetOptions& options, const DatasetHooks& hooks) {
  if (!is_plain(options)) return std::nullopt;
  Communicator& comm = readers(options, hooks);
  std::vector<MappedNpy> files;
  ArrayGroupList input;
  do_together(comm, [&] {
    files = map_all(options.paths);
    if (files.empty()) return;
    const auto all = std::make_shared<const ArrayFiles>(files, options.paths);
    if (options.group.empty()) {
      input = groups_of_files(options, all);
    } else if (tells_groups(options, all->cols())) {
      input = list_array_groups(options, all);
    }
  });
  if (comm.size() > 1) check_same_shapes(files, input, comm);
  if (input.groups.empty()) return std::nullopt;
  std::vector<std::string> features;
  for (Index j = 0; j < files.front().cols(); ++j) features.push_back(fmt::format("c{}", j));
  if (!options.columns.features.empty() && options.columns.features != features) {
    return std::nullopt;
  }
  Dataset out;
  if (!leave_on_disk(input, options, hooks, out)) read_into_memory(input, options, comm, out);
  out.groups.set_feature_names(features);
  return out;
}

void refuse_several_readers(const DatasetOptions& options, const DatasetHooks& hooks) {
  if (readers(options, hooks).size() == 1) return;
  throw InvalidOption(
      "several processes read .npy files only: one or more per group, or files whose groups "
      "another table has in row order (--meta FILE --group COLUMN); of the flags that choose rows "
      "and columns, only --fit-rows. Convert the tables (conflux convert), or start one process.");
}

}  // namespace conflux
