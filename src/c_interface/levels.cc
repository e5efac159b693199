#include "c_interface/levels.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "conflux/core/error.h"

namespace conflux {

void spell(Table& table, const Levels& levels) {
  for (const auto& [name, texts] : levels) {
    if (!table.has(name)) continue;
    Column& column = table.columns[table.find(name)];
    std::vector<std::string> cells;
    for (const double place : column.numbers) {
      if (std::isnan(place)) {
        cells.emplace_back();
      } else if (place >= 0 && place < static_cast<double>(texts.size())) {
        cells.push_back(texts[static_cast<std::size_t>(place)]);
      } else {
        throw InvalidData(
            fmt::format("column \"{}\" has a cell {}, but {} levels; count levels from 0.", name,
                        place, texts.size()));
      }
    }
    column = {.name = name, .type = ColumnType::kText, .numbers = {}, .text = std::move(cells)};
  }
}

void unspell(Table& table, const Levels& levels) {
  for (const auto& [name, texts] : levels) {
    Column& column = table.columns[table.find(name)];
    if (column.numeric()) continue;
    std::vector<double> places;
    for (const std::string& cell : column.text) {
      const auto known = std::find(texts.begin(), texts.end(), cell);
      places.push_back(known == texts.end() ? std::numeric_limits<double>::quiet_NaN()
                                            : static_cast<double>(known - texts.begin()));
    }
    column = {.name = name, .numbers = std::move(places), .text = {}};
  }
}

}  // namespace conflux
