#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "report/page.h"

namespace conflux {
namespace page_style_test {

using Color = std::array<double, 3>;
using Mixing = std::array<std::array<double, 3>, 3>;

// Vision without one kind of cones, on linear light (Machado, Oliveira and Fernandes 2009).
constexpr Mixing kNormal = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
constexpr Mixing kProtan = {{{0.152286, 1.052583, -0.204868},
                             {0.114503, 0.786281, 0.099216},
                             {-0.003882, -0.048116, 1.051998}}};
constexpr Mixing kDeutan = {{{0.367322, 0.860646, -0.227968},
                             {0.280085, 0.672501, 0.047413},
                             {-0.011820, 0.042940, 0.968881}}};
constexpr Mixing kTritan = {{{1.255528, -0.076749, -0.178779},
                             {-0.078411, 0.930809, 0.147602},
                             {0.004733, 0.691367, 0.303900}}};

Color times(const Mixing& mixing, const Color& color) {
  Color out{};
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) out[i] += mixing[i][j] * color[j];
  }
  return out;
}

// Linear light of "#rrggbb" or "#rgb".
Color light_of(std::string hex) {
  if (hex.size() == 4) hex = {'#', hex[1], hex[1], hex[2], hex[2], hex[3], hex[3]};
  Color out{};
  for (std::size_t i = 0; i < 3; ++i) {
    const double value = std::stoi(hex.substr(1 + 2 * i, 2), nullptr, 16) / 255.0;
    out[i] = value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
  }
  return out;
}

Color oklab(Color light) {
  for (double& part : light) part = std::clamp(part, 0.0, 1.0);
  Color cones = times({{{0.4122214708, 0.5363325363, 0.0514459929},
                        {0.2119034982, 0.6806995451, 0.1073969566},
                        {0.0883024619, 0.2817188376, 0.6299787005}}},
                      light);
  for (double& part : cones) part = std::cbrt(part);
  return times({{{0.2104542553, 0.7936177850, -0.0040720468},
                 {1.9779984951, -2.4285922050, 0.4505937099},
                 {0.0259040371, 0.7827717662, -0.8086757660}}},
               cones);
}

double apart(const Color& a, const Color& b) {
  return std::sqrt(std::pow(a[0] - b[0], 2) + std::pow(a[1] - b[1], 2) + std::pow(a[2] - b[2], 2));
}

double luminance(const Color& light) {
  return 0.2126 * light[0] + 0.7152 * light[1] + 0.0722 * light[2];
}

double contrast(const std::string& a, const std::string& b) {
  const double first = luminance(light_of(a)), second = luminance(light_of(b));
  return (std::max(first, second) + 0.05) / (std::min(first, second) + 0.05);
}

// The value of a variable in the n-th block that sets it: light, dark, print.
std::string variable(const std::string& name, int block) {
  const std::string style(page_style());
  std::size_t at = 0;
  for (int n = 0; n <= block; ++n) at = style.find("--" + name + ":", at) + 1;
  at = style.find('#', at);
  return style.substr(at, style.find_first_of(";}", at) - at);
}

class EveryScheme : public testing::TestWithParam<int> {};

// Blue and purple were once 0.014 apart for deuteranopes.
TEST_P(EveryScheme, GroupsAreToldApartByEveryEye) {
  for (const Mixing& mixing : {kNormal, kProtan, kDeutan, kTritan}) {
    for (int a = 0; a < 4; ++a) {
      for (int b = 0; b < a; ++b) {
        const auto seen = [&](int n) {
          return oklab(times(mixing, light_of(variable("s" + std::to_string(n), GetParam()))));
        };
        EXPECT_GE(apart(seen(a), seen(b)), 0.20) << a << " and " << b;
      }
    }
  }
}

TEST_P(EveryScheme, WhatIsDrawnStandsOutAndWhatIsReadCanBeRead) {
  const std::string ground = variable("bg", GetParam());
  for (const char* name : {"s0", "s1", "s2", "s3"}) {
    EXPECT_GE(contrast(variable(name, GetParam()), ground), 3) << name;
  }
  for (const char* name : {"ink", "soft", "warn"}) {
    EXPECT_GE(contrast(variable(name, GetParam()), ground), 4.5) << name;
    EXPECT_GE(contrast(variable(name, GetParam()), variable("card", GetParam())), 4.5) << name;
  }
}

INSTANTIATE_TEST_SUITE_P(PageStyle, EveryScheme, testing::Values(0, 1, 2));

}  // namespace page_style_test
}  // namespace conflux
