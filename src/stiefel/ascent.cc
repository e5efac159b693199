#include "stiefel/ascent.h"

#include <cmath>
#include <optional>

namespace conflux {

namespace {

struct Found {
  SpanStep step;
  double value;
};

class Climber {
 public:
  Climber(AscentProblem& problem, const AscentOptions& options, AscentResult& result)
      : problem_(problem), options_(options), result_(result), polar_gains_(options.polar) {}

  /// A step that gains enough along the direction, if there is one.
  std::optional<Found> find(const Direction& direction) {
    if (polar_gains_) {
      if (auto found = try_polar(direction)) return found;
      // Far from the top polar steps gain more than any other, near it they overshoot: on images
      // nearly all gain at first, one in a hundred after the tenth step.
      polar_gains_ = false;
    }
    return search_along_curve(CayleyCurve(direction));
  }

 private:
  std::optional<Found> try_polar(const Direction& direction) {
    const std::optional<SpanStep> step = polar_step(direction);
    if (!step) return std::nullopt;
    const double value = evaluate(*step);
    if (!(value > result_.value)) return std::nullopt;
    return Found{*step, value};
  }

  std::optional<Found> search_along_curve(const CayleyCurve& curve) {
    if (curve.stationary()) return std::nullopt;
    if (step_length_ == 0) {
      const auto directions = static_cast<double>(result_.frame.directions());
      step_length_ = options_.initial_angle * std::sqrt(directions / curve.slope());
    }
    for (Index trial = 0; trial < options_.max_trials; ++trial) {
      if (step_length_ * curve.speed() < options_.tolerance) break;
      const SpanStep step = curve.at(step_length_);
      const double value = evaluate(step);
      const double required = result_.value + options_.required_gain * step_length_ * curve.slope();
      if (value >= required) {
        if (trial == 0 || options_.grow_after_shrinking) step_length_ *= options_.grow;
        return Found{step, value};
      }
      step_length_ *= options_.shrink;
    }
    return std::nullopt;
  }

  double evaluate(const SpanStep& step) {
    ++result_.evaluations;
    return problem_.trial(step);
  }

  AscentProblem& problem_;
  const AscentOptions& options_;
  AscentResult& result_;
  bool polar_gains_;
  double step_length_ = 0;  // not chosen yet
};

}  // namespace

AscentResult ascend(const Frame& start, AscentProblem& problem, const AscentOptions& options) {
  AscentResult result;
  result.frame = start;
  result.start_value = result.value = problem.start(start);
  result.evaluations = 1;
  Climber climber(problem, options, result);
  const Beside columns = options.polar ? Beside::kOrthonormal : Beside::kUnit;
  while (result.steps < options.max_steps) {
    const Matrix g = problem.gradient();
    if (!g.allFinite()) break;
    const Direction direction(result.frame, g, columns);
    problem.set_direction(direction.basis);
    const std::optional<Found> found = climber.find(direction);
    if (!found) break;
    const Frame next = found->step.apply(result.frame, direction.basis);
    problem.accept(next);
    const double moved = (next.columns() - result.frame.columns()).cwiseAbs().maxCoeff();
    const double gain = found->value - result.value;
    result.frame = next;
    result.value = found->value;
    ++result.steps;
    if (moved < options.tolerance || gain < options.min_relative_gain * std::abs(result.value)) {
      break;
    }
  }
  return result;
}

}  // namespace conflux
