#include "storage/columns_tensors.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "columns/expectation.h"
#include "conflux/core/error.h"
#include "storage/covariate_json.h"

namespace conflux {

namespace {

constexpr std::array<std::string_view, 4> kColumnTypes = {"number", "whole", "repeated",
                                                          "category"};
constexpr std::array<std::string_view, 3> kScales = {"none", "standard", "normal"};
constexpr std::array<std::string_view, 4> kMissingRules = {"auto", "refuse", "drop", "empty"};

[[noreturn]] void columns_damaged(const std::string& what) {
  throw InvalidData(fmt::format(
      "the columns are wrong: {}; the file is damaged: restore a copy, or fit again.", what));
}

template <std::size_t n>
int position_of(const std::array<std::string_view, n>& words, const Json& word) {
  for (std::size_t k = 0; k < n; ++k) {
    if (word.is_text() && word.text() == words[k]) return static_cast<int>(k);
  }
  columns_damaged("an unknown word");
}

const Json& member(const Json& json, const char* key) {
  if (!json.is_object() || !json.contains(key))
    columns_damaged(fmt::format("\"{}\" is not there", key));
  return json.at(key);
}

std::string text_member(const Json& json, const char* key) {
  const Json& text = member(json, key);
  if (!text.is_text()) columns_damaged(fmt::format("\"{}\" is no text", key));
  return text.text();
}

Json bound_json(double bound) { return std::isinf(bound) ? Json() : Json(bound); }

double bound_from(const Json& bound, double missing) {
  if (bound.is_null()) return missing;
  if (!bound.is_number()) columns_damaged("a bound is no number");
  return bound.number();
}

/// Lists of numbers of several owners, one behind the other.
class FeaturePieces {
 public:
  void end_piece() { offsets_.push_back(static_cast<std::int64_t>(numbers.size())); }
  void write(const std::string& name, Index width, TensorWriter& out) const {
    const auto count = static_cast<Index>(numbers.size()) / width;
    std::vector<std::int64_t> offsets = offsets_;
    for (std::int64_t& offset : offsets) offset /= width;
    out.add(name + ".offsets", {static_cast<Index>(offsets.size())}, offsets);
    out.add(name, {count, width}, numbers);
  }

  std::vector<double> numbers;

 private:
  std::vector<std::int64_t> offsets_ = {0};
};

/// The same, read: piece k has the rows offsets[k] to offsets[k + 1] of a matrix.
struct ReadFeaturePieces {
  ReadFeaturePieces(const std::string& name, Index pieces, Index columns, TensorFile& file)
      : width(columns), offsets(file.offsets(name + ".offsets", pieces)) {
    numbers = file.doubles(name, {static_cast<Index>(offsets.back()), width});
  }
  std::span<const double> piece(Index k) const {
    return std::span(numbers).subspan(offsets[k] * width, (offsets[k + 1] - offsets[k]) * width);
  }

