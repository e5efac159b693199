// NPY files as matrices, without a copy.
//
// A file of rows in the byte order of this machine is mapped into memory: opening costs nothing,
// pages are read when they are first touched, and files larger than memory can be walked through.
// A file that is cut short while it is mapped ends the program, as the system has it.

#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

#include "conflux/core/matrix.h"
#include "core/row_list.h"

namespace conflux {

/// A type that an NPY file may hold and a view can show; files of bool are shown as std::uint8_t.
template <class T>
concept NpyElement = std::same_as<T, float> || std::same_as<T, double> ||
    (std::integral<T> && !std::same_as<T, bool> && !std::same_as<T, char>);

class MappedNpy {
 public:
  Index rows() const { return rows_; }
  /// 1 for one-dimensional arrays.
  Index cols() const { return cols_; }
  /// The type of the elements as numpy spells it, say "<f8".
  const std::string& type() const { return type_; }

  template <NpyElement T>
  bool holds() const {
    return kind_ == kind_of<T>() && size_ == sizeof(T);
  }

  /// Some rows, which increase, in memory of their own; lets go of the file's pages on the way, so
  /// that memory holds them once.
  template <NpyElement T>
  MatrixOf<T> read_rows(const RowList& positions) const;

  /// Throws InvalidData when the elements are of another type. Lives as long as any copy of this.
  template <NpyElement T>
  MatrixView<const T> view() const {
    if (!holds<T>()) refuse(kind_of<T>(), sizeof(T));
    return {static_cast<const T*>(elements_), rows_, cols_};
  }

  /// The whole file as it is mapped.
  std::span<const std::byte> bytes() const {
    const auto* start = static_cast<const std::byte*>(mapping_.get());
    return {start, static_cast<const std::byte*>(elements_) +
                       static_cast<std::size_t>(rows_ * cols_) * size_};
  }

 private:
  friend MappedNpy map_npy(const std::filesystem::path& path);

  template <class T>
  static constexpr char kind_of() {
    return std::floating_point<T> ? 'f' : std::signed_integral<T> ? 'i' : 'u';
  }
  [[noreturn]] void refuse(char kind, std::size_t size) const;

  std::shared_ptr<const void> mapping_;
  const void* elements_ = nullptr;
  Index rows_ = 0;
  Index cols_ = 0;
  char kind_ = 'f';
  std::size_t size_ = 0;
  std::string type_;
  std::string name_;
};

/// Throws InvalidData for files whose elements cannot be shown in place: columns instead of rows,
/// another byte order, text, or compression. open_table reads all of these.
MappedNpy map_npy(const std::filesystem::path& path);

}  // namespace conflux
