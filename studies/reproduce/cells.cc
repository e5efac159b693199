#include "reproduce/cells.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>

#include "conflux/core/error.h"
#include "conflux/metrics/distances.h"
#include "conflux/metrics/moves.h"
#include "conflux/training/fit.h"
#include "core/stopwatch.h"
#include "files/whole_file.h"
#include "metrics/paper_wd.h"
#include "options/option_table.h"
#include "options/option_text.h"
#include "reproduce/cyclegan.h"
#include "reproduce/machine.h"
#include "reproduce/samples.h"
#include "support/interrupt.h"

namespace conflux::app {

namespace {

// As the paper cut images; exact distances are cut alike, to be comparable.
constexpr Index kBlock = 500;
// Translations there and back are looked at for every pair up to this many groups, then for a ring.
constexpr Index kAllPairs = 3;
// Steps of CycleGAN: 100 passes over the digits.
constexpr Index kStepsOfCycleGan = 7000;

Json json_of(const Matrix& values) {
  Json out = Json::array();
  for (Index i = 0; i < values.rows(); ++i) {
    out.push_back(std::vector<double>(values.row(i).begin(), values.row(i).end()));
  }
  return out;
}

double off_diagonal_mean(const Matrix& values) {
  const auto groups = static_cast<double>(values.rows());
  return (values.sum() - values.trace()) / (groups * groups - groups);
}

double largest_difference(const Matrix& a, ConstRows b) {
  return (a - b.eigen()).cwiseAbs().maxCoeff();
}

struct Distances {
  /// Row: from, column: to. The diagonal of `paper_wd` is the mean squared error of a group's own
  /// round trip, as in the paper's matrices.
  Matrix paper_wd, exact;
  /// Largest error of any coordinate after a way to the shared space and back (unset where there is
  /// none), and to another group and back.
  std::optional<double> round_trip = std::nullopt;
  double two_translations = 0;
};

Json distances_json(const Distances& distances) {
  Json out = {{"paper_wd", off_diagonal_mean(distances.paper_wd)},
              {"exact", off_diagonal_mean(distances.exact)},
              {"two_translations", distances.two_translations},
              {"paper_wd_matrix", json_of(distances.paper_wd)},
              {"exact_matrix", json_of(distances.exact)}};
  if (distances.round_trip) {
    out["round_trip"] = *distances.round_trip;
    out["own_round_trip"] = distances.paper_wd.diagonal().mean();
  }
  return out;
}

Json options_json(const FitOptions& options) {
  Json out;
  for (const OptionText& option : option_texts(options)) out[option.name] = option.value;
  return out;
}

class Judge {
 public:
  Judge(const SetInfo& set, const GroupSet& test, const Workers& workers)
      : images_(set.images()), test_(test), workers_(workers) {}

  double paper_wd_of(Index to, ConstRows moved) const {
    PaperWdOptions options;
    if (images_) options.block = kBlock;
    return paper_wd(test_[to].rows.doubles(), moved, options, workers_).value;
  }

  double exact_of(Index to, ConstRows moved) const {
    ExactWassersteinOptions options;
    if (images_) options.block = kBlock;
    return exact_w2_squared(test_[to].rows.doubles(), moved, options, workers_);
  }

  Distances distances(const Translator& translator) const {
    const Index groups = test_.num_groups();
    Distances out{Matrix::Zero(groups, groups), Matrix::Zero(groups, groups)};
    for (Index from = 0; from < groups; ++from) {
      const ConstRows rows = test_[from].rows.doubles();
      for (Index to = 0; to < groups; ++to) {
        stop_if_interrupted();
        if (from == to && translator.shared().empty()) continue;
        const Matrix moved = translator.first_translated(from, to, rows.rows());
        if (from == to) {
          out.paper_wd(from, to) = (moved - rows.eigen()).rowwise().squaredNorm().mean();
          out.round_trip = std::max(out.round_trip.value_or(0), largest_difference(moved, rows));
          continue;
        }
        out.paper_wd(from, to) = paper_wd_of(to, moved);
        out.exact(from, to) = exact_of(to, moved);
        if (groups <= kAllPairs || to == (from + 1) % groups) {
          const Matrix back = translator.translate(to, from, moved);
          out.two_translations = std::max(out.two_translations, largest_difference(back, rows));
        }
      }
    }
    return out;
  }

  double transport_cost_of(const std::vector<Matrix>& latent) const {
    double sum = 0;
    for (Index m = 0; m < test_.num_groups(); ++m) {
      sum += transport_cost(test_[m].rows.doubles(), latent[m], workers_);
    }
    return sum / static_cast<double>(test_.num_groups());
  }

