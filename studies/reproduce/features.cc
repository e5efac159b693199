#include "reproduce/features.h"

#include <fmt/format.h>

#include <algorithm>

#include "conflux/metrics/distances.h"
#include "reproduce/published.h"
#include "support/interrupt.h"

namespace conflux::app {

namespace {

// Distances of a network that the user gives; cells keep them under this name.
constexpr const char* kGiven = "given_net";
constexpr Index kMostGroupsOfAllPairs = 3;
// Networks that are given may take a tenth of a second for an image.
constexpr Index kImagesOfFewClasses = 300;
constexpr Index kImagesOfManyClasses = 100;

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

// "229.6", "73.6 *" where it is from the stored output, "(247.1, invalid)".
std::string published_fid(const PublishedFid* fid) {
  if (fid == nullptr) return "–";
  const std::string mark = fid->stored_only ? " *" : "";
  if (!fid->valid) return fmt::format("({:.1f}{}, invalid)", fid->value, mark);
  return fmt::format("{:.1f}{}", fid->value / divisor_error(fid->set), mark);
}

/// The distances of one network in the cells of a row: all cells have those of the small network,
/// the first one those of a network that was given.
class Column {
 public:
  Column(const RowResult& result, bool given) {
    for (const Json& cell : result.cells) {
      if (given && cell.contains(kGiven)) cells_.push_back(&cell.at(kGiven));
      if (!given && cell.contains("frechet")) cells_.push_back(&cell);
    }
    complete_ = cells_.size() == (given ? 1 : result.cells.size());
  }

  bool complete() const { return complete_; }
  const Json& first() const { return *cells_.front(); }

  double mean(const char* name) const {
    double sum = 0;
    for (const Json* cell : cells_) sum += cell->at(name).number();
    return sum / static_cast<double>(cells_.size());
  }

  std::string text(const char* ending = "") const {
    if (!complete()) return " – | – |";
    return fmt::format(" {:.4g} | {:.3g} |", mean(("frechet" + std::string(ending)).c_str()),
                       mean(("kernel_distance" + std::string(ending)).c_str()));
  }

