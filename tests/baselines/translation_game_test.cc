#include "baselines/translation_game.h"

#include <gtest/gtest.h>

#include "tests/support/expect_slopes.h"

namespace conflux::networks {
namespace translation_game_test {

constexpr Index kRows = 6;
constexpr Index kDim = 4;
constexpr double kStep = 1e-5;
constexpr double kLambda = 0.3;
const std::vector<std::vector<bool>> kMasks{
    {true, false, true, false}, {false, true, false, true}, {true, true, false, false}};

// Random parameters; padding stays zero, as it does in training.
std::vector<double> flow_parameters(const CouplingChain<double>& chain, int seed) {
  std::vector<double> out;
  for (std::size_t c = 0; c < chain.couplings().size(); ++c) {
    const DenseNet<double>& net = chain.couplings()[c].net();
    const Matrix drawn =
        0.4 * Stream(seed, Purpose::kTest, c).normal_matrix(1, net.num_parameters());
    const auto padded = net.padded({drawn.data(), static_cast<std::size_t>(drawn.size())});
    out.insert(out.end(), padded.begin(), padded.end());
  }
  return out;
}

std::vector<double> critic_parameters(const DenseNet<double>& net, int seed) {
  const Matrix drawn = 0.5 * Stream(seed, Purpose::kTest).normal_matrix(1, net.num_parameters());
  return net.padded({drawn.data(), static_cast<std::size_t>(drawn.size())});
}

struct Scene {
  explicit Scene(bool cube)
      : game(kMasks, 5),
        source(flow_parameters(game.flow(), 1)),
        target(flow_parameters(game.flow(), 2)),
        critic(critic_parameters(game.critic(), 3)),
        view{cube, {0.1, -0.2, 0.3, 0}, {0.5, 1, 2, 1.5}},
        rows(Stream(4, Purpose::kTest).normal_matrix(kRows, kDim)) {}

  TranslationGame<double>::Player player(const std::vector<double>& flow) const {
    return {flow.data(), critic.data(), &view};
  }

  double flows_lose(std::vector<double>& by_source, std::vector<double>& by_target) {
    by_source.assign(source.size(), 0.0);
    by_target.assign(target.size(), 0.0);
    Matrix moved = rows;
    return game.add_flow_slopes(player(source), player(target), moved, masses, kLambda,
                                by_source.data(), by_target.data());
  }

  double critic_loses(std::vector<double>& gradient) {
    gradient.assign(critic.size(), 0.0);
    return game.add_critic_slopes(player(target), rows, masses, 1, gradient.data());
  }

  TranslationGame<double> game;
  std::vector<double> source, target, critic;
  CriticView<double> view;
  Matrix rows;
  std::vector<double> masses{0.5, 1.5, 1, 1, 0.2, 1.8};
};

class Game : public testing::TestWithParam<bool> {};

TEST_P(Game, HasTheSlopesOfDifferences) {
  Scene scene(GetParam());
  std::vector<double> by_source, by_target, by_critic, unused, unused_too;
  scene.flows_lose(by_source, by_target);
  const auto loss = [&] { return scene.flows_lose(unused, unused_too); };
  expect_slopes(loss, scene.source, by_source, kStep);
  expect_slopes(loss, scene.target, by_target, kStep);
  scene.critic_loses(by_critic);
  expect_slopes([&] { return scene.critic_loses(unused); }, scene.critic, by_critic, kStep);
}

INSTANTIATE_TEST_SUITE_P(Views, Game, testing::Bool());

// The rows left in place are those that Coupling makes, one by one.
TEST(TranslationGame, TranslatesThereAndBack) {
  Scene scene(false);
  std::vector<double> by_source(scene.source.size()), by_target(scene.target.size());
  Matrix rows = scene.rows;
  scene.game.add_flow_slopes(scene.player(scene.source), scene.player(scene.target), rows,
                             scene.masses, 0, by_source.data(), by_target.data());
  EXPECT_GT((rows - scene.rows).cwiseAbs().maxCoeff(), 0.1);
  scene.game.add_flow_slopes(scene.player(scene.target), scene.player(scene.source), rows,
                             scene.masses, 0, by_target.data(), by_source.data());
  EXPECT_LT((rows - scene.rows).cwiseAbs().maxCoeff(), 1e-12);
}

}  // namespace translation_game_test
}  // namespace conflux::networks
