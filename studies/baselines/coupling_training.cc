#include "baselines/coupling_training.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "baselines/adam.h"
#include "baselines/coupling.h"
#include "baselines/coupling_batches.h"
#include "core/stop.h"

namespace conflux {

namespace {

using networks::Adam;
using networks::Coupling;

constexpr Index kBatch = 256;
constexpr Index kRowsPerHeldOut = 10;
constexpr double kFirstRate = 4e-3;
// When held-out rows gain no more, steps become shorter so often, by this factor.
constexpr int kShorterSteps = 3;
constexpr double kShorter = 0.4;
// Steps without a gain that are waited for, and passes at least: a pass of few rows has few steps,
// and says little. Chains that share couplings are each other's aim, which moves while they come
// nearer: their gains come late.
constexpr Index kPatientSteps = 60;
constexpr Index kPatientStepsOfMany = 300;
constexpr Index kFewestPatientPasses = 3;
// A gain of less per feature, in units of log-likelihood, is none: many features would gain a
// little for ever.
constexpr double kSmallestGain = 5e-4;
// Rows that are seen before held-out rows are asked again, at most.
constexpr Index kMostRowsPerRound = 20000;
// Parameters are judged by their mean over about so many steps: single steps follow single batches.
constexpr double kMemoryOfParameters = 0.98;
constexpr double kMemoryOfMany = 0.995;
// Every step shrinks all parameters by this, times its length and the features per row: the fewer
// rows speak for a feature, the less is believed of what other features say about it. Measured on
// digits that neither the fit nor the test of the tables has.
constexpr double kShrinking = 32;
// Upper limit for few rows with many features, or nothing would be learned.
constexpr double kMostShrinking = 25;

class Training {
 public:
  Training(const std::vector<Chain>& chains, const TrainingPlan& plan)
      : chains_(chains), plan_(plan), adam_(0) {
    Stream stream = training_stream(plan.seed, TrainingDraw::kParameters);
    for (Index c = 0; c < plan.num_couplings; ++c) {
      const auto mask = static_cast<std::size_t>(c) % plan.masks.size();
      couplings_.emplace_back(plan.masks[mask], plan.hidden);
      begins_.push_back(static_cast<Index>(parameters_.size()));
      parameters_.resize(parameters_.size() + couplings_.back().net().num_places());
      couplings_.back().net().draw(stream, parameters_of(c));
    }
    gradient_.resize(parameters_.size());
    averaged_ = parameters_;
    adam_ = Adam(static_cast<Index>(parameters_.size()));
    for (std::size_t g = 0; g < chains.size(); ++g) hold_out(g);
  }

  CouplingParameters run() {
    double rate = kFirstRate;
    double best = held_out_loss();
    double last_gain_at = best;
    const double gain = kSmallestGain * static_cast<double>(chains_.front().rows.cols());
    std::vector<float> best_parameters = parameters_;
    int shortened = 0;
    Index waited = 0;
    const Index steps = steps_per_round();
    const Index patient = chains_.size() == 1 ? kPatientSteps : kPatientStepsOfMany;
    const Index patience = std::max(kFewestPatientPasses, (patient + steps - 1) / steps);
    const Index rounds = std::max<Index>(1, plan_.epochs * rows_in_pass() / (steps * kBatch));
    for (Index round = 0; round < rounds; ++round) {
      for (Index s = 0; s < steps; ++s) step(round * steps + s, rate);
      if (passes_after(round + 1) > passes_after(round)) plan_.after_pass();
      const double loss = held_out_loss();
      if (loss < best) {
        best = loss;
        best_parameters = averaged_;
      }
      ++waited;
      if (best < last_gain_at - gain) {
        last_gain_at = best;
        waited = 0;
      } else if (waited >= patience || !std::isfinite(loss)) {
        if (shortened++ == kShorterSteps) break;
        rate *= kShorter;
        parameters_ = averaged_ = best_parameters;
        waited = 0;
      }
    }
    parameters_ = std::move(best_parameters);
    CouplingParameters out;
    for (Index c = 0; c < plan_.num_couplings; ++c) {
      out.push_back(couplings_[static_cast<std::size_t>(c)].net().plain(parameters_of(c)));
    }
    return out;
  }

 private:
  std::span<float> parameters_of(Index c) {
    return {parameters_.data() + begins_[static_cast<std::size_t>(c)],
            static_cast<std::size_t>(couplings_[static_cast<std::size_t>(c)].net().num_places())};
  }

  void hold_out(std::size_t g) {
    const Chain& chain = chains_[g];
    const Index count = chain.rows.rows() / kRowsPerHeldOut;
    std::vector<Index> order =
        training_stream(plan_.seed, TrainingDraw::kHeldOut, g).permutation(chain.rows.rows());
    // Too few rows to spare one are judged by themselves.
    std::vector<Index> held(order.begin(), count == 0 ? order.end() : order.begin() + count);
    trained_.emplace_back(order.begin() + count, order.end());
    held_out_.push_back(take(chain, held));
    Stream blur = training_stream(plan_.seed, TrainingDraw::kBlur, g);
    add_blur(held_out_.back().rows, chain.blur, blur);
  }

  Index rows_in_pass() const {
    std::size_t most = 0;
    for (const auto& rows : trained_) most = std::max(most, rows.size());
    return static_cast<Index>(most);
  }

