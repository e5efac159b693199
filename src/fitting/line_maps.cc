#include "fitting/line_maps.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>

#include "fitting/line_summaries.h"
#include "fitting/line_values.h"
#include "options/methods.h"
#include "univariate/barycenter.h"
#include "univariate/quantiles.h"
#include "univariate/spline_maps.h"

namespace conflux {

namespace {

// Some lines of a layer, one after the other.
struct FittedLines {
  std::vector<std::vector<MonotoneMap>> maps;  // maps[k][m]
  std::vector<std::vector<double>> barycenters;
};

// Quantile maps or splines: both need summaries; entry k * groups + m is of line k.
FittedLines fit_quantile_lines(std::span<const QuantileSummary> summaries, Index groups,
                               double strength, const FitOptions& options, const Workers& workers) {
  const Index num_lines = static_cast<Index>(summaries.size()) / groups;
  FittedLines fitted;
  fitted.maps.resize(static_cast<std::size_t>(num_lines));
  fitted.barycenters.resize(fitted.maps.size());
  workers.for_each(num_lines, [&](Index k) {
    const auto of_line = summaries.subspan(k * groups, groups);
    const auto& fit_maps =
        options.estimator == Estimator::kSpline ? fit_spline_maps : fit_quantile_maps;
    fitted.maps[k] =
        fit_maps(of_line, options.weights.list, *options.knots, strength, &fitted.barycenters[k]);
  });
  return fitted;
}

// Sums f(value, mass) over the rows of all processes; entry k * groups + m belongs to line k.
template <class F>
std::vector<double> sum_over_rows(LineValues& lines, Communicator& comm, const Workers& workers,
                                  F f) {
  const Index groups = lines.num_groups();
  std::vector<double> sums(static_cast<std::size_t>(lines.num_lines() * groups), 0.0);
  workers.for_each(static_cast<Index>(sums.size()), [&](Index s) {
    const std::span<const double> values = lines.line(s % groups, s / groups);
    const std::vector<double>& masses = lines.masses[s % groups];
    for (std::size_t i = 0; i < values.size(); ++i) {
      sums[s] += f(s, values[i], masses.empty() ? 1.0 : masses[i]);
    }
  });
  comm.sum(sums);
  return sums;
}

std::vector<double> count_rows(const LineValues& lines, Communicator& comm) {
  std::vector<double> rows;
  for (const Matrix& values : lines.values) rows.push_back(static_cast<double>(values.cols()));
  comm.sum(rows);
  return rows;
}

// Half to even, as the reference code rounds.
Index default_bins(const std::vector<double>& rows) {
  const double total = std::accumulate(rows.begin(), rows.end(), 0.0);
  return std::max<Index>(1, std::lrint(std::sqrt(total)));
}

// Entry k * groups + m belongs to line k.
struct LineMoments {
  std::vector<double> mean;
  std::vector<double> variance;
};

LineMoments fit_line_moments(LineValues& lines, Communicator& comm, const Workers& workers) {
  const auto mass = sum_over_rows(lines, comm, workers, [](Index, double, double w) { return w; });
  auto mean = sum_over_rows(lines, comm, workers, [](Index, double x, double w) { return w * x; });
  for (std::size_t s = 0; s < mean.size(); ++s) mean[s] /= mass[s];
  auto variance = sum_over_rows(lines, comm, workers, [&](Index s, double x, double w) {
    return w * (x - mean[s]) * (x - mean[s]);
  });
  for (std::size_t s = 0; s < variance.size(); ++s) variance[s] /= mass[s];
  return {std::move(mean), std::move(variance)};
}

HistogramSettings histogram_settings(const FitOptions& options) {
  return {
      .pseudo_count = *options.pseudo_count,
      .grid = options.grid,
      .slope_floor = method_info(options.method).one_layer() ? kSlopeFloor : kStackedSlopeFloor};
}

FittedLines fit_histogram_lines(LineValues& lines, double strength, const FitOptions& options,
                                Communicator& comm, const Workers& workers) {
  const Index groups = lines.num_groups();
  const Index num_lines = lines.num_lines();
  const std::vector<double> rows = count_rows(lines, comm);
  const Index bins = options.bins ? *options.bins : default_bins(rows);
  const LineMoments moments = fit_line_moments(lines, comm, workers);
  const std::vector<double>& mean = moments.mean;
  const std::vector<double>& variance = moments.variance;
  std::vector<GroupHistogram> histograms(mean.size());
  std::vector<double> counts(mean.size() * static_cast<std::size_t>(bins));
  workers.for_each(num_lines, [&](Index k) {
    double pooled_mean = 0;
    double pooled_variance = 0;
    for (Index m = 0; m < groups; ++m)
      pooled_mean += options.weights.list[m] * mean[k * groups + m];
    for (Index m = 0; m < groups; ++m) {
      const double apart = mean[k * groups + m] - pooled_mean;
      pooled_variance += options.weights.list[m] * (variance[k * groups + m] + apart * apart);
    }
    for (Index m = 0; m < groups; ++m) {
      const Index s = k * groups + m;
      const double deviation = usable_deviation(std::sqrt(variance[s]), std::sqrt(pooled_variance));
      const std::vector<double> mine =
          count_in_normal_bins(lines.line(m, k), lines.masses[m], mean[s], deviation, bins);
      histograms[s] = {mean[s], deviation, {}, 0.5 / rows[m]};
      std::copy(mine.begin(), mine.end(), counts.begin() + s * bins);
    }
  });
  comm.sum(counts);

  FittedLines fitted;
  fitted.maps.resize(static_cast<std::size_t>(num_lines));
  const HistogramSettings settings = histogram_settings(options);
  workers.for_each(num_lines, [&](Index k) {
    const std::span<GroupHistogram> of_line(histograms.data() + k * groups,
                                            static_cast<std::size_t>(groups));
    for (Index m = 0; m < groups; ++m) {
      const auto first = counts.begin() + (k * groups + m) * bins;
      of_line[m].counts.assign(first, first + bins);
    }
    fitted.maps[k] = fit_histogram_maps(of_line, options.weights.list, settings, strength);
  });
  return fitted;
}

MonotoneMap quantile_map_to(const MonotoneMap& other, std::span<const double> barycenter,
                            LineValues& lines, Index k, double strength) {
  const auto knots = static_cast<Index>(barycenter.size());
  const QuantileSummary summary =
      summarize_line(lines.line(0, k), lines.masses[0], kPointsPerKnot * knots);
  if (std::holds_alternative<RationalQuadraticMap>(other)) {
    return fit_spline_map_to(summary, barycenter, strength);
  }
  return fit_quantile_map_to(summary, barycenter, strength);
}

// With as many bins as the groups before.
MonotoneMap histogram_map_to(const HistogramMap& other, LineValues& lines, Index k,
                             const LineMoments& moments, double strength,
                             const FitOptions& options) {
  const std::span<const double> line = lines.line(0, k);
  const double deviation =
      usable_deviation(std::sqrt(moments.variance[k]), other.target()->deviation());
  const auto bins = static_cast<Index>(other.source().masses().size());
  const GroupHistogram histogram{
      moments.mean[k], deviation,
      count_in_normal_bins(line, lines.masses[0], moments.mean[k], deviation, bins),
      0.5 / static_cast<double>(line.size())};
  return fit_histogram_map_to(histogram, other.target(), histogram_settings(options), strength);
}

// How lines are read: all groups at once, or one line of one group after the other, which takes
// less memory where summaries are all that is wanted.
struct LineSource {
  Index num_lines;
  const GroupSet& groups;
  const RowChoice& chosen;
  Index most_rows;
  std::function<LineValues(Index first, Index count)> read = {};
  /// Entry k * groups + m is of line first + k.
  std::function<std::vector<QuantileSummary>(Index first, Index count)> summarize = {};
};

// All processes must make the same exchanges, whatever rows and threads they have.
Index lines_of_all(const LineSource& source, const FitOptions& options, Communicator& comm,
                   const Workers& workers) {
  if (options.estimator != Estimator::kHistogram) {
    return comm.size() == 1 ? kMostLinesAtATime : lines_to_exchange(source.most_rows);
  }
  auto lines = static_cast<double>(lines_at_a_time(source.chosen, workers));
  comm.min(std::span(&lines, 1));
  return static_cast<Index>(lines);
}

LineMaps fit_all_lines(const LineSource& source, double strength, const FitOptions& options,
                       Communicator& comm, const Workers& workers) {
  LineMaps out;
  const Index groups = source.groups.num_groups();
  out.maps.resize(static_cast<std::size_t>(groups));
  const bool histograms = options.estimator == Estimator::kHistogram;
  if (!histograms) out.barycenters.resize(source.num_lines, *options.knots);
  const Index at_a_time = lines_of_all(source, options, comm, workers);
  for (Index first = 0; first < source.num_lines; first += at_a_time) {
    const Index count = std::min(at_a_time, source.num_lines - first);
    FittedLines fitted;
    if (histograms) {
      LineValues lines = source.read(first, count);
      fitted = fit_histogram_lines(lines, strength, options, comm, workers);
    } else if (comm.size() > 1) {
      LineValues lines = source.read(first, count);
      fitted = fit_quantile_lines(
          summarize_together(lines, kPointsPerKnot * *options.knots, comm, workers), groups,
          strength, options, workers);
    } else {
      fitted =
          fit_quantile_lines(source.summarize(first, count), groups, strength, options, workers);
    }
    for (auto& of_line : fitted.maps) {
      for (std::size_t m = 0; m < of_line.size(); ++m) out.maps[m].push_back(std::move(of_line[m]));
    }
    for (std::size_t k = 0; k < fitted.barycenters.size(); ++k) {
      const std::vector<double>& knots = fitted.barycenters[k];
      std::copy(knots.begin(), knots.end(), &out.barycenters(first + static_cast<Index>(k), 0));
    }
  }
  return out;
}

}  // namespace

RowChoice all_rows(const GroupSet& groups) {
  RowChoice out;
  for (Index m = 0; m < groups.num_groups(); ++m) {
    std::vector<Index> left_out;
    for (std::size_t i = 0; i < groups[m].masses.size(); ++i) {
      if (!(groups[m].masses[i] > 0)) left_out.push_back(static_cast<Index>(i));
    }
    out.push_back(RowList::all(groups[m].rows.rows(), std::move(left_out)));
  }
  return out;
}

std::vector<double> chosen_masses(const Group& group, const RowList& chosen) {
  std::vector<double> out;
  if (!group.masses.empty()) {
    for (const Index i : chosen) out.push_back(group.masses[i]);
  }
  return out;
}

LineMaps fit_line_maps(const GroupSet& groups, const RowChoice& chosen, const Frame* frame,
                       double strength, const FitOptions& options, Communicator& comm,
                       const Workers& workers, Index most_rows) {
  const Index num_lines = frame == nullptr ? groups.dim() : frame->directions();
  const Index capacity = kPointsPerKnot * options.knots.value_or(0);
  LineSource source{
      .num_lines = num_lines, .groups = groups, .chosen = chosen, .most_rows = most_rows};
  source.read = [&](Index first, Index count) {
    return read_lines(groups, chosen, frame, first, count, workers);
  };
  source.summarize = [&](Index first, Index count) {
    if (frame == nullptr) {
      return summarize_features(groups, chosen, first, count, capacity, workers);
    }
    LineValues lines = source.read(first, count);
    const ReadLine<double> read_line = [&](Index m, Index line, std::span<double> values) {
      std::ranges::copy(lines.line(m, line - first), values.begin());
    };
    return summarize_read(read_line, groups, chosen, first, count, capacity, workers);
  };
  return fit_all_lines(source, strength, options, comm, workers);
}

template <class Scalar>
LineMaps fit_line_maps(Index num_lines, const ReadLine<Scalar>& read_line, const GroupSet& groups,
                       const RowChoice& chosen, double strength, const FitOptions& options,
                       Communicator& comm, const Workers& workers, Index most_rows) {
  const Index num_groups = groups.num_groups();
  LineSource source{
      .num_lines = num_lines, .groups = groups, .chosen = chosen, .most_rows = most_rows};
  source.read = [&](Index first, Index count) {
    LineValues lines;
    for (Index m = 0; m < num_groups; ++m) {
      lines.values.emplace_back(count, static_cast<Index>(chosen[m].size()));
      lines.masses.push_back(chosen_masses(groups[m], chosen[m]));
    }
    workers.for_each(count * num_groups, [&](Index s) {
      const Index m = s % num_groups;
      std::vector<Scalar> values(chosen[m].size());
      read_line(m, first + s / num_groups, values);
      std::ranges::copy(values, lines.line(m, s / num_groups).begin());
    });
    return lines;
  };
  source.summarize = [&](Index first, Index count) {
    return summarize_read(read_line, groups, chosen, first, count, kPointsPerKnot * *options.knots,
                          workers);
  };
  return fit_all_lines(source, strength, options, comm, workers);
}

template LineMaps fit_line_maps(Index, const ReadLine<float>&, const GroupSet&, const RowChoice&,
                                double, const FitOptions&, Communicator&, const Workers&, Index);
template LineMaps fit_line_maps(Index, const ReadLine<double>&, const GroupSet&, const RowChoice&,
                                double, const FitOptions&, Communicator&, const Workers&, Index);

bool add_line_maps(LineMaps& lines, const GroupSet& group, const RowChoice& chosen,
                   const Frame* frame, double strength, const FitOptions& options,
                   const Workers& workers) {
  SelfCommunicator comm;
  const auto num_lines = static_cast<Index>(lines.maps.front().size());
  const bool histograms = std::holds_alternative<HistogramMap>(lines.maps.front().front());
  if (!histograms && lines.barycenters.size() == 0) return false;
  const auto barycenter = [&](Index line) {
    const Index knots = lines.barycenters.cols();
    return std::span(lines.barycenters.data() + line * knots, static_cast<std::size_t>(knots));
  };
  std::vector<MonotoneMap> added(static_cast<std::size_t>(num_lines));
  const Index at_a_time = lines_at_a_time(chosen, workers);
  for (Index first = 0; first < num_lines; first += at_a_time) {
    const Index count = std::min(at_a_time, num_lines - first);
    LineValues values = read_lines(group, chosen, frame, first, count, workers);
    LineMoments moments;
    if (histograms) moments = fit_line_moments(values, comm, workers);
    workers.for_each(count, [&](Index k) {
      const Index line = first + k;
      added[line] = histograms ? histogram_map_to(std::get<HistogramMap>(lines.maps.front()[line]),
                                                  values, k, moments, strength, options)
                               : quantile_map_to(lines.maps.front()[line], barycenter(line), values,
                                                 k, strength);
    });
  }
  lines.maps.push_back(std::move(added));
  return true;
}

}  // namespace conflux
