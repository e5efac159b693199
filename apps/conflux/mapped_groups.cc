#include "mapped_groups.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <numeric>
#include <set>
#include <span>

#include "comm/agreement.h"
#include "conflux/core/error.h"
#include "processes.h"
#include "training/pool_draw.h"

namespace conflux::app {

namespace {

// Who reads together.
Communicator& readers(const GroupedInputFlags& flags) {
  static SelfCommunicator alone;
  return flags.only_looks ? alone : processes();
}

// Every process reads a share of the rows and gets those of all.
template <class T>
MatrixOf<T> read_together(const MappedNpy& rows, const std::vector<Index>& drawn,
                          Communicator& comm) {
  if (comm.size() == 1) return rows.read_rows<T>(drawn);
  const auto count = static_cast<Index>(drawn.size());
  const Index begin = count * comm.rank() / comm.size();
  const Index end = count * (comm.rank() + 1) / comm.size();
  const MatrixOf<T> own =
      rows.read_rows<T>(std::vector<Index>(drawn.begin() + begin, drawn.begin() + end));
  const std::vector<double> all =
      comm.gather(std::vector<double>(own.data(), own.data() + own.size()));
  return Eigen::Map<const Matrix>(all.data(), count, rows.cols()).template cast<T>();
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

// Processes on other machines may see other files.
void check_same_shapes(const std::vector<MappedNpy>& files, Communicator& comm) {
  std::vector<std::string> shapes;
  shapes.reserve(files.size());
  for (const MappedNpy& file : files) {
    shapes.push_back(fmt::format("{} rows of {} {}", file.rows(), file.cols(), file.type()));
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

// Groups of which all rows are fitted, and stay where they are.
bool leave_on_disk(const std::vector<std::string>& names, const std::vector<MappedNpy>& files,
                   const GroupedInputFlags& flags, GroupedInput& out) {
  DataShape shape{.dim = files.front().cols(), .group_names = names};
  bool single = true;
  for (const MappedNpy& file : files) {
    if (file.rows() > flags.fit_rows.rows) return false;
    shape.group_sizes.push_back(file.rows());
    single = single && file.holds<float>();
  }
  const bool several = processes().size() > 1;
  out.in_place = several && flags.stay_in_place && !flags.only_looks;
  const bool asks = flags.stay_on_disk && !several;
  const RowSource source = single ? RowSource::kSingles : RowSource::kDoubles;
  const bool leave =
      flags.only_looks || out.in_place || (asks && flags.stay_on_disk(shape, source));
  if (!leave) return false;
  for (std::size_t m = 0; m < files.size(); ++m) {
    if (files[m].holds<float>()) {
      out.groups.add(names[m], files[m].view<float>());
    } else {
      out.groups.add(names[m], files[m].view<double>());
    }
  }
  out.mapped = files;
  out.on_disk = !out.in_place;
  return true;
}

// Rows of doubles are used where they are, those of floats are read as they are; of a large group
// only those that are drawn.
void add_mapped(const std::string& name, const MappedNpy& rows, const GroupedInputFlags& flags,
                GroupedInput& out) {
  Communicator& comm = readers(flags);
  // Lists of all rows would only take memory.
  if (!out.pool && comm.size() == 1) {
    if (rows.holds<float>()) {
      out.groups.add(name, rows.read_rows<float>(RowList::all(rows.rows())));
    } else {
      out.groups.add(name, rows.view<double>());
      out.mapped.push_back(rows);
    }
    return;
  }
  if (!out.pool) out.pool.emplace();
  Pool& pool = *out.pool;
  pool.sizes.push_back(rows.rows());
  std::vector<Index> drawn(static_cast<std::size_t>(rows.rows()));
  std::iota(drawn.begin(), drawn.end(), Index{0});
  if (rows.rows() > flags.fit_rows.rows) {
    PoolDraw draw(flags.fit_rows, flags.seed);
    drawn = offer_all(draw, rows.rows(), {});
    const Pool own = draw.finish();
    pool.fitted.push_back(own.fitted.front());
    pool.next.push_back(own.next.front());
  } else {
    pool.fitted.push_back(drawn);
    pool.next.emplace_back();
  }
  if (rows.holds<float>()) {
    out.groups.add(name, read_together<float>(rows, drawn, comm));
  } else if (static_cast<Index>(drawn.size()) < rows.rows() || comm.size() > 1) {
    out.groups.add(name, read_together<double>(rows, drawn, comm));
  } else {
    out.groups.add(name, rows.view<double>());
    out.mapped.push_back(rows);
  }
}

bool is_plain(const GroupedInputFlags& flags) {
  std::set<std::string> stems;
  for (const std::string& path : flags.paths) stems.insert(stem_of(path));
  return flags.group.empty() && flags.drop.empty() && flags.where.empty() && flags.label.empty() &&
         flags.meta.empty() && stems.size() == flags.paths.size();
}

}  // namespace

bool map_groups(const GroupedInputFlags& flags, GroupedInput& out) {
  if (!is_plain(flags)) return false;
  Communicator& comm = readers(flags);
  std::vector<MappedNpy> files;
  do_together(comm, [&] { files = map_all(flags.paths); });
  if (comm.size() > 1) check_same_shapes(files, comm);
  if (files.empty()) return false;
  std::vector<std::string> features;
  for (Index j = 0; j < files.front().cols(); ++j) features.push_back(fmt::format("c{}", j));
  if (!flags.features.empty() && flags.features != features) return false;
  std::vector<std::string> names;
  for (const std::string& path : flags.paths) {
    names.push_back(renamed(stem_of(path), flags.rename));
  }
  if (!leave_on_disk(names, files, flags, out)) {
    for (const MappedNpy& file : files) {
      if (file.rows() > flags.fit_rows.rows) out.pool.emplace();
    }
    for (std::size_t m = 0; m < files.size(); ++m) add_mapped(names[m], files[m], flags, out);
    if (out.pool && out.pool->whole()) out.pool.reset();
  }
  out.groups.set_feature_names(features);
  return true;
}

void refuse_several_readers(const GroupedInputFlags& flags) {
  if (readers(flags).size() == 1) return;
  throw InvalidOption(
      "several processes read arrays only, one .npy file of numbers for each group, with no other "
      "choice of columns and rows than --fit-rows; convert the tables (conflux convert), or start "
      "one process.");
}

}  // namespace conflux::app