  Index width;
  std::vector<std::int64_t> offsets;
  std::vector<double> numbers;
};

Json feature_json(const Feature& feature) {
  Json out = {
      {"name", feature.name},
      {"kind", kColumnTypes[static_cast<std::size_t>(feature.kind)]},
      {"scale", kScales[static_cast<std::size_t>(feature.scale)]},
      {"support", Json::array({bound_json(feature.support.low), bound_json(feature.support.high)})},
      {"decimals", feature.decimals},
      {"categories", feature.categories}};
  if (feature.cofactor > 0) out.add("arcsinh", feature.cofactor);
  if (feature.makes_room) out.add("room", true);
  if (!feature.spreads) out.add("plain", true);
  if (!feature.missing_codes.empty()) out.add("missing_codes", feature.missing_codes);
  return out;
}

Feature feature_from(const Json& json) {
  Feature out;
  out.name = text_member(json, "name");
  out.kind = static_cast<FeatureKind>(position_of(kColumnTypes, member(json, "kind")));
  out.scale = static_cast<FeatureScale>(position_of(kScales, member(json, "scale")));
  const Json& support = member(json, "support");
  if (!support.is_array() || support.size() != 2) columns_damaged("a support has not two bounds");
  out.support = {bound_from(support[0], out.support.low), bound_from(support[1], out.support.high)};
  const Json& decimals = member(json, "decimals");
  if (!decimals.is_whole()) columns_damaged("\"decimals\" is not whole");
  const auto number = decimals.whole();
  if (number < -1 || number > 15) columns_damaged("\"decimals\" is out of range");
  out.decimals = static_cast<int>(number);
  const Json& categories = member(json, "categories");
  if (!categories.is_array()) columns_damaged("\"categories\" is no list");
  for (const Json& category : categories.items()) {
    if (!category.is_text()) columns_damaged("a category is no text");
    out.categories.push_back(category.text());
  }
  if (const Json* cofactor = json.find("arcsinh")) {
    if (!cofactor->is_number() || !(cofactor->number() > 0)) {
      columns_damaged("\"arcsinh\" is no positive number");
    }
    out.cofactor = cofactor->number();
  }
  out.makes_room = json.contains("room");
  out.spreads = !json.contains("plain");
  if (const Json* codes = json.find("missing_codes")) {
    if (!codes->is_array()) columns_damaged("\"missing_codes\" is no list");
    for (const Json& code : codes->items()) {
      if (!code.is_number()) columns_damaged("a missing code is no number");
      out.missing_codes.push_back(code.number());
    }
  }
  if (out.category() == out.categories.empty()) columns_damaged("categories do not suit the kind");
  return out;
}

void write_expected(const std::string& name, std::span<const ExpectedRow> rows, Index dim,
                    TensorWriter& out) {
  const auto count = static_cast<Index>(rows.size());
  std::vector<double> means, covariances;
  for (const ExpectedRow& row : rows) {
    means.insert(means.end(), row.mean.begin(), row.mean.end());
    covariances.insert(covariances.end(), row.covariance.data(),
                       row.covariance.data() + row.covariance.size());
  }
  out.add(name + "mean", {count, dim}, means);
  if (!covariances.empty()) out.add(name + "covariance", {count, dim, dim}, covariances);
}

std::vector<ExpectedRow> read_expected(const std::string& name, Index count, Index dim,
                                       TensorFile& file) {
  const std::vector<double> means = file.doubles(name + "mean", {count, dim});
  std::vector<double> covariances;
  const bool regressed = file.has(name + "covariance");
  if (regressed) covariances = file.doubles(name + "covariance", {count, dim, dim});
  std::vector<ExpectedRow> out;
  for (Index m = 0; m < count; ++m) {
    ExpectedRow& row = out.emplace_back();
    row.mean = Eigen::Map<const Vector>(means.data() + m * dim, dim);
    if (regressed) {
      row.covariance = Eigen::Map<const Matrix>(covariances.data() + m * dim * dim, dim, dim);
    }
  }
  return out;
}

void write_kept(const Columns& columns, Json& json, TensorWriter& out) {
  if (columns.kept.empty()) return;
  Json kept = Json::array();
  for (const Covariate& each : columns.kept) kept.push_back(covariate_json(each));
  json["kept"] = kept;
  std::vector<double> means;
  for (const Vector& each : columns.kept_means) {
    means.insert(means.end(), each.begin(), each.end());
  }
  out.add("columns.kept_means",
          {static_cast<Index>(columns.kept_means.size()), columns.num_covariates()}, means);
}

void read_kept(Columns& columns, const Json& json, Index num_groups, Index dim, TensorFile& file) {
  if (const Json* kept = json.find("kept")) {
    if (!kept->is_array() || kept->size() == 0) columns_damaged("\"kept\" is no list");
    for (const Json& each : kept->items()) columns.kept.push_back(covariate_from(each));
    const Index width = columns.num_covariates();
    if (width >= dim) columns_damaged("more coordinates are kept than there are");
    const std::vector<double> means = file.doubles("columns.kept_means", {num_groups, width});
    for (Index m = 0; m < num_groups; ++m) {
      columns.kept_means.emplace_back(Eigen::Map<const Vector>(means.data() + m * width, width));
    }
    return;
  }
  columns.kept_means.assign(static_cast<std::size_t>(num_groups), Vector());
}

void read_atoms(Feature& feature, std::span<const double> numbers) {
  for (std::size_t k = 0; k < numbers.size(); k += 4) {
    const Atom atom{numbers[k], {numbers[k + 1], numbers[k + 2]}, numbers[k + 3]};
    const bool ordered = feature.atoms.empty() || feature.atoms.back().cell.high <= atom.cell.low;
    // A cell that was pushed aside need not hold its atom, but atoms are in the order of the cells.
    const bool placed = feature.makes_room
                            ? feature.atoms.empty() || feature.atoms.back().value < atom.value
                            : atom.cell.contains(atom.value);
    if (!ordered || !placed) columns_damaged("cells of atoms overlap");
    feature.atoms.push_back(atom);
  }
}

void read_knots(Feature& feature, std::span<const double> numbers) {
  if (numbers.size() == 2) columns_damaged("a scale has one knot");
  for (std::size_t k = 0; k < numbers.size(); k += 2) {
    if (k > 0 && !(numbers[k] > numbers[k - 2] && numbers[k + 1] > numbers[k - 1])) {
      columns_damaged("the knots of a scale do not increase");
    }
    feature.spread_knots.push_back(numbers[k]);
    feature.coordinate_knots.push_back(numbers[k + 1]);
  }
}

void read_held(Feature& feature, std::span<const double> values, Interval range) {
  if (!std::is_sorted(values.begin(), values.end())) columns_damaged("values that a group holds");
  feature.held.push_back({range, {values.begin(), values.end()}});
}

}  // namespace

Json write_columns(const Columns& columns, TensorWriter& out) {
  Json features = Json::array(), carried = Json::array();
  FeaturePieces atoms, knots, held;
  std::vector<double> ranges;
  for (const Feature& feature : columns.features) {
    features.push_back(feature_json(feature));
    for (const Atom& atom : feature.atoms) {
      for (const double number : {atom.value, atom.cell.low, atom.cell.high, atom.share}) {
        atoms.numbers.push_back(number);
      }
    }
    atoms.end_piece();
    for (std::size_t k = 0; k < feature.spread_knots.size(); ++k) {
      knots.numbers.push_back(feature.spread_knots[k]);
      knots.numbers.push_back(feature.coordinate_knots[k]);
    }
    knots.end_piece();
    for (const HeldValues& own : feature.held) {
      ranges.insert(ranges.end(), {own.range.low, own.range.high});
      held.numbers.insert(held.numbers.end(), own.values.begin(), own.values.end());
      held.end_piece();
    }
  }
  for (const CarriedColumn& column : columns.carried) {
    carried.push_back(Json{{"name", column.name}, {"why", column.why}});
  }
  atoms.write("columns.atoms", 4, out);
  knots.write("columns.knots", 2, out);
  held.write("columns.held", 1, out);
  const auto dim = static_cast<Index>(columns.features.size());
  const auto groups = static_cast<Index>(columns.expected.size());
  out.add("columns.ranges", {dim, groups, 2}, ranges);
  write_expected("columns.", columns.expected, columns.width(), out);
  write_expected("columns.shared_", std::span(&columns.shared, 1), columns.width(), out);
  Json json = {{"seed", columns.seed},
               {"missing", kMissingRules[static_cast<std::size_t>(columns.missing)]},
               {"scale_reason", columns.scale_reason},
               {"features", features},
               {"carried", carried}};
  if (!columns.key.empty()) json["key"] = columns.key;
  write_kept(columns, json, out);
  return json;
}

Columns read_columns(const Json& json, Index num_groups, Index width, TensorFile& file) {
  Columns out;
  read_kept(out, json, num_groups, width, file);
  const Index dim = width - out.num_covariates();
  const Json& seed = member(json, "seed");
  if (!seed.is_count()) columns_damaged("\"seed\" is no whole number");
  out.seed = seed.count();
  out.missing = static_cast<MissingRule>(position_of(kMissingRules, member(json, "missing")));
  out.scale_reason = text_member(json, "scale_reason");
  if (json.contains("key")) out.key = text_member(json, "key");
  const Json& features = member(json, "features");
  if (!features.is_array() || static_cast<Index>(features.size()) != dim) {
    columns_damaged("there is not one description per feature");
  }
  const ReadFeaturePieces atoms("columns.atoms", dim, 4, file);
  const ReadFeaturePieces knots("columns.knots", dim, 2, file);
  const ReadFeaturePieces held("columns.held", product_of_sizes(dim, num_groups), 1, file);
  const std::vector<double> ranges = file.doubles("columns.ranges", {dim, num_groups, 2});
  for (Index j = 0; j < dim; ++j) {
    Feature feature = feature_from(features[static_cast<std::size_t>(j)]);
    read_atoms(feature, atoms.piece(j));
    read_knots(feature, knots.piece(j));
    for (Index m = 0; m < num_groups; ++m) {
      const Index k = j * num_groups + m;
      read_held(feature, held.piece(k), {ranges[2 * k], ranges[2 * k + 1]});
    }
    out.features.push_back(std::move(feature));
  }
  const Json& carried = member(json, "carried");
  if (!carried.is_array()) columns_damaged("\"carried\" is no list");
  for (const Json& column : carried.items()) {
    out.carried.push_back({text_member(column, "name"), text_member(column, "why")});
  }
  out.expected = read_expected("columns.", num_groups, width, file);
  // Files of the first releases with columns do not know it.
  out.shared = file.has("columns.shared_mean")
                   ? std::move(read_expected("columns.shared_", 1, width, file).front())
                   : common_expectation(out.expected);
  return out;
}

}  // namespace conflux
