#include "conflux/metrics/integration.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "conflux/core/error.h"
#include "core/chi_square.h"
#include "kernels/product.h"
#include "metrics/clouds_internal.h"
#include "metrics/communities.h"
#include "metrics/lisi.h"
#include "metrics/nearest_neighbors.h"

namespace conflux {

namespace {

constexpr Index kScoredPerplexity = 30;
constexpr Index kFewestScoredRows = 3 * kScoredPerplexity + 1;
// The row itself and its nearest ones, as in scanpy's default graph.
constexpr Index kGraphNeighbors = 15;
constexpr int kResolutions = 20;
constexpr double kLargestResolution = 2;
constexpr double kKbetError = 0.05;
constexpr Index kFewestKbetRows = 10;
constexpr Index kMostKbetRows = 70;
// Rows of one task of silhouettes, and rows that they are compared with at a time.
constexpr Index kSilhouetteBlock = 64;
constexpr Index kSilhouetteTile = 512;

// Numbers from 0 in the order of their first rows.
struct Numbered {
  explicit Numbered(std::span<const Index> given) {
    std::map<Index, Index> number;
    for (const Index each : given) {
      of.push_back(number.try_emplace(each, static_cast<Index>(number.size())).first->second);
    }
    count = static_cast<Index>(number.size());
  }

  std::vector<Index> of = {};
  Index count = 0;
};

double mean_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double median_of(std::vector<double> values) {
  const std::size_t half = values.size() / 2;
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(half),
                   values.end());
  const double upper = values[half];
  if (values.size() % 2 == 1) return upper;
  return 0.5 * (upper + *std::max_element(values.begin(),
                                          values.begin() + static_cast<std::ptrdiff_t>(half)));
}

// Rows sorted by label, and within labels by batch: cell c = label * batches + batch.
struct Cells {
  Cells(const Numbered& batches_given, const Numbered& labels_given)
      : batches(batches_given.count), labels(labels_given.count) {
    const std::size_t rows = batches_given.of.size();
    std::vector<Index> cell_of(rows);
    for (std::size_t i = 0; i < rows; ++i) {
      cell_of[i] = labels_given.of[i] * batches + batches_given.of[i];
    }
    order.resize(rows);
    std::iota(order.begin(), order.end(), Index{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](Index a, Index b) { return cell_of[a] < cell_of[b]; });
    sizes.assign(static_cast<std::size_t>(batches * labels), 0);
    for (const Index c : cell_of) ++sizes[c];
    for (const Index i : order) sorted.push_back(cell_of[i]);
    label_sizes.assign(static_cast<std::size_t>(labels), 0);
    batches_of_label.assign(static_cast<std::size_t>(labels), 0);
    for (Index c = 0; c < batches * labels; ++c) {
      label_sizes[c / batches] += sizes[c];
      batches_of_label[c / batches] += sizes[c] > 0 ? 1 : 0;
    }
  }

