#include "matching/partial_transport.h"

#include <algorithm>
#include <limits>
#include <vector>

namespace conflux {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// Masses are parts of 1; smaller remainders are rounding.
constexpr double kNothing = 1e-12;

// Nodes 0 .. sources-1 are sources, the others sinks.
class Network {
 public:
  Network(const Matrix& costs, Vector supply, Vector demand)
      : costs_(costs),
        supply_(std::move(supply)),
        demand_(std::move(demand)),
        shipped_(Matrix::Zero(costs.rows(), costs.cols())),
        potential_(static_cast<std::size_t>(costs.rows() + costs.cols()), 0.0) {}

  /// The cost of a unit along the cheapest path that is left; infinite when there is none.
  double find_path() {
    search();
    end_ = -1;
    double least = kInfinity;
    for (Index j = 0; j < costs_.cols(); ++j) {
      const Index node = costs_.rows() + j;
      if (demand_(j) <= kNothing || distance_[node] == kInfinity) continue;
      const double cost = distance_[node] + potential_[node];
      if (cost >= least) continue;
      least = cost;
      end_ = node;
    }
    if (end_ < 0) return kInfinity;
    const double reach = distance_[end_];
    for (std::size_t v = 0; v < potential_.size(); ++v) {
      potential_[v] += std::min(distance_[v], reach);
    }
    return least;
  }

  /// Ships along the path that was found what it carries, at most `most`.
  double ship(double most) {
    double carried = std::min(most, demand_(end_ - costs_.rows()));
    Index v = end_;
    for (; before_[v] >= 0; v = before_[v]) {
      if (is_source(v)) carried = std::min(carried, flow(v, before_[v]));
    }
    carried = std::min(carried, supply_(v));
    for (v = end_; before_[v] >= 0; v = before_[v]) {
      if (is_source(v)) {
        flow(v, before_[v]) -= carried;
      } else {
        flow(before_[v], v) += carried;
      }
    }
    supply_(v) -= carried;
    demand_(end_ - costs_.rows()) -= carried;
    return carried;
  }

  const Matrix& shipped() const { return shipped_; }

 private:
  bool is_source(Index node) const { return node < costs_.rows(); }
  double& flow(Index source, Index sink) { return shipped_(source, sink - costs_.rows()); }

  // Dijkstra's algorithm on costs reduced by potentials, from all sources that have mass left.
  void search() {
    const Index nodes = costs_.rows() + costs_.cols();
    distance_.assign(static_cast<std::size_t>(nodes), kInfinity);
    before_.assign(static_cast<std::size_t>(nodes), -1);
    done_.assign(static_cast<std::size_t>(nodes), 0);
    for (Index i = 0; i < costs_.rows(); ++i) {
      // Potentials of these sources stay 0: they are at distance 0 in every search so far.
      if (supply_(i) > kNothing) distance_[i] = 0;
    }
    for (;;) {
      Index at = -1;
      for (Index v = 0; v < nodes; ++v) {
        if (done_[v] == 0 && distance_[v] < kInfinity && (at < 0 || distance_[v] < distance_[at])) {
          at = v;
        }
      }
      if (at < 0) return;
      done_[at] = 1;
      is_source(at) ? reach_sinks(at) : reach_sources(at);
    }
  }

  void reach_sinks(Index source) {
    const double* costs = &costs_(source, 0);
    for (Index j = 0; j < costs_.cols(); ++j) reach(costs_.rows() + j, source, costs[j]);
  }

  // Back along what was shipped.
  void reach_sources(Index sink) {
    const Index j = sink - costs_.rows();
    for (Index i = 0; i < costs_.rows(); ++i) {
      if (shipped_(i, j) > kNothing) reach(i, sink, -costs_(i, j));
    }
  }

  void reach(Index node, Index from, double cost) {
    if (done_[node] != 0) return;
    const double reduced = std::max(0.0, cost + potential_[from] - potential_[node]);
    if (distance_[from] + reduced >= distance_[node]) return;
    distance_[node] = distance_[from] + reduced;
    before_[node] = from;
  }

  const Matrix& costs_;
  Vector supply_;
  Vector demand_;
  Matrix shipped_;
  std::vector<double> potential_;
  std::vector<double> distance_;
  std::vector<Index> before_;
  std::vector<char> done_;
  Index end_ = -1;
};

}  // namespace

PartialPlan partial_transport(const Matrix& costs, const Vector& supply, const Vector& demand,
                              double price, double most) {
  PartialPlan out;
  Network network(costs, supply, demand);
  while (out.mass < most - kNothing) {
    const double cost = network.find_path();
    if (!(cost < price)) break;
    out.mass += network.ship(most - out.mass);
    out.price = cost;
  }
  out.shipped = network.shipped();
  return out;
}

}  // namespace conflux