 private:
  bool images_;
  const GroupSet& test_;
  const Workers& workers_;
};

// A point of a curve: from 0 to 1 and from 1 to 0, and their mean.
Json curve_point(Index layers, const Judge& judge, const Flow& flow, const GroupSet& test,
                 const Workers& workers) {
  Json point = {{"layers", layers}};
  double wd[2], exact[2];
  for (const Index from : {0, 1}) {
    const Matrix moved = flow.num_layers() == 0
                             ? Matrix(test[from].rows.eigen())
                             : flow.translate(from, 1 - from, test[from].rows, workers);
    wd[from] = judge.paper_wd_of(1 - from, moved);
    exact[from] = judge.exact_of(1 - from, moved);
  }
  point["paper_wd"] = Json::array({wd[0], wd[1]});
  point["exact"] = Json::array({exact[0], exact[1]});
  return point;
}

// For messages.
std::string name_of(const CellId& id) {
  return fmt::format("{} {}, run {}", id.set.name, id.row.label, id.run);
}

}  // namespace

std::string CellId::file_stem() const {
  std::string out = fmt::format("{}.{}.{}.{}", experiment.name, set.name, row.label, run);
  for (const auto& [from, to] : {std::pair{"=>", "-to-"}, {", ", "-"}, {" ", "-"}}) {
    for (std::size_t at; (at = out.find(from)) != std::string::npos;) {
      out.replace(at, std::string(from).size(), to);
    }
  }
  return out;
}

int num_runs(const Experiment& experiment, const RowSpec& row, const Scale& scale, int runs) {
  if (row.runs == RowSpec::Runs::kOnce) return 1;
  if (experiment.repetitions == 0) return runs;
  return std::min(experiment.repetitions, scale.repetitions);
}

CellRunner::CellRunner(std::filesystem::path folder, DataSource& data, const Scale& scale,
                       int threads, const std::string& features_net, const Console& console)
    : folder_(std::move(folder)), data_(data), scale_(scale), workers_(threads), console_(console) {
  std::filesystem::create_directories(folder_);
  if (features_net.empty()) return;
  net_name_ = std::filesystem::path(features_net).stem().string();
  net_.emplace(FeatureNet::load(features_net), FeatureDistances::Look::kFew);
}

// The options that were asked for; a cell of others is measured again. Those that the library
// resolved them to are kept in the cell for information only.
Json CellRunner::settings_of(const CellId& id) const {
  const RowSpec& row = id.row;
  return {{"scale", scale_.name},
          {"method", row.method_name()},
          {"preset", row.automatic ? "auto" : "paper"},
          {"layers", row.layers},
          {"directions", row.directions},
          {"target", row.target},
          {"split", id.split()}};
}

std::filesystem::path CellRunner::path_of(const CellId& id) const {
  return folder_ / (id.file_stem() + ".json");
}

std::optional<Json> CellRunner::find(const CellId& id) const {
  std::ifstream file(path_of(id));
  if (!file) return std::nullopt;
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  std::optional<Json> kept = Json::parse(text);
  const Json* settings = kept ? kept->find("settings") : nullptr;
  if (settings == nullptr || *settings != settings_of(id)) return std::nullopt;
  return kept;
}

bool CellRunner::was_looked_at(const CellId& id, const Json& cell) const {
  const Json* seen = cell.find("given_net");
  return !given_net_looks_at(id) || (seen != nullptr && seen->at("name").text() == net_name_);
}

Json CellRunner::get(const CellId& id) {
  if (std::optional<Json> kept = find(id); kept && was_looked_at(id, *kept)) return *kept;
  Json cell = {{"experiment", id.experiment.name},
               {"set", id.set.name},
               {"row", id.row.label},
               {"run", id.run},
               {"settings", settings_of(id)},
               {"machine", machine_json()}};
  cell.update(measure(id));
  replace_file(path_of(id), cell.dump() + "\n");
  ++measured_;
  return cell;
}

// It is slow: one run of a row is enough.
bool CellRunner::given_net_looks_at(const CellId& id) const {
  return net_ && id.run == 0 && id.set.images() && id.experiment.kind == Experiment::Kind::kTable;
}

Json CellRunner::measure_features(const CellId& id, const SplitSet& data,
                                  const Translator& translator) {
  const std::string split = fmt::format("{} {}", id.set.name, id.split());
  Json out = Json::object();
  if (scale_.shrink == 1) {
    FeatureDistances small(small_net_of(id.set), FeatureDistances::Look::kAll);
    out.update(small.measure(split, data, translator, workers_));
  }
  if (given_net_looks_at(id)) {
    out["given_net"] = net_->measure(split, data, translator, workers_);
    out["given_net"]["name"] = net_name_;
  }
  return out;
}

void CellRunner::judge(const CellId& id, const SplitSet& data, const Translator& translator,
                       Json& out) {
  const Judge judge(id.set, data.test, workers_);
  console_.progress(name_of(id) + ": judging");
  out.update(distances_json(judge.distances(translator)));
  if (id.set.images()) out.update(measure_features(id, data, translator));
  // Where all groups move to one of them, that group's space is shared.
  if (!translator.shared().empty() && !id.row.to_one_group()) {
    out["tc"] = judge.transport_cost_of(translator.shared());
  }
  if (id.run == 0) {
    out["samples"] = id.set.images() ? image_samples(translator, data.test)
                                     : planar_samples(translator, data.test);
  }
  console_.info(fmt::format("{}: paper_wd {:.4g}, exact {:.4g}, {:.1f} s", name_of(id),
                            out["paper_wd"].number(), out["exact"].number(),
                            out["fit_seconds"].number()));
}

Json CellRunner::measure_cyclegan(const CellId& id, const SplitSet& data) {
  console_.progress(name_of(id));
  const double cpu_before = cpu_seconds();
  const Stopwatch watch;
  CycleGanPlan plan{.hidden = usual_hidden(data.train.dim()),
                    .steps = scale_.full() ? kStepsOfCycleGan : scale_.train_rows,
                    .seed = static_cast<std::uint64_t>(id.run),
                    .cube = id.set.images()};
  const CycleGan translator(data.train, data.test, plan);
  Json out = {{"options", {{"hidden", plan.hidden}, {"steps", plan.steps}}},
              {"train_rows", data.train[0].rows.rows()},
              {"test_rows", data.test[0].rows.rows()},
              {"fit_seconds", watch.seconds()},
              {"fit_cpu_seconds", cpu_seconds() - cpu_before}};
  judge(id, data, translator, out);
  return out;
}

Json CellRunner::measure_networks(const CellId& id, const SplitSet& data) {
  const std::string what = name_of(id);
  console_.progress(what);
  const double cpu_before = cpu_seconds();
  const NetworkFit fit =
      fit_networks(data.train, network_options_of(id.row, data.train, scale_, id.run), workers_,
                   [&](Index done, Index most) {
                     console_.progress(fmt::format("{}: pass {} of {} at most", what, done, most));
                   });
  const NetworkOptions& used = fit.options;
  // As texts, like the options of the library.
  Json options = {{"couplings", std::to_string(used.couplings)},
                  {"hidden", std::to_string(used.hidden)},
                  {"epochs", std::to_string(used.epochs)},
                  {"seed", std::to_string(used.seed)}};
  Json out = {{"options", std::move(options)},
              {"train_rows", data.train[0].rows.rows()},
              {"test_rows", data.test[0].rows.rows()},
              {"layers", 1},
              {"fit_seconds", fit.seconds},
              {"fit_cpu_seconds", cpu_seconds() - cpu_before}};
  judge(id, data, FlowTranslator(fit.flow, data.test, workers_), out);
  return out;
}

Json CellRunner::measure(const CellId& id) {
  const SplitSet& data = data_.get(id.set, id.split());
  if (id.row.cyclegan) return measure_cyclegan(id, data);
  if (id.row.networks) return measure_networks(id, data);
  FitOptions options =
      options_of(id.row, id.set, data.train.num_groups(), data.train.dim(), scale_, id.run);
  options.threads = workers_.threads();
  const Judge of_curve(id.set, data.test, workers_);
  const bool curve = id.experiment.kind == Experiment::Kind::kCurve;
  const Index every =
      std::max<Index>(1, scale_.full() ? id.experiment.every : id.experiment.every / 5);
  const std::string what = name_of(id);
  console_.progress(what);

  Json points = Json::array();
  FitControl control;
  if (curve) {
    points.push_back(
        curve_point(0, of_curve, Flow(data.test.names(), data.test.dim()), data.test, workers_));
    control.on_progress = [&](const Fit& fit) {
      const auto done = static_cast<Index>(fit.record.layers.size());
      if (done % every == 0) {
        points.push_back(curve_point(done, of_curve, fit.flow, data.test, workers_));
      }
    };
  }
  SelfCommunicator comm;
  const LayerCallback on_layer = [&](const LayerRecord& record) {
    stop_if_interrupted();
    console_.progress(fmt::format("{}: layer {}", what, record.layer));
    return true;
  };
  const double cpu_before = cpu_seconds();
  const Fit fit = fit_flow(data.train, options, comm, on_layer, control);
  Json out = {{"options", options_json(fit.record.options)},
              {"train_rows", data.train[0].rows.rows()},
              {"test_rows", data.test[0].rows.rows()},
              {"layers", fit.record.layers.size()},
              {"fit_seconds", fit.record.seconds},
              {"fit_cpu_seconds", cpu_seconds() - cpu_before}};
  if (curve) {
    out["points"] = points;
    console_.info(fmt::format("{}: {:.1f} s", what, fit.record.seconds));
    return out;
  }
  judge(id, data, FlowTranslator(fit.flow, data.test, workers_), out);
  return out;
}

}  // namespace conflux::app
