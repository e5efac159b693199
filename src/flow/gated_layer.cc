#include "flow/gated_layer.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "kernels/product.h"

namespace conflux {

namespace {

// Weights below this fraction of the largest count nothing; what is above is lowered by it, so that
// shares have no jump.
constexpr double kLeastWeight = 1e-3;
// Below its logarithm.
constexpr double kNoWeight = -7;
// Newton's method on a piecewise linear function ends when it stays on a segment, after a handful
// of steps in practice.
constexpr int kMostSteps = 200;

std::vector<double> side_by_side(const Matrix& left, const Matrix& right) {
  Matrix both(left.rows(), left.cols() + right.cols());
  both << left, right;
  return kernels::padded(both);
}

}  // namespace

Gate::Gate(Frame frame, std::vector<Matrix> centres, double scale)
    : frame_(std::move(frame)), centres_(std::move(centres)), scale_(scale) {
  for (const Matrix& each : centres_) {
    squares_.push_back(each.rowwise().squaredNorm());
    padded_.push_back(kernels::padded(each.transpose()));
  }
}

void Gate::shares(Index group, const double* at, Index stride, Index count, Matrix& out) const {
  const std::size_t which = centres_.size() == 1 ? 0 : static_cast<std::size_t>(group);
  const Vector& squares = squares_[which];
  const Index width = kernels::padded_width<double>(kinds());
  out.resize(count, width);
  kernels::project(at, stride, count, frame_.directions(), padded_[which].data(), width,
                   out.data());
  for (Index i = 0; i < count; ++i) {
    double* own = &out(i, 0);
    double largest = -std::numeric_limits<double>::infinity();
    for (Index c = 0; c < kinds(); ++c) {
      own[c] = (2 * own[c] - squares(c)) / scale_;
      largest = std::max(largest, own[c]);
    }
    double sum = 0;
    for (Index c = 0; c < kinds(); ++c) {
      const double exponent = own[c] - largest;
      // Most points are of one kind alone, which needs no exponential.
      own[c] = exponent < kNoWeight ? 0.0
               : exponent == 0      ? 1 - kLeastWeight
                                    : std::max(0.0, std::exp(exponent) - kLeastWeight);
      sum += own[c];
    }
    for (Index c = 0; c < kinds(); ++c) own[c] /= sum;
  }
}

Vector Gate::shares(Index group, const double* at) const {
  Matrix out;
  shares(group, at, frame_.directions(), 1, out);
  return out.row(0).head(kinds());
}

/// Which rows of a block have a share in which kind, kind by kind, and room for their values.
struct GatedLayer::Shares {
  std::vector<Index> rows;
  std::vector<double> shares;
  /// Those of kind c begin at begin[c].
  std::vector<std::size_t> begin;
  std::vector<double> values = {};
  std::vector<double> slopes = {};

  Shares(const Matrix& of_rows, Index kinds) {
    rows.resize(static_cast<std::size_t>(of_rows.rows() * kinds));
    shares.resize(rows.size());
    std::size_t count = 0;
    for (Index c = 0; c < kinds; ++c) {
      begin.push_back(count);
      for (Index i = 0; i < of_rows.rows(); ++i) {
        // Without a branch, which could not be foreseen.
        rows[count] = i;
        shares[count] = of_rows(i, c);
        count += of_rows(i, c) > 0;
      }
    }
    begin.push_back(count);
    resize(count);
  }

  /// Leaves out rows that are not `wanted`.
  void keep(const std::vector<char>& wanted) {
    std::size_t kept = 0;
    std::size_t j = 0;
    for (std::size_t c = 0; c < kinds(); ++c) {
      const std::size_t end = begin[c + 1];
      begin[c] = kept;
      for (; j < end; ++j) {
        rows[kept] = rows[j];
        shares[kept] = shares[j];
        kept += wanted[rows[j]] ? 1 : 0;
      }
    }
    begin.back() = kept;
    resize(kept);
  }

  void resize(std::size_t count) {
    rows.resize(count);
    shares.resize(count);
    values.resize(count);
    slopes.resize(count);
  }

