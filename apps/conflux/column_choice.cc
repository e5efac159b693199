#include "column_choice.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "conflux/core/error.h"
#include "dataset/column_file.h"
#include "tables/number_text.h"

namespace conflux::app {

namespace {

std::pair<std::string, std::string> parse_pair(const std::string& text, const char* flag,
                                               const char* example) {
  const std::size_t equals = text.rfind('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size()) {
    throw InvalidOption(
        fmt::format("{} is \"{}\"; write COLUMN=WORD, say {}.", flag, text, example));
  }
  return {text.substr(0, equals), text.substr(equals + 1)};
}

double parse_cofactor(const std::string& text) {
  double out = 0;
  if (parse_number(text, out) && out > 0 && std::isfinite(out)) return out;
  throw InvalidOption(fmt::format(
      "--arcsinh is \"{}\"; give a number above zero, say 5 for mass cytometry.", text));
}

}  // namespace

std::vector<Flag> column_choice_flags(ColumnChoice& choice) {
  return {
      {.names = "--scale",
       .value = "HOW",
       .help = "standard: divide by the spread within groups; normal: normal scores; none [auto]",
       .target = &choice.scale,
       .choices = {"auto", "standard", "normal", "none"}},
      {.names = "--missing",
       .value = "RULE",
       .help = "auto: missing cells stay missing, codes like -999 included; empty: only empty "
               "cells are "
               "missing; refuse: an error; drop: leave the row out [auto]",
       .target = &choice.missing,
       .choices = {"auto", "refuse", "drop", "empty"}},
      {.names = "--as",
       .value = "LIST",
       .help = "types of columns, say age=whole,sex=category,id=ignore [found]",
       .target = &choice.as},
      {.names = "--support",
       .value = "LIST",
       .help = "range of columns, say rain=positive,fraction=unit,angle=0:360 or any [found]",
       .target = &choice.support,
       .shown = Shown::kToExperts},
      {.names = "--arcsinh",
       .value = "C",
       .help = "scale numbers as arcsinh(x / C): 5 for mass cytometry, 150 for fluorescence; "
               "undone on output; of single columns: --as CD4=arcsinh:5",
       .target = &choice.arcsinh,
       .shown = Shown::kToExperts},
      {.names = "--columns",
       .value = "FILE",
       .help = "JSON file with types, ranges and scales; conflux check --write-columns writes one",
       .target = &choice.file,
       .shown = Shown::kToExperts},
      {.names = "--key",
       .value = "COLUMN",
       .help =
           "column with an id per row: the noise of a row then depends on its id, not on its place "
           "[place]",
       .target = &choice.key,
       .shown = Shown::kToExperts},
      {.names = "--repeats",
       .value = "spread|keep",
       .help =
           "tied values: spread adds noise within the gap to the next value; kept lets groups be "
           "predicted by them [spread]",
       .target = &choice.repeats,
       .choices = {"spread", "keep"},
       .shown = Shown::kToExperts},
  };
}

ColumnOptions column_options(const ColumnChoice& choice) {
  ColumnOptions out;
  const auto choose = [&](const char* name, const std::string& word) {
    if (!word.empty()) set_column_choice(out, name, word);
  };
  choose("scale", choice.scale);
  choose("repeats", choice.repeats);
  choose("missing", choice.missing);
  out.key = choice.key;
  if (!choice.arcsinh.empty()) out.arcsinh = parse_cofactor(choice.arcsinh);
  if (!choice.file.empty()) read_column_file(choice.file, out);
  for (const std::string& text : choice.as) {
    out.as.push_back(parse_pair(text, "--as", "age=whole"));
  }
  for (const std::string& text : choice.support) {
    out.support.push_back(parse_pair(text, "--support", "rain=positive"));
  }
  return out;
}

}  // namespace conflux::app
