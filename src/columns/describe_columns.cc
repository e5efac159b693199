// Sentences about columns.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "conflux/columns/columns.h"

namespace conflux {

namespace {

std::string decimals_text(const Feature& feature) {
  if (feature.decimals == 0) return "whole numbers";
  return fmt::format("multiples of {:g}", std::pow(10.0, -feature.decimals));
}

std::string kind_text(const Feature& feature) {
  switch (feature.kind) {
    case FeatureKind::kNumber:
      return "numbers";
    case FeatureKind::kWhole:
      return decimals_text(feature);
    case FeatureKind::kCategory:
      return fmt::format("{} categories", feature.categories.size());
    case FeatureKind::kRepeated:
      break;
  }
  const auto largest =
      std::max_element(feature.atoms.begin(), feature.atoms.end(),
                       [](const Atom& a, const Atom& b) { return a.share < b.share; });
  return fmt::format(
      "numbers, {} in up to {:.0f} % of a group's rows{}", largest->value, 100 * largest->share,
      feature.atoms.size() > 1 ? fmt::format(" and {} more that repeat", feature.atoms.size() - 1)
                               : "");
}

std::string support_text(const Feature& feature) {
  const auto [low, high] = feature.support;
  if (std::isinf(low) && std::isinf(high)) return "";
  if (std::isinf(high)) return low == 0 ? ", never negative" : fmt::format(", from {:g}", low);
  if (std::isinf(low)) return fmt::format(", up to {:g}", high);
  return fmt::format(", from {:g} to {:g}", low, high);
}

std::string curve_text(const Feature& feature) {
  return feature.cofactor > 0 ? fmt::format(", arcsinh(x / {:g})", feature.cofactor) : "";
}

std::string scale_text(const Feature& feature) {
  switch (feature.scale) {
    case FeatureScale::kStandard:
      return ", standardized";
    case FeatureScale::kNormal:
      return ", normal scores";
    case FeatureScale::kNone:
      break;
  }
  return ", not scaled";
}

std::string codes_text(const Feature& feature) {
  if (feature.missing_codes.empty()) return "";
  return fmt::format("; {} is taken for a missing cell (--missing empty: for a number)",
                     fmt::join(feature.missing_codes, " or "));
}

// Names of all columns, each with what it means.
std::vector<std::pair<std::string, std::string>> meanings_of(const Columns& columns) {
  std::vector<std::pair<std::string, std::string>> out;
  for (const Feature& feature : columns.features) {
    out.emplace_back(feature.name, kind_text(feature) + support_text(feature) +
                                       curve_text(feature) + scale_text(feature) +
                                       codes_text(feature));
  }
  for (const Covariate& covariate : columns.kept) {
    out.emplace_back(covariate.name, covariate.describe());
  }
  for (const CarriedColumn& column : columns.carried) {
    out.emplace_back(column.name, "copied unchanged, " + column.why);
  }
  return out;
}

}  // namespace

std::vector<std::string> Columns::describe() const {
  std::vector<std::string> out;
  for (const auto& [name, meaning] : meanings_of(*this)) {
    out.push_back(fmt::format("{}: {}", name, meaning));
  }
  return out;
}

std::vector<std::string> Columns::describe_briefly() const {
  std::vector<std::string> out;
  const auto all = meanings_of(*this);
  for (auto first = all.begin(); first != all.end();) {
    const auto next = std::find_if(first, all.end(),
                                   [&](const auto& each) { return each.second != first->second; });
    const auto count = next - first;
    out.push_back(count > 2 ? fmt::format("{} to {} ({} columns): {}", first->first,
                                          (next - 1)->first, count, first->second)
                            : fmt::format("{}: {}", first->first, first->second));
    first = count > 2 ? next : first + 1;
  }
  return out;
}

}  // namespace conflux
