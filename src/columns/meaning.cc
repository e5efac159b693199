#include "columns/meaning.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>

#include "columns/cells.h"
#include "columns/missing_codes.h"
#include "columns/subject_columns.h"
#include "conflux/core/error.h"
#include "core/nearest_name.h"
#include "tables/number_text.h"

namespace conflux {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// A text with more values than this identifies subjects rather than classes.
constexpr std::size_t kMostCategories = 50;
// Each of them has to describe several rows.
constexpr double kRowsPerCategory = 5;
// A column with this share of numbers is one of numbers, in which another text is a mistake.
constexpr double kMostlyNumbers = 0.8;
// Decimal numbers that repeat at least this often lie on a grid by intent, not by rounding.
constexpr double kGridShare = 0.2;
// Rows that must share a value to make it an atom, at least and as a share of a group.
constexpr double kAtomRows = 5;
constexpr double kAtomShare = 0.005;
// A feature with decimals is scaled for its atoms only if they are at least so large: the cells of
// its decimals spread smaller ones enough.
constexpr double kGridAtomShare = 0.02;
// Width of the cell of an atom among other numbers, in spreads, and of all such cells together.
// Narrower cells would hold fewer digits of where a number lies that a flow has moved into them;
// wider ones would make values of the shared space unlike those of the data.
constexpr double kCell = 1e-3;
constexpr double kAllCells = 0.2;
// Width of the cell of an atom beyond the edge of the support, in spreads.
constexpr double kEdgeCell = 0.01;
// With fewer rows it is no wonder that all of them differ.
constexpr Index kFewRows = 20;

// A double has 16 digits: where all values lie further from 0 than so many spreads, the tenth digit
// of the spread is lost on the way there and back.
constexpr double kLargestOffset = 1e6;
// Sums of fourth powers stay within the range of double.
constexpr double kLargest = 1e70;
// Whole numbers up to here are exact; beyond 64 bits, numbers are measured and not counted.
constexpr double kLargestExact = 0x1p53;
constexpr double kLargestInteger = 0x1p64;

constexpr std::string_view kArcsinh = "arcsinh";

std::string word_for(const std::vector<std::pair<std::string, std::string>>& words,
                     const std::string& name) {
  std::string out;
  for (const auto& [column, word] : words) {
    if (column == name) out = word;
  }
  return out;
}

void check_word(const std::string& word, const std::string& name) {
  const std::vector<std::string> known = {"", "number", "whole", "repeated", "category", "ignore"};
  if (std::find(known.begin(), known.end(), word) != known.end()) return;
  if (word.starts_with(kArcsinh)) return;
  throw InvalidOption(
      fmt::format("column \"{}\" cannot be used as \"{}\"; say number, whole, repeated, category, "
                  "arcsinh:5 or ignore.",
                  name, word));
}

// The cofactor of a column, 0 without one.
double cofactor_of(const std::string& word, const std::string& name, double usual) {
  if (word.empty()) return usual;
  if (!word.starts_with(kArcsinh)) return 0;
  double out = 0;
  const std::string_view number = std::string_view(word).substr(kArcsinh.size());
  if (number.starts_with(':') && parse_number(number.substr(1), out) && out > 0 &&
      std::isfinite(out)) {
    return out;
  }
  throw InvalidOption(fmt::format(
      "column \"{}\" is to be used as \"{}\"; give the cofactor behind a colon: arcsinh:5 is usual "
      "for mass cytometry, arcsinh:150 for fluorescence.",
      name, word));
}

// ---- texts

void refuse_text(const Table& table, const Column& column, Index row) {
  throw InvalidData(fmt::format(
      "{}, column \"{}\": \"{}\" is not a number, but nearly all other cells are; correct "
      "the cell, leave it empty if it is missing, or say --as {}=category or {}=ignore.",
      table.place(row), column.name, column.text[row], column.name, column.name));
}

struct TextFacts {
  std::unordered_map<std::string, Index> counts;
  Index there = 0;
  Index numbers = 0;
  Index first_text = -1;  // row of the first cell that is no number
};

TextFacts text_facts(const Column& column) {
  TextFacts out;
  // Cells repeat: what one is has to be found out once.
  struct Known {
    Index first = 0;
    Index count = 0;
  };
  std::unordered_map<std::string, Known> known;
  for (Index i = 0; i < column.size(); ++i) {
    const auto place = static_cast<std::size_t>(i);
    const auto [cell, is_new] = column.numeric() ? known.try_emplace(cell_text(column, i), Known{i})
                                                 : known.try_emplace(column.text[place], Known{i});
    ++cell->second.count;
  }
  for (const auto& [cell, rows] : known) {
    if (is_missing(cell)) continue;
    out.there += rows.count;
    out.counts[cell] = rows.count;
    double ignored = 0;
    if (parse_number(cell, ignored)) {
      out.numbers += rows.count;
    } else if (out.first_text < 0 || rows.first < out.first_text) {
      out.first_text = rows.first;
    }
  }
  return out;
}

std::string why_text_is_carried(const TextFacts& facts) {
  const auto different = facts.counts.size();
  if (different == 0) return "because it is empty";
  if (different == 1) return "because all rows have the same text";
  if (facts.there >= kFewRows && static_cast<Index>(different) == facts.there) {
    return hinted("because every row has a text of its own", facts.counts);
  }
  const bool few =
      different <= kMostCategories &&
      kRowsPerCategory * static_cast<double>(different) <= static_cast<double>(facts.there);
  return few ? "" : hinted(fmt::format("a text with {} different values", different), facts.counts);
}

// The most frequent category comes first; ties in the order of their names.
std::vector<std::string> ordered_categories(const TextFacts& facts) {
  std::vector<std::pair<std::string, Index>> counts(facts.counts.begin(), facts.counts.end());
  std::sort(counts.begin(), counts.end(), [](const auto& a, const auto& b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });
  std::vector<std::string> out;
  out.reserve(counts.size());
  for (const auto& [text, count] : counts) out.push_back(text);
  return out;
}

void describe_category(Meaning& meaning, const Column& column, const TextFacts& facts) {
  Feature& feature = meaning.feature;
  feature.kind = FeatureKind::kCategory;
  feature.decimals = 0;
  feature.categories = ordered_categories(facts);
  std::unordered_map<std::string, double> codes;
  for (std::size_t k = 0; k < feature.categories.size(); ++k) {
    codes[feature.categories[k]] = static_cast<double>(k);
  }
  for (Index i = 0; i < column.size(); ++i) {
    const auto code = column.numeric() ? codes.find(cell_text(column, i))
                                       : codes.find(column.text[static_cast<std::size_t>(i)]);
    meaning.values.push_back(code == codes.end() ? kNan : code->second);
  }
}

// ---- numbers

bool names_rows(const std::string& name) {
  const std::string lower = lower_case(name);
  return names_subjects(name) || lower.empty() || lower == "index" || lower == "key" ||
         lower.starts_with("unnamed") || lower == "rownames" || lower == "row";
}

// Why the file itself marks a column as no feature; empty if it does not.
std::string why_file_carries(const Table& table, const std::string& name) {
  return table.extras ? word_for(table.extras->carried, name) : "";
}

// A column of subjects measured repeatedly has fewer values than rows, but still many.
bool many_values(const ValueFacts& facts) {
  std::set<double> values;
  for (const std::vector<double>& sorted : facts.sorted) {
    values.insert(sorted.begin(), sorted.end());
    if (values.size() > kMostCategories) return true;
  }
  return false;
}

std::string why_number_is_carried(const std::string& name, const ValueFacts& facts, Index rows) {
  const Index there = rows - facts.missing;
  if (there == 0) return "because it is empty";
  if (facts.range.low == facts.range.high) {
    return fmt::format("because it is {:g} in every row", facts.range.low);
  }
  if (facts.decimals != 0 || there < kFewRows) return "";
  const bool counts_rows = facts.range.high - facts.range.low + 1 == static_cast<double>(there);
  if (facts.all_different && (counts_rows || names_rows(name)))
    return "because it numbers the rows";
  return names_subjects(name) && many_values(facts) ? "because its values name subjects" : "";
}

// Numbers that cannot come back to 1e-9 of their spread, or at all. Empty for all others.
std::string why_digits_are_lost(const ValueFacts& facts) {
  const auto [low, high] = facts.range;
  const double largest = std::max(std::abs(low), std::abs(high));
  if (largest > kLargest) {
    return fmt::format(
        "because it reaches {:.3g}, whose fourth power no number holds; divide it to align it",
        std::abs(high) >= std::abs(low) ? high : low);
  }
  if (high > low && high - low < 1 / kLargest) {
    return fmt::format(
        "because it spreads by {:.3g}, whose fourth power no number holds; multiply it to align it",
        high - low);
  }
  const bool whole = std::all_of(facts.sorted.begin(), facts.sorted.end(), [](const auto& sorted) {
    return std::all_of(sorted.begin(), sorted.end(),
                       [](double value) { return std::floor(value) == value; });
  });
  if (whole && largest > kLargestExact && largest < kLargestInteger) {
    return fmt::format(
        "because it holds whole numbers up to {:.17g}, beyond 2^53, whose last digits a number "
        "loses; subtract or divide to align it",
        largest);
  }
  // How far all values are from 0.
  const double offset = std::max({low, -high, 0.0});
  const double spread = deviation(facts);
  if (!(offset > kLargestOffset * spread) || !(spread > 0)) return "";
  return fmt::format(
      "because it spreads by {:.3g} around {:.3g}, more digits than a number holds; subtract "
      "{:.0g} to align it",
      spread, low + 0.5 * (high - low), low);
}

double parse_bound(const std::string& text, double missing, const std::string& name) {
  if (text.empty()) return missing;
  double value = 0;
  if (parse_number(text, value)) return value;
  throw InvalidOption(fmt::format(
      "the support of \"{}\" has the bound \"{}\"; give a number, say 0:100.", name, text));
}

Interval parse_support(const std::string& word, const std::string& name) {
  if (word == "any") return {};
  if (word == "positive") return {0, kInfinity};
  if (word == "unit") return {0, 1};
  const std::size_t colon = word.find(':');
  if (colon == std::string::npos) {
    throw InvalidOption(fmt::format(
        "the support of \"{}\" is \"{}\"; say any, positive, unit, or LOW:HIGH.", name, word));
  }
  return {parse_bound(word.substr(0, colon), -kInfinity, name),
          parse_bound(word.substr(colon + 1), kInfinity, name)};
}

void set_support(Meaning& meaning, const Table& table, const std::string& word) {
  Feature& feature = meaning.feature;
  const Interval& range = meaning.facts.range;
  if (word.empty()) {
    if (range.low >= 0) feature.support.low = 0;
    if (range.low >= 0 && range.high <= 1) feature.support.high = 1;
    return;
  }
  feature.support = parse_support(word, feature.name);
  if (feature.support.contains(range.low) && feature.support.contains(range.high)) return;
  throw InvalidData(fmt::format(
      "{}: column \"{}\" goes from {:g} to {:g}, which its support {} does not allow; correct the "
      "data or the support.",
      table.source, feature.name, range.low, range.high, word));
}

// Half a unit on either side.
void set_cells_of_grid(Feature& feature) {
  const double half = 0.5 * std::pow(10.0, -feature.decimals);
  double end = -kInfinity;
  for (Atom& atom : feature.atoms) {
    // Neighbors on a grid of tenths may overlap by a rounding error.
    atom.cell = {std::max(atom.value - half, end), atom.value + half};
    end = atom.cell.high;
  }
}

// Each cell pushes the numbers above it aside; one at the lower edge of the support those below.
void set_cells_among_numbers(Feature& feature, double spread) {
  const auto count = static_cast<double>(feature.atoms.size());
  const double largest =
      std::max(std::abs(feature.atoms.front().value), std::abs(feature.atoms.back().value));
  const double width = std::max(std::min(kCell, kAllCells / count) * spread, 1e-12 * largest);
  double pushed = 0;
  for (Atom& atom : feature.atoms) {
    const double begin = atom.value + pushed;
    if (atom.value == feature.support.low) {
      atom.cell = {begin - kEdgeCell * spread, begin};
    } else {
      atom.cell = {begin,
                   begin + (atom.value == feature.support.high ? kEdgeCell * spread : width)};
    }
    pushed = atom.cell.high - atom.value;
  }
  feature.makes_room = true;
}

void set_atoms(Meaning& meaning) {
  Feature& feature = meaning.feature;
  const ValueFacts& facts = meaning.facts;
  double spread = spread_within_groups(facts);
  if (!(spread > 0)) spread = std::max(facts.range.high - facts.range.low, 0.0);
  if (!(spread > 0)) spread = 1;
  for (const ValueShare& repeated : facts.repeated) {
    double rows = 0;
    for (std::size_t m = 0; m < facts.sorted.size(); ++m) {
      rows = std::max(rows, repeated.shares[m] * static_cast<double>(facts.sorted[m].size()));
    }
    const double share = repeated.largest();
    const bool grid = feature.decimals >= 0;
    if (grid ? share < kGridAtomShare && !feature.category()
             : share < kAtomShare || rows < kAtomRows) {
      continue;
    }
    feature.atoms.push_back({repeated.value, {}, share});
  }
  if (feature.atoms.empty()) return;
  if (feature.decimals >= 0) {
    set_cells_of_grid(feature);
  } else {
    set_cells_among_numbers(feature, spread);
  }
}

void describe_number(Meaning& meaning, const std::string& word, Repeats repeats) {
  Feature& feature = meaning.feature;
  const ValueFacts& facts = meaning.facts;
  if (word == "number" || repeats == Repeats::kKeep) return;
  const bool whole = facts.decimals == 0;
  const bool grid = facts.decimals > 0 && facts.repeated_share >= kGridShare;
  if (word != "repeated" && (whole || grid || (word == "whole" && facts.decimals >= 0))) {
    feature.kind = FeatureKind::kWhole;
    feature.decimals = facts.decimals;
  }
  set_atoms(meaning);
  if (feature.decimals < 0 && !feature.atoms.empty()) feature.kind = FeatureKind::kRepeated;
}

void take_out_codes(Meaning& meaning) {
  Feature& feature = meaning.feature;
  feature.missing_codes = find_missing_codes(meaning.values);
  if (feature.missing_codes.empty()) return;
  for (double& value : meaning.values) {
    if (feature.is_missing_code(value)) value = kNan;
  }
}

}  // namespace

