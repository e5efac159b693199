// HDF5 files through the C library: handles that close themselves, errors that name the file and
// the place in it, and reading in slices.
//
// Sizes are compared with what is stored before anything is allocated. The library is not safe for
// several threads; readers of it must not be used by two at once.

#pragma once

#include <hdf5.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "conflux/core/index.h"

namespace conflux::hdf5 {

/// A handle of the library and how it is closed.
class Handle {
 public:
  Handle() = default;
  Handle(hid_t id, herr_t (*closer)(hid_t)) : id_(id), close_(closer) {}
  Handle(Handle&& other) noexcept;
  Handle& operator=(Handle&& other) noexcept;
  ~Handle();

  hid_t get() const { return id_; }
  bool valid() const { return id_ >= 0; }
  /// Throws as checked() when the library cannot.
  void close(const std::string& place);

 private:
  hid_t id_ = -1;
  herr_t (*close_)(hid_t) = nullptr;
};

/// A group or dataset of a file.
class Node {
 public:
  bool is_group() const;
  /// Whether something of this name is in a group; a path with slashes asks for every part.
  bool has(const std::string& path) const;
  /// Throws InvalidData that names what is missing.
  Node open(const std::string& path) const;
  /// Names of what is in a group, in alphabetical order.
  std::vector<std::string> names() const;

  /// An attribute that is text, or a list of texts; empty when there is none.
  std::string text_attribute(const std::string& name) const;
  std::vector<std::string> text_list_attribute(const std::string& name) const;
  /// An attribute of whole numbers.
  std::vector<std::uint64_t> sizes_attribute(const std::string& name) const;

  /// Sizes of a dataset.
  std::vector<Index> shape() const;
  bool holds_text() const;
  /// Numbers, or enumerations like the booleans of h5py.
  bool holds_numbers() const;
  /// Items begin .. begin + count - 1 of a list, or rows of a matrix.
  void read(std::vector<double>& to, Index begin, Index count) const;
  void read(std::vector<std::int64_t>& to, Index begin, Index count) const;
  std::vector<std::string> read_text(Index begin, Index count) const;

  hid_t id() const { return handle_.get(); }
  /// "cells.h5ad: obs/batch", for messages.
  const std::string& place() const { return place_; }

 private:
  friend Node open_file(const std::string& path, const std::string& name, bool to_write);
  template <class T>
  void read_slice(std::vector<T>& to, hid_t type, Index begin, Index count) const;

  Handle handle_;
  // A group keeps its file open.
  std::shared_ptr<Handle> file_;
  std::string place_;
};

/// The root group. Throws InvalidData when the file is no HDF5.
Node open_file(const std::string& path, const std::string& name, bool to_write = false);

/// Throws when a call of the library has failed: Error with the words of the system, or InvalidData
/// that names the place.
hid_t checked(hid_t id, const std::string& place);

/// Throws Error when a byte could not be read or written since a file was opened.
void check_bytes(const std::string& place);

/// Opens a file through our driver, which forgets earlier failures.
Handle open_handle(const std::string& path, unsigned mode);

}  // namespace conflux::hdf5
