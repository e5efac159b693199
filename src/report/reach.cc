// Do rows lie where the maps were fitted?

#include <algorithm>

#include "flow/knot_reach.h"
#include "report/facts.h"

namespace conflux {

namespace {

constexpr Index kBinsOfReach = 20;
constexpr double kFar = 0.25;

double share_above(const std::vector<double>& shares, double limit) {
  const auto above =
      std::count_if(shares.begin(), shares.end(), [&](double share) { return share > limit; });
  return static_cast<double>(above) / static_cast<double>(shares.size());
}

}  // namespace

std::optional<Reach> find_reach(const Model& model, const ReportRows& rows,
                                const Workers& workers) {
  Reach out{.counts = std::vector<Index>(kBinsOfReach, 0)};
  std::vector<double> shares;
  for (Index m = 0; m < rows.groups(); ++m) {
    const Matrix group = rows.before.rows.middleRows(rows.begins[m], rows.before.sizes[m]);
    const KnotReach found = knot_reach(model.flow, rows.in_flow[m], SampleRows(group), workers);
    out.maps = std::max(out.maps, found.maps);
    shares.insert(shares.end(), found.beyond.begin(), found.beyond.end());
  }
  if (out.maps == 0 || shares.empty()) return std::nullopt;
  for (const double share : shares) {
    const auto bin = static_cast<Index>(share * static_cast<double>(kBinsOfReach));
    ++out.counts[std::min(bin, kBinsOfReach - 1)];
  }
  out.far = share_above(shares, kFar);
  out.fitted_most = model.record.summary.beyond_knots;
  if (out.fitted_most) out.beyond_fitted = share_above(shares, *out.fitted_most);
  out.most = most_beyond(std::move(shares));
  return out;
}

}  // namespace conflux
