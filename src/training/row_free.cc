#include "training/row_free.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "comm/agreement.h"
#include "conflux/core/error.h"
#include "core/stopwatch.h"
#include "fitting/line_values.h"
#include "fitting/row_choice.h"
#include "fitting/search_setup.h"
#include "flow/coordinate_layer.h"
#include "flow/sliced_layer.h"
#include "kernels/sort.h"
#include "options/methods.h"
#include "options/option_table.h"
#include "slicing/summary_spread.h"
#include "training/resumption.h"
#include "univariate/barycenter.h"

namespace conflux {

namespace {

bool can_be_row_free(const MethodInfo& method) {
  const auto known = [](std::string_view kind) {
    return kind.empty() || kind == "sliced" || kind == "coordinate";
  };
  return known(method.opens) && known(method.turn) && known(method.other_turn) &&
         method.then.empty() && !method.to_last_group;
}

void refuse_what_needs_rows(const GroupSet& mine, const FitOptions& options) {
  if (!can_be_row_free(method_info(options.method))) {
    throw InvalidOption(
        fmt::format("method is {}, which needs rows of several groups in one process; if rows stay "
                    "with their process, choose nb, inb, rand-nb, nb-inb or nb-rand-nb.",
                    name_of(options.method)));
  }
  const bool gated = options.gate != Gating::kAuto && options.gate != Gating::kNone;
  const bool cube = options.unit_cube != UnitCube::kAuto && options.unit_cube != UnitCube::kOff;
  if (gated || cube || options.estimator != Estimator::kQuantile || !options.image.empty() ||
      options.split != Split::kNone) {
    throw InvalidOption(
        "gate, unit_cube, estimator, image and split have no meaning where rows stay with their "
        "process; leave them unset.");
  }
  if (mine.num_groups() == 0) throw InvalidData("there is no group; give every process one.");
  for (Index m = 0; m < mine.num_groups(); ++m) {
    if (mine[m].masses.empty()) continue;
    throw InvalidData(
        "rows have weights, which are not supported if rows stay with their process.");
  }
}

// Features of all processes, and their groups one process after the other.
DataShape shape_of_all(const GroupSet& mine, Communicator& comm) {
  std::vector<std::string> features = mine.feature_names();
  features.insert(features.begin(), fmt::format("{}", mine.dim()));
  const auto all_features = gather_texts(features, comm);
  const auto all_names = gather_texts(mine.names(), comm);
  std::vector<double> sizes;
  for (Index m = 0; m < mine.num_groups(); ++m) {
    sizes.push_back(static_cast<double>(mine[m].rows.rows()));
  }
  DataShape out{.dim = mine.dim()};
  for (const double size : comm.gather(sizes)) out.group_sizes.push_back(static_cast<Index>(size));
  std::set<std::string> known;
  for (std::size_t rank = 0; rank < all_names.size(); ++rank) {
    if (all_features[rank] != all_features.front()) {
      throw InvalidData(fmt::format(
          "process {} has other features than process 0; give all the same columns.", rank));
    }
    for (const std::string& name : all_names[rank]) {
      out.group_names.push_back(name);
      if (known.insert(name).second) continue;
      throw InvalidData(fmt::format(
          "group \"{}\" lies on process {} and on one before it; if rows stay with their process, "
          "a group must be on one process. Name other files for every process.",
          name, rank));
    }
  }
  return out;
}

FitOptions options_without_rows(FitOptions options, const DataShape& shape) {
  options.gate = Gating::kNone;
  options.unit_cube = UnitCube::kOff;
  options.validation_fraction = 0;
  options.search_steps = std::min(options.search_steps, kRowFreeSteps);
  if (!options.layers && !method_info(options.method).one_layer()) options.layers = kRowFreeLayers;
  return resolve(without_ignored(options), shape);
}

void check_rows_per_knot(const GroupSet& mine, Index knots) {
  for (Index m = 0; m < mine.num_groups(); ++m) {
    if (mine[m].rows.rows() >= kRowsPerSharedKnot * knots) continue;
    throw InvalidData(fmt::format(
        "group \"{}\" has {} rows for {} knots, which would tell single rows; choose at most {} "
        "knots (--knots), or add rows.",
        mine[m].name, mine[m].rows.rows(), knots, mine[m].rows.rows() / kRowsPerSharedKnot));
  }
}

// Parts of a group's search rows, of which the means are shared.
Index parts_of_search(const FitOptions& options, const DataShape& shape) {
  Index rows = *options.search_rows;
  for (const Index size : shape.group_sizes) rows = std::min(rows, size);
  return std::max<Index>(1, std::min(*options.knots, rows / kRowsPerSharedKnot));
}

class RowFreeFit {
 public:
  RowFreeFit(GroupSet mine, const FitOptions& resolved, const DataShape& shape, Communicator& comm)
      : options_(resolved),
        parts_(method_info(resolved.method).has("sliced") ? parts_of_search(resolved, shape) : 0),
        comm_(comm),
        workers_(resolved.threads),
        names_(mine.names()),
        latent_(std::move(mine)),
        usable_(all_rows(groups())) {
    for (const std::string& name : names_) {
      const auto found = std::find(shape.group_names.begin(), shape.group_names.end(), name);
      places_.push_back(found - shape.group_names.begin());
      sizes_.push_back(shape.group_sizes[places_.back()]);
    }
  }

