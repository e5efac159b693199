#include "reproduce/experiments.h"

#include <algorithm>

#include "conflux/core/error.h"
#include "conflux/core/nearest_name.h"

namespace conflux::app {

namespace {

using Runs = RowSpec::Runs;
using Kind = Experiment::Kind;

const RowSpec kAuto{.label = "auto", .automatic = true};

std::vector<RowSpec> planar_rows(Index layers) {
  return {{.label = "nb", .method = Method::kNb, .runs = Runs::kOnce},
          {.label = "rand-nb", .method = Method::kRandNb, .layers = layers},
          {.label = "inb", .layers = layers},
          {.label = "nb-rand-nb", .method = Method::kNbRandNb, .layers = layers},
          {.label = "nb-inb", .method = Method::kNbInb, .layers = layers}};
}

std::vector<RowSpec> planar2_rows() {
  std::vector<RowSpec> rows = planar_rows(15);
  rows.insert(rows.end(),
              {{.label = "dd", .method = Method::kDd},
               {.label = "sinf 0=>1", .method = Method::kSinf, .target = "1"},
               {.label = "sinf 1=>0", .method = Method::kSinf, .target = "0"},
               kAuto,
               {.label = "tree, auto", .method = Method::kTree, .automatic = true},
               {.label = "tree-inb, auto", .method = Method::kTreeInb, .automatic = true}});
  return rows;
}

std::vector<RowSpec> planar_many_rows() {
  std::vector<RowSpec> rows = planar_rows(30);
  rows.insert(rows.end(), {{.label = "dd", .method = Method::kDd, .runs = Runs::kOnce}, kAuto});
  return rows;
}

const RowSpec kImageNb{.label = "nb", .method = Method::kNb, .runs = Runs::kSplit};
const RowSpec kImageGb{.label = "gb", .method = Method::kGb, .runs = Runs::kSplit};
const RowSpec kImageDd{
    .label = "dd", .method = Method::kDd, .runs = Runs::kSplit, .layers = 11, .directions = 0};

RowSpec inb(Index layers, Index directions) {
  return {.label = "inb " + std::to_string(layers) + "x" + std::to_string(directions),
          .layers = layers,
          .directions = directions};
}

RowSpec sinf(const std::string& from, const std::string& to, Index layers) {
  return {.label = "sinf " + from + "=>" + to,
          .method = Method::kSinf,
          .layers = layers,
          .directions = 56,
          .target = to};
}

std::vector<RowSpec> image2_rows() {
  return {kImageNb, kImageGb,          inb(20, 56),       inb(250, 30),
          kImageDd, sinf("0", "1", 5), sinf("1", "0", 5), kAuto};
}

std::vector<RowSpec> image_many_rows(const RowSpec& published_inb) {
  return {kImageNb, kImageGb, published_inb, kImageDd, kAuto};
}

std::vector<RowSpec> convergence_rows() {
  std::vector<RowSpec> rows{{.label = "rand-nb", .method = Method::kRandNb},
                            {.label = "inb"},
                            {.label = "dd", .method = Method::kDd},
                            {.label = "sinf 0=>1", .method = Method::kSinf, .target = "1"},
                            {.label = "sinf 1=>0", .method = Method::kSinf, .target = "0"},
                            kAuto};
  for (RowSpec& row : rows) row.layers = 30;
  return rows;
}

}  // namespace

const std::vector<Experiment>& experiments() {
  static const std::vector<Experiment> list{
      {.name = "planar2",
       .title = "Planar sets with two groups",
       .sets = {"moons", "pattern", "circles"},
       .rows = planar2_rows(),
       .note = ""},
      {.name = "planar4",
       .title = "Random pattern with four groups",
       .sets = {"pattern4"},
       .rows = planar_many_rows(),
       .note = ""},
      {.name = "planar3",
       .title = "Three Gaussians in the plane",
       .sets = {"gaussians"},
       .rows = planar_many_rows(),
       .note = ""},
      {.name = "convergence",
       .title = "How fast methods converge on the moons",
       .kind = Kind::kCurve,
       .sets = {"moons"},
       .rows = convergence_rows(),
       .note = "",
       .repetitions = 20},
      {.name = "mnist2",
       .title = "MNIST, digits 0 and 1",
       .sets = {"mnist2"},
       .rows = image2_rows(),
       .note = ""},
      {.name = "fashion2",
       .title = "Fashion-MNIST, T-shirts and trousers",
       .sets = {"fashion2"},
       .rows = image2_rows(),
       .note = ""},
      {.name = "sinf-mnist",
       .title = "SINF on MNIST 0 and 1, both directions by layers",
       .kind = Kind::kCurve,
       .sets = {"mnist2"},
       .rows = {sinf("0", "1", 50), sinf("1", "0", 50)},
       .note = "",
       .every = 5,
       .repetitions = 1},
      {.name = "sinf-fashion",
       .title = "SINF on Fashion-MNIST 0 and 1, both directions by layers",
       .kind = Kind::kCurve,
       .sets = {"fashion2"},
       .rows = {sinf("0", "1", 50), sinf("1", "0", 50)},
       .note = "",
       .every = 5,
       .repetitions = 1},
      {.name = "mnist3",
       .title = "MNIST, digits 0, 1 and 9",
       .sets = {"mnist3"},
       .rows = image_many_rows(inb(250, 30)),
       .note = ""},
      {.name = "fashion3",
       .title = "Fashion-MNIST, T-shirts, trousers and pullovers",
       .sets = {"fashion3"},
       .rows = image_many_rows(inb(100, 10)),
       .note = ""},
      {.name = "mnist10",
       .title = "MNIST, all digits",
       .sets = {"mnist10"},
       .rows = image_many_rows(inb(100, 10)),
       .note = ""},
      {.name = "fashion10",
       .title = "Fashion-MNIST, all classes",
       .sets = {"fashion10"},
       .rows = image_many_rows(inb(100, 10)),
       .note = ""},
  };
  return list;
}

const Experiment& find_experiment(const std::string& name) {
  std::vector<std::string> names{"list", "all"};
  for (const Experiment& each : experiments()) {
    if (each.name == name) return each;
    names.push_back(each.name);
  }
  throw InvalidOption(unknown_name("table or figure", name, names));
}

FitOptions options_of(const RowSpec& row, const SetInfo& set, Index num_groups, Index dim,
                      const Scale& scale, int run) {
  FitOptions options;
  if (row.automatic) {
    options.method = row.method;
    if (row.layers > 0) options.layers = row.layers;
    if (!scale.full()) options.layers = scale.layers(row.layers > 0 ? row.layers : 100);
  } else {
    options = paper_options(row.method, num_groups);
    if (row.layers > 0) options.layers = row.layers;
    if (row.directions > 0) options.directions = std::min(row.directions, dim);
    if (row.method == Method::kDd && set.images()) options.dd_stack = DdStack::kPca;
    options.layers = scale.layers(*options.layers);
    options.search_steps = scale.search_steps;
  }
  options.target = row.target;
  options.seed = row.runs == Runs::kSeed ? static_cast<std::uint64_t>(run) : 0;
  return options;
}

}  // namespace conflux::app
