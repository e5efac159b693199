// How the objective of the search grows with passes over the data and with seconds.
//
//   search_study [images=DIR]

#include "core/stopwatch.h"
#include "fitting/line_maps.h"
#include "flow/unit_cube_layer.h"
#include "slicing/direction_search.h"
#include "studies/study_sets.h"

namespace {

using namespace conflux;
using namespace conflux::study;

struct Variant {
  std::string name;
  SearchOptions options;
};

SearchOptions variant(bool polar, Index inner) {
  SearchOptions out;
  out.ascent.polar = polar;
  out.inner_steps = inner;
  return out;
}

std::vector<Variant> variants() {
  std::vector<Variant> out{{"Cayley (the paper's)", variant(false, 0)},
                           {"polar, then Cayley", variant(true, 0)}};
  for (const Index inner : {1, 3, 5, 10, 20}) {
    out.push_back({fmt::format("in the span, {} inner steps", inner), variant(true, inner)});
  }
  return out;
}

/// Objective after about so many passes, mean over starts.
void print_table(const std::string& name, const GroupSet& groups, Index directions) {
  const Workers workers;
  const std::vector<double> weights(static_cast<std::size_t>(groups.num_groups()),
                                    1 / static_cast<double>(groups.num_groups()));
  SelfCommunicator comm;
  const SearchSample<float> sample =
      gather_search_sample<float>(groups, all_rows(groups), weights, comm, Workers());
  constexpr int kStarts = 2;
  fmt::print("\n{}, K = {}; objective (seconds)\n\n| search |", name, directions);
  const std::vector<Index> passes{5, 11, 25, 41, 101, 401};
  for (const Index p : passes) fmt::print(" {} passes |", p);
  fmt::print("\n|---|---|---|---|---|---|---|\n");
  for (const Variant& each : variants()) {
    fmt::print("| {} |", each.name);
    for (const Index p : passes) {
      if (p > 41 && each.options.inner_steps > 0) continue;
      double value = 0;
      double seconds = 0;
      for (int s = 0; s < kStarts; ++s) {
        Stream stream(7, Purpose::kDirections, static_cast<std::uint64_t>(s));
        const Frame start = Frame::random(groups.dim(), directions, stream);
        SearchOptions options = each.options;
        options.ascent.max_steps = (p - 1) / 2;
        const Stopwatch watch;
        value += find_directions(sample, weights, start, options, workers).value / kStarts;
        seconds += watch.seconds() / kStarts;
      }
      fmt::print(" {:.4g} ({:.2f}) |", value, seconds);
      std::fflush(stdout);
    }
    fmt::print("\n");
  }
}

}  // namespace

int main(int argc, char** argv) {
  Sources sources;
  for (int a = 1; a < argc; ++a) {
    const std::string text = argv[a];
    if (text.rfind("images=", 0) == 0) sources.images = text.substr(7);
  }
  print_table("Gaussians in 50 dimensions", make_gaussian_groups(2, 50, 4500, 1), 10);
  const StudySet mnist = read_set("mnist01", sources);
  const UnitCubeLayer scores(784, 1e-6, UnitCubeLayer::CubeStep::kToNormal);
  GroupSet latent;
  for (Index m = 0; m < 2; ++m) {
    Matrix rows = mnist.train[m].rows.to_matrix();
    forward_in_place(scores, m, Rows(rows), Workers());
    latent.add(mnist.train[m].name, std::move(rows));
  }
  print_table("MNIST 0/1, normal scores", latent, 30);
  print_table("MNIST 0/1, normal scores", latent, 10);
}