 private:
  std::vector<const Json*> cells_;
  bool complete_ = false;
};

const RowResult* first_with(const std::vector<RowResult>& results, bool given) {
  for (const RowResult& result : results) {
    if (Column(result, given).complete()) return &result;
  }
  return nullptr;
}

/// A method with a valid published FID, and ours.
struct Ranked {
  std::string label;
  double published = 0, ours = 0;
  /// Pairs of classes of the first run; older cells have none.
  Json pairs = Json::array();
};

// Methods that change places: a mean over few pairs of classes may do so by chance, most of the
// pairs do not.
std::string swapped_text(const std::vector<Ranked>& methods) {
  std::string out;
  for (const Ranked& a : methods) {
    for (const Ranked& b : methods) {
      const bool swapped = a.published < b.published && a.ours > b.ours;
      if (!swapped || a.pairs.size() != b.pairs.size() || a.pairs.size() == 0) continue;
      std::size_t farther = 0;
      for (std::size_t p = 0; p < a.pairs.size(); ++p) {
        if (a.pairs[p].number() > b.pairs[p].number()) ++farther;
      }
      out += fmt::format("`{}` is farther than `{}`, unlike the published, in {} of {} pairs. ",
                         a.label, b.label, farther, a.pairs.size());
    }
  }
  return out;
}

// Sentences about the order of methods, as a network sees it.
std::string order_text(const std::vector<RowResult>& results, bool given, const std::string& net) {
  std::vector<Ranked> methods;
  std::vector<double> published, ours;
  for (const RowResult& result : results) {
    const PublishedFid* fid = find_published_fid(result.set.name, result.row.label);
    const Column column(result, given);
    if (fid == nullptr || !fid->valid || !column.complete()) continue;
    published.push_back(fid->value);
    ours.push_back(column.mean("frechet"));
    methods.push_back({.label = result.row.label, .published = fid->value, .ours = ours.back()});
    const Json* pairs = column.first().find("frechet_of_pairs");
    if (pairs != nullptr) methods.back().pairs = *pairs;
  }
  if (published.size() < 3) {
    return fmt::format(
        "Too few valid FIDs were published for a rank correlation with those of {}. ", net);
  }
  return fmt::format(
      "Rank correlation of the valid published FIDs with the Frechet distances of {}: {:.2f}, over "
      "{} methods. {}",
      net, rank_correlation(published, ours), published.size(), swapped_text(methods));
}

std::string explanation_of_given(const Json& given) {
  return fmt::format(
      " Those of `{}` look at {} images of each class of the first run{}; Frechet distances of so "
      "few are too large, all alike.",
      given.at("name").text(), given.at("images").whole(),
      given.at("ring").boolean() ? ", and at each class translated to the next one" : "");
}

}  // namespace

FeatureNet small_net_of(const SetInfo& set) {
  return FeatureNet::load(set.name.starts_with("fashion") ? "fashion-mnist" : "mnist");
}

Index FeatureDistances::most_images(const SplitSet& data) const {
  const Index rows = data.test[0].rows.rows();
  if (look_ == Look::kAll) return rows;
  return std::min(rows, data.test.num_groups() > kMostGroupsOfAllPairs ? kImagesOfManyClasses
                                                                       : kImagesOfFewClasses);
}

void FeatureDistances::look_at_real(const std::string& split, const SplitSet& data,
                                    const Workers& workers) {
  if (split_ == split) return;
  real_.clear();
  frechet_floor_ = kernel_floor_ = 0;
  const Index groups = data.test.num_groups();
  const Index rows = most_images(data);
  for (Index m = 0; m < groups; ++m) {
    stop_if_interrupted();
    const Index others = std::min(data.train[m].rows.rows(), rows);
    real_.push_back(net_.features(data.test[m].rows.middle_rows(0, rows).doubles(), workers));
    const Matrix more = net_.features(data.train[m].rows.middle_rows(0, others).doubles(), workers);
    frechet_floor_ += frechet_distance(more, real_.back()) / static_cast<double>(groups);
    kernel_floor_ += kernel_distance(more, real_.back()) / static_cast<double>(groups);
  }
  split_ = split;
}

Json FeatureDistances::measure(const std::string& split, const SplitSet& data,
                               const Translator& translator, const Workers& workers) {
  look_at_real(split, data, workers);
  const Index groups = data.test.num_groups();
  const Index images = most_images(data);
  const bool ring = look_ == Look::kFew && groups > kMostGroupsOfAllPairs;
  double frechet = 0, kernel = 0;
  Json pairs = Json::array();
  for (Index from = 0; from < groups; ++from) {
    for (Index to = 0; to < groups; ++to) {
      if (from == to || (ring && to != (from + 1) % groups)) continue;
      stop_if_interrupted();
      const Matrix moved = translator.first_translated(from, to, images);
      const Matrix seen = net_.features(moved, workers);
      const double near = frechet_distance(seen, real_[to]);
      frechet += near;
      kernel += kernel_distance(seen, real_[to]);
      pairs.push_back(near);
    }
  }
  const auto count = static_cast<double>(pairs.size());
  return {{"frechet", frechet / count},        {"frechet_floor", frechet_floor_},
          {"kernel_distance", kernel / count}, {"kernel_distance_floor", kernel_floor_},
          {"images", real_.front().rows()},    {"ring", ring},
          {"frechet_of_pairs", pairs}};
}

std::string features_text(const std::vector<RowResult>& results) {
  const RowResult* small = first_with(results, false);
  const RowResult* given = first_with(results, true);
  const RowResult* any = small != nullptr ? small : given;
  if (any == nullptr) return "";
  const std::string name = given == nullptr ? "" : Column(*given, true).first().at("name").text();
  std::string out =
      "\n## Features\n\nDistances between what networks see in translated and in real images: "
      "Frechet distance, kernel distance. Published FIDs are those of Inception v3, divided like "
      "the distances above; ours are on other scales. Those of the small network (64 features, "
      "`--features-net`) look at all test images.";
  if (given != nullptr) out += explanation_of_given(Column(*given, true).first());
  out +=
      " Invalid: real images of another class, or of another range of gray values, were compared, "
      "or "
      "the map was wrong.\n\n";
  out += "| data | method | FID published | Frechet, small network | kernel |";
  out += given == nullptr ? "\n" : fmt::format(" Frechet, `{}` | kernel |\n", name);
  out += given == nullptr ? "|---|---|---|---|---|\n" : "|---|---|---|---|---|---|---|\n";
  const auto row = [&](const RowResult& result, const std::string& title, const std::string& fid,
                       const char* ending) {
    out += fmt::format("| {} | {} | {} |{}{}\n", result.set.title, title, fid,
                       Column(result, false).text(ending),
                       given == nullptr ? "" : Column(result, true).text(ending));
  };
  // Fits of one split have the same floor, and the first row of a table has all splits.
  row(given != nullptr ? *given : *any, "real against real", "–", "_floor");
  for (const RowResult& result : results) {
    if (!Column(result, false).complete() && !Column(result, true).complete()) continue;
    row(result, result.row.label,
        published_fid(find_published_fid(result.set.name, result.row.label)), "");
  }
  out += "\n" + order_text(results, false, "the small network");
  if (given != nullptr) out += order_text(results, true, "`" + name + "`");
  return out + "\n";
}

}  // namespace conflux::app
