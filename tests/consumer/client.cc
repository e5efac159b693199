// A program outside the tree: it sees the installed headers and nothing else.

#include <conflux/conflux.h>

int main() {
  const conflux::GroupSet groups = conflux::make_moons({.samples = 100});
  conflux::Fit fit = conflux::fit_flow(groups, {});
  const conflux::Workers workers;
  const conflux::Matrix as_other = fit.flow.translate(0, 1, groups[0].rows, workers);
  const double before =
      conflux::exact_w2_squared(groups[0].rows.doubles(), groups[1].rows.doubles(), {}, workers);
  const double after = conflux::exact_w2_squared(as_other, groups[1].rows.doubles(), {}, workers);
  if (!(after < 0.2 * before)) return 1;

  // A model that went through bytes moves a table of mixed rows as the flow moves them one by one.
  const conflux::Model model{.flow = std::move(fit.flow), .record = std::move(fit.record)};
  const conflux::Model loaded = conflux::parse_model(conflux::model_bytes(model));
  conflux::Matrix table(2, groups.dim());
  for (conflux::Index m = 0; m < 2; ++m) groups[m].rows.copy_row(0, table.row(m).data());
  const std::vector<conflux::Index> group_of_row = {0, 1};
  const conflux::Matrix first = model.flow.forward(0, groups[0].rows, workers).topRows(1);
  loaded.flow.move(table, conflux::Route::to_shared(group_of_row), conflux::Rows(table), nullptr,
                   workers);
  return table.row(0) == first.row(0) ? 0 : 1;
}
