#include "fitting/latent.h"

#include <algorithm>

#include "conflux/flow/flow.h"
#include "core/stopwatch.h"
#include "kernels/product.h"

namespace conflux {

namespace {

constexpr Index kRowsPerTask = 96;
// Places on a line that are passed before the next look at the scratch.
constexpr Index kPlacesPerLook = Index{1} << 20;

template <class Scalar>
void project_group(MatrixView<const Scalar> rows, const std::vector<Scalar>& w,
                   MatrixView<Scalar> lines, const Workers& workers) {
  const Index k = lines.rows();
  const Index width = kernels::padded_width<Scalar>(k);
  workers.for_each_block(rows.rows(), kRowsPerTask, [&](Index begin, Index end) {
    DiskScratch::look(begin, end);
    thread_local std::vector<Scalar> block;
    block.resize(static_cast<std::size_t>((end - begin) * width));
    kernels::project(rows.row(begin), rows.stride(), end - begin, rows.cols(), w.data(), width,
                     block.data());
    for (Index line = 0; line < k; ++line) {
      for (Index i = begin; i < end; ++i) lines(line, i) = block[(i - begin) * width + line];
    }
  });
}

// Moves rows, of which value(line, i) is where row i is on a line, and gets where it goes. Maps are
// applied in double precision; rows and their projections are moved by the differences.
template <class Scalar, class Value>
void move_block(MatrixView<Scalar> rows, const std::vector<MonotoneMap>& maps,
                const MatrixOf<Scalar>& directions, const Value& value) {
  thread_local std::vector<Scalar> moves;
  thread_local std::vector<double> values;
  const Index k = directions.rows(), count = rows.rows();
  moves.resize(static_cast<std::size_t>(count * k));
  values.resize(static_cast<std::size_t>(count));
  for (Index line = 0; line < k; ++line) {
    for (Index i = 0; i < count; ++i) values[i] = value(line, i);
    forward(maps[line], std::span<double>(values), nullptr);
    for (Index i = 0; i < count; ++i) {
      const auto after = static_cast<Scalar>(values[i]);
      moves[i * k + line] = after - value(line, i);
      value(line, i) = after;
    }
  }
  kernels::expand(rows.data(), rows.stride(), count, rows.cols(), moves.data(), k, k,
                  directions.data(), directions.cols());
}

template <class Scalar>
void move_group(MatrixView<Scalar> rows, const std::vector<MonotoneMap>& maps,
                const MatrixOf<Scalar>& directions, MatrixView<Scalar> lines,
                const Workers& workers) {
  workers.for_each_block(rows.rows(), kRowsPerTask, [&](Index begin, Index end) {
    move_block<Scalar>(rows.middle_rows(begin, end - begin), maps, directions,
                       [&](Index line, Index i) -> Scalar& { return lines(line, begin + i); });
  });
}

// A sliced layer as rows of one precision need it.
template <class Scalar>
struct WaitingLayer {
  explicit WaitingLayer(const SlicedLayer& sliced)
      : layer(sliced),
        columns(kernels::padded<Scalar>(sliced.frame().columns())),
        width(kernels::padded_width<Scalar>(sliced.frame().directions())),
        directions(sliced.frame().columns().transpose().cast<Scalar>()) {}

  void move(Index group, MatrixView<Scalar> rows) const {
    thread_local std::vector<Scalar> block;
    block.resize(static_cast<std::size_t>(rows.rows() * width));
    kernels::project(rows.data(), rows.stride(), rows.rows(), rows.cols(), columns.data(), width,
                     block.data());
    move_block<Scalar>(rows, layer.maps()[group], directions,
                       [&](Index line, Index i) -> Scalar& { return block[i * width + line]; });
  }

