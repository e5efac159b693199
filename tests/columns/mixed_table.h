// A table with a column of every kind, for two groups that differ in all of them.

#pragma once

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "conflux/tables/table.h"
#include "core/rng.h"

namespace conflux {

struct MixedTable {
  explicit MixedTable(Index rows) {
    Stream random(7, Purpose::kTest);
    std::vector<double> id, age, rain, pressure, humidity, constant, gaps;
    std::vector<std::string> color, name;
    const std::vector<std::string> colors = {"red", "green", "blue", "?"};
    for (Index i = 0; i < rows; ++i) {
      const Index group = i % 3 == 0 ? 1 : 0;
      const double shift = 0.5 * static_cast<double>(group);
      groups.push_back(group);
      id.push_back(static_cast<double>(i + 1));
      age.push_back(std::round(40 + 12 * (random.normal() + shift)));
      const double wet = random.normal() + shift;
      rain.push_back(wet < 0 ? 0 : std::exp(wet) - 1);
      pressure.push_back(101325 + 800 * random.normal() + 100 * wet + 900 * shift);
      humidity.push_back(1 / (1 + std::exp(-random.normal() - shift)));
      constant.push_back(5);
      gaps.push_back(random.uniform() < 0.1 ? std::numeric_limits<double>::quiet_NaN()
                                            : wet + 0.1 * random.normal());
      const double u = random.uniform() + 0.3 * shift;
      color.push_back(colors[u < 0.4 ? 0 : u < 0.7 ? 1 : u < 1.1 ? 2 : 3]);
      name.push_back("n" + std::to_string(i));
    }
    table.source = "mixed.csv";
    table.add("id", id);
    table.add("age", age);
    table.add("rain", rain);
    table.add("pressure", pressure);
    table.add("humidity", humidity);
    table.add("constant", constant);
    table.add("gaps", gaps);
    table.add("color", color);
    table.add("name", name);
  }

  Table table;
  std::vector<Index> groups;
};

}  // namespace conflux
