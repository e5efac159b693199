#include "training/within_labels.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "conflux/core/error.h"
#include "core/take_rows.h"
#include "options/methods.h"

namespace conflux {

namespace {

std::vector<Index> sizes_of(const LabelPart& part) {
  std::vector<Index> out;
  for (const auto& rows : part.rows) out.push_back(static_cast<Index>(rows.size()));
  return out;
}

bool takes_part(const LabelPart& part, const GroupSet& groups, const std::string& group) {
  for (Index m = 0; m < groups.num_groups(); ++m) {
    if (groups[m].name == group) return !part.rows[static_cast<std::size_t>(m)].empty();
  }
  return true;  // the fit names the unknown group
}

// The fit of one part; unset if its rows cannot be fitted.
std::optional<Fit> fit_part(const LabelPart& part, const GroupSet& groups,
                            const FitOptions& requested, const FitPlan& plan,
                            const LayerCallback& on_layer) {
  // The ladder is asked where nobody has chosen a gate, and the label is a reason for none.
  const ClustersRecord found{.reason = "Rows are aligned within their label."};
  const std::vector<Index> all_fitted;
  FitPlan own;
  own.clusters = &found;
  own.drawn_from = &all_fitted;
  own.rehearse = false;
  own.gaps = plan.gaps;
  SelfCommunicator alone;
  try {
    return fit_planned(rows_of(part, groups), options_within(part, requested), alone, on_layer,
                       own);
  } catch (const InvalidData&) {
    return std::nullopt;
  } catch (const InvalidOption&) {
    return std::nullopt;
  }
}

}  // namespace

std::vector<LabelPart> label_parts(const GroupSet& groups, const FitOptions& options) {
  std::vector<LabelPart> out;
  if (options.gate != Gating::kLabel) return out;
  const auto count = static_cast<std::size_t>(groups.num_groups());
  for (const std::string& label : groups.label_names()) {
    out.push_back({.label = label, .rows = std::vector<std::vector<Index>>(count)});
  }
  for (std::size_t m = 0; m < count; ++m) {
    const Group& group = groups[static_cast<Index>(m)];
    for (Index i = 0; i < group.rows.rows(); ++i) {
      const Index label = group.label(i);
      if (label >= 0 && mass_of(group, i) > 0) {
        out[static_cast<std::size_t>(label)].rows[m].push_back(i);
      }
    }
  }
  for (LabelPart& part : out) {
    for (auto& rows : part.rows) {
      if (static_cast<Index>(rows.size()) < options.min_cluster) rows.clear();
    }
  }
  std::erase_if(out, [&](const LabelPart& part) {
    const auto without = std::count_if(part.rows.begin(), part.rows.end(),
                                       [](const auto& rows) { return rows.empty(); });
    return static_cast<std::size_t>(without) + 1 >= count ||
           !takes_part(part, groups, options.target);
  });
  return out;
}

GroupSet rows_of(const LabelPart& part, const GroupSet& groups) {
  const GroupSet taken = take_rows(groups, part.rows);
  GroupSet out;
  for (Index m = 0; m < taken.num_groups(); ++m) {
    const Group& group = taken[m];
    if (group.rows.rows() == 0) continue;
    std::vector<double> masses(group.masses.begin(), group.masses.end());
    group.rows.visit([&](const auto& rows) {
      using Scalar = std::remove_const_t<std::remove_pointer_t<decltype(rows.data())>>;
      out.add(group.name, MatrixOf<Scalar>(rows.eigen()), std::move(masses));
    });
  }
  if (!groups.feature_names().empty()) out.set_feature_names(groups.feature_names());
  out.set_measured(groups.measured());
  out.set_covariates(groups.covariates());
  return out;
}

FitOptions options_within(const LabelPart& part, const FitOptions& requested) {
  FitOptions out = requested;
  out.gate = Gating::kNone;
  out.clusters = FitOptions().clusters;
  out.min_cluster = FitOptions().min_cluster;
  if (out.weights.kind == GroupWeights::Kind::kList) {
    std::vector<double> own;
    for (std::size_t m = 0; m < part.rows.size() && m < out.weights.list.size(); ++m) {
      if (!part.rows[m].empty()) own.push_back(out.weights.list[m]);
    }
    out.weights = GroupWeights(std::move(own));
  }
  return out;
}

void fit_within_labels(Fit& fit, const GroupSet& groups, const FitOptions& requested,
                       const FitPlan& plan, const LayerCallback& on_layer) {
  bool go_on = true;
  const LayerCallback watched = [&](const LayerRecord& record) {
    if (on_layer) go_on = go_on && on_layer(record);
    return go_on;
  };
  std::vector<std::pair<std::string, Fit>> fits;
  for (const LabelPart& part : label_parts(groups, requested)) {
    if (!go_on) break;
    std::optional<Fit> own = fit_part(part, groups, requested, plan, watched);
    if (!own) continue;
    fit.record.within.push_back({.label = part.label,
                                 .rows = sizes_of(part),
                                 .method = std::string(name_of(own->record.options.method)),
                                 .layers = static_cast<Index>(own->record.layers.size()),
                                 .stop = own->record.stop});
    fits.emplace_back(part.label, *std::move(own));
  }
  const bool judged = std::any_of(fits.begin(), fits.end(),
                                  [](const auto& each) { return each.second.judged.has_value(); });
  if (judged && !fit.judged) fit.judged = fit.flow;
  for (auto& [label, own] : fits) {
    if (fit.judged) fit.judged->add_within(label, own.judged ? *own.judged : own.flow);
    fit.flow.add_within(label, std::move(own.flow));
  }
}

std::vector<std::vector<Index>> rows_held_out_within(const GroupSet& groups,
                                                     const FitOptions& requested) {
  std::vector<std::vector<Index>> out(static_cast<std::size_t>(groups.num_groups()));
  bool some = false;
  for (const LabelPart& part : label_parts(groups, requested)) {
    const GroupSet own = rows_of(part, groups);
    DataShape shape{.dim = own.dim(), .group_names = own.names()};
    for (Index m = 0; m < own.num_groups(); ++m) {
      shape.group_sizes.push_back(own[m].rows.rows());
    }
    const auto held = rows_held_out(own, resolve(options_within(part, requested), shape));
    std::size_t k = 0;
    for (std::size_t m = 0; m < out.size() && !held.empty(); ++m) {
      if (part.rows[m].empty()) continue;
      for (const Index i : held[k]) {
        out[m].push_back(part.rows[m][static_cast<std::size_t>(i)]);
        some = true;
      }
      ++k;
    }
  }
  if (!some) return {};
  for (auto& rows : out) std::sort(rows.begin(), rows.end());
  return out;
}

}  // namespace conflux
