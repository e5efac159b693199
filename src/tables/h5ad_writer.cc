#ifdef CONFLUX_HAS_HDF5

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "conflux/core/error.h"
#include "files/digest.h"
#include "files/piece.h"
#include "files/private_copy.h"
#include "tables/binary_array.h"
#include "tables/h5ad.h"
#include "tables/h5ad_parts.h"

namespace conflux {

namespace {

using hdf5::checked;
using hdf5::Handle;

// Texts as anndata writes them: UTF-8 of any length.
Handle text_type() {
  Handle out(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(out.get(), H5T_VARIABLE);
  H5Tset_cset(out.get(), H5T_CSET_UTF8);
  return out;
}

void set_text_attribute(hid_t object, const char* name, const std::string& text,
                        const std::string& place) {
  const Handle type = text_type();
  const Handle space(H5Screate(H5S_SCALAR), H5Sclose);
  if (H5Aexists(object, name) > 0) H5Adelete(object, name);
  const Handle attribute(
      checked(H5Acreate2(object, name, type.get(), space.get(), H5P_DEFAULT, H5P_DEFAULT), place),
      H5Aclose);
  const char* pointer = text.c_str();
  checked(H5Awrite(attribute.get(), type.get(), &pointer), place);
}

void set_encoding(hid_t object, const std::string& type, const std::string& version,
                  const std::string& place) {
  set_text_attribute(object, "encoding-type", type, place);
  set_text_attribute(object, "encoding-version", version, place);
}

// Properties of what is made: without times, so that the same rows make the same bytes.
Handle timeless(hid_t kind, const std::string& place) {
  Handle out(checked(H5Pcreate(kind), place), H5Pclose);
  checked(H5Pset_obj_track_times(out.get(), 0), place);
  return out;
}

void add_values(Digest& digest, const std::vector<double>& values) {
  digest.add(std::as_bytes(std::span(values)));
}

/// Writes into the copy; what it makes replaces what an earlier conflux made.
class Additions {
 public:
  Additions(const std::string& path, std::string name)
      : place_(std::move(name)), file_(hdf5::open_handle(path, H5F_ACC_RDWR)) {
    checked(file_.get(), place_);
  }

  /// All is in the file when this returns. Throws Error.
  void close() { file_.close(place_); }

  /// Returns a digest of the numbers as the file holds them.
  std::string write_matrix(const std::string& group, const std::string& name, Spool& values,
                           Index rows, Index cols, bool single) const {
    const Handle parent = dictionary(file_.get(), group);
    drop(parent.get(), name);
    const hsize_t sizes[2] = {static_cast<hsize_t>(rows), static_cast<hsize_t>(cols)};
    const Handle space(checked(H5Screate_simple(2, sizes, nullptr), place_), H5Sclose);
    const hid_t type = single ? H5T_IEEE_F32LE : H5T_IEEE_F64LE;
    const Handle properties = timeless(H5P_DATASET_CREATE, place_);
    const Handle made(checked(H5Dcreate2(parent.get(), name.c_str(), type, space.get(), H5P_DEFAULT,
                                         properties.get(), H5P_DEFAULT),
                              place_),
                      H5Dclose);
    set_encoding(made.get(), "array", "0.2.0", place_);
    values.rewind();
    const Index step = std::max<Index>(1, static_cast<Index>(kPiece / 8) / cols);
    std::vector<double> piece;
    Digest digest;
    for (Index done = 0; done < rows; done += step) {
      const hsize_t start[2] = {static_cast<hsize_t>(done), 0};
      const hsize_t part[2] = {static_cast<hsize_t>(std::min(step, rows - done)), sizes[1]};
      piece.resize(part[0] * part[1]);
      values.read(reinterpret_cast<char*>(piece.data()), 8 * piece.size());
      if (single) {
        for (double& value : piece) value = static_cast<float>(value);
      }
      add_values(digest, piece);
      checked(H5Sselect_hyperslab(space.get(), H5S_SELECT_SET, start, nullptr, part, nullptr),
              place_);
      const Handle memory(checked(H5Screate_simple(2, part, nullptr), place_), H5Sclose);
      checked(H5Dwrite(made.get(), H5T_NATIVE_DOUBLE, memory.get(), space.get(), H5P_DEFAULT,
                       piece.data()),
              place_);
    }
    return digest.hex();
  }

  void write_record(const std::string& from, const std::string& to,
                    const std::vector<std::string>& features) const {
    const Handle uns = dictionary(file_.get(), "uns");
    drop(uns.get(), "conflux");
    const Handle record = dictionary(uns.get(), "conflux");
    write_texts(record.get(), "from", {from}, true);
    write_texts(record.get(), "to", {to}, true);
    write_texts(record.get(), "features", features, false);
  }

 private:
  void drop(hid_t parent, const std::string& name) const {
    if (H5Lexists(parent, name.c_str(), H5P_DEFAULT) <= 0) return;
    checked(H5Ldelete(parent, name.c_str(), H5P_DEFAULT), place_);
  }

  Handle dictionary(hid_t parent, const std::string& name) const {
    if (H5Lexists(parent, name.c_str(), H5P_DEFAULT) > 0) {
      return {checked(H5Gopen2(parent, name.c_str(), H5P_DEFAULT), place_), H5Gclose};
    }
    const Handle properties = timeless(H5P_GROUP_CREATE, place_);
    Handle out(checked(H5Gcreate2(parent, name.c_str(), H5P_DEFAULT, properties.get(), H5P_DEFAULT),
                       place_),
               H5Gclose);
    set_encoding(out.get(), "dict", "0.1.0", place_);
    return out;
  }

  void write_texts(hid_t parent, const char* name, const std::vector<std::string>& texts,
                   bool scalar) const {
    const Handle type = text_type();
    const hsize_t size = texts.size();
    const Handle space(scalar ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &size, nullptr),
                       H5Sclose);
    const Handle properties = timeless(H5P_DATASET_CREATE, place_);
    const Handle made(checked(H5Dcreate2(parent, name, type.get(), space.get(), H5P_DEFAULT,
                                         properties.get(), H5P_DEFAULT),
                              place_),
                      H5Dclose);
    set_encoding(made.get(), scalar ? "string" : "string-array", "0.2.0", place_);
    std::vector<const char*> pointers;
    pointers.reserve(texts.size());
    for (const std::string& text : texts) pointers.push_back(text.c_str());
    checked(H5Dwrite(made.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, pointers.data()),
            place_);
  }

  std::string place_;
  Handle file_;
};

class H5adWriter : public TableWriter {
 public:
  H5adWriter(std::unique_ptr<OutputStream> out, bool single)
      : out_(std::move(out)), single_(single) {}