  std::size_t kinds() const { return begin.size() - 1; }
  std::span<double> of_kind(std::vector<double>& all, std::size_t c) const {
    return std::span(all).subspan(begin[c], begin[c + 1] - begin[c]);
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
  thread_local std::vector<double> projections;
  thread_local std::vector<double> line;
  thread_local Matrix shares_of_rows;
  projections.resize(static_cast<std::size_t>(count * width));
  line.resize(static_cast<std::size_t>(count));
  kernels::project(rows.data(), rows.stride(), count, rows.cols(), padded_.data(), width,
                   projections.data());
  gate_.shares(group, projections.data() + k, width, count, shares_of_rows);
  Shares shares(shares_of_rows, gate_.kinds());
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

// The mixture of the kinds' maps and its slope at each point of a line.
void GatedLayer::mix(Index group, Index k, Shares& shares, std::span<const double> line,
                     std::vector<double>& image, std::vector<double>& slope) const {
  image.assign(line.size(), 0.0);
  slope.assign(line.size(), 0.0);
  for (std::size_t j = 0; j < shares.rows.size(); ++j) shares.values[j] = line[shares.rows[j]];
  for (std::size_t c = 0; c < shares.kinds(); ++c) {
    map(group, static_cast<Index>(c), k)
        .forward_with_slopes(shares.of_kind(shares.values, c), shares.of_kind(shares.slopes, c));
  }
  for (std::size_t j = 0; j < shares.rows.size(); ++j) {
    image[shares.rows[j]] += shares.shares[j] * shares.values[j];
    slope[shares.rows[j]] += shares.shares[j] * shares.slopes[j];
  }
}

// Between the preimages under the maps of the kinds lies that under their mixture.
void GatedLayer::bracket(Index group, Index k, Shares& shares, std::span<const double> wanted,
                         std::vector<double>& low, std::vector<double>& high) const {
  low.assign(wanted.size(), std::numeric_limits<double>::infinity());
  high.assign(wanted.size(), -std::numeric_limits<double>::infinity());
  for (std::size_t j = 0; j < shares.rows.size(); ++j) shares.values[j] = wanted[shares.rows[j]];
  for (std::size_t c = 0; c < shares.kinds(); ++c) {
    map(group, static_cast<Index>(c), k).inverse(shares.of_kind(shares.values, c), nullptr);
  }
  for (std::size_t j = 0; j < shares.rows.size(); ++j) {
    const Index i = shares.rows[j];
    low[i] = std::min(low[i], shares.values[j]);
    high[i] = std::max(high[i], shares.values[j]);
  }
}

void GatedLayer::forward(Index group, Rows rows, double* log_det) const {
  std::vector<double> image, slope;
  move_rows(group, rows, [&](Index k, Shares& shares, std::span<double> line) {
    mix(group, k, shares, line, image, slope);
    std::copy(image.begin(), image.end(), line.begin());
    if (log_det == nullptr) return;
    for (std::size_t i = 0; i < line.size(); ++i) log_det[i] += std::log(slope[i]);
  });
}

// Newton's steps for all points of a line at once; points that have arrived are left out.
void GatedLayer::inverse(Index group, Rows rows, double* log_det) const {
  std::vector<double> wanted, low, high, image, slope;
  std::vector<char> open;
  std::vector<Index> on_the_way;
  move_rows(group, rows, [&](Index k, const Shares& shares, std::span<double> line) {
    Shares left = shares;
    wanted.assign(line.begin(), line.end());
    bracket(group, k, left, wanted, low, high);
    std::copy(low.begin(), low.end(), line.begin());
    open.assign(line.size(), true);
    on_the_way.resize(line.size());
    std::iota(on_the_way.begin(), on_the_way.end(), Index{0});
    for (int step = 0; step < kMostSteps && !left.rows.empty(); ++step) {
      mix(group, k, left, line, image, slope);
      for (const Index i : on_the_way) {
        const double at = line[i];
        const double move = (wanted[i] - image[i]) / slope[i];
        (image[i] < wanted[i] ? low[i] : high[i]) = at;
        // An end of the bracket was tried already; without halving, two of them could take turns.
        const bool inside = at + move > low[i] && at + move < high[i];
        const double next = inside ? at + move : low[i] + (high[i] - low[i]) / 2;
        // The solution of the segment's own equation, up to the rounding of `at` itself, or a
        // bracket that has no number left within.
        const bool goes_on = std::abs(at + move - at) > 4e-16 * std::abs(at) && next != at;
        open[i] = goes_on ? 1 : 0;
        if (goes_on) {
          line[i] = next;
        } else if (log_det != nullptr) {
          log_det[i] -= std::log(slope[i]);
        }
      }
      std::erase_if(on_the_way, [&](Index i) { return !open[i]; });
      left.keep(open);
    }
  });
}

}  // namespace conflux
