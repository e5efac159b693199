#include "reproduce/cyclegan.h"

#include <algorithm>
#include <cmath>

#include "baselines/adam.h"
#include "conflux/options/options.h"
#include "core/rng.h"
#include "flow/unit_cube_layer.h"
#include "support/interrupt.h"

namespace conflux::app {

namespace {

using Players = CycleGame<float>::Players;

// Published: batches of one row, steps of 2e-4, and a store of 50 earlier translations, which ours
// does without.
constexpr Index kCycleBatch = 64;
constexpr double kCycleRate = 1e-3;
constexpr double kCycleMemory = 0.5;

// Purposes of the streams of random numbers.
enum CycleDraw : std::uint64_t { kCycleParameters, kCycleBatches };

MatrixOf<float> draw_rows(const MatrixOf<float>& rows, Stream& stream) {
  MatrixOf<float> out(std::min(kCycleBatch, rows.rows()), rows.cols());
  for (Index i = 0; i < out.rows(); ++i) out.row(i) = rows.row(stream.below(rows.rows()));
  return out;
}

/// The steps that all four networks take.
class Walk {
 public:
  explicit Walk(const CycleGame<float>& game)
      : generators_{networks::Adam(game.generator().num_places(), kCycleMemory),
                    networks::Adam(game.generator().num_places(), kCycleMemory)},
        critics_{networks::Adam(game.critic().num_places(), kCycleMemory),
                 networks::Adam(game.critic().num_places(), kCycleMemory)} {}

  void step_generators(Players& players, const Players& slopes, double rate) {
    for (const std::size_t m : {0, 1}) {
      generators_[m].step(players.generators[m], slopes.generators[m], rate);
    }
  }
  void step_critics(Players& players, const Players& slopes, double rate) {
    for (const std::size_t m : {0, 1}) {
      critics_[m].step(players.critics[m], slopes.critics[m], rate);
    }
  }

 private:
  std::array<networks::Adam, 2> generators_, critics_;
};

// Weights of all parts at random. Networks that begin as zero would return every row from the
// start, and stay there: leaving costs ten times what the critics pay.
std::vector<float> drawn(const networks::DenseNet<float>& net, const std::vector<Index>& widths,
                         Stream stream) {
  std::vector<double> out;
  for (std::size_t p = 0; p + 1 < widths.size(); ++p) {
    const double size = 1 / std::sqrt(static_cast<double>(widths[p]));
    for (Index i = 0; i < widths[p] * widths[p + 1]; ++i) out.push_back(size * stream.normal());
    out.insert(out.end(), static_cast<std::size_t>(widths[p + 1]), 0.0);
  }
  return net.padded(out);
}

Players drawn_players(const CycleGame<float>& game, Index dim, const CycleGanPlan& plan) {
  Players out;
  for (const std::size_t m : {0, 1}) {
    const auto stream = [&](std::uint64_t part) -> Stream {
      return {plan.seed, Purpose::kTraining, kCycleParameters, 2 * m + part};
    };
    out.generators[m] = drawn(game.generator(), {dim, plan.hidden, plan.hidden, dim}, stream(0));
    out.critics[m] = drawn(game.critic(), {dim, plan.hidden, plan.hidden, 1}, stream(1));
  }
  return out;
}

void move_by(UnitCubeLayer::CubeStep step, Matrix& rows) {
  UnitCubeLayer(rows.cols(), FitOptions().unit_cube_margin, step).forward(0, rows, nullptr);
}

}  // namespace

CycleGan::CycleGan(const GroupSet& train_rows, const GroupSet& test, const CycleGanPlan& plan)
    : test_(test),
      cube_(plan.cube),
      game_(test.dim(), plan.hidden),
      players_(drawn_players(game_, test.dim(), plan)) {
  const Matrix a = train_rows[0].rows.eigen(), b = train_rows[1].rows.eigen();
  Matrix all(a.rows() + b.rows(), a.cols());
  all << a, b;
  if (cube_) move_by(UnitCubeLayer::CubeStep::kToNormal, all);
  mean_ = all.colwise().mean();
  deviation_ = std::sqrt((all.rowwise() - mean_.transpose()).array().square().mean());
  train({standardized(a), standardized(b)}, plan);
}

MatrixOf<float> CycleGan::standardized(Matrix rows) const {
  if (cube_) move_by(UnitCubeLayer::CubeStep::kToNormal, rows);
  return ((rows.rowwise() - mean_.transpose()) / deviation_).cast<float>();
}

void CycleGan::train(const std::vector<MatrixOf<float>>& rows, const CycleGanPlan& plan) {
  Walk walk(game_);
  for (Index s = 0; s < plan.steps; ++s) {
    stop_if_interrupted();
    const double left = 1 - static_cast<double>(s) / static_cast<double>(plan.steps);
    const double rate = kCycleRate * std::min(1.0, 2 * left);
    Stream stream(plan.seed, Purpose::kTraining, kCycleBatches, static_cast<std::uint64_t>(s));
    const MatrixOf<float> real[2] = {draw_rows(rows[0], stream), draw_rows(rows[1], stream)};
    MatrixOf<float> translated[2];
    Players slopes = game_.zeros();
    for (const std::size_t from : {0, 1}) {
      game_.add_generator_slopes(players_, from, real[from], translated[1 - from], slopes);
    }
    walk.step_generators(players_, slopes, rate);
    for (const std::size_t m : {0, 1}) {
      game_.add_critic_slopes(players_.critics[m], real[m], 1, slopes.critics[m]);
      game_.add_critic_slopes(players_.critics[m], translated[m], 0, slopes.critics[m]);
    }
    walk.step_critics(players_, slopes, rate);
  }
}

Matrix CycleGan::translate(Index from, Index, const Matrix& rows) const {
  const MatrixOf<float> moved =
      game_.translate(players_.generators[static_cast<std::size_t>(from)], standardized(rows));
  Matrix out = (deviation_ * moved.cast<double>()).rowwise() + mean_.transpose();
  if (cube_) move_by(UnitCubeLayer::CubeStep::kToCube, out);
  return out;
}

Matrix CycleGan::first_translated(Index from, Index to, Index count) const {
  return translate(from, to, Matrix(test_[from].rows.eigen().topRows(count)));
}

}  // namespace conflux::app
