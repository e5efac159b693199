#include "conflux/columns/covariate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <set>

#include "columns/cells.h"
#include "conflux/core/error.h"
#include "tables/number_text.h"

namespace conflux {

namespace {

// A number is smooth by itself if it has so many different values in so many rows.
constexpr std::size_t kValuesOfSmooth = 10;
constexpr std::size_t kRowsOfSmooth = 100;
// Where the knots of a spline are, as fractions of the rows.
constexpr double kKnotsAt[] = {0.05, 0.275, 0.5, 0.725, 0.95};
constexpr Index kMostHarmonics = 2;
constexpr std::size_t kMostKeptCategories = 100;

// Periods that a column's name tells.
const std::map<std::string, double>& known_periods() {
  static const std::map<std::string, double> periods = {
      {"month", 12},         {"hour", 24},     {"weekday", 7},
      {"day_of_week", 7},    {"dayofweek", 7}, {"day_of_year", 365.25},
      {"dayofyear", 365.25}, {"yday", 365.25}, {"minute", 60},
      {"second", 60},        {"angle", 360},   {"direction", 360},
      {"longitude", 360},    {"quarter", 4},   {"season", 4},
      {"week", 52.1786}};
  return periods;
}

double period_of(const KeptColumn& kept) {
  const std::string given = kept.word.size() > 7 ? kept.word.substr(7) : "";
  double out = 0;
  if (!given.empty()) {
    if (parse_number(given, out) && out > 0 && std::isfinite(out)) return out;
    throw InvalidOption(
        fmt::format("the period of column \"{}\" is \"{}\"; give a number above zero, say "
                    "{}:cyclic:24.",
                    kept.name, given, kept.name));
  }
  const auto known = known_periods().find(lower_case(kept.name));
  if (known != known_periods().end()) return known->second;
  throw InvalidOption(fmt::format(
      "the period of the cyclic column \"{0}\" is not known; give it, say {0}:cyclic:24.",
      kept.name));
}

std::vector<double> numbers_there(const Column& column) {
  std::vector<double> out;
  for (const double value : column.numbers) {
    if (!std::isnan(value)) out.push_back(value);
  }
  std::sort(out.begin(), out.end());
  return out;
}

// Increasing, at least three; empty if the values lie in too few places.
std::vector<double> knots_of(const std::vector<double>& sorted) {
  std::vector<double> out;
  for (const double at : kKnotsAt) {
    const double place = at * static_cast<double>(sorted.size() - 1);
    const double knot = sorted[static_cast<std::size_t>(std::lround(place))];
    if (out.empty() || knot > out.back()) out.push_back(knot);
  }
  if (out.size() < 3) out.clear();
  return out;
}

double cubed(double x) { return x > 0 ? x * x * x : 0; }

// The natural cubic spline of Hastie, Tibshirani and Friedman (section 5.2.1), in units of the
// distance between the outer knots.
void spline(const std::vector<double>& knots, double value, double* out) {
  const double first = knots.front(), length = knots.back() - first;
  const std::size_t last = knots.size() - 1;
  const double x = (value - first) / length;
  const auto at = [&](std::size_t k) { return (knots[k] - first) / length; };
  const auto bend = [&](std::size_t k) { return (cubed(x - at(k)) - cubed(x - 1)) / (1 - at(k)); };
  out[0] = x;
  for (std::size_t k = 0; k + 1 < last; ++k) out[k + 1] = bend(k) - bend(last - 1);
}

std::vector<std::string> categories_of(const Column& column) {
  std::map<std::string, Index> counts;
  for (Index i = 0; i < column.size(); ++i) {
    const std::string text = cell_text(column, i);
    if (!is_missing(text)) ++counts[text];
  }
  if (counts.size() > kMostKeptCategories) {
    throw InvalidData(fmt::format(
        "column \"{}\" has {} different values, too many for a category that is kept (at most "
        "{}); join some, or keep a number.",
        column.name, counts.size(), kMostKeptCategories));
  }
  std::vector<std::pair<Index, std::string>> order;
  order.reserve(counts.size());
  for (const auto& [text, count] : counts) order.emplace_back(-count, text);
  std::stable_sort(order.begin(), order.end());
  std::vector<std::string> out;
  out.reserve(order.size());
  for (auto& each : order) out.push_back(std::move(each.second));
  return out;
}

void refuse_constant(const Column& column, std::size_t values) {
  if (values > 1) return;
  throw InvalidData(fmt::format("column \"{}\" is to be kept but {}; leave it out of what is kept.",
                                column.name,
                                values == 0 ? "has no values" : "is the same in all rows"));
}

CovariateKind kind_of(const Column& column, const KeptColumn& kept) {
  const std::string& word = kept.word;
  if (word == "category") return CovariateKind::kCategory;
  const bool cyclic = word == "cyclic" || word.starts_with("cyclic:");
  if (!word.empty() && word != "linear" && word != "smooth" && !cyclic) {
    throw InvalidOption(
        fmt::format("column \"{}\" cannot be kept as \"{}\"; choose linear, smooth, cyclic, "
                    "cyclic:PERIOD or category.",
                    kept.name, word));
  }
  if (!column.numeric()) {
    if (word.empty()) return CovariateKind::kCategory;
    throw InvalidOption(fmt::format(
        "column \"{}\" holds text and cannot be kept as {}; write numbers, or keep it as a "
        "category.",
        kept.name, word));
  }
  if (cyclic) return CovariateKind::kCyclic;
  if (word == "smooth") return CovariateKind::kSmooth;
  return CovariateKind::kLinear;
}

void find_shape(const Column& column, const KeptColumn& kept, Covariate& out) {
  if (out.category()) {
    out.categories = categories_of(column);
    return refuse_constant(column, out.categories.size());
  }
  const std::vector<double> sorted = numbers_there(column);
  for (const double value : sorted) {
    if (std::isfinite(value)) continue;
    throw InvalidData(
        fmt::format("column \"{}\" is to be kept but has an infinite value; correct "
                    "it, or leave the row out.",
                    column.name));
  }
  const std::size_t values = std::set<double>(sorted.begin(), sorted.end()).size();
  refuse_constant(column, values);
  if (out.kind == CovariateKind::kCyclic) {
    out.period = period_of(kept);
    out.harmonics = std::clamp<Index>(static_cast<Index>(values - 1) / 2, 1, kMostHarmonics);
    return;
  }
  const bool may_bend =
      kept.word.empty() && values >= kValuesOfSmooth && sorted.size() >= kRowsOfSmooth;
  if (out.kind == CovariateKind::kSmooth || may_bend) out.knots = knots_of(sorted);
  out.kind = out.knots.empty() ? CovariateKind::kLinear : CovariateKind::kSmooth;
}

void standardize(const Table& table, const Column& column, Covariate& out) {
  const auto width = static_cast<std::size_t>(out.width());
  std::vector<double> sums(width, 0.0), counts(width, 0.0), row(width);
  std::vector<double> squares(width, 0.0);
  out.centers.assign(width, 0.0);
  out.scales.assign(width, 1.0);
  const auto each = [&](const auto& use) {
    for (Index i = 0; i < column.size(); ++i) {
      out.coordinates(table, column, i, row.data());
      for (std::size_t k = 0; k < width; ++k) {
        if (!std::isnan(row[k])) use(k, row[k]);
      }
    }
  };
  each([&](std::size_t k, double value) {
    sums[k] += value;
    counts[k] += 1;
  });
  std::vector<double> means(width);
  for (std::size_t k = 0; k < width; ++k) means[k] = sums[k] / std::max(1.0, counts[k]);
  each([&](std::size_t k, double value) { squares[k] += std::pow(value - means[k], 2); });
  out.centers = means;
  for (std::size_t k = 0; k < width; ++k) {
    const double deviation = std::sqrt(squares[k] / std::max(1.0, counts[k]));
    if (deviation > 0) out.scales[k] = deviation;
  }
}

}  // namespace

Index Covariate::width() const {
  const Index missing = tells_missing ? 1 : 0;
  switch (kind) {
    case CovariateKind::kLinear:
      return 1 + missing;
    case CovariateKind::kSmooth:
      return static_cast<Index>(knots.size()) - 1 + missing;
    case CovariateKind::kCyclic:
      return 2 * harmonics + missing;
    case CovariateKind::kCategory:
      break;
  }
  return static_cast<Index>(categories.size()) - 1 + missing;
}

std::vector<std::string> Covariate::coordinate_names() const {
  std::vector<std::string> out;
  const Index own = width() - (tells_missing ? 1 : 0);
  for (Index k = 0; k < own; ++k) {
    if (category()) {
      out.push_back(fmt::format("{}={}", name, categories[static_cast<std::size_t>(k) + 1]));
    } else {
      out.push_back(k == 0 ? name : fmt::format("{} ({})", name, k + 1));
    }
  }
  if (tells_missing) out.push_back(name + " missing");
  return out;
}

std::string Covariate::describe() const {
  const char* missing = tells_missing ? ", missing as a category" : "";
  switch (kind) {
    case CovariateKind::kLinear:
      return fmt::format("kept; a number with a linear effect{}", missing);
    case CovariateKind::kSmooth:
      return fmt::format("kept; a number with a smooth effect (spline of {} knots){}", knots.size(),
                         missing);
    case CovariateKind::kCyclic:
      return fmt::format("kept; a cyclic number of period {:g}{}", period, missing);
    case CovariateKind::kCategory:
      break;
  }
  return fmt::format("kept; {} categories{}", categories.size(), missing);
}

bool Covariate::knows(const Column& column, Index row) const {
  if (!category()) return !std::isnan(column.numbers[static_cast<std::size_t>(row)]);
  const std::string text = cell_text(column, row);
  return std::find(categories.begin(), categories.end(), text) != categories.end();
}

void Covariate::coordinates(const Table& table, const Column& column, Index row,
                            double* out) const {
  const Index own = width() - (tells_missing ? 1 : 0);
  const bool known = knows(column, row);
  if (tells_missing) out[own] = known ? 0 : 1;
  if (!known) {
    std::fill_n(out, own, kNan);
  } else if (category()) {
    const std::string text = cell_text(column, row);
    for (Index k = 0; k < own; ++k) {
      out[k] = categories[static_cast<std::size_t>(k) + 1] == text ? 1 : 0;
    }
  } else {
    const double value = column.numbers[static_cast<std::size_t>(row)];
    refuse_infinity(table, column, row, value);
    if (kind == CovariateKind::kLinear) out[0] = value;
    if (kind == CovariateKind::kSmooth) spline(knots, value, out);
    for (Index k = 0; k < harmonics; ++k) {
      const double phase =
          2 * std::numbers::pi * static_cast<double>(k + 1) * std::fmod(value, period) / period;
      out[2 * k] = std::sin(phase);
      out[2 * k + 1] = std::cos(phase);
    }
  }
  for (Index k = 0; k < width(); ++k) {
    out[k] = (out[k] - centers[static_cast<std::size_t>(k)]) / scales[static_cast<std::size_t>(k)];
  }
}

KeptColumn kept_column(const std::string& text, const std::vector<std::string>& columns) {
  if (std::find(columns.begin(), columns.end(), text) != columns.end()) return {text};
  for (std::size_t at = text.rfind(':'); at != text.npos && at > 0; at = text.rfind(':', at - 1)) {
    const std::string name = text.substr(0, at);
    if (std::find(columns.begin(), columns.end(), name) != columns.end()) {
      return {name, text.substr(at + 1)};
    }
  }
  return {text.substr(0, text.find(':'))};
}

Covariate find_covariate(const Table& table, const KeptColumn& kept) {
  const Column& column = table[kept.name];
  Covariate out{.name = kept.name, .kind = kind_of(column, kept)};
  find_shape(column, kept, out);
  for (Index i = 0; i < column.size() && !out.tells_missing; ++i) {
    out.tells_missing = !out.knows(column, i);
  }
  if (out.kind == CovariateKind::kLinear || out.kind == CovariateKind::kSmooth) {
    for (const double value : column.numbers) {
      if (std::isnan(value)) continue;
      out.low = std::min(out.low.value_or(value), value);
      out.high = std::max(out.high.value_or(value), value);
    }
  }
  standardize(table, column, out);
  return out;
}

bool Covariate::beyond(const Column& column, Index row) const {
  if (!low || !high || !column.numeric()) return false;
  const double value = column.numbers[static_cast<std::size_t>(row)];
  return value < *low || value > *high;
}

}  // namespace conflux
