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

// Maps are applied in double precision; rows and their projections are moved by the differences.
template <class Scalar>
void move_group(MatrixView<Scalar> rows, const std::vector<MonotoneMap>& maps,
                const MatrixOf<Scalar>& directions, MatrixView<Scalar> lines,
                const Workers& workers) {
  const Index k = directions.rows();
  workers.for_each_block(rows.rows(), kRowsPerTask, [&](Index begin, Index end) {
    DiskScratch::look(begin, end);
    thread_local std::vector<Scalar> moves;
    thread_local std::vector<double> values;
    const Index count = end - begin;
    moves.resize(static_cast<std::size_t>(count * k));
    values.resize(static_cast<std::size_t>(count));
    for (Index line = 0; line < k; ++line) {
      Scalar* before = &lines(line, begin);
      std::copy_n(before, count, values.data());
      forward(maps[line], std::span<double>(values), nullptr);
      for (Index i = 0; i < count; ++i) {
        const auto after = static_cast<Scalar>(values[i]);
        moves[i * k + line] = after - before[i];
        before[i] = after;
      }
    }
    kernels::expand(rows.row(begin), rows.stride(), count, rows.cols(), moves.data(), k, k,
                    directions.data(), directions.cols());
  });
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

void Projections::copy(Index group, Index line, std::span<const Index> chosen,
                       std::span<double> out) const {
  std::visit(
      [&](const auto& lines) {
        const auto* values = lines[group].row(line);
        Index next_look = 0;
        for (std::size_t i = 0; i < chosen.size(); ++i) {
          if (chosen[i] >= next_look) {
            DiskScratch::look();
            next_look = chosen[i] + kPlacesPerLook;
          }
          out[i] = values[chosen[i]];
        }
      },
      lines_);
}

Latent::Latent(GroupSet groups, DiskScratch* scratch) : scratch_(scratch) {
  if (scratch_ != nullptr) {
    given_ = std::move(groups);
    single_ = given_.num_groups() > 0;
    for (Index m = 0; m < given_.num_groups(); ++m) single_ = single_ && given_[m].rows.single();
    if (single_) {
      rows_ = copy_to_scratch<float>();
    } else {
      rows_ = copy_to_scratch<double>();
    }
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

template <class Scalar>
Latent::Writable<Scalar> Latent::copy_to_scratch() {
  const Index dim = given_.dim();
  memory_ =
      scratch_->allocate(static_cast<std::size_t>(given_.num_samples() * dim) * sizeof(Scalar));
  auto* to = static_cast<Scalar*>(memory_.get());
  Writable<Scalar> out;
  for (Index m = 0; m < given_.num_groups(); ++m) {
    const Group& group = given_[m];
    out.emplace_back(to, group.rows.rows(), dim);
    group.rows.visit([&](const auto& rows) {
      for (Index i = 0; i < rows.rows(); ++i) {
        if (i % kRowsPerLook == 0) DiskScratch::look();
        std::copy_n(rows.row(i), dim, out.back().row(i));
      }
    });
    to += group.rows.rows() * dim;
    groups_.add(group.name, MatrixView<const Scalar>(out.back()), group.masses);
  }
  if (!given_.feature_names().empty()) groups_.set_feature_names(given_.feature_names());
  groups_.set_measured(given_.measured());
  groups_.set_labels_of(given_);
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
  for (Index m = 0; m < groups_.num_groups(); ++m) {
    if (single_) {
      move_singles(layer, m, std::get<1>(rows_)[m], workers);
    } else {
      forward_in_place(layer, m, std::get<0>(rows_)[m], workers);
    }
  }
}

void Latent::count_product(Index directions, double touches, double seconds, Work& work) const {
  work.add_product(static_cast<double>(groups_.num_samples()), static_cast<double>(groups_.dim()),
                   static_cast<double>(directions), single_ ? sizeof(float) : sizeof(double),
                   touches, seconds);
}

Projections Latent::project(const Frame& frame, const Workers& workers, Work& work) const {
  const Stopwatch watch;
  const auto all_groups = [&](auto zero, auto&& rows_of) {
    using Scalar = decltype(zero);
    const std::vector<Scalar> w = kernels::padded<Scalar>(frame.columns());
    Projections out = room_for_lines<Scalar>(frame.directions());
    const auto& lines = std::get<Projections::Lines<Scalar>>(out.lines_);
    for (Index m = 0; m < groups_.num_groups(); ++m) {
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
