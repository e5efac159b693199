// Maps of the line, one point at a time.

#pragma once

#include <cmath>
#include <vector>

namespace conflux {

template <class Map>
double image(const Map& map, double x) {
  map.forward({&x, 1}, nullptr);
  return x;
}

template <class Map>
double preimage(const Map& map, double y) {
  map.inverse({&y, 1}, nullptr);
  return y;
}

template <class Map>
double log_slope(const Map& map, double x) {
  double out = 0;
  map.forward({&x, 1}, &out);
  return out;
}

// Points at every knot, right beside it, between knots, and up to a million ranges away.
inline std::vector<double> points_inside_and_beyond(const std::vector<double>& knots) {
  std::vector<double> out;
  const double range = knots.back() - knots.front() + 1;
  for (std::size_t i = 0; i < knots.size(); ++i) {
    out.insert(out.end(),
               {knots[i], std::nextafter(knots[i], -1e300), std::nextafter(knots[i], 1e300)});
    for (const double t : {1e-9, 0.01, 0.5, 0.99, 1 - 1e-9}) {
      if (i > 0) out.push_back(std::lerp(knots[i - 1], knots[i], t));
    }
  }
  for (const double distance : {0.5, 1.0, 1e3, 1e6}) {
    out.insert(out.end(), {knots.front() - distance * range, knots.back() + distance * range});
  }
  return out;
}

}  // namespace conflux
