#include "flow/gated_layer.h"

#include "kernels/product.h"
#include "kernels/shares.h"
#include "univariate/monotone_map.h"

namespace conflux {

namespace {

// Weights below this fraction of the largest count nothing; what is above is lowered by it, so that
// shares have no jump.
constexpr double kLeastWeight = 1e-3;

std::vector<double> side_by_side(const Matrix& left, const Matrix& right) {
  Matrix both(left.rows(), left.cols() + right.cols());
  both << left, right;
  return kernels::padded(both);
}

}  // namespace

Gate::Gate(Frame frame, std::vector<Matrix> centers, double scale)
    : frame_(std::move(frame)), centers_(std::move(centers)), scale_(scale) {
  for (const Matrix& each : centers_) {
    squares_.push_back(each.rowwise().squaredNorm());
    padded_.push_back(kernels::padded(each.transpose()));
  }
}

void Gate::shares(Index group, const double* at, Index stride, Index count, Matrix& out) const {
  const Index width = kernels::padded_width<double>(clusters());
  thread_local std::vector<double> products;
  products.resize(static_cast<std::size_t>(count * width));
  kernels::project(at, stride, count, frame_.directions(), padded_[set_of(group)].data(), width,
                   products.data());
  shares_of_products(group, products.data(), width, count, out);
}

void Gate::shares_of_products(Index group, const double* products, Index stride, Index count,
                              Matrix& out) const {
  const Index width = kernels::padded_width<double>(clusters());
  if (out.rows() != count || out.cols() != width) out.resize(count, width);
  kernels::soft_shares(products, stride, count, squares_[set_of(group)].data(), clusters(), scale_,
                       kLeastWeight, out.data(), width);
}

Vector Gate::shares(Index group, const double* at) const {
  Matrix out;
  shares(group, at, frame_.directions(), 1, out);
  return out.row(0).head(clusters());
}

GatedLayer::GatedLayer(Frame frame, Gate gate, Maps maps, Barycenters barycenters)
    : frame_(std::move(frame)),
      gate_(std::move(gate)),
      maps_(std::move(maps)),
      barycenters_(std::move(barycenters)),
      directions_(frame_.columns().transpose()) {
  const Matrix& seen = gate_.frame().columns();
  if (!sees_centers()) {
    padded_.push_back(side_by_side(frame_.columns(), seen));
    return;
  }
  for (const Matrix& each : gate_.centers()) {
    padded_.push_back(side_by_side(frame_.columns(), seen * each.transpose()));
  }
}

// Projects the rows, shares them among the clusters, moves each direction's values, and adds the
// changes back to the rows.
template <class MoveLine>
void GatedLayer::move_rows(Index group, Rows rows, MoveLine move_line) const {
  const Index count = rows.rows();
  const Index k = frame_.directions();
  const Index looks = sees_centers() ? gate_.clusters() : gate_.frame().directions();
  const Index width = kernels::padded_width<double>(k + looks);
  thread_local std::vector<double> projections;
  thread_local std::vector<double> line;
  thread_local Matrix shares;
  thread_local ClusterMixture mixture;
  projections.resize(static_cast<std::size_t>(count * width));
  line.resize(static_cast<std::size_t>(count));
  const std::size_t set = padded_.size() == 1 ? 0 : static_cast<std::size_t>(group);
  kernels::project(rows.data(), rows.stride(), count, rows.cols(), padded_[set].data(), width,
                   projections.data());
  if (sees_centers()) {
    gate_.shares_of_products(group, projections.data() + k, width, count, shares);
  } else {
    gate_.shares(group, projections.data() + k, width, count, shares);
  }
  mixture.share_out(shares, gate_.clusters());
  for (Index direction = 0; direction < k; ++direction) {
    for (Index i = 0; i < count; ++i) line[i] = projections[i * width + direction];
    move_line(mixture, &maps_[static_cast<std::size_t>(group)][static_cast<std::size_t>(direction)],
              k, std::span<double>(line));
    for (Index i = 0; i < count; ++i) {
      double& projection = projections[i * width + direction];
      projection = line[i] - projection;
    }
  }
  kernels::expand(rows.data(), rows.stride(), count, rows.cols(), projections.data(), width, k,
                  directions_.data(), directions_.cols());
}

void GatedLayer::forward(Index group, Rows rows, double* log_det) const {
  move_rows(group, rows,
            [&](ClusterMixture& mixture, const PiecewiseLinearMap* maps, Index step,
                std::span<double> line) { mixture.forward(maps, step, line, log_det); });
}

void GatedLayer::inverse(Index group, Rows rows, double* log_det) const {
  move_rows(group, rows,
            [&](ClusterMixture& mixture, const PiecewiseLinearMap* maps, Index step,
                std::span<double> line) { mixture.inverse(maps, step, line, log_det); });
}

// Shares sum to 1, so parts of the maps of all clusters move rows by that part of their way.
std::shared_ptr<const Layer> GatedLayer::part(double amount) const {
  return std::make_shared<GatedLayer>(frame_, gate_, parts(maps_, amount));
}

}  // namespace conflux
