// Gated layers: maps within clusters, along directions that the gate does not see.

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "conflux/core/error.h"
#include "fitting/cluster_maps.h"
#include "fitting/covariate_gate.h"
#include "fitting/gated_fit.h"
#include "fitting/layer_kinds.h"
#include "fitting/row_choice.h"
#include "fitting/search_setup.h"
#include "matching/matching.h"
#include "options/automatic.h"

namespace conflux {

namespace {

// Where a cluster that was found ends is partly chance. Rows that count in it alone make maps that
// tear at its border; rows that the gate alone shares out let neighbors in.
constexpr double kCertainty = 0.5;
// Rows of the smallest group in a cell of covariates, on average.
constexpr double kRowsOfCell = 60;

void check_labels(const GroupSet& groups, Gating gate, Communicator& comm) {
  if (gate != Gating::kLabel || groups.label_names().size() > 1) return;
  // One label tells rows that have it from others, but not if all do.
  if (known_labels(groups, comm).in_part) return;
  throw InvalidOption(fmt::format(
      "gate is label but the rows have {}; name a column of labels, or choose gate clusters.",
      groups.label_names().empty() ? "no labels" : "one label only"));
}

class GatedFitter final : public LayerFitter {
 public:
  /// Gates look at the directions in which rows differ within their groups, as the data have them:
  /// shifts between groups do not count, and a resumed fit finds the same.
  explicit GatedFitter(const FitInput& input) {
    if (input.options.gate == Gating::kKept) return;  // covariates are all that gates look at
    check_labels(input.groups(), input.options.gate, input.comm);
    basis_ = gating_basis(input.groups(), input.usable, input.options.weights.list, kGatingBasis,
                          input.comm, input.workers);
    clusters_ = find_clusters(input);
  }

  Fitted fit(const FitInput& input, Index layer, double strength) override {
    const FitOptions& options = input.options;
    const GroupSet& groups = input.groups();
    const GateSettings settings = gate_settings(options, groups.dim());
    LayerRows rows = choose_rows(input.usable, input.places, layer, options);
    Stream stream(options.seed, Purpose::kGate, static_cast<std::uint64_t>(layer));
    SharedGate found_gate = find_gate(input, settings, rows.maps(), stream);
    const Gate& gate = found_gate.gate;
    std::vector<Matrix>& shares = found_gate.shares;
    const auto [seen_rows, unseen_rows] = two_thirds(rows.search, layer, input);
    SearchResult found = find_gated_directions(groups, seen_rows, gate, shares,
                                               search_weights(options), *options.directions,
                                               ascent(options), stream, input.comm, input.workers);
    share(found.frame, input.comm);
    const std::vector<Matrix> lines = values_along(found.frame, groups, input.workers);
    const auto shared = [&](const RowChoice& chosen) {
      return share_rows(groups, chosen, lines, shares, input.comm);
    };
    MapDetail detail = MapDetail::kBend;
    if (!unseen_rows.empty()) {
      detail = best_detail(losses_of_unseen(groups, shared(seen_rows), shared(unseen_rows),
                                            settings.min_cluster / 2, strength, options, input.comm,
                                            input.workers));
    }
    Fitted out = plain_layer(std::make_shared<GatedLayer>(fit_gated_layer(
                                 groups, shared(rows.maps()), found.frame, gate, detail, strength,
                                 settings, options, input.comm, input.workers)),
                             input.workers);
    Fitted seen = from_search(found);
    seen.layers = std::move(out.layers);
    seen.move = std::move(out.move);
    seen.spread_after = [input, frame = found.frame, shares = std::move(shares),
                         looked_at = seen_rows] {
      return spread_within_clusters(input.groups(), looked_at, shares,
                                    search_weights(input.options), frame, input.comm,
                                    input.workers);
    };
    return seen;
  }

 private:
  /// A gate and the shares of all rows in its clusters.
  struct SharedGate {
    Gate gate;
    std::vector<Matrix> shares;
  };

