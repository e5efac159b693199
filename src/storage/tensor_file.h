// Named arrays in one file, in the safetensors layout.
//
//   8 bytes     length of the header, little-endian
//   header      JSON: name -> {dtype, shape, data_offsets}, and "__metadata__": name -> text
//   payload     the arrays one after the other, little-endian
//
// The header is filled up with spaces to a multiple of 8, and every array has elements of 8 bytes,
// so all of them are aligned. "checksum" in the metadata is the XXH3 digest of the whole file with
// its own 32 digits read as zeros.
//
// Reading trusts nothing: every length is compared with the file before it is used, arrays must
// fill the payload without gaps, and memory stays in proportion to the file.

#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "conflux/core/index.h"
#include "files/atomic_file.h"
#include "files/json.h"
#include "files/whole_file.h"

namespace conflux {

using Shape = std::vector<Index>;

class TensorWriter {
 public:
  void set(std::string key, std::string text);
  void add(const std::string& name, Shape shape, const std::vector<double>& values);
  void add(const std::string& name, Shape shape, const std::vector<std::int64_t>& values);

  /// Replaces the file at `path`.
  void save(const std::string& path) const { stage(path)->commit(); }
  /// The whole file is on the disk, and replaces the one at `path` by commit() only.
  std::unique_ptr<AtomicFile> stage(const std::string& path) const;
  /// The bytes that save() writes.
  Bytes bytes() const;

 private:
  struct Tensor {
    std::string name;
    std::string_view dtype;
    Shape shape;
    Bytes bytes;
  };
  /// With its length before it and the checksum of everything in it.
  Bytes header() const;
  template <class T>
  void add_bytes(const std::string& name, std::string_view dtype, Shape shape,
                 const std::vector<T>& values);

  std::vector<std::pair<std::string, std::string>> metadata_;
  std::vector<Tensor> tensors_;
};

class TensorFile {
 public:
  /// Reads the layout, refuses files of another format or a newer version, and compares the
  /// checksum. Throws InvalidData.
  static TensorFile parse(Bytes bytes, std::string_view format, int newest_version);

  /// Throws InvalidData when there is none of this name.
  const std::string& text(const std::string& key) const;
  std::string text_or(const std::string& key, const std::string& missing) const;

  bool has(const std::string& name) const { return tensors_.contains(name); }
  /// Throws InvalidData unless the array exists and has this many dimensions.
  const Shape& shape(const std::string& name, std::size_t dimensions) const;
  /// The numbers of an array of exactly this shape; all are finite.
  std::vector<double> doubles(const std::string& name, const Shape& shape);
  std::vector<std::int64_t> integers(const std::string& name, const Shape& shape);
  /// Positions 0 = p_0 <= p_1 <= ... <= p_pieces of consecutive pieces.
  std::vector<std::int64_t> offsets(const std::string& name, Index pieces);

  /// Throws InvalidData when an array has not been read.
  void check_all_read() const;

 private:
  struct Tensor {
    std::string dtype;
    Shape shape;
    std::size_t begin;
    std::size_t end;
  };
  static Tensor tensor_from(const Json& description, const std::string& name);
  void read_metadata(const Json& header, std::string_view format);
  void check_version(int newest) const;
  void check_payload() const;
  void check_checksum(std::uint64_t length) const;
  template <class T>
  std::vector<T> values(const std::string& name, std::string_view dtype, const Shape& shape);
  const Tensor& tensor(const std::string& name) const;

  Bytes bytes_;
  std::size_t payload_ = 0;
  std::map<std::string, std::string> metadata_;
  std::map<std::string, Tensor> tensors_;
  std::set<std::string> read_;
};

/// Writes the right checksum into a file that has been changed, if it has a place for one. For
/// tests of later checks.
void renew_checksum(Bytes& file);

/// a * b for sizes; throws InvalidData when it is negative or beyond what a file may hold.
Index product_of_sizes(Index a, Index b);

}  // namespace conflux
