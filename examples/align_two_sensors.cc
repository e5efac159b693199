// The smallest use: two groups in, one map between them out.

#include <conflux/conflux.h>

#include <iostream>

int main() {
  const conflux::GroupSet sensors = conflux::make_moons({.samples = 500});
  const conflux::Fit fit = conflux::fit_flow(sensors, {});

  const conflux::Workers workers;
  const conflux::Matrix shared = fit.flow.forward(0, sensors[0].rows, workers);
  const conflux::Matrix as_other = fit.flow.translate(0, 1, sensors[0].rows, workers);

  std::cout << "W2^2 to the other sensor before: "
            << conflux::exact_w2_squared(sensors[0].rows.doubles(), sensors[1].rows.doubles(), {},
                                         workers)
            << ", after: "
            << conflux::exact_w2_squared(as_other, sensors[1].rows.doubles(), {}, workers)
            << ", cost of the move to the shared space: "
            << conflux::transport_cost(sensors[0].rows.doubles(), shared, workers) << "\n";
}
