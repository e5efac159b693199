#include "fitting/latent.h"

#include <algorithm>

#include "conflux/flow/flow.h"
#include "core/stopwatch.h"
#include "kernels/product.h"

namespace conflux {

namespace {

constexpr Index kRowsPerTask = 96;

template <class Scalar>
MatrixOf<Scalar> project_group(MatrixView<const Scalar> rows, const std::vector<Scalar>& w, Index k,
                               const Workers& workers) {
  const Index width = kernels::padded_width<Scalar>(k);
  MatrixOf<Scalar> lines(k, rows.rows());
  workers.for_each_block(rows.rows(), kRowsPerTask, [&](Index begin, Index end) {
    thread_local std::vector<Scalar> block;
    block.resize(static_cast<std::size_t>((end - begin) * width));
    kernels::project(rows.row(begin), rows.stride(), end - begin, rows.cols(), w.data(), width,
                     block.data());
    for (Index line = 0; line < k; ++line) {
      for (Index i = begin; i < end; ++i) lines(line, i) = block[(i - begin) * width + line];
    }
  });
  return lines;
}

// Maps are applied in double precision; rows and their projections are moved by the differences.
template <class Scalar>
void move_group(MatrixView<Scalar> rows, const std::vector<MonotoneMap>& maps,
                const MatrixOf<Scalar>& directions, MatrixOf<Scalar>& lines,
                const Workers& workers) {
  const Index k = directions.rows();
  workers.for_each_block(rows.rows(), kRowsPerTask, [&](Index begin, Index end) {
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
        const auto* values = lines[group].row(line).data();
        for (std::size_t i = 0; i < chosen.size(); ++i) out[i] = values[chosen[i]];
      },
      lines_);
}

Latent::Latent(GroupSet groups) : groups_(std::move(groups)) {
  groups_.own_rows();
  single_ = groups_.num_groups() > 0 && groups_[0].rows.single();
}

void Latent::move(const Layer& layer, const Workers& workers) {
  for (Index m = 0; m < groups_.num_groups(); ++m) {
    if (single_) {
      move_singles(layer, m, groups_.own_singles(m), workers);
    } else {
      forward_in_place(layer, m, groups_.own_doubles(m), workers);
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
    Projections::Lines<Scalar> out;
    for (Index m = 0; m < groups_.num_groups(); ++m) {
      out.push_back(project_group<Scalar>(rows_of(m), w, frame.directions(), workers));
    }
    count_product(frame.directions(), 1, watch.seconds(), work);
    return Projections(std::move(out));
  };
  if (single_) return all_groups(0.0F, [&](Index m) { return groups_[m].rows.singles(); });
  return all_groups(0.0, [&](Index m) { return groups_[m].rows.doubles(); });
}

void Latent::move_along(const SlicedLayer& layer, Projections& projections, const Workers& workers,
                        Work& work) {
  const Stopwatch watch;
  const auto all_groups = [&](auto& lines, auto&& rows_of) {
    using Scalar = typename std::decay_t<decltype(lines.front())>::Scalar;
    const MatrixOf<Scalar> directions = layer.frame().columns().transpose().cast<Scalar>();
    for (Index m = 0; m < groups_.num_groups(); ++m) {
      move_group<Scalar>(rows_of(m), layer.maps()[m], directions, lines[m], workers);
    }
  };
  if (single_) {
    all_groups(std::get<1>(projections.lines_), [&](Index m) { return groups_.own_singles(m); });
  } else {
    all_groups(std::get<0>(projections.lines_), [&](Index m) { return groups_.own_doubles(m); });
  }
  count_product(layer.frame().directions(), 2, watch.seconds(), work);
}

}  // namespace conflux
