#include "metrics/feature_blocks.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "kernels/product.h"

namespace conflux {

namespace {

// Features that one task compares with all later ones.
constexpr Index kFeaturesPerTask = 64;
// Strongest partners that a feature may join; more would fill memory in tables of many copies.
constexpr std::size_t kPartners = 64;

struct Pair {
  double correlation;
  Index a;
  Index b;

  bool operator<(const Pair& other) const {
    if (correlation != other.correlation) return correlation > other.correlation;
    return a != other.a ? a < other.a : b < other.b;
  }
};

// The strongest correlations of every feature with later ones, strongest first over all.
std::vector<Pair> close_pairs(const Matrix& scores, double together, const Workers& workers) {
  const Index features = scores.rows();
  const double length = static_cast<double>(scores.cols());
  std::vector<std::vector<Pair>> found(static_cast<std::size_t>(features));
  workers.for_each_block(features, kFeaturesPerTask, [&](Index begin, Index end) {
    const Index width = kernels::padded_width<double>(end - begin);
    const std::vector<double> own =
        kernels::padded(scores.middleRows(begin, end - begin).transpose());
    Matrix products(features - begin, width);
    kernels::project(scores.row(begin).data(), scores.cols(), features - begin, scores.cols(),
                     own.data(), width, products.data());
    for (Index a = begin; a < end; ++a) {
      std::vector<Pair>& pairs = found[a];
      for (Index b = a + 1; b < features; ++b) {
        const double correlation = std::abs(products(b - begin, a - begin)) / length;
        if (correlation >= together) pairs.push_back({correlation, a, b});
      }
      std::sort(pairs.begin(), pairs.end());
      pairs.resize(std::min(pairs.size(), kPartners));
    }
  });
  std::vector<Pair> all;
  for (const std::vector<Pair>& pairs : found) all.insert(all.end(), pairs.begin(), pairs.end());
  std::sort(all.begin(), all.end());
  return all;
}

// Clusters that grow by pairs.
class Clusters {
 public:
  explicit Clusters(Index count)
      : parent_(static_cast<std::size_t>(count)), size_(parent_.size(), 1) {
    std::iota(parent_.begin(), parent_.end(), Index{0});
  }

  Index of(Index feature) {
    while (parent_[feature] != feature) feature = parent_[feature] = parent_[parent_[feature]];
    return feature;
  }

  void join(Index a, Index b, Index largest) {
    a = of(a);
    b = of(b);
    if (a == b || size_[a] + size_[b] > largest) return;
    parent_[std::max(a, b)] = std::min(a, b);
    size_[std::min(a, b)] += size_[std::max(a, b)];
  }

 private:
  std::vector<Index> parent_;
  std::vector<Index> size_;
};

}  // namespace

FeatureBlocks feature_blocks(const Matrix& scores, Index count, double together,
                             const Workers& workers) {
  const Index features = scores.rows();
  const Index largest = std::max<Index>(1, (features + 2 * count - 1) / (2 * count));
  Clusters clusters(features);
  for (const Pair& pair : close_pairs(scores, together, workers)) {
    clusters.join(pair.a, pair.b, largest);
  }
  FeatureBlocks out;
  std::vector<std::vector<Index>> members;
  std::vector<Index> number(static_cast<std::size_t>(features), -1);
  for (Index j = 0; j < features; ++j) {
    Index& its = number[clusters.of(j)];
    if (its < 0) {
      its = out.num_clusters++;
      members.emplace_back();
    }
    out.cluster_of.push_back(its);
    members[its].push_back(j);
  }
  std::stable_sort(members.begin(), members.end(),
                   [](const auto& a, const auto& b) { return a.size() > b.size(); });
  out.blocks.resize(static_cast<std::size_t>(std::min(count, out.num_clusters)));
  for (const std::vector<Index>& cluster : members) {
    auto& block =
        *std::min_element(out.blocks.begin(), out.blocks.end(),
                          [](const auto& a, const auto& b) { return a.size() < b.size(); });
    block.insert(block.end(), cluster.begin(), cluster.end());
  }
  for (std::vector<Index>& block : out.blocks) std::sort(block.begin(), block.end());
  return out;
}

}  // namespace conflux
