#include "tables/fcs_channels.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>

#include "conflux/core/error.h"
#include "kernels/dense.h"
#include "tables/number_text.h"
#include "tables/table_format.h"

namespace conflux {

namespace {

constexpr std::string_view kRemedy = "the file is damaged or no FCS: copy or export it again.";
// A spillover matrix whose reciprocal condition is below this has no inverse but for rounding.
constexpr double kLeastCondition = 1e-14;

std::optional<double> number_in(const std::string* text) {
  double value = 0;
  if (text == nullptr || !parse_number(*text, value) || !std::isfinite(value)) return std::nullopt;
  return value;
}

std::string trimmed(const std::string* text) {
  return text == nullptr ? std::string() : std::string(without_blanks(*text));
}

[[noreturn]] void refuse_keyword(const std::string& name, const std::string& keyword,
                                 const std::string* value, std::string_view wanted) {
  throw InvalidData(value == nullptr
                        ? fmt::format("{}: the keyword {} is missing; {}", name, keyword, kRemedy)
                        : fmt::format("{}: {} is \"{}\", not {}; {}", name, keyword, shown(*value),
                                      wanted, kRemedy));
}

std::size_t bytes_of_value(const FcsText& text, Index k, char type, const std::string& name) {
  const std::string keyword = channel_keyword(k, "B");
  if (type == 'F') return 4;
  if (type == 'D') return 8;
  const std::uint64_t bits = whole_keyword(text, keyword, std::nullopt, name);
  if (bits == 0 || bits > 64 || bits % 8 != 0) {
    throw InvalidData(fmt::format(
        "{}: {} is {} bits; whole numbers of 8, 16, 24 ... 64 bits can be read: export the file as "
        "FCS 3.1 with floating-point values.",
        name, keyword, bits));
  }
  return bits / 8;
}

// All bits below the next power of two of the range.
std::uint64_t mask_of(double range, std::size_t bytes) {
  const int bits = static_cast<int>(8 * bytes);
  const double power = std::max(0.0, std::ceil(std::log2(range)));
  if (!(range > 0) || power >= bits) return bits == 64 ? ~0ull : (1ull << bits) - 1;
  return (1ull << static_cast<int>(power)) - 1;
}

void set_amplification(FcsChannel& channel, const FcsText& text, Index k, const std::string& name) {
  const std::string keyword = channel_keyword(k, "E");
  if (const std::string* value = text.find(keyword); !trimmed(value).empty()) {
    const std::size_t comma = value->find(',');
    double decades = 0, zero = 0;
    const bool pair = comma != value->npos && parse_number(value->substr(0, comma), decades) &&
                      parse_number(value->substr(comma + 1), zero);
    if (!pair || !(decades >= 0) || decades > 300 || !(zero >= 0) || !std::isfinite(zero)) {
      refuse_keyword(name, keyword, value, "two numbers like 4,1");
    }
    channel.decades = decades;
    // 4,0 stands for 4,1: no logarithm begins at zero.
    channel.log_zero = decades > 0 && zero == 0 ? 1 : zero;
  }
  if (channel.decades > 0 && !(channel.range > 0)) {
    refuse_keyword(name, channel_keyword(k, "R"), text.find(channel_keyword(k, "R")),
                   "a range above zero, which logarithmic amplification needs");
  }
  const double gain = number_in(text.find(channel_keyword(k, "G"))).value_or(1);
  if (gain > 0) channel.gain = gain;
  const double step = number_in(text.find("$TIMESTEP")).value_or(1);
  if (channel.clock() && step > 0) channel.step = step;
}

FcsChannel channel_of(const FcsText& text, Index k, char type, const std::string& name) {
  FcsChannel out;
  out.short_name = trimmed(text.find(channel_keyword(k, "N")));
  if (out.short_name.empty()) out.short_name = fmt::format("P{}", k);
  out.long_name = trimmed(text.find(channel_keyword(k, "S")));
  out.bytes = bytes_of_value(text, k, type, name);
  out.range = number_in(text.find(channel_keyword(k, "R"))).value_or(0);
  if (type == 'I') {
    const std::string keyword = channel_keyword(k, "R");
    if (!(out.range > 0)) refuse_keyword(name, keyword, text.find(keyword), "a range above zero");
    out.mask = mask_of(out.range, out.bytes);
  }
  set_amplification(out, text, k, name);
  return out;
}

std::vector<std::string> split_at_commas(const std::string& text) {
  std::vector<std::string> out(1);
  for (const char c : text) {
    if (c == ',') {
      out.emplace_back();
    } else {
      out.back() += c;
    }
  }
  return out;
}

// Channels are named by $PnN; some programs give their numbers instead.
Index spilling_channel(const std::string& given, const std::vector<FcsChannel>& channels) {
  const std::string_view wanted = without_blanks(given);
  for (std::size_t k = 0; k < channels.size(); ++k) {
    if (channels[k].short_name == wanted) return static_cast<Index>(k);
  }
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(wanted.data(), wanted.data() + wanted.size(), number);
  const bool whole = error == std::errc() && end == wanted.data() + wanted.size();
  return whole && number >= 1 && number <= channels.size() ? static_cast<Index>(number - 1) : -1;
}

[[noreturn]] void refuse_spillover(const std::string& name, const std::string& keyword,
                                   const std::string& what) {
  throw InvalidData(fmt::format(
      "{}: the spillover in {} {}; correct it, or read the file without: --fcs uncompensated.",
      name, keyword, what));
}

Compensation parse_spillover(const std::string& keyword, const std::string& value,
                             const std::vector<FcsChannel>& channels, const std::string& name) {
  const std::vector<std::string> fields = split_at_commas(value);
  const double count = number_in(&fields.front()).value_or(0);
  const auto n = static_cast<std::size_t>(std::clamp(count, 0.0, 1e6));
  if (n < 1 || fields.size() != 1 + n + n * n) {
    refuse_spillover(
        name, keyword,
        fmt::format("tells of \"{}\" channels in {} fields", shown(fields.front()), fields.size()));
  }
  Compensation out{keyword, {}, Matrix(n, n)};
  for (std::size_t k = 0; k < n; ++k) {
    const Index channel = spilling_channel(fields[1 + k], channels);
    const bool twice =
        std::find(out.channels.begin(), out.channels.end(), channel) != out.channels.end();
    if (channel < 0 || twice) {
      refuse_spillover(name, keyword,
                       fmt::format("names \"{}\", which is {}", shown(fields[1 + k]),
                                   twice ? "named twice" : "no channel"));
    }
    out.channels.push_back(channel);
  }
  for (std::size_t k = 0; k < n * n; ++k) {
    const auto entry = number_in(&fields[1 + n + k]);
    if (!entry) refuse_spillover(name, keyword, "has an entry that is no number");
    out.undo.data()[k] = *entry;
  }
  return out;
}

}  // namespace

double FcsChannel::measured(double stored) const {
  if (decades > 0) return log_zero * std::pow(10.0, decades * stored / range);
  return (gain == 1 ? stored : stored / gain) * step;
}

std::uint64_t whole_keyword(const FcsText& text, const std::string& keyword,
                            std::optional<std::uint64_t> missing, const std::string& name) {
  const std::string* value = text.find(keyword);
  const std::string digits = trimmed(value);
  if (digits.empty() && missing) return *missing;
  std::uint64_t out = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), out);
  if (digits.empty() || error != std::errc() || end != digits.data() + digits.size()) {
    refuse_keyword(name, keyword, value, "a whole number");
  }
  return out;
}