  Index batches, labels;
  /// The rows in order, and the cell of each row in that order.
  std::vector<Index> order = {}, sorted = {};
  std::vector<Index> sizes = {}, label_sizes = {}, batches_of_label = {};
};

Matrix in_order(ConstRows rows, const std::vector<Index>& order) {
  Matrix out(rows.rows(), rows.cols());
  for (Index i = 0; i < rows.rows(); ++i) out.row(i) = rows.eigen().row(order[i]);
  return out;
}

double silhouette_of(double own, double nearest) {
  const double larger = std::max(own, nearest);
  return larger > 0 ? (nearest - own) / larger : 0;
}

// The two silhouettes of one row from the sums of its distances to the rows of each cell.
std::pair<double, double> silhouettes_of(const Cells& cells, Index cell,
                                         const std::vector<double>& sums) {
  const Index label = cell / cells.batches;
  double own = 0, nearest = std::numeric_limits<double>::infinity();
  for (Index other = 0; other < cells.labels; ++other) {
    double sum = 0;
    for (Index b = 0; b < cells.batches; ++b) sum += sums[other * cells.batches + b];
    const auto count = static_cast<double>(cells.label_sizes[other]);
    if (other == label) {
      own = sum / std::max(1.0, count - 1);
    } else {
      nearest = std::min(nearest, sum / count);
    }
  }
  std::pair<double, double> out{0, 0};
  if (cells.label_sizes[label] > 1 && cells.labels > 1) out.first = silhouette_of(own, nearest);
  if (cells.sizes[cell] < 2 || cells.batches_of_label[label] < 2) return out;
  nearest = std::numeric_limits<double>::infinity();
  for (Index c = label * cells.batches; c < (label + 1) * cells.batches; ++c) {
    if (c != cell && cells.sizes[c] > 0) {
      nearest = std::min(nearest, sums[c] / static_cast<double>(cells.sizes[c]));
    }
  }
  out.second = silhouette_of(sums[cell] / static_cast<double>(cells.sizes[cell] - 1), nearest);
  return out;
}

// Silhouettes of the labels among all rows (first) and of the batches among the rows of a label
// (second), for rows in the order of their cells.
std::vector<std::pair<double, double>> silhouettes(const Matrix& rows, const Cells& cells,
                                                   const Workers& workers) {
  const Index n = rows.rows(), dim = rows.cols();
  const Matrix centered = rows.rowwise() - rows.colwise().mean().eval();
  const Vector norms = centered.rowwise().squaredNorm();
  std::vector<std::pair<double, double>> out(static_cast<std::size_t>(n));
  using Line = Eigen::Array<double, kSilhouetteBlock, 1>;
  workers.for_each_block(n, kSilhouetteBlock, [&](Index begin, Index end) {
    std::vector<double> columns(static_cast<std::size_t>(dim * kSilhouetteBlock), 0.0);
    Line own_norms = Line::Zero();
    for (Index j = begin; j < end; ++j) {
      own_norms(j - begin) = norms(j);
      for (Index f = 0; f < dim; ++f) columns[f * kSilhouetteBlock + j - begin] = centered(j, f);
    }
    std::vector<double> products(static_cast<std::size_t>(kSilhouetteTile * kSilhouetteBlock));
    MatrixOf<double> sums =
        MatrixOf<double>::Zero(static_cast<Index>(cells.sizes.size()), kSilhouetteBlock);
    for (Index tile = 0; tile < n; tile += kSilhouetteTile) {
      const Index tile_end = std::min(n, tile + kSilhouetteTile);
      kernels::project(centered.data() + tile * dim, dim, tile_end - tile, dim, columns.data(),
                       kSilhouetteBlock, products.data());
      for (Index i = tile; i < tile_end; ++i) {
        const Eigen::Map<const Line> product(products.data() + (i - tile) * kSilhouetteBlock);
        Eigen::Map<Line> sum(sums.data() + cells.sorted[i] * kSilhouetteBlock);
        Line distances = (norms(i) + own_norms - 2 * product).max(0.0).sqrt();
        if (begin <= i && i < end) distances(i - begin) = 0;
        sum += distances;
      }
    }
    std::vector<double> own(cells.sizes.size());
    for (Index j = begin; j < end; ++j) {
      for (std::size_t c = 0; c < own.size(); ++c) {
        own[c] = sums(static_cast<Index>(c), j - begin);
      }
      out[j] = silhouettes_of(cells, cells.sorted[j], own);
    }
  });
  return out;
}

void add_silhouettes(const Matrix& sorted, const Cells& cells, const Workers& workers,
                     IntegrationScores& out) {
  const auto found = silhouettes(sorted, cells, workers);
  double all = 0;
  std::vector<double> of_label(static_cast<std::size_t>(cells.labels), 0.0);
  std::vector<double> of_batch(static_cast<std::size_t>(cells.labels), 0.0);
  for (std::size_t i = 0; i < found.size(); ++i) {
    const Index label = cells.sorted[i] / cells.batches;
    all += found[i].first;
    of_label[label] += found[i].first;
    of_batch[label] += 1 - std::abs(found[i].second);
  }
  const Index fewest =
      *std::min_element(cells.batches_of_label.begin(), cells.batches_of_label.end());
  std::vector<double> batches, isolated;
  for (Index label = 0; label < cells.labels; ++label) {
    const auto size = static_cast<double>(cells.label_sizes[label]);
    const Index present = cells.batches_of_label[label];
    if (present > 1 && present < cells.label_sizes[label]) {
      batches.push_back(of_batch[label] / size);
    }
    if (present == fewest) isolated.push_back((of_label[label] / size + 1) / 2);
  }
  if (!batches.empty()) out.batch_silhouette = mean_of(batches);
  if (cells.labels < 2) return;
  out.label_silhouette = (all / static_cast<double>(found.size()) + 1) / 2;
  out.isolated_labels = mean_of(isolated);
}

// The fraction of rows whose nearest rows, themselves included, hold the batches as all rows do.
double accepted_by_kbet(ConstRows rows, std::span<const Index> cells, Index first_cell,
                        std::span<const Index> sizes, const Workers& workers) {
  const Index n = rows.rows();
  std::vector<double> expected;
  for (const Index size : sizes) {
    expected.push_back(static_cast<double>(size) / static_cast<double>(n));
  }
  const auto present = static_cast<Index>(
      std::count_if(sizes.begin(), sizes.end(), [](Index size) { return size > 0; }));
  const Index count = std::clamp(n / present / 4, kFewestKbetRows, kMostKbetRows);
  const Neighbors near = nearest_neighbors(rows, std::min(count, n) - 1, workers);
  std::vector<char> accepted(static_cast<std::size_t>(n));
  workers.for_each_block(n, 1024, [&](Index begin, Index end) {
    std::vector<double> seen(expected.size());
    for (Index i = begin; i < end; ++i) {
      std::fill(seen.begin(), seen.end(), 0.0);
      seen[cells[i] - first_cell] += 1;
      for (const Index j : near.rows.row(i)) seen[cells[j] - first_cell] += 1;
      const auto total = static_cast<double>(near.rows.cols() + 1);
      double statistic = 0;
      for (std::size_t b = 0; b < seen.size(); ++b) {
        if (expected[b] == 0) continue;
        const double difference = seen[b] - total * expected[b];
        statistic += difference * difference / (total * expected[b]);
      }
      accepted[i] = chi_square_tail(statistic, static_cast<double>(present - 1)) >= kKbetError;
    }
  });
  return static_cast<double>(std::count(accepted.begin(), accepted.end(), 1)) /
         static_cast<double>(n);
}

std::optional<double> kbet_of(const Matrix& sorted, const Cells& cells, const Workers& workers) {
  std::vector<double> scores;
  Index begin = 0;
  for (Index label = 0; label < cells.labels; ++label) {
    const Index size = cells.label_sizes[label];
    const Index first = label * cells.batches;
    if (size >= kFewestKbetRows && cells.batches_of_label[label] > 1) {
      scores.push_back(accepted_by_kbet(
          ConstRows(sorted).middle_rows(begin, size),
          std::span(cells.sorted)
              .subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(size)),
          first,
          std::span(cells.sizes)
              .subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(cells.batches)),
          workers));
    }
    begin += size;
  }
  if (scores.empty()) return std::nullopt;
  return mean_of(scores);
}

