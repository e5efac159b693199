#include "fitting/gated_fit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "conflux/core/error.h"
#include "conflux/metrics/distances.h"
#include "conflux/metrics/moves.h"
#include "conflux/model/model.h"
#include "conflux/training/fit.h"
#include "tests/support/layer_laws.h"

namespace conflux {
namespace gated_fit_test {

using ::testing::HasSubstr;

// Gaussian clusters with unit deviations, and for each group its number of rows, the shares of the
// clusters in it, and a shift.
struct Mixtures {
  std::vector<Matrix> rows;
  std::vector<std::vector<Index>> clusters;
  Index num_clusters = 0;

  GroupSet groups() const {
    GroupSet out;
    for (std::size_t m = 0; m < rows.size(); ++m) {
      out.add(std::string(1, static_cast<char>('a' + m)), ConstRows(rows[m]));
    }
    return out;
  }
};

constexpr Index kDim = 20;

// Every `step`-th row keeps its label.
GroupSet labeled(const Mixtures& data, Index step = 1) {
  GroupSet groups = data.groups();
  std::vector<std::string> names;
  for (Index c = 0; c < data.num_clusters; ++c) names.push_back("cluster" + std::to_string(c));
  std::vector<std::vector<Index>> labels = data.clusters;
  for (auto& of_group : labels) {
    for (std::size_t i = 0; i < of_group.size(); ++i) {
      if (static_cast<Index>(i) % step != 0) of_group[i] = -1;
    }
  }
  groups.set_labels(names, labels);
  return groups;
}

Mixtures mixtures(const Matrix& centers, const std::vector<std::vector<double>>& shares,
                  const std::vector<Index>& sizes, double shift, std::uint64_t seed) {
  Stream stream(seed, Purpose::kTest);
  Mixtures out;
  out.num_clusters = centers.rows();
  for (std::size_t m = 0; m < sizes.size(); ++m) {
    const Matrix direction = Frame::random(kDim, 1, stream).columns().transpose();
    Matrix rows = stream.normal_matrix(sizes[m], kDim);
    std::vector<Index> clusters;
    for (Index i = 0; i < sizes[m]; ++i) {
      double left = stream.uniform();
      Index c = 0;
      while (c + 1 < centers.rows() && left > shares[m][c]) left -= shares[m][c++];
      rows.row(i) += centers.row(c) + shift * direction;
      clusters.push_back(c);
    }
    out.rows.push_back(std::move(rows));
    out.clusters.push_back(std::move(clusters));
  }
  return out;
}

// Ten deviations apart from each other, in random directions.
Matrix distant_centers(Index count, std::uint64_t seed) {
  Stream stream(seed, Purpose::kTest, 1);
  return 10 / std::sqrt(2.0) * Frame::random(kDim, count, stream).columns().transpose();
}

Mixtures pure_a_pure_b_and_both() {
  return mixtures(distant_centers(2, 1), {{1, 0}, {0, 1}, {0.5, 0.5}}, {600, 600, 600}, 1, 2);
}

// Unequal shares, a cluster that a group lacks, and a group of 60 rows.
Mixtures five_clusters() {
  return mixtures(
      distant_centers(5, 3),
      {{.5, .2, .1, .1, .1}, {.1, .1, .2, .3, .3}, {.2, .2, .3, .3, 0}, {.2, .2, .2, .2, .2}},
      {800, 800, 800, 60}, 1, 4);
}

// The same with shifts of half the distance of the clusters: those of all rows together are groups.
Mixtures five_distant_clusters() {
  return mixtures(
      distant_centers(5, 3),
      {{.5, .2, .1, .1, .1}, {.1, .1, .2, .3, .3}, {.2, .2, .3, .3, 0}, {.2, .2, .2, .2, .2}},
      {800, 800, 800, 60}, 5, 4);
}

// The mean of each group's rows of a cluster, if it has enough of them.
std::vector<Vector> means_in(const Mixtures& data, const std::vector<Matrix>& rows, Index cluster) {
  std::vector<Vector> out;
  for (std::size_t m = 0; m < rows.size(); ++m) {
    Vector sum = Vector::Zero(kDim);
    Index count = 0;
    for (Index i = 0; i < rows[m].rows(); ++i) {
      if (data.clusters[m][i] != cluster) continue;
      sum += rows[m].row(i).transpose();
      ++count;
    }
    if (count >= 5) out.push_back(sum / static_cast<double>(count));
  }
  return out;
}

// Root mean square distance between groups' means of the same cluster.
double shift_within_clusters(const Mixtures& data, const std::vector<Matrix>& rows) {
  double sum = 0;
  Index pairs = 0;
  for (Index c = 0; c < data.num_clusters; ++c) {
    const std::vector<Vector> means = means_in(data, rows, c);
    for (std::size_t a = 0; a < means.size(); ++a) {
      for (std::size_t b = 0; b < a; ++b) {
        sum += (means[a] - means[b]).squaredNorm();
        ++pairs;
      }
    }
  }
  return std::sqrt(sum / static_cast<double>(pairs));
}

// All groups' rows of a cluster around one mean: as well mixed as they can be.
std::vector<Matrix> perfectly_mixed(const Mixtures& data) {
  std::vector<Matrix> rows = data.rows;
  for (Index c = 0; c < data.num_clusters; ++c) {
    Vector mean = Vector::Zero(kDim);
    const std::vector<Vector> means = means_in(data, data.rows, c);
    for (const Vector& each : means) mean += each / static_cast<double>(means.size());
    std::size_t next = 0;
    for (std::size_t m = 0; m < rows.size(); ++m) {
      const Index count = std::count(data.clusters[m].begin(), data.clusters[m].end(), c);
      if (count < 5) continue;
      for (Index i = 0; i < rows[m].rows(); ++i) {
        if (data.clusters[m][i] == c) rows[m].row(i) += (mean - means[next]).transpose();
      }
      ++next;
    }
  }
  return rows;
}

struct Mixing {
  double of_groups;    // mean iLISI
  double of_clusters;  // mean cLISI
};

Mixing mixing(const Mixtures& data, const std::vector<Matrix>& rows) {
  Index total = 0;
  for (const Matrix& each : rows) total += each.rows();
  Matrix all(total, kDim);
  std::vector<Index> groups, clusters;
  Index at = 0;
  for (std::size_t m = 0; m < rows.size(); ++m) {
    all.middleRows(at, rows[m].rows()) = rows[m];
    at += rows[m].rows();
    groups.insert(groups.end(), static_cast<std::size_t>(rows[m].rows()), static_cast<Index>(m));
    clusters.insert(clusters.end(), data.clusters[m].begin(), data.clusters[m].end());
  }
  const auto mean = [](const std::vector<double>& values) {
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
  };
  const Workers workers;
  return {mean(lisi(all, groups, {}, workers)), mean(lisi(all, clusters, {}, workers))};
}

FitOptions gated_options() {
  FitOptions options;
  options.gate = Gating::kClusters;
  options.layers = 40;
  return options;
}

std::vector<Matrix> moved(const Mixtures& data, const Flow& flow) {
  std::vector<Matrix> out;
  for (std::size_t m = 0; m < data.rows.size(); ++m) {
    out.push_back(flow.forward(static_cast<Index>(m), data.rows[m], Workers()));
  }
  return out;
}

class GatedFit : public testing::TestWithParam<Mixtures (*)()> {};
INSTANTIATE_TEST_SUITE_P(Compositions, GatedFit,
                         testing::Values(&pure_a_pure_b_and_both, &five_clusters,
                                         &five_distant_clusters));

TEST_P(GatedFit, AlignsLikeWithLike) {
  const Mixtures data = GetParam()();
  const Fit fit = fit_flow(data.groups(), gated_options());
  const std::vector<Matrix> after = moved(data, fit.flow);
  const Mixing ideal = mixing(data, perfectly_mixed(data));
  const Mixing got = mixing(data, after);
  EXPECT_LT(got.of_clusters, 1.01);
  EXPECT_NEAR(got.of_groups, ideal.of_groups, 0.05 * ideal.of_groups);
  EXPECT_LT(shift_within_clusters(data, after), 0.2 * shift_within_clusters(data, data.rows));
}

// Layers like the gated ones, without what the automatic fit would add to them.
FitOptions ungated_options() {
  FitOptions options = gated_options();
  options.gate = Gating::kNone;
  options.method = Method::kInb;
  return options;
}

// Purpose of the gate: the same fit without it must mix the clusters.
TEST_P(GatedFit, WithoutAGateClustersAreMixed) {
  const Mixtures data = GetParam()();
  const Flow flow = fit_flow(data.groups(), ungated_options()).flow;
  EXPECT_GT(mixing(data, moved(data, flow)).of_clusters, 1.05);
}

TEST(LabelGates, AlignLikeWithLikeAcrossLargeShifts) {
  const Mixtures data = five_distant_clusters();
  const Mixing ideal = mixing(data, perfectly_mixed(data));
  for (const Index step : {1, 10}) {
    SCOPED_TRACE(testing::Message() << "a label on one of " << step << " rows");
    const auto judged = [&](const FitOptions& options) {
      return mixing(data, moved(data, fit_flow(labeled(data, step), options).flow));
    };
    FitOptions options = gated_options();
    options.gate = Gating::kLabel;
    const Mixing by_label = judged(options);
    EXPECT_LT(by_label.of_clusters, 1.01);
    EXPECT_NEAR(by_label.of_groups, ideal.of_groups, 0.05 * ideal.of_groups);
    EXPECT_GT(judged(ungated_options()).of_clusters, 1.1);
  }
}

// A group without any label: where its rows lie tells what they are.
TEST(LabelGates, ServeAGroupWithoutLabels) {
  const Mixtures data = five_clusters();
  GroupSet groups = data.groups();
  std::vector<std::vector<Index>> labels = data.clusters;
  std::fill(labels[1].begin(), labels[1].end(), -1);
  groups.set_labels({"a", "b", "c", "d", "e"}, labels);
  FitOptions options = gated_options();
  options.gate = Gating::kLabel;
  const std::vector<Matrix> after = moved(data, fit_flow(groups, options).flow);
  EXPECT_LT(mixing(data, after).of_clusters, 1.01);
  EXPECT_LT(shift_within_clusters(data, after), 0.2 * shift_within_clusters(data, data.rows));
}

TEST(LabelGates, ObeyTheLawsOfLayers) {
  FitOptions options = gated_options();
  options.gate = Gating::kLabel;
  options.layers = 2;
  const Fit fit = fit_flow(labeled(five_clusters()), options);
  check_layer_laws(fit.flow.layer(1), 4, Stream(6, Purpose::kTest), {-5, 10});
}

TEST(LabelGates, TakeInALaterGroup) {
  const Mixtures data = five_clusters();
  FitOptions options = gated_options();
  options.gate = Gating::kLabel;
  Fit fit = fit_flow(labeled(data), options);
  const Model model{.flow = std::move(fit.flow), .record = std::move(fit.record)};
  const Mixtures late = mixtures(distant_centers(5, 3), {{.3, .1, .2, .2, .2}}, {500}, 1, 9);
  const Model wider = add_group(model, "late", late.rows[0], {}, Workers());
  Mixtures both = data;
  both.rows.push_back(late.rows[0]);
  both.clusters.push_back(late.clusters[0]);
  const std::vector<Matrix> after = moved(both, wider.flow);
  EXPECT_LT(mixing(both, after).of_clusters, 1.01);
  EXPECT_LT(shift_within_clusters(both, after), 0.25 * shift_within_clusters(both, both.rows));
}

// Same composition, shift larger than the distance of the clusters.
TEST(GatedFits, AreNoWorseWhereThereIsOnlyAShift) {
  Matrix centers = Matrix::Zero(2, kDim);
  centers(1, 0) = 6;
  const std::vector<std::vector<double>> half = {{0.5, 0.5}, {0.5, 0.5}};
  Mixtures seen = mixtures(centers, half, {1500, 1500}, 15, 5);
  Mixtures unseen = seen;
  for (std::size_t m = 0; m < 2; ++m) {
    unseen.rows[m] = Matrix(seen.rows[m].bottomRows(500));
    seen.rows[m] = Matrix(seen.rows[m].topRows(1000));
  }
  const auto held_out_w2 = [&](Gating gate) {
    FitOptions options = gated_options();
    options.gate = gate;
    options.directions = 5;
    const std::vector<Matrix> latent = moved(unseen, fit_flow(seen.groups(), options).flow);
    return exact_w2_squared(latent[0], latent[1], {}, Workers());
  };
  EXPECT_LT(held_out_w2(Gating::kClusters), 1.05 * held_out_w2(Gating::kNone));
}

TEST(GatedFits, ObeyTheLawsOfLayers) {
  const Mixtures data = five_clusters();
  FitOptions options = gated_options();
  options.layers = 2;
  const Fit fit = fit_flow(data.groups(), options);
  ASSERT_EQ(fit.flow.layer(0).kind(), "gated");
  check_layer_laws(fit.flow.layer(1), 4, Stream(6, Purpose::kTest), {-5, 10});
}

class GateClusters : public testing::TestWithParam<Gating> {};
INSTANTIATE_TEST_SUITE_P(All, GateClusters, testing::Values(Gating::kClusters, Gating::kLabel));

TEST_P(GateClusters, HaveTheSameBitsOnAnyNumberOfThreadsAndAfterAStop) {
  const Mixtures data = pure_a_pure_b_and_both();
  const GroupSet groups = labeled(data, 2);
  FitOptions options = gated_options();
  options.gate = GetParam();
  options.layers = 6;
  const auto bits = [&](int threads, Index stop) {
    options.threads = threads;
    SelfCommunicator comm;
    std::optional<Fit> earlier;
    FitControl control;
    if (stop > 0) {
      earlier = fit_flow(groups, options, comm,
                         [&](const LayerRecord& layer) { return layer.layer + 1 < stop; });
      control.resume = &*earlier;
    }
    return moved(data, fit_flow(groups, options, comm, {}, control).flow);
  };
  const std::vector<Matrix> one = bits(1, 0);
  for (const auto& other : {bits(2, 0), bits(3, 0), bits(1, 3)}) {
    for (std::size_t m = 0; m < one.size(); ++m) EXPECT_EQ(one[m], other[m]);
  }
}

TEST(GatedFits, TakeInALaterGroup) {
  const Mixtures data = five_clusters();
  Fit fit = fit_flow(data.groups(), gated_options());
  const Model model{.flow = std::move(fit.flow), .record = std::move(fit.record)};
  Mixtures late = mixtures(distant_centers(5, 3), {{.3, .1, .2, .2, .2}}, {500}, 1, 9);
  const Model wider = add_group(model, "late", late.rows[0], {}, Workers());
  for (Index m = 0; m < 4; ++m) {
    EXPECT_EQ(wider.flow.forward(m, data.rows[m], Workers()),
              model.flow.forward(m, data.rows[m], Workers()));
  }
  Mixtures both = data;
  both.rows.push_back(late.rows[0]);
  both.clusters.push_back(late.clusters[0]);
  const std::vector<Matrix> after = moved(both, wider.flow);
  EXPECT_LT(mixing(both, after).of_clusters, 1.01);
  EXPECT_LT(shift_within_clusters(both, after), 0.25 * shift_within_clusters(both, both.rows));
}

TEST(GatedFits, RefuseWhatCannotBeGated) {
  const Mixtures data = pure_a_pure_b_and_both();
  const auto refusal = [&](const auto& change) {
    FitOptions options = gated_options();
    change(options);
    try {
      fit_flow(data.groups(), options);
    } catch (const InvalidOption& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  EXPECT_THAT(refusal([](auto& o) { o.estimator = Estimator::kHistogram; }),
              HasSubstr("need quantile maps"));
  EXPECT_THAT(refusal([](auto& o) {
                o.method = Method::kNb;
                o.layers = 1;
              }),
              HasSubstr("choose inb"));
  EXPECT_THAT(refusal([](auto& o) { o.directions = kDim; }), HasSubstr("fewer directions"));
  EXPECT_THAT(refusal([](auto& o) { o.gate = Gating::kLabel; }), HasSubstr("no labels"));
  EXPECT_THAT(refusal([](auto& o) { o.validation_fraction = 0.1; }),
              HasSubstr("Leave one of them"));
}

}  // namespace gated_fit_test
}  // namespace conflux