  const SlicedLayer& layer;
  std::vector<Scalar> columns;
  Index width;
  MatrixOf<Scalar> directions;
};

template <class Scalar>
std::vector<WaitingLayer<Scalar>> prepare(
    const std::vector<std::shared_ptr<const SlicedLayer>>& layers) {
  std::vector<WaitingLayer<Scalar>> out;
  out.reserve(layers.size());
  for (const auto& layer : layers) out.emplace_back(*layer);
  return out;
}

// Layers move doubles: a few rows at a time are converted, there and back.
void move_singles(const Layer& layer, Index group, MatrixView<float> rows, const Workers& workers) {
  workers.for_each_block(rows.rows(), kRowsPerTask, [&](Index begin, Index end) {
    DiskScratch::look(begin, end);
    MatrixView<float> block = rows.middle_rows(begin, end - begin);
    Matrix doubles = block.eigen().cast<double>();
    layer.forward(group, Rows(doubles), nullptr);
    block.eigen() = doubles.cast<float>();
  });
}

}  // namespace

Index Projections::num_lines() const {
  return std::visit([](const auto& lines) { return lines.front().rows(); }, lines_);
}

template <class T>
void Projections::copy(Index group, Index line, const RowList& chosen, std::span<T> out) const {
  std::visit(
      [&](const auto& lines) {
        using Scalar = typename std::decay_t<decltype(lines.front())>::Scalar;
        const Scalar* values = lines[group].row(line);
        Index next_look = 0;
        auto row = chosen.begin();
        for (std::size_t i = 0; i < out.size(); ++i, ++row) {
          if (*row >= next_look) {
            DiskScratch::look();
            next_look = *row + kPlacesPerLook;
          }
          out[i] = static_cast<T>(values[*row]);
        }
        if (moved_by_ == nullptr) return;
        std::vector<double> moved(out.begin(), out.end());
        forward(moved_by_->maps()[group][line], std::span<double>(moved), nullptr);
        for (std::size_t i = 0; i < out.size(); ++i) {
          out[i] = static_cast<T>(static_cast<Scalar>(moved[i]));
        }
      },
      lines_);
}

template void Projections::copy(Index, Index, const RowList&, std::span<float>) const;
template void Projections::copy(Index, Index, const RowList&, std::span<double>) const;

Latent::Latent(GroupSet groups, DiskScratch* scratch) : scratch_(scratch) {
  if (scratch_ != nullptr) {
    given_ = std::move(groups);
    single_ = given_.num_groups() > 0;
    for (Index m = 0; m < given_.num_groups(); ++m) single_ = single_ && given_[m].rows.single();
    groups_ = given_;
    return;
  }
  groups_ = std::move(groups);
  groups_.own_rows();
  single_ = groups_.num_groups() > 0 && groups_[0].rows.single();
  Writable<double> doubles;
  Writable<float> singles;
  for (Index m = 0; m < groups_.num_groups(); ++m) {
    if (single_) {
      singles.push_back(groups_.own_singles(m));
    } else {
      doubles.push_back(groups_.own_doubles(m));
    }
  }
  if (single_) {
    rows_ = std::move(singles);
  } else {
    rows_ = std::move(doubles);
  }
}

// Rows of the scratch, which `groups_` shows from now on.
template <class Scalar>
Latent::Writable<Scalar> Latent::room_for_rows() const {
  const Index dim = given_.dim();
  memory_ =
      scratch_->allocate(static_cast<std::size_t>(given_.num_samples() * dim) * sizeof(Scalar));
  auto* to = static_cast<Scalar*>(memory_.get());
  Writable<Scalar> out;
  GroupSet moved;
  for (Index m = 0; m < given_.num_groups(); ++m) {
    const Group& group = given_[m];
    out.emplace_back(to, group.rows.rows(), dim);
    to += group.rows.rows() * dim;
    moved.add(group.name, MatrixView<const Scalar>(out.back()), group.masses);
  }
  if (!given_.feature_names().empty()) moved.set_feature_names(given_.feature_names());
  moved.set_measured(given_.measured());
  moved.set_labels_of(given_);
  moved.set_covariates(given_.covariates());
  groups_ = std::move(moved);
  return out;
}

// Passes the rows block by block: moves them by the waiting layers, and projects them if there are
// lines to write to. If too many layers wait, or nothing is projected, the moved rows are written
// to the scratch.
template <class Scalar>
void Latent::pass(const Frame* frame, const Projections::Lines<Scalar>* lines,
                  const Workers& workers) const {
  const GroupSet source = groups_;
  const bool write = frame == nullptr || static_cast<Index>(waiting_.size()) > kMostWaiting;
  if (write && memory_ == nullptr) rows_ = room_for_rows<Scalar>();
  const auto waiting = prepare<Scalar>(waiting_);
  const std::vector<Scalar> w =
      frame == nullptr ? std::vector<Scalar>() : kernels::padded<Scalar>(frame->columns());
  const Index dim = source.dim();
  const Index k = frame == nullptr ? 0 : frame->directions();
  const Index width = kernels::padded_width<Scalar>(k);
  for (Index m = 0; m < source.num_groups(); ++m) {
    workers.for_each_block(source[m].rows.rows(), kRowsPerTask, [&](Index begin, Index end) {
      DiskScratch::look(begin, end);
      thread_local MatrixOf<Scalar> block, projected;
      const Index count = end - begin;
      block.resize(count, dim);
      source[m].rows.visit([&](const auto& rows) {
        block = rows.middle_rows(begin, count).eigen().template cast<Scalar>();
      });
      for (const auto& each : waiting) each.move(m, MatrixView<Scalar>(block));
      if (write) std::get<Writable<Scalar>>(rows_)[m].middle_rows(begin, count).eigen() = block;
      if (frame == nullptr) return;
      projected.resize(count, width);
      kernels::project(block.data(), dim, count, dim, w.data(), width, projected.data());
      for (Index line = 0; line < k; ++line) {
        for (Index i = 0; i < count; ++i) (*lines)[m](line, begin + i) = projected(i, line);
      }
    });
  }
  if (write) waiting_.clear();
}

void Latent::write_what_waits(const Workers& workers) const {
  if (single_) {
    pass<float>(nullptr, nullptr, workers);
  } else {
    pass<double>(nullptr, nullptr, workers);
  }
}

Latent::Some Latent::some(const RowChoice& chosen) const {
  if (waiting_.empty()) return {groups_, chosen};
  Some out;
  const auto add_moved = [&](Index m, auto rows) {
    using Scalar = typename decltype(rows)::Scalar;
    rows.resize(static_cast<Index>(chosen[m].size()), groups_.dim());
    Index at = 0;
    for (const Index i : chosen[m]) {
      DiskScratch::look_at(i);
      groups_[m].rows.visit([&](const auto& given) {
        std::transform(given.row(i), given.row(i) + given.cols(), rows.row(at++).data(),
                       [](auto value) { return static_cast<Scalar>(value); });
      });
    }
    for (const auto& each : prepare<Scalar>(waiting_)) each.move(m, MatrixView<Scalar>(rows));
    std::vector<double> masses = chosen_masses(groups_[m], chosen[m]);
    out.groups.add(groups_[m].name, std::move(rows), std::move(masses));
    out.rows.push_back(RowList::all(static_cast<Index>(chosen[m].size())));
  };
  for (Index m = 0; m < groups_.num_groups(); ++m) {
    if (single_) {
      add_moved(m, SingleMatrix());
    } else {
      add_moved(m, Matrix());
    }
  }
  return out;
}

// Row k of group m is line k.
template <class Scalar>
Projections Latent::room_for_lines(Index lines) const {
  Projections::Lines<Scalar> out;
  if (scratch_ == nullptr) {
    const auto memory = std::make_shared<std::vector<MatrixOf<Scalar>>>();
    for (Index m = 0; m < groups_.num_groups(); ++m) {
      memory->emplace_back(lines, groups_[m].rows.rows());
    }
    for (MatrixOf<Scalar>& each : *memory) out.emplace_back(each);
    return {std::move(out), memory};
  }
  const auto bytes = static_cast<std::size_t>(groups_.num_samples() * lines) * sizeof(Scalar);
  if (lines_memory_.use_count() != 1 || bytes > lines_bytes_) {
    lines_memory_ = scratch_->allocate(bytes);
    lines_bytes_ = bytes;
  }
  auto* at = static_cast<Scalar*>(lines_memory_.get());
  for (Index m = 0; m < groups_.num_groups(); ++m) {
    out.emplace_back(at, lines, groups_[m].rows.rows());
    at += lines * groups_[m].rows.rows();
  }
  return {std::move(out), lines_memory_};
}

void Latent::move(const Layer& layer, const Workers& workers) {
  if (scratch_ != nullptr && (memory_ == nullptr || !waiting_.empty())) write_what_waits(workers);
  for (Index m = 0; m < groups_.num_groups(); ++m) {
    if (single_) {
      move_singles(layer, m, std::get<1>(rows_)[m], workers);
    } else {
      forward_in_place(layer, m, std::get<0>(rows_)[m], workers);
    }
  }
}

void Latent::count_product(Index directions, double touches, double seconds, Work& work) const {
  const double rows =
      counted_rows_ > 0 ? counted_rows_ : static_cast<double>(groups_.num_samples());
  work.add_product(rows, static_cast<double>(groups_.dim()), static_cast<double>(directions),
                   single_ ? sizeof(float) : sizeof(double), touches, seconds);
}

Projections Latent::project(const Frame& frame, const Workers& workers, Work& work) const {
  const Stopwatch watch;
  const auto all_groups = [&](auto zero, auto&& rows_of) {
    using Scalar = decltype(zero);
    const std::vector<Scalar> w = kernels::padded<Scalar>(frame.columns());
    Projections out = room_for_lines<Scalar>(frame.directions());
    const auto& lines = std::get<Projections::Lines<Scalar>>(out.lines_);
    if (scratch_ != nullptr) pass<Scalar>(&frame, &lines, workers);
    for (Index m = 0; scratch_ == nullptr && m < groups_.num_groups(); ++m) {
      project_group<Scalar>(rows_of(m), w, lines[m], workers);
    }
    count_product(frame.directions(), 1, watch.seconds(), work);
    return out;
  };
  if (single_) return all_groups(0.0F, [&](Index m) { return groups_[m].rows.singles(); });
  return all_groups(0.0, [&](Index m) { return groups_[m].rows.doubles(); });
}

void Latent::move_along(const SlicedLayer& layer, Projections& projections, const Workers& workers,
                        Work& work) {
  const Stopwatch watch;
  if (scratch_ != nullptr) {
    waiting_.push_back(std::make_shared<const SlicedLayer>(layer));
    projections.moved_by_ = waiting_.back();
    // The same products, later.
    return count_product(layer.frame().directions(), 2, watch.seconds(), work);
  }
  const auto all_groups = [&](const auto& lines, const auto& rows) {
    using Scalar = typename std::decay_t<decltype(lines.front())>::Scalar;
    const MatrixOf<Scalar> directions = layer.frame().columns().transpose().cast<Scalar>();
    for (Index m = 0; m < groups_.num_groups(); ++m) {
      move_group<Scalar>(rows[m], layer.maps()[m], directions, lines[m], workers);
    }
  };
  if (single_) {
    all_groups(std::get<1>(projections.lines_), std::get<1>(rows_));
  } else {
    all_groups(std::get<0>(projections.lines_), std::get<0>(rows_));
  }
  count_product(layer.frame().directions(), 2, watch.seconds(), work);
}

}  // namespace conflux