std::vector<FcsChannel> fcs_channels(const FcsText& text, char type, const std::string& name) {
  const std::uint64_t count = whole_keyword(text, "$PAR", std::nullopt, name);
  // Every channel has keywords of its own.
  if (count == 0 || count > text.all().size() || count > kMostColumns) {
    throw InvalidData(fmt::format("{}: $PAR tells of {} channels, but there are {} keywords; {}",
                                  name, count, text.all().size(), kRemedy));
  }
  std::vector<FcsChannel> out;
  for (Index k = 1; k <= static_cast<Index>(count); ++k) {
    out.push_back(channel_of(text, k, type, name));
  }
  return out;
}

std::vector<std::string> column_names(const std::vector<FcsChannel>& channels, bool short_names,
                                      const std::string& name) {
  std::map<std::string, int> uses;
  for (const FcsChannel& channel : channels) {
    ++uses[channel.short_name];
    if (channel.long_name != channel.short_name) ++uses[channel.long_name];
  }
  std::vector<std::string> out;
  std::map<std::string, Index> known;
  for (const FcsChannel& channel : channels) {
    const bool by_long = !short_names && !channel.long_name.empty() && uses[channel.long_name] == 1;
    out.push_back(by_long ? channel.long_name : channel.short_name);
    const auto [first, is_new] = known.try_emplace(out.back(), static_cast<Index>(out.size()));
    if (is_new) continue;
    throw InvalidData(fmt::format(
        "{}: channels {} and {} are both called \"{}\"; rename one of them ($PnN) and export the "
        "file again.",
        name, first->second, out.size(), out.back()));
  }
  return out;
}

std::optional<Compensation> compensation_of(const FcsText& text,
                                            const std::vector<FcsChannel>& channels,
                                            const std::string& name) {
  for (const std::string keyword : {"$SPILLOVER", "SPILLOVER", "SPILL", "$SPILL"}) {
    const std::string* value = text.find(keyword);
    if (trimmed(value).empty() || trimmed(value) == "0") continue;
    Compensation out = parse_spillover(keyword, *value, channels, name);
    if (out.undo.isIdentity(0)) return std::nullopt;
    std::optional<Matrix> inverse = kernels::inverse(out.undo, kLeastCondition);
    if (!inverse) {
      refuse_spillover(name, keyword, "cannot be undone, because its matrix has no inverse");
    }
    out.undo = *std::move(inverse);
    return out;
  }
  return std::nullopt;
}

}  // namespace conflux