bool Meaning::only_repeated() const {
  constexpr double kNearlyAll = 0.98;
  return feature.kind != FeatureKind::kNumber && facts.repeated_share >= kNearlyAll;
}

double Meaning::largest_share() const {
  double out = 0;
  for (const ValueShare& repeated : facts.repeated) out = std::max(out, repeated.largest());
  return out;
}

Meaning meaning_of(const Table& table, const Column& column, std::span<const Index> groups,
                   Index num_groups, const ColumnOptions& options) {
  Meaning out;
  out.feature.name = column.name;
  const std::string word = word_for(options.as, column.name);
  check_word(word, column.name);
  const bool asked = std::find(options.features.begin(), options.features.end(), column.name) !=
                     options.features.end();
  if (word == "ignore") out.why_carried = "as asked for";
  if (word.empty() && !asked) out.why_carried = why_file_carries(table, column.name);
  if (!out.why_carried.empty()) return out;
  if (!column.numeric() || word == "category") {
    const TextFacts facts = text_facts(column);
    const bool mistake =
        !column.numeric() && facts.first_text >= 0 &&
        static_cast<double>(facts.numbers) > kMostlyNumbers * static_cast<double>(facts.there);
    const bool number_wanted = !word.empty() && word != "category";
    if (facts.first_text >= 0 && ((mistake && word != "category") || number_wanted)) {
      refuse_text(table, column, facts.first_text);
    }
    if (word != "category" && !asked) out.why_carried = why_text_is_carried(facts);
    if (!out.why_carried.empty()) return out;
    describe_category(out, column, facts);
    out.facts = value_facts(out.values, groups, num_groups);
    set_atoms(out);
    return out;
  }
  for (Index i = 0; i < column.size(); ++i) refuse_infinity(table, column, i, column.numbers[i]);
  out.values = column.numbers;
  if (options.missing != MissingRule::kEmpty) take_out_codes(out);
  out.facts = value_facts(out.values, groups, num_groups);
  if (word.empty() && !asked) {
    out.why_carried = why_number_is_carried(column.name, out.facts, column.size());
  }
  if (!out.why_carried.empty()) return out;
  if (out.facts.missing == column.size()) {
    throw InvalidData(fmt::format("{}: column \"{}\" is empty; leave it out of the features.",
                                  table.source, column.name));
  }
  if (const std::string why = why_digits_are_lost(out.facts); !why.empty()) {
    if (!word.empty() || asked) {
      throw InvalidData(
          fmt::format("{}: column \"{}\" cannot be aligned {}.", table.source, column.name, why));
    }
    out.why_carried = why;
    return out;
  }
  set_support(out, table, word_for(options.support, column.name));
  describe_number(out, word, options.repeats);
  out.feature.cofactor = cofactor_of(word, column.name, options.arcsinh);
  if (out.feature.cofactor > 0) out.curved_facts = curved_facts_of(out.feature, out.facts);
  return out;
}

}  // namespace conflux
