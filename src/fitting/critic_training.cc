#include "fitting/critic_training.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/stop.h"
#include "fitting/coupling_batches.h"
#include "networks/adam.h"

namespace conflux {

namespace {

using networks::Adam;

constexpr Index kCriticBatch = 64;
// As published, but for the rate: batches of 16 took steps of 2e-4.
constexpr double kMemoryOfSlopes = 0.5;
constexpr double kRate = 1e-3;
constexpr double kLongestGradient = 10;
// Parameters are kept as their mean over about so many steps: players circle each other.
constexpr double kMemoryOfPlayers = 0.99;

class Player {
 public:
  Player(const networks::TranslationGame<float>& game, const networks::CriticView<float>& view,
         std::uint64_t seed, std::uint64_t number)
      : view_(view),
        flow_(static_cast<std::size_t>(game.flow().num_places())),
        critic_(static_cast<std::size_t>(game.critic().num_places())),
        flow_steps_(game.flow().num_places(), kMemoryOfSlopes),
        critic_steps_(game.critic().num_places(), kMemoryOfSlopes) {
    // Equal groups begin with equal flows.
    Stream of_flow = training_stream(seed, TrainingDraw::kParameters);
    Stream of_critic = training_stream(seed, TrainingDraw::kCritics, number);
    game.flow().draw(of_flow, flow_);
    game.critic().draw(of_critic, critic_);
    kept_ = flow_;
    by_flow.resize(flow_.size());
    by_critic.resize(critic_.size());
  }

  networks::TranslationGame<float>::Player parts() const {
    return {flow_.data(), critic_.data(), &view_};
  }

  void forget_slopes() {
    std::fill(by_flow.begin(), by_flow.end(), 0.0F);
    std::fill(by_critic.begin(), by_critic.end(), 0.0F);
  }

  void step_flow() {
    Eigen::Map<Eigen::ArrayXf> slopes(by_flow.data(), static_cast<Index>(by_flow.size()));
    const double length = std::sqrt(static_cast<double>(slopes.square().sum()));
    if (length > kLongestGradient) slopes *= static_cast<float>(kLongestGradient / length);
    flow_steps_.step(flow_, by_flow, kRate);
    const Eigen::Map<const Eigen::ArrayXf> now(flow_.data(), slopes.size());
    Eigen::Map<Eigen::ArrayXf> mean(kept_.data(), slopes.size());
    mean += static_cast<float>(1 - kMemoryOfPlayers) * (now - mean);
  }

  void step_critic() { critic_steps_.step(critic_, by_critic, kRate); }

  std::span<const float> kept() const { return kept_; }

  std::vector<float> by_flow, by_critic;

 private:
  const networks::CriticView<float>& view_;
  std::vector<float> flow_, critic_, kept_;
  Adam flow_steps_, critic_steps_;
};

class CriticTraining {
 public:
  CriticTraining(const std::vector<Chain>& chains, const CriticPlan& plan)
      : chains_(chains), plan_(plan), game_(plan.flows.masks, plan.flows.hidden) {
    for (std::size_t m = 0; m < chains.size(); ++m) {
      players_.emplace_back(game_, plan.views[m], plan.flows.seed, m);
      std::vector<Index>& all =
          all_rows_.emplace_back(static_cast<std::size_t>(chains[m].rows.rows()));
      std::iota(all.begin(), all.end(), Index{0});
      most_rows_ = std::max(most_rows_, chains[m].rows.rows());
    }
  }

  std::vector<CouplingParameters> run() {
    const Index batch = std::min(kCriticBatch, most_rows_);
    const Index steps = (plan_.flows.epochs * most_rows_ + batch - 1) / batch;
    for (Index s = 0; s < steps; ++s) step(s, batch);
    std::vector<CouplingParameters> out;
    const networks::CouplingChain<float>& flow = game_.flow();
    for (const Player& player : players_) {
      CouplingParameters& parameters = out.emplace_back();
      for (std::size_t c = 0; c < flow.couplings().size(); ++c) {
        const networks::DenseNet<float>& net = flow.couplings()[c].net();
        parameters.push_back(net.plain(
            player.kept().subspan(flow.begin(c), static_cast<std::size_t>(net.num_places()))));
      }
    }
    return out;
  }

 private:
  void step(Index number, Index batch) {
    throw_if_stopped();
    const auto groups = static_cast<Index>(chains_.size());
    // Two groups change places; more are led round a circle of random reach.
    const Index reach =
        1 + training_stream(plan_.flows.seed, TrainingDraw::kPairs, number).below(groups - 1);
    std::vector<Batch> real, translated(chains_.size());
    for (Index m = 0; m < groups; ++m) {
      players_[m].forget_slopes();
      Stream stream =
          training_stream(plan_.flows.seed, TrainingDraw::kBatches, number * groups + m);
      real.push_back(draw_batch(chains_[m], all_rows_[m], batch, stream));
    }
    for (Index from = 0; from < groups; ++from) {
      const Index to = (from + reach) % groups;
      translated[to] = real[from];
      game_.add_flow_slopes(players_[from].parts(), players_[to].parts(), translated[to].rows,
                            real[from].masses, static_cast<float>(plan_.lambda),
                            players_[from].by_flow.data(), players_[to].by_flow.data());
    }
    for (Index m = 0; m < groups; ++m) {
      Player& player = players_[m];
      player.step_flow();
      game_.add_critic_slopes(player.parts(), real[m].rows, real[m].masses, 1,
                              player.by_critic.data());
      game_.add_critic_slopes(player.parts(), translated[m].rows, translated[m].masses, 0,
                              player.by_critic.data());
      player.step_critic();
    }
  }

  const std::vector<Chain>& chains_;
  const CriticPlan& plan_;
  networks::TranslationGame<float> game_;
  std::vector<Player> players_;
  std::vector<std::vector<Index>> all_rows_;
  Index most_rows_ = 0;
};

}  // namespace

std::vector<CouplingParameters> train_against_critics(const std::vector<Chain>& chains,
                                                      const CriticPlan& plan) {
  return CriticTraining(chains, plan).run();
}

}  // namespace conflux