// The mean over labels of the largest connected part of the rows of the label.
double connectivity_of(const NeighborGraph& graph, const Numbered& labels) {
  std::vector<Index> component(labels.of.size(), -1);
  std::vector<double> largest(static_cast<std::size_t>(labels.count), 0.0), sizes = largest;
  std::vector<Index> waiting;
  for (Index i = 0; i < graph.nodes(); ++i) {
    sizes[labels.of[i]] += 1;
    if (component[i] >= 0) continue;
    double size = 0;
    waiting.assign(1, i);
    component[i] = i;
    while (!waiting.empty()) {
      const Index at = waiting.back();
      waiting.pop_back();
      size += 1;
      for (Index e = graph.begins[at]; e < graph.begins[at + 1]; ++e) {
        const Index next = graph.ends[e];
        if (component[next] >= 0 || labels.of[next] != labels.of[i]) continue;
        component[next] = i;
        waiting.push_back(next);
      }
    }
    largest[labels.of[i]] = std::max(largest[labels.of[i]], size);
  }
  for (std::size_t c = 0; c < sizes.size(); ++c) largest[c] /= sizes[c];
  return mean_of(largest);
}

// The fraction of the variance that the batches explain. Of all principal components together it is
// the same as of the features.
double explained_by(const Numbered& batches, ConstRows rows) {
  const Matrix centered = rows.eigen().rowwise() - rows.eigen().colwise().mean().eval();
  Matrix sums = Matrix::Zero(batches.count, rows.cols());
  std::vector<double> sizes(static_cast<std::size_t>(batches.count), 0.0);
  for (Index i = 0; i < rows.rows(); ++i) {
    sums.row(batches.of[i]) += centered.row(i);
    sizes[batches.of[i]] += 1;
  }
  double between = 0;
  for (Index b = 0; b < batches.count; ++b) between += sums.row(b).squaredNorm() / sizes[b];
  const double all = centered.squaredNorm();
  return all > 0 ? between / all : 0;
}