  Fit run() {
    const Stopwatch total;
    Fit out{.flow = Flow(names_, groups().dim()), .record = {}};
    for (Index layer = 0; layer < *options_.layers; ++layer) {
      const Stopwatch watch;
      LayerRecord record{.layer = layer,
                         .kind = std::string(method_info(options_.method).kind_of(layer))};
      const LayerPointer fitted = fit_layer(layer, record);
      latent_.move(*fitted, workers_);
      out.flow.append(fitted);
      record.seconds = watch.seconds();
      out.record.layers.push_back(std::move(record));
    }
    out.record.options = options_;
    // Those of the others belong to groups that this flow does not have.
    out.record.options.weights = GroupWeights();
    out.record.group_sizes = sizes_;
    out.record.seconds = total.seconds();
    return out;
  }

 private:
  const GroupSet& groups() const { return latent_.groups(); }

  LayerPointer fit_layer(Index layer, LayerRecord& record) {
    const double strength = strength_of(record.kind, options_);
    if (record.kind == "coordinate") {
      LineMaps lines = fit_maps(nullptr, strength);
      return std::make_shared<CoordinateLayer>(std::move(lines.maps), std::move(lines.barycenters));
    }
    const Frame frame = search(layer, record);
    LineMaps lines = fit_maps(&frame, strength);
    return std::make_shared<SlicedLayer>(frame, std::move(lines.maps),
                                         std::move(lines.barycenters));
  }

  Frame search(Index layer, LayerRecord& record) {
    Stream stream(options_.seed, Purpose::kDirections, static_cast<std::uint64_t>(layer));
    const Index dim = groups().dim();
    Frame start = Frame::random(dim, std::min(*options_.directions, dim), stream);
    if (options_.search_steps == 0) return start;
    const std::vector<WeighedRows> rows = search_rows(layer);
    SummarySpread spread(rows, start.directions(), parts_, comm_, workers_);
    // All climb by the same sums, so all end at the same frame.
    const AscentResult found = spread.climb(start, search_options(options_).ascent);
    record.spread_at_start = found.start_value;
    record.spread_before = found.value;
    record.steps = found.steps;
    record.evaluations = found.evaluations;
    return found.frame;
  }