  // Rare clusters need every row that they have.
  SharedGate find_gate(const FitInput& input, GateSettings settings, const RowChoice& chosen,
                       Stream& stream) const {
    const GroupSet& groups = input.groups();
    if (input.options.gate == Gating::kKept) {
      const double rows = input.comm.sum(static_cast<double>(groups.num_samples()));
      const Index cells =
          input.options.clusters.value_or(automatic::clusters_for(static_cast<Index>(rows)));
      Gate gate = covariate_gate(groups, chosen, cells, kRowsOfCell, stream, input.comm);
      const std::vector<Matrix> coordinates = values_along(gate.frame(), groups, input.workers);
      RowClusters none{.count = gate.clusters(), .of = {}};
      for (const Matrix& own : coordinates) {
        none.of.emplace_back(static_cast<std::size_t>(own.rows()), -1);
      }
      std::vector<Matrix> shares = shares_of(gate, coordinates, none, input.workers);
      return {std::move(gate), std::move(shares)};
    }
    settings.gating = std::min(settings.gating, basis_.cols());
    Frame gating = gating_frame(basis_, settings, stream);
    const std::vector<Matrix> coordinates = values_along(gating, groups, input.workers);
    Gate gate =
        fit_gate(std::move(gating), coordinates, groups, chosen, clusters_, settings, input.comm);
    std::vector<Matrix> shares = shares_of(gate, coordinates, clusters_, input.workers);
    return {std::move(gate), std::move(shares)};
  }

  static RowClusters find_clusters(const FitInput& input) {
    const FitOptions& options = input.options;
    const bool by_labels = options.gate == Gating::kLabel;
    if (by_labels && !known_labels(input.groups(), input.comm).in_part) {
      return clusters_by_label(input.groups());
    }
    Matching found = match_groups(
        input.groups(),
        {.clusters = options.clusters.value_or(0), .by_labels = by_labels, .seed = options.seed},
        input.comm, input.workers);
    return {
        .count = found.num_clusters(), .of = std::move(found.clusters), .certainty = kCertainty};
  }

  // Rows that search and rows that judge. Processes have no rows in common to judge by, so that
  // several of them search on all of theirs.
  static std::pair<RowChoice, RowChoice> two_thirds(const RowChoice& rows, Index layer,
                                                    const FitInput& input) {
    if (input.comm.size() > 1) return {rows, {}};
    std::pair<RowChoice, RowChoice> out;
    for (std::size_t m = 0; m < rows.size(); ++m) {
      Stream stream(input.options.seed, Purpose::kGate, static_cast<std::uint64_t>(layer), 1 + m);
      std::vector<Index> order = stream.permutation(static_cast<Index>(rows[m].size()));
      const auto middle = order.begin() + static_cast<std::ptrdiff_t>((2 * order.size() + 2) / 3);
      std::sort(order.begin(), middle);
      std::sort(middle, order.end());
      for (RowChoice* part : {&out.first, &out.second}) part->emplace_back();
      for (auto i = order.begin(); i != order.end(); ++i) {
        (i < middle ? out.first : out.second).back().push_back(rows[m][*i]);
      }
    }
    return out;
  }

  /// The climb within clusters has no inner steps, and makes half as many in their place.
  static AscentOptions ascent(const FitOptions& options) {
    AscentOptions out = search_options(options).ascent;
    out.max_steps *= std::max<Index>(1, options.inner_steps / 2);
    return out;
  }

  Matrix basis_;
  RowClusters clusters_;
};

LayerPointer widen_gated(const LayerPointer& layer, const NewGroup& added) {
  const auto& gated = dynamic_cast<const GatedLayer&>(*layer);
  if (gated.barycenters().empty()) return nullptr;
  return std::make_shared<GatedLayer>(with_group(gated, added.group, added.chosen, added.strength,
                                                 gate_settings(added.options, gated.dim()),
                                                 added.workers));
}

}  // namespace

LayerKind gated_kind() {
  return {.name = "gated",
          .start = [](const FitInput& input) -> std::unique_ptr<LayerFitter> {
            return std::make_unique<GatedFitter>(input);
          },
          .widen = widen_gated};
}

}  // namespace conflux
