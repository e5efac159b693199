#include "conflux/options/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "conflux/core/error.h"
#include "options/method_settings.h"
#include "options/option_table.h"
#include "options/option_text.h"

namespace conflux {

namespace {

void check_range(const OptionInfo& info, double value) {
  const bool low = info.above_min ? !(value > info.min) : !(value >= info.min);
  if (!low && value <= info.max) return;
  throw InvalidOption(
      fmt::format("{} is {}; choose a value {} {:g}{}.", info.name, value,
                  info.above_min ? "above" : "of at least", info.min,
                  std::isinf(info.max) ? "" : fmt::format(" and at most {:g}", info.max)));
}

struct RangeCheck {
  template <class T>
  void operator()(const OptionInfo& info, const T& value) const {
    if constexpr (std::is_arithmetic_v<T> && !std::is_same_v<T, bool>) {
      check_range(info, static_cast<double>(value));
    }
  }
  template <class T>
  void operator()(const OptionInfo& info, const std::optional<T>& value) const {
    if (value) (*this)(info, *value);
  }
  void operator()(const OptionInfo& info, const RowLimit& limit) const {
    if (!limit.all()) check_range(info, static_cast<double>(limit.rows));
  }
  void operator()(const OptionInfo& info, const GroupWeights& weights) const {
    for (const double value : weights.list) check_range(info, value);
  }
};

}  // namespace

std::optional<ImageShape> parse_image_shape(const std::string& text, Index dim) {
  if (text.empty()) return std::nullopt;
  std::vector<Index> sizes;
  const char* at = text.data();
  const char* const end = at + text.size();
  for (bool more = true; more;) {
    const auto [next, error] = std::from_chars(at, end, sizes.emplace_back());
    more = error == std::errc() && sizes.back() > 0 && next != end && *next == 'x';
    at = error == std::errc() && sizes.back() > 0 ? next + (more ? 1 : 0) : text.data();
  }
  double values = 1;
  for (const Index size : sizes) values *= static_cast<double>(size);
  if (at != end || sizes.size() < 2 || sizes.size() > 3) {
    throw InvalidOption(
        fmt::format("image is \"{}\"; give HEIGHTxWIDTH or HEIGHTxWIDTHxCHANNELS.", text));
  }
  if (values != static_cast<double>(dim)) {
    throw InvalidOption(fmt::format("image is {} but rows have {} columns; the product must be {}.",
                                    text, dim, dim));
  }
  return ImageShape{sizes[0], sizes[1], sizes.size() == 3 ? sizes[2] : 1};
}

std::string with_numbers(std::string_view text, std::initializer_list<double> numbers) {
  std::string out;
  for (const double number : numbers) {
    const std::size_t at = text.find("{}");
    out += text.substr(0, at);
    std::string digits = fmt::format("{}", number);
    if (const auto zero = digits.find("e-0"); zero != std::string::npos) digits.erase(zero + 2, 1);
    out += digits;
    text.remove_prefix(at + 2);
  }
  return out.append(text);
}

FitOptions paper_options(Method method, Index num_groups) {
  if (method == Method::kAuto || method == Method::kCascade) method = Method::kInb;
  const MethodInfo& info = method_info(method);
  FitOptions options;
  options.method = method;
  options.layers = 15;
  options.search_steps = 200;
  options.polar_steps = false;
  options.inner_steps = 0;
  options.search_rows = Index{1} << 32;
  options.split = num_groups == 2 ? Split::kRandomHalf : Split::kFixedHalf;
  options.estimator = Estimator::kHistogram;
  options.grid = 100;
  options.strength = 1;
  options.validation_fraction = 0;
  options.gate = Gating::kNone;
  options.fit_rows = RowLimit();
  options = without_ignored(options);
  set_all(options, info.paper);
  set_all(options, num_groups == 2 ? info.paper_two : info.paper_many);
  set_all(options, info.fixes);
  return options;
}

void validate(const FitOptions& options) { visit_options(options, RangeCheck{}); }

}  // namespace conflux
