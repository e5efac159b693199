#include "flow/gated_layer.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/product.h"

namespace conflux {

namespace {

// Weights below this fraction of the largest count nothing; what is above is lowered by it, so that
// shares have no jump.
constexpr double kLeastWeight = 1e-3;
// Below its logarithm.
constexpr double kNoWeight = -7;
// Newton's method on a piecewise linear function ends when it stays on a segment; a handful of
// steps in practice.
constexpr int kMostSteps = 200;

std::vector<double> side_by_side(const Matrix& left, const Matrix& right) {
  Matrix both(left.rows(), left.cols() + right.cols());
  both << left, right;
  return kernels::padded(both);
}

}  // namespace

Gate::Gate(Frame frame, std::vector<Matrix> centres, double scale)
    : frame_(std::move(frame)), centres_(std::move(centres)), scale_(scale) {
  for (const Matrix& each : centres_) squares_.push_back(each.rowwise().squaredNorm());
}

void Gate::shares(Index group, const double* at, double* out) const {
  const std::size_t which = centres_.size() == 1 ? 0 : static_cast<std::size_t>(group);
  const Matrix& centres = centres_[which];
  double largest = -std::numeric_limits<double>::infinity();
  for (Index c = 0; c < centres.rows(); ++c) {
    double dot = 0;
    for (Index j = 0; j < centres.cols(); ++j) dot += at[j] * centres(c, j);
    out[c] = (2 * dot - squares_[which](c)) / scale_;
    largest = std::max(largest, out[c]);
  }
  double sum = 0;
  for (Index c = 0; c < centres.rows(); ++c) {
    const double exponent = out[c] - largest;
    out[c] = exponent < kNoWeight ? 0.0 : std::max(0.0, std::exp(exponent) - kLeastWeight);
    sum += out[c];
  }
  for (Index c = 0; c < centres.rows(); ++c) out[c] /= sum;
}

/// Which rows of a block have a share in which kind.
struct GatedLayer::Shares {
  struct Member {
    Index row;
    double share;
  };
  std::vector<std::vector<Member>> of_kind;
  struct Kind {
    Index kind;
    double share;
  };
  /// Of row i those from begin[i] up to begin[i + 1].
  std::vector<Kind> kinds;
  std::vector<std::size_t> begin = {0};

  std::span<const Kind> of_row(std::size_t i) const {
    return std::span(kinds).subspan(begin[i], begin[i + 1] - begin[i]);
  }
};

GatedLayer::GatedLayer(Frame frame, Gate gate, Maps maps, Barycenters barycenters)
    : frame_(std::move(frame)),
      gate_(std::move(gate)),
      maps_(std::move(maps)),
      barycenters_(std::move(barycenters)),
      padded_(side_by_side(frame_.columns(), gate_.frame().columns())),
      directions_(frame_.columns().transpose()) {}

// Projects the rows, shares them among the kinds, moves each direction's values, and adds the
// changes back to the rows.
template <class MoveLine>
void GatedLayer::move_rows(Index group, Rows rows, MoveLine move_line) const {
  const Index count = rows.rows();
  const Index k = frame_.directions();
  const Index width = kernels::padded_width<double>(k + gate_.frame().directions());
  std::vector<double> projections(static_cast<std::size_t>(count * width));
  std::vector<double> line(static_cast<std::size_t>(count));
  kernels::project(rows.data(), rows.stride(), count, rows.cols(), padded_.data(), width,
                   projections.data());
  Shares shares;
  shares.of_kind.resize(static_cast<std::size_t>(gate_.kinds()));
  std::vector<double> each(static_cast<std::size_t>(gate_.kinds()));
  for (Index i = 0; i < count; ++i) {
    gate_.shares(group, projections.data() + i * width + k, each.data());
    for (Index c = 0; c < gate_.kinds(); ++c) {
      if (each[c] == 0) continue;
      shares.of_kind[c].push_back({i, each[c]});
      shares.kinds.push_back({c, each[c]});
    }
    shares.begin.push_back(shares.kinds.size());
  }
  for (Index direction = 0; direction < k; ++direction) {
    for (Index i = 0; i < count; ++i) line[i] = projections[i * width + direction];
    move_line(direction, shares, std::span<double>(line));
    for (Index i = 0; i < count; ++i) {
      double& projection = projections[i * width + direction];
      projection = line[i] - projection;
    }
  }
  kernels::expand(rows.data(), rows.stride(), count, rows.cols(), projections.data(), width, k,
                  directions_.data(), directions_.cols());
}

void GatedLayer::forward(Index group, Rows rows, double* log_det) const {
  std::vector<double> values, slopes, image, slope;
  move_rows(group, rows, [&](Index k, const Shares& shares, std::span<double> line) {
    image.assign(line.size(), 0.0);
    slope.assign(line.size(), 0.0);
    for (Index c = 0; c < gate_.kinds(); ++c) {
      const auto& members = shares.of_kind[c];
      values.resize(members.size());
      slopes.resize(members.size());
      for (std::size_t j = 0; j < members.size(); ++j) values[j] = line[members[j].row];
      map(group, c, k).forward_with_slopes(values, slopes);
      for (std::size_t j = 0; j < members.size(); ++j) {
        image[members[j].row] += members[j].share * values[j];
        slope[members[j].row] += members[j].share * slopes[j];
      }
    }
    std::copy(image.begin(), image.end(), line.begin());
    if (log_det == nullptr) return;
    for (std::size_t i = 0; i < line.size(); ++i) log_det[i] += std::log(slope[i]);
  });
}

void GatedLayer::inverse(Index group, Rows rows, double* log_det) const {
  move_rows(group, rows, [&](Index k, const Shares& shares, std::span<double> line) {
    for (std::size_t i = 0; i < line.size(); ++i) {
      const std::span<const Shares::Kind> kinds = shares.of_row(i);
      const double wanted = line[i];
      // Between the preimages under the maps of the kinds lies that under their mixture.
      double low = std::numeric_limits<double>::infinity();
      double high = -low;
      for (const auto& [kind, share] : kinds) {
        const double preimage = map(group, kind, k).preimage(wanted);
        low = std::min(low, preimage);
        high = std::max(high, preimage);
      }
      double at = low;
      double slope = 1;
      for (int step = 0; step < kMostSteps; ++step) {
        double value = 0;
        slope = 0;
        for (const auto& [kind, share] : kinds) {
          const auto [image, steepness] = map(group, kind, k).image(at);
          value += share * image;
          slope += share * steepness;
        }
        (value < wanted ? low : high) = at;
        const double next = at + (wanted - value) / slope;
        // The solution of the segment's own equation, up to the rounding of `at` itself.
        if (std::abs(next - at) <= 4e-16 * std::abs(at)) break;
        // An end of the bracket was tried already; without halving, two of them could take turns.
        at = next > low && next < high ? next : low + (high - low) / 2;
      }
      line[i] = at;
      if (log_det != nullptr) log_det[i] -= std::log(slope);
    }
  });
}

}  // namespace conflux
