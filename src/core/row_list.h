// Numbers of rows, without a list of them where they are all rows of a group or all but a few.
//
// A fit of 55 million rows would hold 440 MB for the numbers 0, 1, 2 and so on.

#pragma once

#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <vector>

#include "conflux/core/index.h"

namespace conflux {

class RowList {
 public:
  /// Walks through the rows; a step costs the same however many are left out.
  class const_iterator {
   public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = Index;
    using difference_type = std::ptrdiff_t;
    using pointer = const Index*;
    using reference = Index;

    const_iterator() = default;
    const_iterator(const RowList& rows, Index place)
        : rows_(&rows), place_(place), passed_(rows.left_out_before(place)) {}

    Index operator*() const {
      return rows_->all_ ? place_ + passed_ : rows_->list_[static_cast<std::size_t>(place_)];
    }
    const_iterator& operator++() {
      ++place_;
      if (rows_->all_) {
        const auto& out = rows_->list_;
        while (passed_ < static_cast<Index>(out.size()) && out[passed_] <= place_ + passed_) {
          ++passed_;
        }
      }
      return *this;
    }
    const_iterator operator++(int) {
      const const_iterator before = *this;
      ++*this;
      return before;
    }
    bool operator==(const const_iterator& other) const { return place_ == other.place_; }

   private:
    const RowList* rows_ = nullptr;
    Index place_ = 0;
    Index passed_ = 0;  // rows before this one that are left out
  };
  using iterator = const_iterator;
  using value_type = Index;

  RowList() = default;
  /// A list like any other: in any order.
  RowList(std::vector<Index> rows) : size_(rows.size()), list_(std::move(rows)) {}
  RowList(std::initializer_list<Index> rows) : RowList(std::vector<Index>(rows)) {}
  /// 0, 1 and so on, below `count`; without some, which increase.
  static RowList all(Index count, std::vector<Index> left_out = {});

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  /// Whether these are the numbers from 0 to size() - 1, so that place and row are the same.
  bool whole() const { return all_ && list_.empty(); }

  Index operator[](std::size_t place) const {
    if (!all_) return list_[place];
    return static_cast<Index>(place) + left_out_before(static_cast<Index>(place));
  }
  Index front() const { return (*this)[0]; }
  const_iterator begin() const { return from(0); }
  const_iterator end() const { return from(static_cast<Index>(size_)); }
  /// The walk that begins at a place.
  const_iterator from(Index place) const { return {*this, place}; }

  void push_back(Index row) {
    if (all_) list_ = std::vector<Index>(begin(), end());
    all_ = false;
    list_.push_back(row);
    ++size_;
  }
  void reserve(std::size_t size) { list_.reserve(size); }

  /// The rows that are not in `taken`; both are increasing.
  RowList without(const std::vector<Index>& taken) const;

  friend bool operator==(const RowList& a, const RowList& b);

 private:
  /// How many numbers are left out before the row that stands at this place.
  Index left_out_before(Index place) const;

  bool all_ = false;
  std::size_t size_ = 0;
  std::vector<Index> list_;  // the rows; or those that are left out
};

}  // namespace conflux
