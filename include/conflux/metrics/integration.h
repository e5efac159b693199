// How well batches of cells are integrated: the metrics of scIB.
//
// The definitions are those of Luecken et al., Nature Methods 19, 2022 (packages scib and
// scib-metrics), for an embedding and Euclidean distances. Every score is scaled to [0, 1], and 1
// is best.
//
//   ilisi_scaled        (median iLISI - 1) / (batches - 1)
//   kbet                mean over labels of the fraction of rows whose nearest rows of the label,
//                       themselves included, hold the batches as the label does (chi-square test
//                       at 5 %; a quarter of the mean batch, from 10 to 70 rows); without the
//                       diffusion that scib needs for graphs
//   batch_silhouette    mean over labels of the mean of 1 - |silhouette of the batches|
//   graph_connectivity  mean over labels of the largest component in the graph of nearest rows
//   pc_regression       1 - (variance that batches explain after) / (the same before), at least 0
//   label_silhouette    (mean silhouette of the labels + 1) / 2
//   isolated_labels     the same for the labels that occur in the fewest batches
//   clisi_scaled        (labels - median cLISI) / (labels - 1)
//   nmi, ari            agreement of clusters and labels: Louvain clusters of the graph of nearest
//                       rows, at that resolution of 0.1, 0.2 ... 2 at which NMI is largest
//
// Means: `batch_correction` of the first five, `label_conservation` of the last five, and
// total = 0.4 batch_correction + 0.6 label_conservation. Scores that a table does not have (one
// label only, no rows before) are unset and left out of the means.
//
// Cost: about 2 n^2 d. Memory: 90 neighbors per row.

#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "conflux/core/matrix.h"
#include "conflux/core/parallel.h"

namespace conflux {

struct IntegrationScores {
  std::optional<double> ilisi = std::nullopt;
  std::optional<double> kbet = std::nullopt;
  std::optional<double> batch_silhouette = std::nullopt;
  std::optional<double> graph_connectivity = std::nullopt;
  std::optional<double> pc_regression = std::nullopt;
  std::optional<double> label_silhouette = std::nullopt;
  std::optional<double> isolated_labels = std::nullopt;
  std::optional<double> clisi = std::nullopt;
  std::optional<double> nmi = std::nullopt;
  std::optional<double> ari = std::nullopt;
  std::optional<double> batch_correction = std::nullopt;
  std::optional<double> label_conservation = std::nullopt;
  std::optional<double> total = std::nullopt;
  /// Cluster of each row, and the resolution at which NMI is largest.
  std::vector<Index> clusters = {};
  double resolution = 0;
};

/// The scores by name, in the order above, the means last.
using NamedScore = std::pair<std::string, std::optional<double> IntegrationScores::*>;
const std::vector<NamedScore>& integration_score_names();

/// Numbers of batches and labels are any whole numbers. `before` are the same rows before the
/// integration; none: pc_regression is unset. Throws InvalidData for fewer than 91 rows or two
/// batches.
IntegrationScores integration_scores(ConstRows rows, std::span<const Index> batch_of,
                                     std::span<const Index> label_of,
                                     std::optional<ConstRows> before, const Workers& workers);

/// Normalized mutual information (by the arithmetic mean of the entropies) and adjusted Rand index
/// of two partitions of the same rows.
std::pair<double, double> partition_agreement(std::span<const Index> a, std::span<const Index> b);

}  // namespace conflux
