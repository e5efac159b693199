#ifdef CONFLUX_HAS_HDF5

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "conflux/core/error.h"
#include "core/nearest_name.h"
#include "tables/h5ad.h"
#include "tables/h5ad_parts.h"

namespace conflux {

namespace {

// More columns than this are rather aligned through their principal components.
constexpr Index kWide = 200;

std::string file_path(const ByteSource& source) {
  std::string out = source.plain_path().string();
  if (!out.empty()) return out;
  throw InvalidData(fmt::format(
      "{}: .h5ad files are read by position, which compressed files and pipes do not allow; "
      "decompress it into a file.",
      source.name()));
}

/// Where the features are, and what their columns are called.
struct Representation {
  /// X, layers/NAME or obsm/NAME
  std::string place;
  std::vector<std::string> names;
};

// X_pca has PC1, PC2, ...; others are numbered behind their names.
std::vector<std::string> numbered_names(const std::string& entry, Index count) {
  const std::string stem = entry == "X_pca" ? "PC" : entry + "_";
  std::vector<std::string> out;
  for (Index k = 1; k <= count; ++k) out.push_back(fmt::format("{}{}", stem, k));
  return out;
}

class H5adReader final : public SparseReader {
 public:
  H5adReader(const ByteSource& source, const TableOptions& options)
      : name_(source.name()), root_(hdf5::open_file(file_path(source), name_)) {
    const hdf5::Node obs = root_.open("obs");
    if (!obs.is_group()) {
      throw InvalidData(fmt::format(
          "{}: obs is stored as anndata before 0.7 did; read and write the file with a newer one.",
          name_));
    }
    rows_ = length_of(obs.open(frame_index(obs)));
    const Representation chosen = choose(options);
    matrix_ = open_matrix(root_.open(chosen.place), rows_);
    add_features(chosen);
    add_obs(obs);
    measured_ = !chosen.place.starts_with("obsm/");
    extras_.format = "h5ad";
    extras_.keywords = {{"path", source.plain_path().string()},
                        {"features", chosen.place},
                        {"columns", fmt::format("{}", matrix_->cols())}};
    hdf5::check_bytes(name_);
  }

  const std::string& name() const override { return name_; }
  const std::vector<std::string>& features() const override { return features_; }
  const TableSchema& others() const override { return others_; }
  std::vector<std::string> notes() const override { return notes_; }
  bool measured() const override { return measured_; }

  std::shared_ptr<const FileExtras> extras() override {
    if (!shared_extras_) shared_extras_ = std::make_shared<const FileExtras>(extras_);
    return shared_extras_;
  }

  Index read(SparseBlock& rows, Table& table, Index first_other, Index max_rows) override {
    const Index count = std::min(max_rows, rows_ - done_);
    if (count <= 0) return 0;
    matrix_->read(rows, done_, count);
    for (std::size_t k = 0; k < obs_.size(); ++k) {
      obs_[k].read(table.columns[static_cast<std::size_t>(first_other) + k], done_, count);
    }
    hdf5::check_bytes(name_);
    done_ += count;
    return count;
  }

 private:
  std::vector<std::string> gene_names() const {
    const hdf5::Node var = root_.open("var");
    const hdf5::Node index = var.open(frame_index(var));
    return index.read_text(0, length_of(index));
  }

  bool in(const std::string& group, const std::string& entry) const {
    return root_.has(group) && root_.open(group).has(entry);
  }

  Representation of_genes(const std::string& place) const { return {place, gene_names()}; }

  Representation of_obsm(const std::string& entry) const {
    const auto matrix = open_matrix(root_.open("obsm/" + entry), rows_);
    return {"obsm/" + entry, numbered_names(entry, matrix->cols())};
  }

