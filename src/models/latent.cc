#include "models/latent.h"

#include <algorithm>

#include "conflux/flow/flow.h"
#include "kernels/product.h"

namespace conflux {

namespace {

constexpr Index kRowsPerTask = 96;

}  // namespace

Latent::Latent(const GroupSet& groups) {
  for (Index m = 0; m < groups.num_groups(); ++m) rows_.emplace_back(groups[m].rows.eigen());
  for (Index m = 0; m < groups.num_groups(); ++m) {
    view_.add(groups[m].name, ConstRows(rows_[m]), groups[m].weights);
  }
  view_.set_labels_of(groups);
}

void Latent::move(const Layer& layer, const Workers& workers) {
  for (Index m = 0; m < view_.num_groups(); ++m) {
    forward_in_place(layer, m, Rows(rows_[m]), workers);
  }
}

Projections Latent::project(const Frame& frame, const Workers& workers) const {
  const Index k = frame.directions();
  const Index width = kernels::padded_width<double>(k);
  const std::vector<double> w = kernels::padded(frame.columns());
  Projections out;
  for (const Matrix& rows : rows_) {
    Matrix& lines = out.emplace_back(k, rows.rows());
    workers.for_each_block(rows.rows(), kRowsPerTask, [&](Index begin, Index end) {
      thread_local std::vector<double> block;
      block.resize(static_cast<std::size_t>((end - begin) * width));
      kernels::project(rows.data() + begin * rows.cols(), rows.cols(), end - begin, rows.cols(),
                       w.data(), width, block.data());
      for (Index line = 0; line < k; ++line) {
        for (Index i = begin; i < end; ++i) lines(line, i) = block[(i - begin) * width + line];
      }
    });
  }
  return out;
}

void Latent::move_along(const SlicedLayer& layer, Projections& projections,
                        const Workers& workers) {
  const Index k = layer.frame().directions();
  const Matrix directions = layer.frame().columns().transpose();
  for (Index m = 0; m < view_.num_groups(); ++m) {
    Matrix& rows = rows_[m];
    workers.for_each_block(rows.rows(), kRowsPerTask, [&](Index begin, Index end) {
      thread_local std::vector<double> moves;
      thread_local std::vector<double> before;
      const Index count = end - begin;
      moves.resize(static_cast<std::size_t>(count * k));
      before.resize(static_cast<std::size_t>(count));
      for (Index line = 0; line < k; ++line) {
        double* values = &projections[m](line, begin);
        std::copy_n(values, count, before.data());
        forward(layer.maps()[m][line], std::span(values, static_cast<std::size_t>(count)), nullptr);
        for (Index i = 0; i < count; ++i) moves[i * k + line] = values[i] - before[i];
      }
      kernels::expand(rows.data() + begin * rows.cols(), rows.cols(), count, rows.cols(),
                      moves.data(), k, k, directions.data(), directions.cols());
    });
  }
}

}  // namespace conflux
