// A program outside the tree: it sees the installed headers and nothing else.

#include <conflux/conflux.h>

int main() {
  const conflux::GroupSet groups = conflux::make_moons({.samples = 100});
  const conflux::Fit fit = conflux::fit_flow(groups, {});
  const conflux::Workers workers;
  const conflux::Matrix as_other = fit.flow.translate(0, 1, groups[0].rows, workers);
  const double before = conflux::exact_w2_squared(groups[0].rows, groups[1].rows, {}, workers);
  const double after = conflux::exact_w2_squared(as_other, groups[1].rows, {}, workers);
  return after < 0.2 * before ? 0 : 1;
}
