#include "storage/covariate_json.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <string_view>
#include <vector>

#include "conflux/core/error.h"

namespace conflux {

namespace {

constexpr std::array<std::string_view, 4> kCovariateKinds = {"linear", "smooth", "cyclic",
                                                             "category"};
// A cycle is cut into no more pieces than this by any fit.
constexpr Index kMostHarmonicsRead = 100;

[[noreturn]] void covariate_damaged(const std::string& what) {
  throw InvalidData(fmt::format(
      "a column that is kept is wrong: {}; the file is damaged: restore a copy, or fit again.",
      what));
}

const Json& part(const Json& json, const char* key) {
  const Json* out = json.is_object() ? json.find(key) : nullptr;
  if (out == nullptr) covariate_damaged(fmt::format("\"{}\" is not there", key));
  return *out;
}

std::string text_part(const Json& json, const char* key) {
  const Json& out = part(json, key);
  if (!out.is_text()) covariate_damaged(fmt::format("\"{}\" is no text", key));
  return out.text();
}

std::vector<double> numbers_part(const Json& json, const char* key) {
  const Json& list = part(json, key);
  if (!list.is_array()) covariate_damaged(fmt::format("\"{}\" is no list", key));
  std::vector<double> out;
  for (const Json& each : list.items()) {
    if (!each.is_number() || !std::isfinite(each.number())) {
      covariate_damaged(fmt::format("\"{}\" has an entry that is no number", key));
    }
    out.push_back(each.number());
  }
  return out;
}

void read_shape(const Json& json, Covariate& out) {
  if (out.kind == CovariateKind::kSmooth) {
    out.knots = numbers_part(json, "knots");
    if (out.knots.size() < 3) covariate_damaged("there are fewer than three knots");
    for (std::size_t k = 1; k < out.knots.size(); ++k) {
      if (!(out.knots[k] > out.knots[k - 1])) covariate_damaged("the knots do not increase");
    }
  }
  if (out.kind == CovariateKind::kCyclic) {
    const Json& period = part(json, "period");
    if (!period.is_number() || !(period.number() > 0)) covariate_damaged("the period");
    out.period = period.number();
    const Json& harmonics = part(json, "harmonics");
    if (!harmonics.is_count() || harmonics.count() < 1 ||
        harmonics.count() > static_cast<std::uint64_t>(kMostHarmonicsRead)) {
      covariate_damaged("the harmonics");
    }
    out.harmonics = static_cast<Index>(harmonics.count());
  }
  if (out.category()) {
    const Json& categories = part(json, "categories");
    if (!categories.is_array()) covariate_damaged("\"categories\" is no list");
    for (const Json& each : categories.items()) {
      if (!each.is_text()) covariate_damaged("a category is no text");
      out.categories.push_back(each.text());
    }
    if (out.categories.size() < 2) covariate_damaged("there are fewer than two categories");
  }
}

}  // namespace

Json covariate_json(const Covariate& covariate) {
  Json out = {{"name", covariate.name},
              {"kind", kCovariateKinds[static_cast<std::size_t>(covariate.kind)]},
              {"centers", covariate.centers},
              {"scales", covariate.scales}};
  if (covariate.kind == CovariateKind::kSmooth) out.add("knots", covariate.knots);
  if (covariate.kind == CovariateKind::kCyclic) {
    out.add("period", covariate.period);
    out.add("harmonics", covariate.harmonics);
  }
  if (covariate.category()) out.add("categories", covariate.categories);
  if (covariate.tells_missing) out.add("tells_missing", true);
  if (covariate.low && covariate.high) {
    out.add("range", std::vector<double>{*covariate.low, *covariate.high});
  }
  return out;
}

Covariate covariate_from(const Json& json) {
  Covariate out{.name = text_part(json, "name")};
  const std::string kind = text_part(json, "kind");
  std::size_t k = 0;
  while (k < kCovariateKinds.size() && kCovariateKinds[k] != kind) ++k;
  if (k == kCovariateKinds.size()) covariate_damaged("an unknown kind");
  out.kind = static_cast<CovariateKind>(k);
  read_shape(json, out);
  out.tells_missing = json.contains("tells_missing");
  if (json.contains("range")) {
    const std::vector<double> range = numbers_part(json, "range");
    if (range.size() != 2 || range[0] > range[1]) covariate_damaged("the range");
    out.low = range[0];
    out.high = range[1];
  }
  out.centers = numbers_part(json, "centers");
  out.scales = numbers_part(json, "scales");
  const auto width = static_cast<std::size_t>(out.width());
  if (out.centers.size() != width || out.scales.size() != width) {
    covariate_damaged("there is not one center and one scale per coordinate");
  }
  for (const double scale : out.scales) {
    if (!(scale > 0)) covariate_damaged("a scale is not positive");
  }
  return out;
}

}  // namespace conflux
