#include "fitting/destructor.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "conflux/core/error.h"
#include "core/rng.h"
#include "fitting/layer_kinds.h"
#include "fitting/moments.h"
#include "flow/affine_layer.h"
#include "flow/coordinate_layer.h"
#include "flow/unit_cube_layer.h"
#include "kernels/dense.h"
#include "kernels/product.h"
#include "stiefel/frame.h"

namespace conflux {

namespace {

// The opening histogram of images resolves every gray value.
constexpr Index kOpeningBins = 256;
constexpr double kOpeningPseudoCount = 1;
// Axes whose deviation is below this fraction of the largest have no spread worth stretching.
constexpr double kNoSpread = 1e-6;
constexpr Index kFeaturesPerTask = 16;

// One layer of a stage.
struct Step {
  enum class Kind { kStandardize, kToCube, kToNormal, kHistogram, kWhiten, kTurn };
  Kind kind;
  Index bins = 0;
  double pseudo_count = 0;
};
using Steps = std::vector<Step>;
using Kind = Step::Kind;

Steps opening(const FitOptions& options) {
  const Step flatten{Kind::kHistogram, kOpeningBins, kOpeningPseudoCount};
  if (options.dd_stack == DdStack::kRandom) return {{Kind::kStandardize}, {Kind::kToCube}};
  if (options.unit_cube == UnitCube::kOn) return {flatten};
  if (options.dd_stack == DdStack::kPcaUnscaled) return {{Kind::kToCube}, flatten};
  return {{Kind::kStandardize}, {Kind::kToCube}, flatten};
}

Steps stage(const FitOptions& options, Index number) {
  if (number == 0) return opening(options);
  const Step flatten{Kind::kHistogram, *options.bins, *options.pseudo_count};
  if (options.dd_stack == DdStack::kRandom) {
    return {{Kind::kToNormal}, {Kind::kTurn}, {Kind::kToCube}, flatten};
  }
  return {flatten, {Kind::kToNormal}, {Kind::kWhiten}, {Kind::kToCube}};
}

// Counts raised by the pseudo-count become slopes, which are therefore never far from 1.
MonotoneMap flattening_map(std::span<const double> counts, double pseudo_count) {
  double total = 0;
  for (const double count : counts) total += count + pseudo_count;
  std::vector<double> from{0}, to{0};
  double sum = 0;
  for (std::size_t b = 0; b < counts.size(); ++b) {
    sum += counts[b] + pseudo_count;
    from.push_back(static_cast<double>(b + 1) / static_cast<double>(counts.size()));
    to.push_back(b + 1 == counts.size() ? 1 : sum / total);
  }
  return PiecewiseLinearMap(std::move(from), std::move(to));
}

std::vector<MonotoneMap> flattening_maps(const Group& group, const RowList& chosen,
                                         const Step& step, Communicator& comm,
                                         const Workers& workers) {
  const Index dim = group.rows.cols();
  std::vector<double> counts(static_cast<std::size_t>(dim * step.bins), 0.0);
  workers.for_each_block(dim, kFeaturesPerTask, [&](Index begin, Index end) {
    for (const Index i : chosen) {
      const double mass = mass_of(group, i);
      for (Index j = begin; j < end; ++j) {
        const double place = std::floor(group.rows(i, j) * static_cast<double>(step.bins));
        const double bin = std::clamp(place, 0.0, static_cast<double>(step.bins - 1));
        counts[j * step.bins + static_cast<Index>(bin)] += mass;
      }
    }
  });
  comm.sum(counts);
  std::vector<MonotoneMap> maps(static_cast<std::size_t>(dim));
  workers.for_each(dim, [&](Index j) {
    maps[j] = flattening_map({counts.data() + j * step.bins, static_cast<std::size_t>(step.bins)},
                             step.pseudo_count);
  });
  return maps;
}

// Deviations to divide by.
void leave_alone_without_spread(Vector& deviations) {
  const double smallest = kNoSpread * deviations.maxCoeff();
  for (double& deviation : deviations) {
    if (!(deviation > smallest)) deviation = 1;
  }
}

AffineLayer::Map dividing_map(Vector mean, Matrix matrix, Matrix inverse,
                              const Vector& deviations) {
  const Index dim = mean.size();
  return {std::move(mean), Vector::Zero(dim), std::move(matrix), std::move(inverse),
          -deviations.array().log().sum()};
}

AffineLayer::Map standardizing_map(Vector mean, const Matrix& covariance) {
  Vector deviations = covariance.diagonal().cwiseSqrt();
  for (double& deviation : deviations) deviation = deviation > 0 ? deviation : 1;
  return dividing_map(std::move(mean), deviations.cwiseInverse().asDiagonal(),
                      deviations.asDiagonal(), deviations);
}

AffineLayer::Map whitening_map(Vector mean, Matrix covariance) {
  covariance = 0.5 * (covariance + covariance.transpose()).eval();
  Vector deviations = kernels::symmetric_eigen(covariance);
  if (deviations.size() == 0) {
    throw Error("the eigenvalues of a covariance did not converge; rescale the features.");
  }
  deviations = deviations.cwiseMax(0).cwiseSqrt();
  leave_alone_without_spread(deviations);
  const Matrix& axes = covariance;  // one per row
  const auto along_axes = [&](const Vector& factors) {
    return kernels::product(axes.transpose() * factors.asDiagonal(), axes);
  };
  return dividing_map(std::move(mean), along_axes(deviations.cwiseInverse()),
                      along_axes(deviations), deviations);
}

AffineLayer::Map turning_map(Vector mean, const Matrix& covariance, const Matrix& axes) {
  Vector deviations = (axes.transpose() * covariance * axes).diagonal().cwiseMax(0).cwiseSqrt();
  leave_alone_without_spread(deviations);
  return dividing_map(std::move(mean), axes * deviations.cwiseInverse().asDiagonal(),
                      deviations.asDiagonal() * axes.transpose(), deviations);
}

// Fits single layers of a flow to groups that know nothing of each other.
class StepFitter {
 public:
  StepFitter(const FitOptions& options, Communicator& comm, const Workers& workers)
      : options_(options), comm_(comm), workers_(workers) {}