void add_clusters(const NeighborGraph& graph, const Numbered& labels, const Workers& workers,
                  IntegrationScores& out) {
  std::vector<std::vector<Index>> found(kResolutions);
  std::vector<std::pair<double, double>> agreement(kResolutions);
  const auto resolution_of = [](Index r) {
    return kLargestResolution * static_cast<double>(r + 1) / kResolutions;
  };
  workers.for_each(kResolutions, [&](Index r) {
    found[r] = find_communities(graph, resolution_of(r));
    agreement[r] = partition_agreement(labels.of, found[r]);
  });
  Index best = 0;
  for (Index r = 1; r < kResolutions; ++r) {
    if (agreement[r].first > agreement[best].first) best = r;
  }
  out.clusters = found[best];
  out.resolution = resolution_of(best);
  out.nmi = agreement[best].first;
  out.ari = agreement[best].second;
}

void add_means(IntegrationScores& out) {
  const auto mean = [](std::initializer_list<std::optional<double>> scores) {
    std::vector<double> known;
    for (const auto& score : scores) {
      if (score) known.push_back(*score);
    }
    return known.empty() ? std::nullopt : std::optional(mean_of(known));
  };
  out.batch_correction =
      mean({out.ilisi, out.kbet, out.batch_silhouette, out.graph_connectivity, out.pc_regression});
  out.label_conservation =
      mean({out.label_silhouette, out.isolated_labels, out.clisi, out.nmi, out.ari});
  if (out.batch_correction && out.label_conservation) {
    out.total = 0.4 * *out.batch_correction + 0.6 * *out.label_conservation;
  }
}

void check_scored(ConstRows rows, const std::optional<ConstRows>& before,
                  std::span<const Index> batch_of, std::span<const Index> label_of) {
  check_clouds(rows, rows);
  const auto count = static_cast<std::size_t>(rows.rows());
  if (batch_of.size() != count || label_of.size() != count) {
    throw InvalidData(fmt::format("{} rows, {} batches, {} labels; give one of each per row.",
                                  rows.rows(), batch_of.size(), label_of.size()));
  }
  if (before && before->rows() != rows.rows()) {
    throw InvalidData(fmt::format("{} rows before and {} after; each row needs its image.",
                                  before->rows(), rows.rows()));
  }
  if (rows.rows() < kFewestScoredRows) {
    throw InvalidData(
        fmt::format("{} rows have a batch and a label; scores of integration need at least {}.",
                    rows.rows(), kFewestScoredRows));
  }
}

}  // namespace

