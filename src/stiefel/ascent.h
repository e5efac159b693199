// Climbing a function of frames.
//
// Every step needs the gradient at the current frame once; trials along the step cost only what the
// function needs in the span of frame and gradient. Polar steps come first when allowed (large and
// safe for functions that are convex along their pairing of ranks); once one of them gains nothing,
// Cayley steps that shrink until the function grows enough take over.

#pragma once

#include "stiefel/retraction.h"

namespace conflux {

/// A function of frames, as ascend() looks at it. It remembers the frame where it stands.
class AscentProblem {
 public:
  virtual ~AscentProblem() = default;

  /// Stands at `frame` and returns the value there.
  virtual double start(const Frame& frame) = 0;
  /// The gradient where it stands.
  virtual Matrix gradient() = 0;
  /// The columns Q of the trials to come.
  virtual void set_direction(const Matrix& basis) = 0;
  /// The value at X a + Q b, where X is the frame it stands at.
  virtual double trial(const SpanStep& step) = 0;
  /// Moves to the frame of the last trial.
  virtual void accept(const Frame& frame) = 0;
};

struct AscentOptions {
  /// Steps at most; 0 keeps the start.
  Index max_steps = 200;
  /// Make polar steps as long as they gain, before the Cayley line search takes over.
  bool polar = false;
  /// The first step of the line search turns each direction by about this angle (radians, in root
  /// mean square); later ones start from the last length times `shrink` or `grow`.
  double initial_angle = 0.5;
  double shrink = 0.5;
  double grow = 1.5;
  /// Whether a step that had to shrink grows at once again, as in the paper. Without, fewer trials
  /// fail.
  bool grow_after_shrinking = true;
  /// A step must gain this fraction of what the slope promises.
  double required_gain = 0.5;
  /// Stop when no entry of the frame moves further than this.
  double tolerance = 1e-6;
  /// Stop when a step gains less than this fraction of the value.
  double min_relative_gain = 0;
  /// Shrink at most this often within one step.
  Index max_trials = 40;
};

struct AscentResult {
  Frame frame;
  double start_value = 0;
  double value = 0;
  Index steps = 0;
  /// Values computed, that of the start included.
  Index evaluations = 0;
};

AscentResult ascend(const Frame& start, AscentProblem& problem, const AscentOptions& options);

}  // namespace conflux