  std::shared_ptr<const Layer> fit(const Step& step, Index stage_number, const GroupSet& groups,
                                   const RowChoice& chosen) const {
    switch (step.kind) {
      case Kind::kToCube:
        return cube_layer(groups.dim(), UnitCubeLayer::CubeStep::kToCube);
      case Kind::kToNormal:
        return cube_layer(groups.dim(), UnitCubeLayer::CubeStep::kToNormal);
      case Kind::kHistogram:
        return std::make_shared<CoordinateLayer>(coordinate_maps(step, groups, chosen));
      case Kind::kStandardize:
      case Kind::kWhiten:
      case Kind::kTurn:
        break;
    }
    return std::make_shared<AffineLayer>(affine_maps(step, stage_number, groups, chosen));
  }

  std::vector<std::vector<MonotoneMap>> coordinate_maps(const Step& step, const GroupSet& groups,
                                                        const RowChoice& chosen) const {
    std::vector<std::vector<MonotoneMap>> maps;
    for (Index m = 0; m < groups.num_groups(); ++m) {
      maps.push_back(flattening_maps(groups[m], chosen[m], step, comm_, workers_));
    }
    return maps;
  }

  std::vector<AffineLayer::Map> affine_maps(const Step& step, Index stage_number,
                                            const GroupSet& groups, const RowChoice& chosen) const {
    const kernels::SerialBlas serial;
    Moments moments = fit_moments(groups, chosen, comm_, workers_);
    std::vector<AffineLayer::Map> maps(static_cast<std::size_t>(groups.num_groups()));
    // All groups turn in the same way, so that equal groups have equal maps.
    Matrix axes;
    if (step.kind == Kind::kTurn) {
      Stream stream(options_.seed, Purpose::kDirections, static_cast<std::uint64_t>(stage_number));
      axes = Frame::random(groups.dim(), groups.dim(), stream).columns();
    }
    workers_.for_each(groups.num_groups(), [&](Index m) {
      Matrix covariance = moments.shrinkage[m] * moments.covariances[m];
      Vector mean = std::move(moments.means[m]);
      if (step.kind == Kind::kStandardize) {
        maps[m] = standardizing_map(std::move(mean), covariance);
      } else if (step.kind == Kind::kTurn) {
        maps[m] = turning_map(std::move(mean), covariance, axes);
      } else if (step.kind == Kind::kWhiten) {
        maps[m] = whitening_map(std::move(mean), std::move(covariance));
      }
    });
    return maps;
  }

