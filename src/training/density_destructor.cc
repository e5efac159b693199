#include "training/density_destructor.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "conflux/core/error.h"
#include "conflux/training/log_density.h"
#include "core/rng.h"
#include "core/stopwatch.h"
#include "fitting/moments.h"
#include "flow/affine_layer.h"
#include "flow/coordinate_layer.h"
#include "flow/unit_cube_layer.h"
#include "kernels/dense.h"
#include "kernels/normal.h"
#include "kernels/product.h"
#include "stiefel/frame.h"
#include "training/inspection.h"
#include "training/latent.h"
#include "training/resumption.h"

namespace conflux {

namespace {

// The opening histogram of images resolves every grey value.
constexpr Index kOpeningBins = 256;
constexpr double kOpeningPseudoCount = 1;
// Axes whose deviation is below this fraction of the largest have no spread worth stretching.
constexpr double kNoSpread = 1e-6;
constexpr Index kFeaturesPerTask = 16;
constexpr Index kRowsPerTask = 256;

// One layer of a stage.
struct Step {
  enum class Kind { kStandardise, kToCube, kToNormal, kHistogram, kWhiten, kTurn };
  Kind kind;
  Index bins = 0;
  double pseudo_count = 0;
};
using Steps = std::vector<Step>;
using Kind = Step::Kind;

bool ends_at_normal_law(const FitOptions& options) {
  return options.dd_stack == DdStack::kPcaUnscaled && options.unit_cube == UnitCube::kOff;
}

Steps opening(const FitOptions& options) {
  const Step flatten{Kind::kHistogram, kOpeningBins, kOpeningPseudoCount};
  if (options.dd_stack == DdStack::kRandom) return {{Kind::kStandardise}, {Kind::kToCube}};
  if (options.unit_cube == UnitCube::kOn) return {flatten};
  if (options.dd_stack == DdStack::kPcaUnscaled) return {{Kind::kToCube}, flatten};
  return {{Kind::kStandardise}, {Kind::kToCube}, flatten};
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

std::vector<MonotoneMap> flattening_maps(const Group& group, const std::vector<Index>& chosen,
                                         const Step& step, Communicator& comm,
                                         const Workers& workers) {
  const Index dim = group.rows.cols();
  std::vector<double> counts(static_cast<std::size_t>(dim * step.bins), 0.0);
  workers.for_each_block(dim, kFeaturesPerTask, [&](Index begin, Index end) {
    for (const Index i : chosen) {
      const double mass = group.weights.empty() ? 1.0 : group.weights[i];
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

AffineLayer::Map standardising_map(Vector mean, const Matrix& covariance) {
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
        return cube_layer(groups.dim(), UnitCubeLayer::Way::kToCube);
      case Kind::kToNormal:
        return cube_layer(groups.dim(), UnitCubeLayer::Way::kToNormal);
      case Kind::kHistogram:
        return std::make_shared<CoordinateLayer>(coordinate_maps(step, groups, chosen));
      case Kind::kStandardise:
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
    // All groups turn alike, so that equal groups have equal maps.
    Matrix axes;
    if (step.kind == Kind::kTurn) {
      Stream stream(options_.seed, Purpose::kDirections, static_cast<std::uint64_t>(stage_number));
      axes = Frame::random(groups.dim(), groups.dim(), stream).columns();
    }
    workers_.for_each(groups.num_groups(), [&](Index m) {
      Matrix covariance = moments.shrinkage[m] * moments.covariances[m];
      Vector mean = std::move(moments.means[m]);
      if (step.kind == Kind::kStandardise) maps[m] = standardising_map(std::move(mean), covariance);
      if (step.kind == Kind::kTurn) maps[m] = turning_map(std::move(mean), covariance, axes);
      if (step.kind == Kind::kWhiten) {
        maps[m] = whitening_map(std::move(mean), std::move(covariance));
      }
    });
    return maps;
  }

 private:
  std::shared_ptr<const Layer> cube_layer(Index dim, UnitCubeLayer::Way way) const {
    return std::make_shared<UnitCubeLayer>(dim, options_.unit_cube_margin, way);
  }

  const FitOptions& options_;
  Communicator& comm_;
  const Workers& workers_;
};

std::vector<std::string> warnings_for(const GroupSet& groups, const std::vector<Index>& sizes,
                                      const FitOptions& options) {
  std::vector<std::string> out;
  if (options.dd_stack == DdStack::kRandom) return out;
  for (Index m = 0; m < groups.num_groups(); ++m) {
    if (sizes[m] > groups.dim()) continue;
    out.push_back(fmt::format(
        "group \"{}\" has {} rows for {} features: directions without spread stay as they are, and "
        "densities mean little; give it more rows, or fewer features.",
        groups[m].name, sizes[m], groups.dim()));
  }
  return out;
}

class DestructorFit {
 public:
  DestructorFit(GroupSet given, const FitOptions& requested, Communicator& comm,
                const LayerCallback& on_layer, const FitControl& control)
      : comm_(comm),
        on_layer_(on_layer),
        control_(control),
        workers_(requested.threads),
        latent_(std::move(given)) {
    const GroupSet& groups = latent_.groups();
    chosen_ = all_rows(groups);
    fit_ = begin_fit(groups, chosen_, requested, comm);
    fit_.record.warnings = warnings_for(groups, fit_.record.group_sizes, fit_.record.options);
  }

  Fit run() {
    if (control_.resume != nullptr) take_up(*control_.resume);
    while (go_on_ && num_stages() < *fit_.record.options.layers) add_stage();
    if (ends_at_normal_law(fit_.record.options)) append({Kind::kToNormal});
    fit_.record.seconds = seconds_before_ + total_.seconds();
    return std::move(fit_);
  }

 private:
  Index num_stages() const { return static_cast<Index>(fit_.record.layers.size()); }

  void take_up(const Fit& earlier) {
    check_same_options(earlier.record.options, fit_.record.options);
    check_same_groups(earlier, fit_);
    seconds_before_ = earlier.record.seconds;
    Index layer = 0;
    for (const LayerRecord& record : earlier.record.layers) {
      for (std::size_t s = 0; s < stage(fit_.record.options, num_stages()).size(); ++s) {
        append(earlier.flow.layers()[layer++]);
      }
      fit_.record.layers.push_back(record);
    }
  }

  void add_stage() {
    const Stopwatch watch;
    for (const Step& step : stage(fit_.record.options, num_stages())) append(step);
    fit_.record.layers.push_back(
        {.layer = num_stages(), .kind = "destructor", .seconds = watch.seconds()});
    fit_.record.seconds = seconds_before_ + total_.seconds();
    if (control_.on_progress) control_.on_progress(fit_);
    if (on_layer_) go_on_ = on_layer_(fit_.record.layers.back());
  }

  void append(const Step& step) {
    const StepFitter fitter(fit_.record.options, comm_, workers_);
    append(fitter.fit(step, num_stages(), latent_.groups(), chosen_));
  }

  void append(std::shared_ptr<const Layer> layer) {
    latent_.move(*layer, workers_);
    fit_.flow.append(std::move(layer));
  }

  Communicator& comm_;
  const LayerCallback& on_layer_;
  const FitControl& control_;
  Stopwatch total_;
  double seconds_before_ = 0;
  Workers workers_;
  Latent latent_;
  RowChoice chosen_;
  Fit fit_;
  bool go_on_ = true;
};

}  // namespace

Fit fit_density_destructors(GroupSet groups, const FitOptions& options, Communicator& comm,
                            const LayerCallback& on_layer, const FitControl& control) {
  return DestructorFit(std::move(groups), options, comm, on_layer, control).run();
}

std::shared_ptr<const Layer> with_destructor(const std::shared_ptr<const Layer>& layer,
                                             Index position, const GroupSet& group,
                                             const RowChoice& chosen, const FitOptions& options,
                                             const Workers& workers) {
  Index number = 0;
  Steps steps = stage(options, number);
  while (position >= static_cast<Index>(steps.size())) {
    position -= static_cast<Index>(steps.size());
    steps = stage(options, ++number);
  }
  const Step& step = steps[static_cast<std::size_t>(position)];
  SelfCommunicator comm;
  const StepFitter fitter(options, comm, workers);
  if (const auto* coordinate = dynamic_cast<const CoordinateLayer*>(layer.get())) {
    auto maps = coordinate->maps();
    maps.push_back(fitter.coordinate_maps(step, group, chosen).front());
    return std::make_shared<CoordinateLayer>(std::move(maps));
  }
  const auto* affine = dynamic_cast<const AffineLayer*>(layer.get());
  if (affine == nullptr) return layer;
  std::vector<AffineLayer::Map> maps = affine->maps();
  maps.push_back(fitter.affine_maps(step, number, group, chosen).front());
  return std::make_shared<AffineLayer>(std::move(maps));
}

std::vector<double> log_density(const Model& model, std::span<const Index> groups,
                                const SampleRows& rows, const Workers& workers) {
  const FitOptions& options = model.record.options;
  if (options.method != Method::kDd) {
    throw InvalidOption(
        fmt::format("the model was fitted by {}, which has no densities; fit with method dd.",
                    name_of(options.method)));
  }
  Matrix latent(rows.rows(), rows.cols());
  std::vector<double> out(static_cast<std::size_t>(latent.rows()));
  model.flow.move(rows, Route::to_shared(groups), Rows(latent), out.data(), workers);
  const UnitCubeLayer to_normal(latent.cols(), options.unit_cube_margin,
                                UnitCubeLayer::Way::kToNormal);
  workers.for_each_block(latent.rows(), kRowsPerTask, [&](Index begin, Index end) {
    const Rows block = Rows(latent).middle_rows(begin, end - begin);
    if (!ends_at_normal_law(options)) to_normal.forward(0, block, out.data() + begin);
    for (Index i = begin; i < end; ++i) {
      for (Index j = 0; j < latent.cols(); ++j) {
        out[i] += kernels::log_normal_density(latent(i, j));
      }
    }
  });
  return out;
}

}  // namespace conflux
