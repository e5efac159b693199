#include "baselines/critic_training.h"

#include <algorithm>
#include <cmath>

#include "baselines/adam.h"
#include "baselines/coupling_batches.h"
#include "core/stop.h"

namespace conflux {

namespace {

using networks::Adam;

// As published, but for the rates: batches of 16 took steps of 2e-4 all along.
constexpr double kMemoryOfSlopes = 0.5;
// Length of steps with so many hidden values. Wider networks take shorter ones, since a value is
// the sum of more weights, and their critics shorter ones still: flows of 784 features were driven
// away by critics that learned as fast as they did.
constexpr double kRateOfFlows = 1e-3;
constexpr double kRateOfCritics = 8e-4;
constexpr double kHiddenOfRates = 64;
constexpr double kLongestGradient = 10;
// Parameters are kept as their mean over about 500 steps, since players circle each other; sooner
// over a tenth of the steps, or those that were drawn at first would stay for long.
constexpr double kMemoryOfPlayers = 0.998;
constexpr double kPartsOfMemory = 10;
// As in training by likelihood, but less: critics tell what is made up, too.
constexpr double kShrinkingOfFlows = 8;
constexpr double kMostShrinkingOfFlows = 25;

// Rows of each group that tell when translations are best. A tenth of the rows, held out, would be
// too few to tell in small groups.
constexpr Index kMostJudged = 500;

// Mean distance of rows of two clouds.
double mean_distance(const MatrixOf<float>& x, const MatrixOf<float>& y) {
  double sum = 0;
  for (Index i = 0; i < x.rows(); ++i) {
    for (Index k = 0; k < y.rows(); ++k) {
      sum += std::sqrt(static_cast<double>((x.row(i) - y.row(k)).squaredNorm()));
    }
  }
  return sum / static_cast<double>(x.rows() * y.rows());
}

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

  /// Parameters shrink by `shrinking` times the step.
  void step_flow(double rate, double shrinking) {
    Eigen::Map<Eigen::ArrayXf> slopes(by_flow.data(), static_cast<Index>(by_flow.size()));
    const double length = std::sqrt(static_cast<double>(slopes.square().sum()));
    if (length > kLongestGradient) slopes *= static_cast<float>(kLongestGradient / length);
    flow_steps_.step(flow_, by_flow, rate);
    Eigen::Map<Eigen::ArrayXf> now(flow_.data(), slopes.size());
    now *= static_cast<float>(1 - rate * shrinking);
    Eigen::Map<Eigen::ArrayXf> mean(kept_.data(), slopes.size());
    ++steps_;
    const double memory = std::min(kMemoryOfPlayers, steps_ / (steps_ + kPartsOfMemory));
    mean += static_cast<float>(1 - memory) * (now - mean);
  }

  void step_critic(double rate) { critic_steps_.step(critic_, by_critic, rate); }

  const std::vector<float>& kept() const { return kept_; }
  void keep(const std::vector<float>& parameters) { kept_ = parameters; }

  std::vector<float> by_flow, by_critic;

 private:
  const networks::CriticView<float>& view_;
  std::vector<float> flow_, critic_, kept_;
  Adam flow_steps_, critic_steps_;
  double steps_ = 0;
};

class CriticTraining {
 public:
  CriticTraining(const std::vector<Chain>& chains, const CriticPlan& plan)
      : chains_(chains), plan_(plan), game_(plan.flows.masks, plan.flows.hidden) {
    for (std::size_t m = 0; m < chains.size(); ++m) {
      players_.emplace_back(game_, plan.views[m], plan.flows.seed, m);
      choose_rows(m);
    }
  }

