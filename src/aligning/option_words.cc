// Options of an alignment by name and text, for callers without types of their own.

#include <fmt/format.h>

#include <cmath>

#include "conflux/aligning/align.h"
#include "conflux/core/error.h"
#include "dataset/name_patterns.h"
#include "options/option_text.h"
#include "tables/number_text.h"

namespace conflux {

namespace {

// "age=whole,sex=category"
std::vector<std::pair<std::string, std::string>> pairs_of(std::string_view name,
                                                          const std::string& text) {
  std::vector<std::pair<std::string, std::string>> out;
  for (const std::string& each : listed_names(text)) {
    const std::size_t equals = each.rfind('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == each.size()) {
      throw InvalidOption(fmt::format("{} is \"{}\"; write COLUMN=WORD, say {}.", name, each,
                                      name == "support" ? "rain=positive" : "age=whole"));
    }
    out.emplace_back(each.substr(0, equals), each.substr(equals + 1));
  }
  return out;
}

double number_of(std::string_view name, const std::string& text, const char* allowed, double least,
                 double below) {
  double out = 0;
  if (parse_number(text, out) && out >= least && out < below) return out;
  throw InvalidOption(fmt::format("{} is \"{}\"; {}.", name, text, allowed));
}

bool set_data_option(DatasetOptions& data, std::string_view name, const std::string& text) {
  ColumnOptions& columns = data.columns;
  if (name == "group") {
    data.group = text;
  } else if (name == "label") {
    data.label = text;
  } else if (name == "row_weights") {
    data.row_weights = text;
  } else if (name == "features") {
    columns.features = listed_names(text);
  } else if (name == "drop") {
    columns.drop = listed_names(text);
  } else if (name == "keep") {
    columns.keep = listed_names(text);
  } else if (name == "as") {
    columns.as = pairs_of(name, text);
  } else if (name == "support") {
    columns.support = pairs_of(name, text);
  } else if (name == "key") {
    columns.key = text;
  } else if (name == "arcsinh") {
    columns.arcsinh = number_of(name, text, "give a number above zero, say 5 for mass cytometry",
                                std::nextafter(0.0, 1.0), HUGE_VAL);
  } else if (name == "scale" || name == "repeats" || name == "missing") {
    set_column_choice(columns, name, text);
  } else {
    return false;
  }
  return true;
}

}  // namespace

void set_option(DatasetOptions& data, AlignOptions& options, std::string_view name,
                const std::string& text) {
  if (set_data_option(data, name, text)) return;
  if (name == "to") {
    options.to = text;
  } else if (name == "unseen") {
    options.unseen = number_of(name, text, "give a fraction from 0 to below 1, say 0.2", 0, 1);
  } else {
    set_option(options.fit, name, text);
    // `auto` is an answer, too.
    if (name == "gate") options.gate_by_labels = false;
    data.seed = options.fit.seed;
    data.threads = options.fit.threads;
  }
}

}  // namespace conflux
