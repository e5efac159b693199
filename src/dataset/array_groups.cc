#include "dataset/array_groups.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "conflux/core/error.h"
#include "core/disk_scratch.h"

namespace conflux {

namespace {

// Rows that are copied at a time.
constexpr Index kRowsOfAPart = 16384;

}  // namespace

ArrayFiles::ArrayFiles(std::vector<MappedNpy> files, std::vector<std::string> paths)
    : files_(std::move(files)), paths_(std::move(paths)), begins_{0} {
  for (const MappedNpy& file : files_) begins_.push_back(begins_.back() + file.rows());
}

std::size_t ArrayFiles::file_of(Index row) const {
  // Files without rows begin where the next one does.
  const auto after = std::upper_bound(begins_.begin(), begins_.end(), row);
  return static_cast<std::size_t>(after - begins_.begin()) - 1;
}

void ArrayGroup::add(Index begin, Index end) {
  if (begin == end) return;
  const std::size_t file = files_->file_of(begin);
  single_ = single_ && (*files_)[file].holds<float>();
  const bool goes_on =
      !runs_.empty() && begin > files_->begin(file) && row_at(runs_.size() - 1, rows_) == begin;
  if (!goes_on) runs_.push_back({rows_, begin});
  rows_ += end - begin;
}

std::optional<SampleRows> ArrayGroup::view() const {
  if (runs_.size() != 1) return std::nullopt;
  const std::size_t file = files_->file_of(runs_.front().row);
  const MappedNpy& array = (*files_)[file];
  const Index begin = runs_.front().row - files_->begin(file);
  const SampleRows all =
      array.holds<float>() ? SampleRows(array.view<float>()) : SampleRows(array.view<double>());
  return all.middle_rows(begin, rows_);
}

const MappedNpy* ArrayGroup::own_file() const {
  if (runs_.size() != 1) return nullptr;
  const MappedNpy& array = (*files_)[files_->file_of(runs_.front().row)];
  return array.rows() == rows_ ? &array : nullptr;
}

std::vector<MappedNpy> ArrayGroup::files() const {
  std::vector<MappedNpy> out;
  std::size_t known = files_->count();
  for (const Run& run : runs_) {
    const std::size_t file = files_->file_of(run.row);
    if (file != known) out.push_back((*files_)[file]);
    known = file;
  }
  return out;
}

template <class T>
void ArrayGroup::check(const MatrixOf<T>& part, const std::vector<Index>& positions,
                       Index m) const {
  for (Index i = 0; i < part.rows(); ++i) {
    if (part.row(i).allFinite()) continue;
    const Index position = positions[static_cast<std::size_t>(i)];
    const auto after =
        std::upper_bound(runs_.begin(), runs_.end(), position,
                         [](Index place, const Run& run) { return place < run.first; });
    const Index row = row_at(static_cast<std::size_t>(after - runs_.begin()) - 1, position);
    const std::size_t file = files_->file_of(row);
    Index j = 0;
    while (std::isfinite(part(i, j))) ++j;
    throw InvalidData(fmt::format(
        "group {} (\"{}\"): row {}, column {} is {} ({}, row {}, counted from 0); drop the row or "
        "impute before fitting.",
        m, name_, position, j, part(i, j), files_->path(file), row - files_->begin(file)));
  }
}

template <class T, class Use>
void ArrayGroup::read_parts(RowList::const_iterator next, Index count, Index m,
                            const Use& use) const {
  std::size_t run = 0;
  std::vector<Index> positions, in_file;
  for (Index done = 0; done < count; done += static_cast<Index>(positions.size())) {
    positions.clear();
    in_file.clear();
    std::size_t file = 0;
    for (; done + static_cast<Index>(positions.size()) < count; ++next) {
      const Index position = *next;
      while (run + 1 < runs_.size() && runs_[run + 1].first <= position) ++run;
      const Index row = row_at(run, position);
      const std::size_t its_file = files_->file_of(row);
      if (positions.empty()) file = its_file;
      if (its_file != file || positions.size() == kRowsOfAPart) break;
      positions.push_back(position);
      in_file.push_back(row - files_->begin(file));
    }
    const MappedNpy& array = (*files_)[file];
    MatrixOf<T> part;
    if (array.holds<float>()) {
      part = array.read_rows<float>(in_file).template cast<T>();
    } else {
      part = array.read_rows<double>(in_file).template cast<T>();
    }
    check(part, positions, m);
    use(done, part);
  }
}

template <class T>
MatrixOf<T> ArrayGroup::read(const RowList& positions, Index m) const {
  MatrixOf<T> out(static_cast<Index>(positions.size()), cols());
  read_parts<T>(positions.begin(), out.rows(), m,
                [&](Index at, const MatrixOf<T>& part) { out.middleRows(at, part.rows()) = part; });
  return out;
}

template <class T>
void ArrayGroup::read(Index begin, Index end, Index m,
                      const std::function<void(Index at, const MatrixOf<T>& part)>& use) const {
  const RowList all = RowList::all(rows_);
  read_parts<T>(all.from(begin), end - begin, m, [&](Index at, const MatrixOf<T>& part) {
    DiskScratch::look();
    use(begin + at, part);
  });
}

template MatrixOf<float> ArrayGroup::read(const RowList&, Index) const;
template MatrixOf<double> ArrayGroup::read(const RowList&, Index) const;
template void ArrayGroup::read(Index, Index, Index,
                               const std::function<void(Index, const MatrixOf<float>&)>&) const;
template void ArrayGroup::read(Index, Index, Index,
                               const std::function<void(Index, const MatrixOf<double>&)>&) const;

}  // namespace conflux