  std::vector<CouplingParameters> run() {
    const Index batch = std::min(kBatchOfCritics, most_rows_);
    const Index steps = (most_rows_ + batch - 1) / batch;
    double best = difference();
    std::vector<std::vector<float>> best_flows = flows();
    for (Index pass = 0; pass < plan_.flows.epochs; ++pass) {
      for (Index s = 0; s < steps; ++s) {
        const Index number = pass * steps + s;
        const double left =
            1 - static_cast<double>(number) / static_cast<double>(plan_.flows.epochs * steps);
        step(number, batch, std::min(1.0, 2 * left));
      }
      plan_.flows.after_pass();
      const double now = difference();
      if (!(now < best)) continue;
      best = now;
      best_flows = flows();
    }
    for (std::size_t m = 0; m < players_.size(); ++m) players_[m].keep(best_flows[m]);
    std::vector<CouplingParameters> out;
    const networks::CouplingChain<float>& flow = game_.flow();
    for (const Player& player : players_) {
      CouplingParameters& parameters = out.emplace_back();
      for (std::size_t c = 0; c < flow.couplings().size(); ++c) {
        const networks::DenseNet<float>& net = flow.couplings()[c].net();
        parameters.push_back(
            net.plain(std::span(player.kept())
                          .subspan(flow.begin(c), static_cast<std::size_t>(net.num_places()))));
      }
    }
    return out;
  }

 private:
  void choose_rows(std::size_t m) {
    const Index rows = chains_[m].rows.rows();
    const std::vector<Index> order =
        training_stream(plan_.flows.seed, TrainingDraw::kHeldOut, m).permutation(rows);
    judged_.push_back(
        take(chains_[m], {order.begin(), order.begin() + std::min(rows, kMostJudged)}).rows);
    trained_.push_back(order);
    most_rows_ = std::max(most_rows_, rows);
  }

  std::vector<std::vector<float>> flows() const {
    std::vector<std::vector<float>> out;
    for (const Player& player : players_) out.push_back(player.kept());
    return out;
  }

  /// How far judged rows of each group, translated to the next one, are from its own, as its critic
  /// sees them: energy distances but for what no parameter changes.
  double difference() {
    networks::CouplingChain<float>::Trace trace;
    double out = 0;
    for (std::size_t from = 0; from < players_.size(); ++from) {
      const std::size_t to = (from + 1) % players_.size();
      MatrixOf<float> rows = judged_[from];
      game_.flow().forward(players_[from].kept().data(), MatrixView<float>(rows), nullptr, trace);
      game_.flow().inverse(players_[to].kept().data(), MatrixView<float>(rows), trace);
      const MatrixOf<float> seen = networks::seen_by_critic(plan_.views[to], rows);
      const MatrixOf<float> real = networks::seen_by_critic(plan_.views[to], judged_[to]);
      out += 2 * mean_distance(seen, real) - mean_distance(seen, seen);
    }
    return out;
  }

  double shrinking() const {
    const auto features = static_cast<double>(chains_.front().rows.cols());
    return std::min(kMostShrinkingOfFlows,
                    kShrinkingOfFlows * features / static_cast<double>(most_rows_));
  }

  /// A step of all players, `part` of the full length.
  void step(Index number, Index batch, double part) {
    throw_if_stopped();
    const double narrow = std::min(1.0, kHiddenOfRates / static_cast<double>(plan_.flows.hidden));
    const auto groups = static_cast<Index>(chains_.size());
    // Two groups change places; more are led round a circle of random reach.
    const Index reach =
        1 + training_stream(plan_.flows.seed, TrainingDraw::kPairs, number).below(groups - 1);
    std::vector<Batch> real, translated(chains_.size());
    for (Index m = 0; m < groups; ++m) {
      players_[m].forget_slopes();
      Stream stream =
          training_stream(plan_.flows.seed, TrainingDraw::kBatches, number * groups + m);
      real.push_back(draw_batch(chains_[m], trained_[m], batch, stream));
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
      player.step_flow(part * kRateOfFlows * std::sqrt(narrow), shrinking());
      game_.add_critic_slopes(player.parts(), real[m].rows, real[m].masses, 1,
                              player.by_critic.data());
      game_.add_critic_slopes(player.parts(), translated[m].rows, translated[m].masses, 0,
                              player.by_critic.data());
      player.step_critic(part * kRateOfCritics * narrow);
    }
  }

  const std::vector<Chain>& chains_;
  const CriticPlan& plan_;
  networks::TranslationGame<float> game_;
  std::vector<Player> players_;
  std::vector<std::vector<Index>> trained_;  // rows of each group
  std::vector<MatrixOf<float>> judged_;
  Index most_rows_ = 0;
};

}  // namespace

std::vector<CouplingParameters> train_against_critics(const std::vector<Chain>& chains,
                                                      const CriticPlan& plan) {
  return CriticTraining(chains, plan).run();
}

}  // namespace conflux
