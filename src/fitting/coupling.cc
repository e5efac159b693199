// Couplings: every group to the normal law by itself (RealNVP), or while critics judge translations
// (AlignFlow), or all to one group (LRMF).

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <mutex>

#include "conflux/core/error.h"
#include "fitting/coupling_training.h"
#include "fitting/critic_training.h"
#include "fitting/layer_kinds.h"
#include "flow/coupling_layer.h"
#include "options/option_table.h"

namespace conflux {

namespace {

// Noise blurs rows in training: its deviation is this part of the width that Scott's rule has for
// the kernel of a density of so many rows, in deviations of the feature. A feature without any
// spread is filled with noise of deviation one, so that couplings leave it alone.
constexpr double kBlurring = 0.1;
// Groups with fewer rows give networks more parameters than they can hold.
constexpr Index kFewRows = 200;

struct GroupRows {
  CouplingLayer::Standard standard;
  Chain chain;
};

// Means and deviations of the chosen rows, by mass.
CouplingLayer::Standard standard_of(const Group& group, const RowList& chosen) {
  const Index dim = group.rows.cols();
  Vector mean = Vector::Zero(dim), square = Vector::Zero(dim);
  std::vector<double> buffer;
  double total = 0;
  for (const Index i : chosen) {
    total += mass_of(group, i);
    mean += mass_of(group, i) * Eigen::Map<const Vector>(group.rows.row(i, buffer), dim);
  }
  mean /= total;
  for (const Index i : chosen) {
    const Eigen::Map<const Vector> row(group.rows.row(i, buffer), dim);
    square += mass_of(group, i) * (row - mean).cwiseAbs2();
  }
  return {std::move(mean), (square / total).cwiseSqrt()};
}

GroupRows standardised(const Group& group, const RowList& chosen) {
  GroupRows out{standard_of(group, chosen), {}};
  const Index dim = group.rows.cols();
  const auto count = static_cast<Index>(chosen.size());
  const double width =
      kBlurring * std::pow(static_cast<double>(count), -1 / (static_cast<double>(dim) + 4));
  auto& [mean, deviation] = out.standard;
  for (Index j = 0; j < dim; ++j) {
    // Rounding alone makes a deviation of about 1e-16 of the mean.
    const bool spread = deviation(j) > 1e-12 * std::abs(mean(j));
    if (!spread) deviation(j) = 1;
    out.chain.blur.push_back(spread ? static_cast<float>(width) : 1.0F);
  }
  out.chain.rows.resize(count, dim);
  std::vector<double> buffer;
  double total = 0;
  for (const Index i : chosen) total += mass_of(group, i);
  for (Index i = 0; i < count; ++i) {
    const Eigen::Map<const Vector> row(group.rows.row(chosen[i], buffer), dim);
    out.chain.rows.row(i) = (row - mean).cwiseQuotient(deviation).cast<float>().transpose();
    out.chain.masses.push_back(
        static_cast<float>(mass_of(group, chosen[i]) * static_cast<double>(count) / total));
  }
  return out;
}

std::vector<Index> counted_from(Index begin, Index count) {
  std::vector<Index> out;
  for (Index c = 0; c < count; ++c) out.push_back(begin + c);
  return out;
}

TrainingPlan plan_of(const FitOptions& options, Index dim) {
  return {.masks = draw_masks(dim, options.couplings, options.seed),
          .num_couplings = options.couplings,
          .hidden = *options.hidden,
          .epochs = *options.epochs,
          .seed = options.seed};
}

// The map of a group that learns nothing of the others: equal groups have equal maps.
CouplingLayer::Map map_to_normal(const Group& group, const RowList& chosen,
                                 const TrainingPlan& plan) {
  GroupRows rows = standardised(group, chosen);
  rows.chain.couplings = counted_from(0, plan.num_couplings);
  return {std::move(rows.standard), CouplingLayer::unit(group.rows.cols()),
          train_couplings({std::move(rows.chain)}, plan)};
}

std::vector<CouplingLayer::Map> maps_to_normal(const FitInput& input, const TrainingPlan& plan) {
  std::vector<CouplingLayer::Map> maps(static_cast<std::size_t>(input.groups().num_groups()));
  input.workers.for_each(input.groups().num_groups(), [&](Index m) {
    maps[m] = map_to_normal(input.groups()[m], input.usable[m], plan);
  });
  return maps;
}

Index only_target(const FitOptions& options) {
  const std::vector<double>& weights = options.weights.list;
  for (std::size_t m = 0; m < weights.size(); ++m) {
    if (weights[m] == 1) return static_cast<Index>(m);
  }
  throw InvalidOption(
      fmt::format("weights is {} but {} moves all groups to one of them; choose a target instead.",
                  to_text(options.weights), name_of(options.method)));
}

// LRMF: the target passes couplings S to the normal law; every other group passes couplings of its
// own, and then S. All of them are trained together, so that likelihood is gained by leading a
// group to where the target is. S is thrown away.
std::vector<CouplingLayer::Map> maps_to_target(const FitInput& input, TrainingPlan plan) {
  const Index target = only_target(input.options);
  const Index length = plan.num_couplings;
  const std::vector<Index> shared = counted_from(0, length);
  std::vector<CouplingLayer::Standard> standards;
  std::vector<Chain> chains;
  std::vector<Index> begins;
  for (Index m = 0; m < input.groups().num_groups(); ++m) {
    GroupRows rows = standardised(input.groups()[m], input.usable[m]);
    begins.push_back(m == target ? 0 : plan.num_couplings);
    if (m != target) {
      rows.chain.couplings = counted_from(plan.num_couplings, length);
      plan.num_couplings += length;
    }
    rows.chain.couplings.insert(rows.chain.couplings.end(), shared.begin(), shared.end());
    standards.push_back(std::move(rows.standard));
    chains.push_back(std::move(rows.chain));
  }
  const CouplingParameters trained = train_couplings(chains, plan);
  std::vector<CouplingLayer::Map> maps;
  for (Index m = 0; m < input.groups().num_groups(); ++m) {
    const auto first = trained.begin() + begins[m];
    maps.push_back({standards[m], standards[target], {first, first + length}});
    if (m != target) continue;
    maps.back().from = maps.back().to = CouplingLayer::unit(input.groups().dim());
    for (std::vector<double>& each : maps.back().parameters) each.assign(each.size(), 0.0);
  }
  return maps;
}

// Features that are constant in every group are never moved: critics have nothing to say about
// them. Unless less than two features are left, which is too few to divide.
void leave_alone_what_never_varies(std::vector<Chain>& chains, TrainingPlan& plan) {
  const auto dim = static_cast<Index>(plan.masks.front().size());
  std::vector<Index> varying;
  for (Index j = 0; j < dim; ++j) {
    // A feature without spread is blurred by more.
    const auto varies = [&](const Chain& chain) { return chain.blur[j] < 1; };
    if (std::any_of(chains.begin(), chains.end(), varies)) varying.push_back(j);
  }
  if (static_cast<Index>(varying.size()) == dim || varying.size() < 2) return;
  const auto few = draw_masks(static_cast<Index>(varying.size()), plan.num_couplings, plan.seed);
  for (std::size_t c = 0; c < few.size(); ++c) {
    plan.masks[c].assign(static_cast<std::size_t>(dim), false);
    for (std::size_t k = 0; k < varying.size(); ++k) plan.masks[c][varying[k]] = few[c][k];
  }
  for (Chain& chain : chains) {
    std::vector<float> blur(static_cast<std::size_t>(dim), 0.0F);
    for (const Index j : varying) blur[j] = chain.blur[j];
    chain.blur = std::move(blur);
  }
}

// AlignFlow: flows to the normal law by which translated rows also pass for real ones.
std::vector<CouplingLayer::Map> maps_by_critics(const FitInput& input, TrainingPlan& flows) {
  CriticPlan plan{.flows = {}, .lambda = *input.options.likelihood_weight, .views = {}};
  std::vector<Chain> chains;
  std::vector<CouplingLayer::Map> maps;
  for (Index m = 0; m < input.groups().num_groups(); ++m) {
    GroupRows rows = standardised(input.groups()[m], input.usable[m]);
    const auto& [mean, deviation] = rows.standard;
    plan.views.push_back({.cube = input.options.unit_cube == UnitCube::kOn,
                          .mean = {mean.begin(), mean.end()},
                          .deviation = {deviation.begin(), deviation.end()}});
    chains.push_back(std::move(rows.chain));
    maps.push_back({std::move(rows.standard), CouplingLayer::unit(input.groups().dim()), {}});
  }
  leave_alone_what_never_varies(chains, flows);
  plan.flows = flows;
  std::vector<CouplingParameters> trained = train_against_critics(chains, plan);
  for (std::size_t m = 0; m < maps.size(); ++m) maps[m].parameters = std::move(trained[m]);
  return maps;
}

/// May change which features are moved.
std::vector<CouplingLayer::Map> maps_of(const FitInput& input, TrainingPlan& plan) {
  const MethodInfo& method = method_info(input.options.method);
  if (method.critics) return maps_by_critics(input, plan);
  return method.to_normal ? maps_to_normal(input, plan) : maps_to_target(input, plan);
}

class CouplingFitter final : public LayerFitter {
 public:
  Fitted fit(const FitInput& input, Index, double) override {
    if (input.comm.size() > 1) {
      throw InvalidOption(
          fmt::format("{} trains networks on the rows of one process, but with fit_rows all they "
                      "are spread over "
                      "{}; set fit_rows to a number, or choose inb.",
                      name_of(input.options.method), input.comm.size()));
    }
    TrainingPlan plan = plan_of(input.options, input.groups().dim());
    // Groups that know nothing of each other are trained at the same time.
    std::mutex counting;
    Index passes = 0;
    const MethodInfo& method = method_info(input.options.method);
    const bool apart = method.to_normal && !method.critics;
    const Index most = plan.epochs * (apart ? input.groups().num_groups() : 1);
    if (input.on_pass) {
      plan.after_pass = [&] {
        const std::lock_guard lock(counting);
        input.on_pass(++passes, most);
      };
    }
    std::vector<CouplingLayer::Map> maps = maps_of(input, plan);
    return plain_layer(std::make_shared<CouplingLayer>(plan.masks, plan.hidden, std::move(maps)),
                       input.workers);
  }
};

// A group that joins goes to the normal law as the others did. Nothing is left of what would lead
// it to a target, nor of the critics.
LayerPointer widen_coupling(const LayerPointer& layer, const NewGroup& added) {
  if (!method_info(added.options.method).takes_new_groups()) return nullptr;
  const auto& coupling = dynamic_cast<const CouplingLayer&>(*layer);
  std::vector<CouplingLayer::Map> maps = coupling.maps();
  maps.push_back(
      map_to_normal(added.group[0], added.chosen[0], plan_of(added.options, added.group.dim())));
  return std::make_shared<CouplingLayer>(coupling.masks(), coupling.hidden(), std::move(maps));
}

void warn_coupling(const GroupSet& groups, const std::vector<Index>& sizes, const FitOptions&,
                   std::vector<std::string>& warnings) {
  for (Index m = 0; m < groups.num_groups(); ++m) {
    if (sizes[m] >= kFewRows) continue;
    warnings.push_back(
        fmt::format("group \"{}\" has {} rows, from which networks learn little; give it {} or "
                    "more, or choose another method.",
                    groups[m].name, sizes[m], kFewRows));
  }
}

// Training keeps six copies of the parameters in single precision; the layer has two in double
// precision. LRMF trains twice as many parameters as it keeps; critics are smaller than flows.
double memory_of_coupling(const DataShape& data, const FitOptions& options) {
  const auto groups = static_cast<double>(data.group_sizes.size());
  const auto hidden = static_cast<double>(*options.hidden);
  const double parameters = static_cast<double>(options.couplings) * hidden *
                            (hidden + 1.5 * static_cast<double>(data.dim) + 2);
  return parameters * groups * (12 * sizeof(float) + 2 * sizeof(double));
}

}  // namespace

LayerKind coupling_kind() {
  return {.name = "coupling",
          .start = [](const FitInput&) -> std::unique_ptr<LayerFitter> {
            return std::make_unique<CouplingFitter>();
          },
          .widen = widen_coupling,
          .warn = warn_coupling,
          .memory = memory_of_coupling};
}

}  // namespace conflux