const std::vector<NamedScore>& integration_score_names() {
  static const std::vector<NamedScore> names = {
      {"ilisi_scaled", &IntegrationScores::ilisi},
      {"kbet", &IntegrationScores::kbet},
      {"batch_silhouette", &IntegrationScores::batch_silhouette},
      {"graph_connectivity", &IntegrationScores::graph_connectivity},
      {"pc_regression", &IntegrationScores::pc_regression},
      {"label_silhouette", &IntegrationScores::label_silhouette},
      {"isolated_labels", &IntegrationScores::isolated_labels},
      {"clisi_scaled", &IntegrationScores::clisi},
      {"nmi", &IntegrationScores::nmi},
      {"ari", &IntegrationScores::ari},
      {"batch_correction", &IntegrationScores::batch_correction},
      {"label_conservation", &IntegrationScores::label_conservation},
      {"total", &IntegrationScores::total}};
  return names;
}

std::pair<double, double> partition_agreement(std::span<const Index> a, std::span<const Index> b) {
  if (a.size() != b.size() || a.empty()) {
    throw InvalidData(fmt::format("partitions of {} and {} rows; give one part per row to each.",
                                  a.size(), b.size()));
  }
  const auto n = static_cast<double>(a.size());
  std::map<std::pair<Index, Index>, double> both;
  std::map<Index, double> of_a, of_b;
  for (std::size_t i = 0; i < a.size(); ++i) {
    both[{a[i], b[i]}] += 1;
    of_a[a[i]] += 1;
    of_b[b[i]] += 1;
  }
  const auto pairs = [](double count) { return count * (count - 1) / 2; };
  double entropy_a = 0, entropy_b = 0, pairs_a = 0, pairs_b = 0, information = 0, shared = 0;
  for (const auto& [part, size] : of_a) {
    entropy_a -= size / n * std::log(size / n);
    pairs_a += pairs(size);
  }
  for (const auto& [part, size] : of_b) {
    entropy_b -= size / n * std::log(size / n);
    pairs_b += pairs(size);
  }
  for (const auto& [parts, size] : both) {
    information += size / n * std::log(size * n / (of_a[parts.first] * of_b[parts.second]));
    shared += pairs(size);
  }
  const double entropies = (entropy_a + entropy_b) / 2;
  const double nmi = entropies > 0 ? std::clamp(information / entropies, 0.0, 1.0) : 1;
  const double expected = pairs_a * pairs_b / pairs(n);
  const double most = (pairs_a + pairs_b) / 2;
  return {nmi, most == expected ? 1 : (shared - expected) / (most - expected)};
}

IntegrationScores integration_scores(ConstRows rows, std::span<const Index> batch_of,
                                     std::span<const Index> label_of,
                                     std::optional<ConstRows> before, const Workers& workers) {
  check_scored(rows, before, batch_of, label_of);
  const Numbered batches(batch_of), labels(label_of);
  if (batches.count < 2) {
    throw InvalidData("all rows are of one batch; give rows of two batches or more.");
  }
  IntegrationScores out;
  const Neighbors near = nearest_neighbors(rows, lisi_neighbors(kScoredPerplexity), workers);
  const auto mixing = [&](const Numbered& kinds) {
    return median_of(lisi_of(near, kinds.of, kScoredPerplexity, workers));
  };
  out.ilisi = (mixing(batches) - 1) / static_cast<double>(batches.count - 1);
  const auto label_count = static_cast<double>(labels.count);
  if (labels.count > 1) out.clisi = (label_count - mixing(labels)) / (label_count - 1);
  const NeighborGraph graph = graph_of_neighbors(near.rows, kGraphNeighbors - 1);
  out.graph_connectivity = connectivity_of(graph, labels);
  if (labels.count > 1) add_clusters(graph, labels, workers, out);
  if (before) {
    const double old = explained_by(batches, *before);
    if (old > 0) out.pc_regression = std::max(0.0, 1 - explained_by(batches, rows) / old);
  }
  const Cells cells(batches, labels);
  const Matrix sorted = in_order(rows, cells.order);
  add_silhouettes(sorted, cells, workers, out);
  out.kbet = kbet_of(sorted, cells, workers);
  add_means(out);
  return out;
}

}  // namespace conflux
