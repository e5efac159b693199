#include "core/row_list.h"

#include <algorithm>

namespace conflux {

RowList RowList::all(Index count, std::vector<Index> left_out) {
  RowList out;
  out.all_ = true;
  out.size_ = static_cast<std::size_t>(count) - left_out.size();
  out.list_ = std::move(left_out);
  return out;
}

// The k-th number that is left out comes before a place if no more than `place` rows come before
// it, of which there are its own number minus k.
Index RowList::left_out_before(Index place) const {
  if (!all_ || list_.empty()) return 0;
  Index low = 0, high = static_cast<Index>(list_.size());
  while (low < high) {
    const Index middle = low + (high - low) / 2;
    if (list_[middle] - middle <= place) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

RowList RowList::without(const std::vector<Index>& taken) const {
  std::vector<Index> out;
  if (all_) {
    std::set_union(list_.begin(), list_.end(), taken.begin(), taken.end(), std::back_inserter(out));
    return all(static_cast<Index>(size_ + list_.size()), std::move(out));
  }
  std::set_difference(list_.begin(), list_.end(), taken.begin(), taken.end(),
                      std::back_inserter(out));
  return out;
}

bool operator==(const RowList& a, const RowList& b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin());
}

}  // namespace conflux
