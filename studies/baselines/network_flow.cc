#include "baselines/network_flow.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <mutex>

#include "baselines/coupling_layer.h"
#include "baselines/coupling_training.h"
#include "baselines/critic_training.h"
#include "conflux/core/error.h"
#include "core/stopwatch.h"
#include "fitting/line_maps.h"
#include "flow/unit_cube_layer.h"

namespace conflux {

namespace {

// Noise blurs rows in training: its deviation is this part of the width that Scott's rule has for
// the kernel of a density of so many rows, in deviations of the feature. A feature without any
// spread is filled with noise of deviation one, so that couplings leave it alone.
constexpr double kBlurring = 0.1;
// Groups with fewer rows give networks more parameters than they can hold.
constexpr Index kFewRows = 200;
// Passes over the rows at most, and with critics, which never say that it is enough. Few rows are
// passed more often, so that there are so many steps at least.
constexpr Index kPasses = 1000;
constexpr Index kPassesOfCritics = 30;
constexpr Index kStepsOfCritics = 2400;
// The published weight of likelihood beside critics is 1e-4, for images of 784 pixels.
constexpr double kLikelihoodOfAllFeatures = 0.0784;
// As the library has it where values lie in the unit cube.
constexpr double kUnitCubeMargin = 1e-6;

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

GroupRows standardized(const Group& group, const RowList& chosen) {
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

/// The input of the training of all networks.
struct NetworkInput {
  const GroupSet& groups;
  const RowChoice& usable;
  const NetworkOptions& options;
  bool cube = false;
  const Workers& workers;
};

// The map of a group that learns nothing of the others: equal groups have equal maps.
CouplingLayer::Map map_to_normal(const Group& group, const RowList& chosen,
                                 const TrainingPlan& plan) {
  GroupRows rows = standardized(group, chosen);
  rows.chain.couplings = counted_from(0, plan.num_couplings);
  return {std::move(rows.standard), CouplingLayer::unit(group.rows.cols()),
          train_couplings({std::move(rows.chain)}, plan)};
}

std::vector<CouplingLayer::Map> maps_to_normal(const NetworkInput& input,
                                               const TrainingPlan& plan) {
  std::vector<CouplingLayer::Map> maps(static_cast<std::size_t>(input.groups.num_groups()));
  input.workers.for_each(input.groups.num_groups(), [&](Index m) {
    maps[m] = map_to_normal(input.groups[m], input.usable[m], plan);
  });
  return maps;
}

// LRMF: the target passes couplings S to the normal law; every other group passes couplings of its
// own, and then S. All of them are trained together, so that likelihood is gained by leading a
// group to where the target is. S is thrown away.
std::vector<CouplingLayer::Map> maps_to_target(const NetworkInput& input, TrainingPlan plan) {
  const Index target = input.options.target;
  const Index length = plan.num_couplings;
  const std::vector<Index> shared = counted_from(0, length);
  std::vector<CouplingLayer::Standard> standards;
  std::vector<Chain> chains;
  std::vector<Index> begins;
  for (Index m = 0; m < input.groups.num_groups(); ++m) {
    GroupRows rows = standardized(input.groups[m], input.usable[m]);
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
  for (Index m = 0; m < input.groups.num_groups(); ++m) {
    const auto first = trained.begin() + begins[m];
    maps.push_back({standards[m], standards[target], {first, first + length}});
    if (m != target) continue;
    maps.back().from = maps.back().to = CouplingLayer::unit(input.groups.dim());
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
std::vector<CouplingLayer::Map> maps_by_critics(const NetworkInput& input, TrainingPlan& flows) {
  CriticPlan plan{.flows = {}, .lambda = input.options.likelihood_weight, .views = {}};
  std::vector<Chain> chains;
  std::vector<CouplingLayer::Map> maps;
  for (Index m = 0; m < input.groups.num_groups(); ++m) {
    GroupRows rows = standardized(input.groups[m], input.usable[m]);
    const auto& [mean, deviation] = rows.standard;
    plan.views.push_back({.cube = input.cube,
                          .mean = {mean.begin(), mean.end()},
                          .deviation = {deviation.begin(), deviation.end()}});
    chains.push_back(std::move(rows.chain));
    maps.push_back({std::move(rows.standard), CouplingLayer::unit(input.groups.dim()), {}});
  }
  leave_alone_what_never_varies(chains, flows);
  plan.flows = flows;
  std::vector<CouplingParameters> trained = train_against_critics(chains, plan);
  for (std::size_t m = 0; m < maps.size(); ++m) maps[m].parameters = std::move(trained[m]);
  return maps;
}

/// May change which features are moved.
std::vector<CouplingLayer::Map> maps_of(const NetworkInput& input, TrainingPlan& plan) {
  switch (input.options.kind) {
    case NetworkKind::kRealnvp:
      return maps_to_normal(input, plan);
    case NetworkKind::kLrmf:
      return maps_to_target(input, plan);
    case NetworkKind::kAlignflow:
      break;
  }
  return maps_by_critics(input, plan);
}

bool inside_unit_cube(const GroupSet& groups) {
  for (Index m = 0; m < groups.num_groups(); ++m) {
    const Matrix rows = groups[m].rows.to_matrix();
    if (rows.minCoeff() < 0 || rows.maxCoeff() > 1) return false;
  }
  return true;
}

NetworkOptions resolved(NetworkOptions options, const GroupSet& groups) {
  if (groups.dim() < 2) {
    throw InvalidOption(
        fmt::format("networks move features by what other features are, but the data has {} "
                    "column; choose another method, such as nb.",
                    groups.dim()));
  }
  if (options.hidden == 0) options.hidden = usual_hidden(groups.dim());
  if (options.likelihood_weight < 0) {
    options.likelihood_weight = kLikelihoodOfAllFeatures / static_cast<double>(groups.dim());
  }
  if (options.target < 0) options.target = groups.num_groups() - 1;
  if (options.epochs > 0) return options;
  Index largest = 1;
  for (Index m = 0; m < groups.num_groups(); ++m) {
    largest = std::max(largest, groups[m].rows.rows());
  }
  options.epochs = options.kind == NetworkKind::kAlignflow
                       ? std::max(kPassesOfCritics, kStepsOfCritics * kBatchOfCritics / largest)
                       : kPasses;
  return options;
}

std::vector<std::string> warnings_of(const GroupSet& groups) {
  std::vector<std::string> out;
  for (Index m = 0; m < groups.num_groups(); ++m) {
    const Index rows = groups[m].rows.rows();
    if (rows >= kFewRows) continue;
    out.push_back(
        fmt::format("group \"{}\" has {} rows, from which networks learn little; give it "
                    "{} or more, or choose another method.",
                    groups[m].name, rows, kFewRows));
  }
  return out;
}

}  // namespace

Index usual_hidden(Index dim) {
  constexpr Index kFewestHidden = 64, kMostHidden = 256;
  return std::clamp(dim, kFewestHidden, kMostHidden);
}

NetworkFit fit_networks(const GroupSet& given, const NetworkOptions& requested,
                        const Workers& workers,
                        const std::function<void(Index done, Index most)>& on_pass) {
  const Stopwatch watch;
  given.validate();
  NetworkFit out{Flow(given.names(), given.dim()), resolved(requested, given), warnings_of(given)};
  const NetworkOptions& options = out.options;
  // A group that all others move to keeps its units.
  const bool cube = options.kind != NetworkKind::kLrmf && inside_unit_cube(given);
  const auto enter = [&](UnitCubeLayer::CubeStep step) {
    out.flow.append(std::make_shared<UnitCubeLayer>(given.dim(), kUnitCubeMargin, step));
  };
  if (cube) enter(UnitCubeLayer::CubeStep::kToNormal);
  GroupSet groups;
  for (Index m = 0; m < given.num_groups(); ++m) {
    groups.add(given[m].name, out.flow.forward(m, given[m].rows, workers),
               std::vector<double>(given[m].masses.begin(), given[m].masses.end()));
  }
  const RowChoice usable = all_rows(groups);
  TrainingPlan plan{.masks = draw_masks(given.dim(), options.couplings, options.seed),
                    .num_couplings = options.couplings,
                    .hidden = options.hidden,
                    .epochs = options.epochs,
                    .seed = options.seed};
  // Groups that know nothing of each other are trained at the same time.
  std::mutex counting;
  Index passes = 0;
  const bool apart = options.kind == NetworkKind::kRealnvp;
  const Index most = plan.epochs * (apart ? given.num_groups() : 1);
  if (on_pass) {
    plan.after_pass = [&] {
      const std::lock_guard lock(counting);
      on_pass(++passes, most);
    };
  }
  std::vector<CouplingLayer::Map> maps = maps_of({groups, usable, options, cube, workers}, plan);
  out.flow.append(std::make_shared<CouplingLayer>(plan.masks, plan.hidden, std::move(maps)));
  if (cube) enter(UnitCubeLayer::CubeStep::kToCube);
  out.seconds = watch.seconds();
  return out;
}

}  // namespace conflux
