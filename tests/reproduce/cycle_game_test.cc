#include "reproduce/cycle_game.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/rng.h"
#include "tests/support/expect_slopes.h"

namespace conflux::app {
namespace cycle_game_test {

using Game = CycleGame<double>;

constexpr Index kDim = 3;
constexpr double kStep = 1e-6;

// Random parameters; padding stays zero, as it does in training.
std::vector<double> random_parameters(const networks::DenseNet<double>& net, std::uint64_t seed) {
  const Matrix drawn = 0.5 * Stream(seed, Purpose::kTest).normal_matrix(1, net.num_parameters());
  return net.padded({drawn.data(), static_cast<std::size_t>(drawn.size())});
}

Game::Players random_players(const Game& game) {
  Game::Players out;
  for (const std::size_t m : {0, 1}) {
    out.generators[m] = random_parameters(game.generator(), 1 + m);
    out.critics[m] = random_parameters(game.critic(), 3 + m);
  }
  return out;
}

class Cycle : public testing::TestWithParam<std::size_t> {
 protected:
  double generators_lose(Game::Players& slopes) {
    slopes = game.zeros();
    return game.add_generator_slopes(players, GetParam(), rows, translated, slopes);
  }

  Game game{kDim, 5};
  Game::Players players = random_players(game);
  Matrix rows = Stream(7, Purpose::kTest).normal_matrix(6, kDim), translated;
};

// A generator is passed twice, on the way there by one group and on the way back by the other:
// slopes of either way could be forgotten. No row is so near to its return that |x| bends there.
TEST_P(Cycle, HasTheSlopesOfDifferences) {
  Game::Players slopes, unused;
  generators_lose(slopes);
  for (const std::size_t m : {0, 1}) {
    expect_slopes([&] { return generators_lose(unused); }, players.generators[m],
                  slopes.generators[m], kStep);
  }
  std::vector<double>& critic = players.critics[0];
  std::vector<double> by_critic(critic.size(), 0.0);
  game.add_critic_slopes(critic, rows, 1, by_critic);
  expect_slopes(
      [&] {
        std::vector<double> none(critic.size(), 0.0);
        return game.add_critic_slopes(critic, rows, 1, none);
      },
      critic, by_critic, kStep);
}

// Written out: a critic that always answers c loses (c - 1)^2 for the generators, and generators
// that shift by a and b return rows by a + b too far.
TEST_P(Cycle, LosesWhatTheAnswersAndTheWayBackCost) {
  players = game.zeros();
  const auto shift = [&](std::size_t m, double by) {
    std::vector<double> plain(static_cast<std::size_t>(game.generator().num_parameters()), 0.0);
    for (Index j = 0; j < kDim; ++j) plain[plain.size() - 1 - static_cast<std::size_t>(j)] = by;
    players.generators[m] = game.generator().padded(plain);
  };
  shift(0, 0.5);
  shift(1, -0.2);
  for (const std::size_t m : {0, 1}) {
    std::vector<double> plain(static_cast<std::size_t>(game.critic().num_parameters()), 0.0);
    plain.back() = 0.25;
    players.critics[m] = game.critic().padded(plain);
  }
  Game::Players slopes;
  EXPECT_NEAR(generators_lose(slopes), 0.75 * 0.75 + 10 * 0.3, 1e-12);
  const double by = GetParam() == 0 ? 0.5 : -0.2;
  EXPECT_LT((translated - rows).cwiseAbs().maxCoeff() - std::abs(by), 1e-12);
  EXPECT_NEAR(game.add_critic_slopes(players.critics[0], rows, 0, slopes.critics[0]),
              0.25 * 0.25 / 2, 1e-12);
}

INSTANTIATE_TEST_SUITE_P(From, Cycle, testing::Values(0, 1));

}  // namespace cycle_game_test
}  // namespace conflux::app
