#include "reproduce/experiments.h"

#include <algorithm>

#include "conflux/core/error.h"
#include "core/nearest_name.h"
#include "options/methods.h"
#include "options/option_table.h"

namespace conflux::app {

namespace {

using Runs = RowSpec::Runs;
using Kind = Experiment::Kind;

const RowSpec kAuto{.label = "auto", .automatic = true};
const RowSpec kCycleGan{.label = "cyclegan", .automatic = true, .cyclegan = true};

std::vector<RowSpec> planar_rows(Index layers) {
  return {{.label = "nb", .method = Method::kNb, .runs = Runs::kOnce},
          {.label = "rand-nb", .method = Method::kRandNb, .layers = layers},
          {.label = "inb", .layers = layers},
          {.label = "nb-rand-nb", .method = Method::kNbRandNb, .layers = layers},
          {.label = "nb-inb", .method = Method::kNbInb, .layers = layers}};
}

std::vector<RowSpec> planar2_rows() {
  std::vector<RowSpec> rows = planar_rows(15);
  rows.insert(
      rows.end(),
      {{.label = "dd", .method = Method::kDd},
       {.label = "sinf 0=>1", .method = Method::kSinf, .target = "1"},
       {.label = "sinf 1=>0", .method = Method::kSinf, .target = "0"},
       kAuto,
       {.label = "tree, auto", .method = Method::kTree, .automatic = true},
       {.label = "tree-inb, auto", .method = Method::kTreeInb, .automatic = true},
       {.label = "realnvp", .automatic = true, .networks = NetworkKind::kRealnvp},
       {.label = "alignflow", .automatic = true, .networks = NetworkKind::kAlignflow},
       {.label = "lrmf 0=>1", .target = "1", .automatic = true, .networks = NetworkKind::kLrmf},
       {.label = "lrmf 1=>0", .target = "0", .automatic = true, .networks = NetworkKind::kLrmf},
       kCycleGan});
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

const RowSpec kImageRealnvp{
    .label = "realnvp", .runs = Runs::kSplit, .automatic = true, .networks = NetworkKind::kRealnvp};

const RowSpec kImageAlignflow{.label = "alignflow",
                              .runs = Runs::kSplit,
                              .automatic = true,
                              .networks = NetworkKind::kAlignflow};

const RowSpec kImageLrmf{.label = "lrmf 0=>1",
                         .runs = Runs::kSplit,
                         .target = "1",
                         .automatic = true,
                         .networks = NetworkKind::kLrmf};

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
  return {kImageNb,      kImageGb,          inb(20, 56),       inb(250, 30),
          kImageDd,      sinf("0", "1", 5), sinf("1", "0", 5), kAuto,
          kImageRealnvp, kImageAlignflow,   kImageLrmf,        kCycleGan};
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

// Where images differ from the published figures, and why.
const std::string kReferenceClamps =
    "- `nb`: the reference code clamps values beyond 8.1 deviations of a pixel. Where a class is "
    "dark almost everywhere its few bright pixels lie beyond; ours go on along straight lines, "
    "which can be inverted.\n"
    "- `inb`: for the same reason, and because the reference code keeps levels in single "
    "precision, figures agree to some percent, not to the last digit.\n";
const std::string kTwoClasses =
    kReferenceClamps +
    "- `sinf` has the 5 layers that were best on the published test rows; figures are means of "
    "both directions, the curves show them apart.\n"
    "- `gb` is in the authors' stored runs, not in the paper.\n";
const std::string kManyClasses =
    kReferenceClamps +
    "- `gb` in the authors' stored runs maps to a wrong place for more than two groups; there is "
    "nothing to compare with.\n"
    "- How many rows are for the test was not published; it is inferred from other figures.\n";
const std::string kOtherOrder =
    "- Our files have the images of a class in another order than the official ones: the split has "
    "as many rows of each class as the paper's, but not the same ones.\n";
const std::string kSinfCurves =
    "- Trained: from a to b by a model of a=>b; other: back, by its inverse. The authors chose the "
    "number of layers on these test rows; our `sinf` lets held-out rows choose unless told "
    "otherwise.\n";

}  // namespace

const std::vector<Experiment>& experiments() {
  static const std::vector<Experiment> list{
      {.name = "planar2",
       .title = "Planar sets with two groups",
       .sets = {"moons", "pattern", "circles"},
       .rows = planar2_rows(),
       .note =
           "- NB meets the published figures, and so the sets are the paper's own: the moons are "
           "stated in full, random pattern and circles were found by trying seeds.\n"
           "- Rand-NB and INB scatter; the 20 runs of `convergence` come nearer to the published "
           "means than the 5 of this table. The reference code keeps levels in single precision "
           "and clamps them, which cannot be inverted; ours has straight tails instead.\n"
           "- DD was published for one draw of rotations. Where the last rotation lays the uniform "
           "square over the data decides on its TC.\n"
           "- SINF: each layer is undone to 1e-13 or better, but 15 layers at full strength with "
           "400 knots on 1000 rows squeeze some places by a factor of 1e10 and more, and doubles "
           "have 16 digits. The same holds, less so, for stacked trees."},
      {.name = "planar4",
       .title = "Random pattern with four groups",
       .sets = {"pattern4"},
       .rows = planar_many_rows(),
       .note =
           "- The set is stated in full, and NB meets its figures.\n"
           "- INB and Rand-NB come out lower than published, with the same TC; the reference code "
           "rounds levels to single precision.\n"
           "- DD, which draws nothing, meets its figures."},
      {.name = "planar3",
       .title = "Three Gaussians in the plane",
       .sets = {"gaussians"},
       .rows = planar_many_rows(),
       .note =
           "- The covariances of the published Gaussians were drawn without a seed and not kept; "
           "ours are read off the paper's scatter plot. Ratios therefore say little."},
      {.name = "convergence",
       .title = "How fast methods converge on the moons",
       .kind = Kind::kCurve,
       .sets = {"moons"},
       .rows = convergence_rows(),
       .note = "- Published values are read off the print.\n"
               "- `auto` moves a fifth of the way per layer, so that it starts slower and goes on "
               "for 100 layers; it ends at 0.0021.",
       .repetitions = 20},
      {.name = "mnist2",
       .title = "MNIST, digits 0 and 1",
       .sets = {"mnist2"},
       .rows = image2_rows(),
       .note = kTwoClasses +
               "- `dd` draws nothing and meets its figures: the split is the paper's own.\n"},
      {.name = "fashion2",
       .title = "Fashion-MNIST, T-shirts and trousers",
       .sets = {"fashion2"},
       .rows = image2_rows(),
       .note = kTwoClasses + kOtherOrder},
      {.name = "sinf-mnist",
       .title = "SINF on MNIST 0 and 1, both directions by layers",
       .kind = Kind::kCurve,
       .sets = {"mnist2"},
       .rows = {sinf("0", "1", 50), sinf("1", "0", 50)},
       .note = kSinfCurves,
       .every = 5,
       .repetitions = 1},
      {.name = "sinf-fashion",
       .title = "SINF on Fashion-MNIST 0 and 1, both directions by layers",
       .kind = Kind::kCurve,
       .sets = {"fashion2"},
       .rows = {sinf("0", "1", 50), sinf("1", "0", 50)},
       .note = kSinfCurves + "- Of the published curves no numbers are stored.\n",
       .every = 5,
       .repetitions = 1},
      {.name = "mnist3",
       .title = "MNIST, digits 0, 1 and 9",
       .sets = {"mnist3"},
       .rows = image_many_rows(inb(250, 30)),
       .note = kManyClasses},
      {.name = "fashion3",
       .title = "Fashion-MNIST, T-shirts, trousers and pullovers",
       .sets = {"fashion3"},
       .rows = image_many_rows(inb(100, 10)),
       .note = kManyClasses + kOtherOrder},
      {.name = "mnist10",
       .title = "MNIST, all digits",
       .sets = {"mnist10"},
       .rows = image_many_rows(inb(100, 10)),
       .note = kManyClasses},
      {.name = "fashion10",
       .title = "Fashion-MNIST, all classes",
       .sets = {"fashion10"},
       .rows = image_many_rows(inb(100, 10)),
       .note = kManyClasses + kOtherOrder +
               "- The TC of `dd` is printed as 127.099, but stored as 172.099.\n"},
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

std::string RowSpec::method_name() const {
  if (cyclegan) return "cyclegan";
  if (!networks) return std::string(name_of(method));
  switch (*networks) {
    case NetworkKind::kRealnvp:
      return "realnvp";
    case NetworkKind::kLrmf:
      return "lrmf";
    case NetworkKind::kAlignflow:
      break;
  }
  return "alignflow";
}

bool RowSpec::to_one_group() const {
  return networks ? *networks == NetworkKind::kLrmf : method_info(method).to_last_group;
}

NetworkOptions network_options_of(const RowSpec& row, const GroupSet& groups, const Scale& scale,
                                  int run) {
  NetworkOptions out{.kind = *row.networks};
  if (!scale.full()) out.epochs = scale.train_rows / 10;
  for (Index m = 0; m < groups.num_groups(); ++m) {
    if (groups[m].name == row.target) out.target = m;
  }
  out.seed = row.runs == Runs::kSeed ? static_cast<std::uint64_t>(run) : 0;
  return out;
}

FitOptions options_of(const RowSpec& row, const SetInfo& set, Index num_groups, Index dim,
                      const Scale& scale, int run) {
  FitOptions options;
  if (row.automatic) {
    options.method = row.method;
    if (row.layers > 0) options.layers = row.layers;
    const MethodInfo& method = method_info(row.method);
    if (!scale.full() && !method.one_layer()) {
      options.layers = scale.layers(row.layers > 0 ? row.layers : 100);
    }
  } else {
    options = paper_options(row.method, num_groups);
    if (row.layers > 0) options.layers = row.layers;
    if (row.directions > 0) options.directions = std::min(row.directions, dim);
    // The paper preset has the planar stacks.
    if (row.method == Method::kDd && set.images()) {
      options.dd_stack = DdStack::kPca;
      options.unit_cube_margin = FitOptions().unit_cube_margin;
    }
    options.layers = scale.layers(*options.layers);
    options.search_steps = scale.search_steps;
    options = without_ignored(options);
  }
  options.target = row.target;
  options.seed = row.runs == Runs::kSeed ? static_cast<std::uint64_t>(run) : 0;
  return options;
}

}  // namespace conflux::app