  /// The shrinkage that a step of length one takes from each parameter.
  double shrinking() const {
    const auto features = static_cast<double>(chains_.front().rows.cols());
    return std::min(kMostShrinking, kShrinking * features / static_cast<double>(rows_in_pass()));
  }

  /// A round of many rows is a part of a pass.
  Index passes_after(Index rounds) const {
    return rounds * steps_per_round() * kBatch / rows_in_pass();
  }

  Index steps_per_round() const {
    return (std::min(rows_in_pass(), kMostRowsPerRound) + kBatch - 1) / kBatch;
  }

  /// Mean loss of a batch; its slopes are added to the gradient.
  double add_slopes(std::size_t g, Batch& batch) {
    const double loss = pass(g, batch, parameters_);
    const Index rows = batch.rows.rows();
    std::vector<float> by_log_det(static_cast<std::size_t>(rows));
    for (Index i = 0; i < rows; ++i) {
      const float weight = batch.masses[static_cast<std::size_t>(i)] / static_cast<float>(rows);
      batch.rows.row(i) *= weight;
      by_log_det[static_cast<std::size_t>(i)] = -weight;
    }
    const std::vector<Index>& path = chains_[g].couplings;
    for (std::size_t at = path.size(); at-- > 0;) {
      const Index begin = begins_[static_cast<std::size_t>(path[at])];
      couplings_[static_cast<std::size_t>(path[at])].backward(
          parameters_.data() + begin, traces_[at], MatrixView<float>(batch.rows), by_log_det.data(),
          gradient_.data() + begin);
    }
    return loss;
  }

  /// Moves a batch to the end of its chain and returns its mean loss.
  double pass(std::size_t g, Batch& batch, const std::vector<float>& parameters) {
    const std::vector<Index>& path = chains_[g].couplings;
    const Index rows = batch.rows.rows();
    traces_.resize(std::max(traces_.size(), path.size()));
    std::vector<float> log_det(static_cast<std::size_t>(rows), 0.0F);
    for (std::size_t at = 0; at < path.size(); ++at) {
      const auto c = static_cast<std::size_t>(path[at]);
      couplings_[c].forward(parameters.data() + begins_[c], MatrixView<float>(batch.rows),
                            log_det.data(), traces_[at]);
    }
    double loss = 0;
    for (Index i = 0; i < rows; ++i) {
      const auto place = static_cast<std::size_t>(i);
      loss += batch.masses[place] *
              (0.5 * static_cast<double>(batch.rows.row(i).squaredNorm()) - log_det[place]);
    }
    return loss / static_cast<double>(rows);
  }

  void step(Index number, double rate) {
    throw_if_stopped();
    std::fill(gradient_.begin(), gradient_.end(), 0.0F);
    for (std::size_t g = 0; g < chains_.size(); ++g) {
      Stream stream = training_stream(plan_.seed, TrainingDraw::kBatches,
                                      static_cast<std::uint64_t>(number) * chains_.size() + g);
      Batch batch = draw_batch(chains_[g], trained_[g], std::min(kBatch, rows_in_pass()), stream);
      add_slopes(g, batch);
    }
    adam_.step(parameters_, gradient_, rate);
    Eigen::Map<Eigen::ArrayXf> now(parameters_.data(), static_cast<Index>(parameters_.size()));
    now *= static_cast<float>(1 - rate * shrinking());
    const double memory = chains_.size() == 1 ? kMemoryOfParameters : kMemoryOfMany;
    Eigen::Map<Eigen::ArrayXf> mean(averaged_.data(), now.size());
    mean += static_cast<float>(1 - memory) * (now - mean);
  }

  double held_out_loss() {
    double out = 0;
    for (std::size_t g = 0; g < chains_.size(); ++g) {
      Batch copy = held_out_[g];
      out += pass(g, copy, averaged_);
    }
    return out;
  }

  const std::vector<Chain>& chains_;
  const TrainingPlan& plan_;
  std::vector<Coupling<float>> couplings_;
  std::vector<Index> begins_;  // of each coupling's parameters
  std::vector<float> parameters_, averaged_, gradient_;
  Adam adam_;
  std::vector<std::vector<Index>> trained_;  // rows of each chain
  std::vector<Batch> held_out_;
  std::vector<Coupling<float>::Trace> traces_;  // of each place in a chain
};

}  // namespace

CouplingParameters train_couplings(const std::vector<Chain>& chains, const TrainingPlan& plan) {
  return Training(chains, plan).run();
}

std::vector<CouplingMask> draw_masks(Index dim, Index count, std::uint64_t seed) {
  std::vector<CouplingMask> out;
  for (Index c = 0; c < count; ++c) {
    if (c % 2 == 1) {
      out.push_back(out.back());
      out.back().flip();
      continue;
    }
    Stream stream = training_stream(seed, TrainingDraw::kMasks, static_cast<std::uint64_t>(c));
    const std::vector<Index> order = stream.permutation(dim);
    out.emplace_back(static_cast<std::size_t>(dim), false);
    for (Index j = 0; j < dim / 2; ++j) out.back()[static_cast<std::size_t>(order[j])] = true;
  }
  return out;
}

}  // namespace conflux
