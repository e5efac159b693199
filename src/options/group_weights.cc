#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>

#include "conflux/core/error.h"
#include "conflux/options/options.h"

namespace conflux {

namespace {

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

}  // namespace

std::string to_text(const GroupWeights& weights) {
  switch (weights.kind) {
    case GroupWeights::Kind::kUniform:
      return "uniform";
    case GroupWeights::Kind::kSize:
      return "size";
    case GroupWeights::Kind::kList:
      break;
  }
  return fmt::format("{}", fmt::join(weights.list, ","));
}

GroupWeights parse_group_weights(std::string_view text) {
  const std::string_view whole = trimmed(text);
  if (whole == "uniform") return GroupWeights();
  if (whole == "size") return GroupWeights(GroupWeights::Kind::kSize);
  std::vector<double> list;
  for (std::size_t begin = 0; begin <= whole.size();) {
    const std::size_t end = std::min(whole.find(',', begin), whole.size());
    const std::string_view part = trimmed(whole.substr(begin, end - begin));
    double value = 0;
    const auto [last, error] = std::from_chars(part.data(), part.data() + part.size(), value);
    if (part.empty() || error != std::errc() || last != part.data() + part.size()) {
      throw InvalidOption(fmt::format(
          "weights is \"{}\"; choose uniform, size, or one number per group as in 1,2,0.5.", text));
    }
    list.push_back(value);
    begin = end + 1;
  }
  return list;
}

std::vector<double> normalized_weights(const GroupWeights& weights,
                                       const std::vector<Index>& group_sizes) {
  std::vector<double> out = weights.list;
  if (weights.kind == GroupWeights::Kind::kUniform) out.assign(group_sizes.size(), 1.0);
  if (weights.kind == GroupWeights::Kind::kSize) out.assign(group_sizes.begin(), group_sizes.end());
  if (out.size() != group_sizes.size()) {
    throw InvalidOption(fmt::format("weights has {} {} but there are {} groups; give one each.",
                                    out.size(), out.size() == 1 ? "entry" : "entries",
                                    group_sizes.size()));
  }
  double sum = std::accumulate(out.begin(), out.end(), 0.0);
  const double largest = *std::max_element(out.begin(), out.end());
  if (std::isinf(sum) && std::isfinite(largest)) {
    // Only the proportions count: divided by the largest, the sum is a number again.
    for (double& weight : out) weight /= largest;
    sum = std::accumulate(out.begin(), out.end(), 0.0);
  }
  if (!(sum > 0) || !std::isfinite(sum)) {
    throw InvalidOption("weights has no positive entry; give at least one group some weight.");
  }
  for (double& weight : out) weight /= sum;
  return out;
}

}  // namespace conflux