  Representation choose(const TableOptions& options) {
    if (!options.use_rep.empty()) return named(options);
    const bool has_x = root_.has("X");
    const bool has_pca = in("obsm", "X_pca");
    if (options.numeric && !options.numeric->empty()) {
      if (has_x && holds(of_genes("X"), *options.numeric)) return of_genes("X");
      if (has_pca && holds(of_obsm("X_pca"), *options.numeric)) return of_obsm("X_pca");
    }
    if (has_pca && (!has_x || static_cast<Index>(gene_names().size()) > kWide)) {
      notes_.push_back(fmt::format(
          "{}: the features are obsm[\"X_pca\"]; --use-rep X takes all genes instead", name_));
      return of_obsm("X_pca");
    }
    if (has_x) return of_genes("X");
    throw InvalidOption(
        fmt::format("{} has no X; choose features with --use-rep: {}.", name_, known_text()));
  }

  static bool holds(const Representation& all, const std::vector<std::string>& wanted) {
    const std::set<std::string> names(all.names.begin(), all.names.end());
    return std::all_of(wanted.begin(), wanted.end(),
                       [&](const std::string& name) { return names.count(name) > 0; });
  }

  Representation named(const TableOptions& options) {
    const std::string& name = options.use_rep;
    if (name == "X" && root_.has("X")) return of_genes("X");
    if (in("layers", name)) return of_genes("layers/" + name);
    if (!in("obsm", name)) {
      throw InvalidOption(fmt::format("{}: --use-rep is \"{}\", which is not there; choose {}.",
                                      name_, name, known_text()));
    }
    Representation out = of_obsm(name);
    // The same features in the shared space: a caller who names columns has their names.
    if (options.numeric && options.numeric->size() == out.names.size()) {
      out.names = *options.numeric;
    }
    return out;
  }

  std::string known_text() const {
    std::string out = root_.has("X") ? "X" : "";
    for (const char* group : {"layers", "obsm"}) {
      if (!root_.has(group)) continue;
      for (const std::string& entry : root_.open(group).names()) {
        out += (out.empty() ? "" : ", ") + entry;
      }
    }
    return out.empty() ? "nothing, for there is neither X nor a layer nor obsm" : out;
  }

  void add_features(const Representation& chosen) {
    if (static_cast<Index>(chosen.names.size()) != matrix_->cols()) {
      throw InvalidData(
          fmt::format("{}: {} has {} columns, but var names {}; write the file again with anndata.",
                      name_, chosen.place, matrix_->cols(), chosen.names.size()));
    }
    for (const std::string& name : chosen.names) features_.push_back(names_.take(name, "X:"));
  }

  void add_obs(const hdf5::Node& obs) {
    const std::string index = frame_index(obs);
    add_frame_column(FrameColumn(obs, index), index == "_index" ? "obs_names" : index);
    for (const std::string& name : frame_columns(obs))
      add_frame_column(FrameColumn(obs, name), name);
  }

  void add_frame_column(FrameColumn column, const std::string& name) {
    if (!column.readable()) {
      notes_.push_back(
          fmt::format("{}: column \"{}\" of obs is left out: its type is unknown", name_, name));
      return;
    }
    if (column.rows() != rows_) {
      throw InvalidData(
          fmt::format("{}: obs/{} has {} rows, but obs has {}; write the file again "
                      "with anndata.",
                      name_, name, column.rows(), rows_));
    }
    // Genes may share a name with each other or with a column of obs.
    others_.push_back({names_.take(name, "obs:"), column.type()});
    extras_.carried.emplace_back(others_.back().name, "because it belongs to obs");
    obs_.push_back(std::move(column));
  }

  std::string name_;
  hdf5::Node root_;
  Index rows_ = 0;
  std::unique_ptr<StoredMatrix> matrix_;
  std::vector<FrameColumn> obs_;
  bool measured_ = true;
  std::vector<std::string> features_;
  TableSchema others_;
  DifferentNames names_;
  std::vector<std::string> notes_;
  FileExtras extras_;
  std::shared_ptr<const FileExtras> shared_extras_;
  Index done_ = 0;
};

}  // namespace

std::unique_ptr<SparseReader> read_h5ad(const ByteSource& source, const TableOptions& options) {
  return std::make_unique<H5adReader>(source, options);
}

}  // namespace conflux

#endif  // CONFLUX_HAS_HDF5