 private:
  std::shared_ptr<const Layer> cube_layer(Index dim, UnitCubeLayer::CubeStep step) const {
    return std::make_shared<UnitCubeLayer>(dim, options_.unit_cube_margin, step);
  }

  const FitOptions& options_;
  Communicator& comm_;
  const Workers& workers_;
};

class DestructorFitter final : public LayerFitter {
 public:
  /// Every step of a stage is fitted on what the steps before have left.
  Fitted fit(const FitInput& input, Index number, double) override {
    const StepFitter fitter(input.options, input.comm, input.workers);
    Fitted out;
    for (const Step& step : stage(input.options, number)) {
      out.layers.push_back(fitter.fit(step, number, input.groups(), input.usable));
      input.latent.move(*out.layers.back(), input.workers);
    }
    return out;
  }

  LayerPointer closing(const FitInput& input) const override {
    if (!ends_at_normal_law(input.options)) return nullptr;
    return StepFitter(input.options, input.comm, input.workers)
        .fit({Kind::kToNormal}, 0, input.groups(), input.usable);
  }
};

Index stage_size(const FitOptions& options, Index number) {
  return static_cast<Index>(stage(options, number).size());
}

// Fits the step that made the layer on the new group alone.
LayerPointer widen_destructor(const LayerPointer& layer, const NewGroup& added) {
  Index number = 0;
  Index place = added.place;
  while (place >= stage_size(added.options, number)) place -= stage_size(added.options, number++);
  const Step step = stage(added.options, number)[static_cast<std::size_t>(place)];
  SelfCommunicator comm;
  const StepFitter fitter(added.options, comm, added.workers);
  if (step.kind == Kind::kHistogram) {
    auto maps = dynamic_cast<const CoordinateLayer&>(*layer).maps();
    maps.push_back(fitter.coordinate_maps(step, added.group, added.chosen).front());
    return std::make_shared<CoordinateLayer>(std::move(maps));
  }
  std::vector<AffineLayer::Map> maps = dynamic_cast<const AffineLayer&>(*layer).maps();
  maps.push_back(fitter.affine_maps(step, number, added.group, added.chosen).front());
  return std::make_shared<AffineLayer>(std::move(maps));
}

void warn_destructor(const GroupSet& groups, const std::vector<Index>& sizes,
                     const FitOptions& options, std::vector<std::string>& warnings) {
  if (options.dd_stack == DdStack::kRandom) return;
  for (Index m = 0; m < groups.num_groups(); ++m) {
    if (sizes[m] > groups.dim()) continue;
    warnings.push_back(
        fmt::format("group \"{}\" has {} rows for {} features: directions without variance stay "
                    "unchanged, and densities mean little; give it more rows, or fewer features.",
                    groups[m].name, sizes[m], groups.dim()));
  }
}

// Every stage keeps a matrix and its inverse per group, and both once more in padded rows; the
// covariances of one stage are needed at a time.
double memory_of_destructor(const DataShape& data, const FitOptions& options) {
  const auto groups = static_cast<double>(data.group_sizes.size());
  const double square = static_cast<double>(data.dim) * static_cast<double>(data.dim);
  const auto stages = static_cast<double>(*options.layers);
  return sizeof(double) * square * groups * (4 * stages + 2);
}

}  // namespace

bool ends_at_normal_law(const FitOptions& options) {
  return options.dd_stack == DdStack::kPcaUnscaled && options.unit_cube == UnitCube::kOff;
}

LayerKind destructor_kind() {
  return {.name = "destructor",
          .start = [](const FitInput&) -> std::unique_ptr<LayerFitter> {
            return std::make_unique<DestructorFitter>();
          },
          .widen = widen_destructor,
          .stage_size = stage_size,
          .warn = warn_destructor,
          .memory = memory_of_destructor,
          .makes = {"coordinate", "affine", "cube-to-normal", "normal-to-cube"}};
}

}  // namespace conflux