  void write(const Table& block) override {
    if (source_.empty()) begin(block);
    if (!block.extras || block.extras->keywords != extras_->keywords) {
      throw InvalidOption(fmt::format(
          "the rows of {} and {} do not fit into one .h5ad file, which is a copy of one of them; "
          "name a folder with -o.",
          source_, block.source));
    }
    std::vector<const Column*> columns;
    for (const std::string& name : features_) columns.push_back(&block[name]);
    std::string bytes;
    for (Index i = 0; i < block.num_rows(); ++i) {
      for (const Column* column : columns) append_float64(bytes, column->numbers[i]);
      if (bytes.size() < kPiece) continue;
      values_.write(bytes);
      bytes.clear();
    }
    values_.write(bytes);
    rows_ += block.num_rows();
  }

  void close() override {
    if (source_.empty()) require_numeric({}, "H5AD");
    check_rows();
    const PrivateCopy copy(source_, out_->path());
    const auto cols = static_cast<Index>(features_.size());
    const bool whole =
        !place_.starts_with("obsm/") && extras_->keywords[2].second == fmt::format("{}", cols);
    const std::string group = whole ? "layers" : "obsm", name = whole ? "conflux" : "X_conflux";
    Additions additions(copy.path(), "a copy of " + source_);
    const std::string digest = additions.write_matrix(group, name, values_, rows_, cols, single_);
    additions.write_record(place_, group + "/" + name, features_);
    additions.close();
    check_written(copy, group + "/" + name, digest);
    copy.copy_to(*out_);
    out_->close();
  }

 private:
  void begin(const Table& block) {
    extras_ = block.extras;
    if (!extras_ || extras_->format != "h5ad") {
      throw InvalidOption(fmt::format(
          "an .h5ad file is written as a copy of the one that the rows come from, but these come "
          "from {}; write .csv or .npz, or read an .h5ad file.",
          block.source.empty() ? "elsewhere" : block.source));
    }
    source_ = extras_->keywords[0].second;
    place_ = extras_->keywords[1].second;
    for (const Column& column : block.columns) {
      const bool of_obs = std::any_of(extras_->carried.begin(), extras_->carried.end(),
                                      [&](const auto& pair) { return pair.first == column.name; });
      // A column that tells groups may have been added on the way.
      if (!of_obs && column.numeric()) features_.push_back(column.name);
    }
    if (features_.empty()) require_numeric({}, "H5AD");
  }

  void check_rows() const {
    const hdf5::Node root = hdf5::open_file(source_, source_);
    const hdf5::Node obs = root.open("obs");
    const Index all = length_of(obs.open(frame_index(obs)));
    if (all == rows_) return;
    throw InvalidData(fmt::format(
        "{} has {} cells, but {} rows were moved; an .h5ad file needs all of them: write .csv for "
        "a part.",
        source_, all, rows_));
  }

  // The library has closed the file without an error; it is read again all the same.
  void check_written(const PrivateCopy& copy, const std::string& place,
                     const std::string& digest) const {
    const hdf5::Node root = hdf5::open_file(copy.path(), "the copy of " + source_ + " as written");
    const hdf5::Node made = root.open(place);
    const auto cols = static_cast<Index>(features_.size());
    const Index step = std::max<Index>(1, static_cast<Index>(kPiece / 8) / cols);
    Digest found;
    std::vector<double> piece;
    for (Index done = 0; done < rows_; done += step) {
      made.read(piece, done, std::min(step, rows_ - done));
      add_values(found, piece);
    }
    const hdf5::Node obs = root.open("obs");
    const bool same = found.hex() == digest && length_of(obs.open(frame_index(obs))) == rows_ &&
                      root.open("uns/conflux/features").shape() == std::vector<Index>{cols};
    hdf5::check_bytes(made.place());
    if (same) return;
    throw Error(
        fmt::format("{} does not read back as it was written; check the disk.", made.place()));
  }

  std::unique_ptr<OutputStream> out_;
  bool single_;
  std::shared_ptr<const FileExtras> extras_;
  std::string source_;
  std::string place_;
  std::vector<std::string> features_;
  Spool values_;
  Index rows_ = 0;
};

}  // namespace

std::unique_ptr<TableWriter> write_h5ad(std::unique_ptr<OutputStream> out, bool single_precision) {
  return std::make_unique<H5adWriter>(std::move(out), single_precision);
}

}  // namespace conflux

#endif  // CONFLUX_HAS_HDF5
