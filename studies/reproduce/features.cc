#include "reproduce/features.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "conflux/features/feature_net.h"
#include "conflux/metrics/distances.h"
#include "reproduce/published.h"

namespace conflux::app {

namespace {

FeatureNet net_of(const SetInfo& set) {
  return FeatureNet::load(std::string_view(set.name).starts_with("fashion") ? "fashion-mnist"
                                                                            : "mnist");
}

double mean_of(const std::vector<Json>& cells, const char* name) {
  double sum = 0;
  for (const Json& cell : cells) sum += cell.at(name).number();
  return sum / static_cast<double>(cells.size());
}

// Places of values in increasing order; equal ones do not occur.
std::vector<double> ranks_of(const std::vector<double>& values) {
  std::vector<double> out;
  for (const double value : values) {
    out.push_back(static_cast<double>(
        std::count_if(values.begin(), values.end(), [&](double each) { return each < value; })));
  }
  return out;
}

double rank_correlation(const std::vector<double>& a, const std::vector<double>& b) {
  const std::vector<double> x = ranks_of(a), y = ranks_of(b);
  const auto n = static_cast<double>(a.size());
  double squares = 0;
  for (std::size_t i = 0; i < x.size(); ++i) squares += (x[i] - y[i]) * (x[i] - y[i]);
  return 1 - 6 * squares / (n * (n * n - 1));
}

std::string published_fid(const PublishedFid* fid) {
  if (fid == nullptr) return "–";
  if (!fid->valid) return fmt::format("({:.1f}, invalid)", fid->value);
  return fmt::format("{:.1f}{}", fid->value / divisor_error(fid->set),
                     fid->stored_only ? " *" : "");
}

}  // namespace

Json feature_distances(const SetInfo& set, const SplitSet& data, const Flow& flow,
                       const std::vector<Matrix>& latent, const Workers& workers) {
  const FeatureNet net = net_of(set);
  const Index groups = data.test.num_groups();
  std::vector<Matrix> real;
  double frechet_floor = 0, kernel_floor = 0;
  for (Index m = 0; m < groups; ++m) {
    const Index others = std::min(data.train[m].rows.rows(), data.test[m].rows.rows());
    real.push_back(net.features(data.test[m].rows, workers));
    const Matrix more = net.features(data.train[m].rows.middle_rows(0, others), workers);
    frechet_floor += frechet_distance(more, real.back()) / static_cast<double>(groups);
    kernel_floor += kernel_distance(more, real.back()) / static_cast<double>(groups);
  }
  const Pairwise frechet = pairwise(groups, [&](Index from, Index to) {
    return frechet_distance(net.features(flow.inverse(to, latent[from], workers), workers),
                            real[to]);
  });
  const Pairwise kernel = pairwise(groups, [&](Index from, Index to) {
    return kernel_distance(net.features(flow.inverse(to, latent[from], workers), workers),
                           real[to]);
  });
  return {{"frechet", frechet.mean},
          {"frechet_floor", frechet_floor},
          {"kernel_distance", kernel.mean},
          {"kernel_distance_floor", kernel_floor}};
}

std::string features_text(const std::vector<RowResult>& results) {
  std::string out;
  std::vector<double> published, ours;
  for (const RowResult& result : results) {
    const auto has = [](const Json& cell) { return cell.contains("frechet"); };
    if (!std::all_of(result.cells.begin(), result.cells.end(), has)) continue;
    if (out.empty()) {
      out = fmt::format(
          "\n## Features\n\nDistances between what networks see in translated and in real images. "
          "Published FIDs are those of Inception v3; ours are of a small network (64 features, "
          "`--features-net`), on another scale.\n\n"
          "| data | method | FID published | Frechet distance ours | kernel distance ours |\n"
          "|---|---|---|---|---|\n"
          "| {} | real against real | – | {:.3f} | {:.4f} |\n",
          result.set.title, mean_of(result.cells, "frechet_floor"),
          mean_of(result.cells, "kernel_distance_floor"));
    }
    const PublishedFid* fid = find_published_fid(result.set.name, result.row.label);
    const double frechet = mean_of(result.cells, "frechet");
    out += fmt::format("| {} | {} | {} | {:.3f} | {:.4f} |\n", result.set.title, result.row.label,
                       published_fid(fid), frechet, mean_of(result.cells, "kernel_distance"));
    if (fid != nullptr && fid->valid) {
      published.push_back(fid->value);
      ours.push_back(frechet);
    }
  }
  if (published.size() > 2) {
    out += fmt::format(
        "\nRank correlation of the valid published FIDs with our Frechet distances: {:.2f}, over "
        "{} methods.\n",
        rank_correlation(published, ours), published.size());
  }
  return out;
}

}  // namespace conflux::app