  // Around the center of all, so that squares of sums lose no digits. Layers leave it where it is.
  std::vector<WeighedRows> search_rows(Index layer) {
    SelfCommunicator alone;
    const LayerRows chosen = choose_rows(usable_, place_rows(usable_, alone), layer, options_);
    const std::vector<double> weights = search_weights(options_);
    std::vector<WeighedRows> out;
    Vector center = Vector::Zero(groups().dim());
    for (std::size_t m = 0; m < chosen.search.size(); ++m) {
      const RowList& rows = chosen.search[m];
      WeighedRows& own = out.emplace_back();
      own.weight = weights[static_cast<std::size_t>(places_[m])];
      own.rows.resize(static_cast<Index>(rows.size()), groups().dim());
      for (std::size_t i = 0; i < rows.size(); ++i) {
        groups()[static_cast<Index>(m)].rows.copy_row(rows[i],
                                                      own.rows.row(static_cast<Index>(i)).data());
      }
      center += own.weight * own.rows.colwise().mean().transpose();
    }
    if (center_.size() == 0) {
      comm_.sum(std::span(center.data(), static_cast<std::size_t>(center.size())));
      center_ = center;
    }
    for (WeighedRows& own : out) own.rows.rowwise() -= center_.transpose();
    return out;
  }

  LineMaps fit_maps(const Frame* frame, double strength) {
    const Index lines = frame == nullptr ? groups().dim() : frame->directions();
    const Index knots = *options_.knots;
    const auto summaries = summarize_lines(frame, lines);
    LineMaps out;
    out.barycenters = Matrix::Zero(lines, knots);
    for (std::size_t m = 0; m < summaries.size(); ++m) {
      const double weight = options_.weights.list[static_cast<std::size_t>(places_[m])];
      for (Index k = 0; k < lines; ++k) {
        const std::vector<double> own = equal_mass_means(summaries[m][k], knots);
        for (Index q = 0; q < knots; ++q) out.barycenters(k, q) += weight * own[q];
      }
    }
    comm_.sum(std::span(out.barycenters.data(), static_cast<std::size_t>(out.barycenters.size())));
    for (const auto& of_group : summaries) {
      auto& maps = out.maps.emplace_back();
      for (Index k = 0; k < lines; ++k) {
        const std::span barycenter(&out.barycenters(k, 0), static_cast<std::size_t>(knots));
        maps.emplace_back(fit_quantile_map_to(of_group[k], barycenter, strength));
      }
    }
    return out;
  }

  // Summaries of every group, line by line.
  std::vector<std::vector<QuantileSummary>> summarize_lines(const Frame* frame, Index lines) {
    std::vector<std::vector<QuantileSummary>> out(
        names_.size(), std::vector<QuantileSummary>(static_cast<std::size_t>(lines)));
    const Index at_a_time = lines_at_a_time(usable_, workers_);
    for (Index first = 0; first < lines; first += at_a_time) {
      const Index count = std::min(at_a_time, lines - first);
      LineValues values = read_lines(groups(), usable_, frame, first, count, workers_);
      workers_.for_each(count * groups().num_groups(), [&](Index s) {
        const std::span<double> line = values.line(s / count, s % count);
        kernels::sort_values(line.data(), static_cast<Index>(line.size()));
        out[s / count][first + s % count] = summarize(line, {}, kPointsPerKnot * *options_.knots);
      });
    }
    return out;
  }

  const FitOptions options_;
  const Index parts_;
  Communicator& comm_;
  Workers workers_;
  std::vector<std::string> names_;
  Latent latent_;
  RowChoice usable_;
  std::vector<Index> places_;  // of own groups among those of all
  std::vector<Index> sizes_;
  Vector center_;  // none before the first search
};

}  // namespace

Fit fit_row_free(GroupSet mine, const FitOptions& options, Communicator& comm) {
  do_together(comm, [&] {
    refuse_what_needs_rows(mine, options);
    mine.validate();
  });
  check_same_requests(options, comm);
  const DataShape shape = shape_of_all(mine, comm);
  const FitOptions resolved = options_without_rows(options, shape);
  do_together(comm, [&] { check_rows_per_knot(mine, *resolved.knots); });
  Fit out = RowFreeFit(std::move(mine), resolved, shape, comm).run();
  out.flow.set_amount(resolved.amount);
  return out;
}

}  // namespace conflux
