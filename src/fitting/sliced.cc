// INB: all groups to their barycenter along the directions in which they differ most.

#include <algorithm>

#include "core/stopwatch.h"
#include "fitting/layer_kinds.h"
#include "fitting/patches.h"
#include "fitting/row_choice.h"
#include "fitting/search_setup.h"
#include "flow/sliced_layer.h"

namespace conflux {

namespace {

// Directions of a few features as directions of all, with zeros elsewhere.
Frame spread_over(const std::vector<Index>& features, const Frame& frame, Index dim) {
  Matrix columns = Matrix::Zero(dim, frame.directions());
  for (std::size_t f = 0; f < features.size(); ++f) {
    columns.row(features[f]) = frame.columns().row(static_cast<Index>(f));
  }
  return Frame(std::move(columns));
}

// Mean spread along lines, from the values of some rows on them.
double mean_spread_of(const Projections& projections, const RowChoice& chosen,
                      const FitInput& input) {
  GroupSet values;
  RowChoice all;
  for (Index m = 0; m < input.given().num_groups(); ++m) {
    const Group& group = input.given()[m];
    Matrix lines(projections.num_lines(), static_cast<Index>(chosen[m].size()));
    for (Index line = 0; line < lines.rows(); ++line) {
      projections.copy(m, line, chosen[m],
                       std::span<double>(lines.row(line).data(), chosen[m].size()));
    }
    values.add(group.name, Matrix(lines.transpose()), chosen_masses(group, chosen[m]));
    all.push_back(RowList::all(static_cast<Index>(chosen[m].size())));
  }
  const Index k = values.dim();
  const std::vector<double> weights = search_weights(input.options);
  return mean_spread(gather_search_sample<float>(values, all, weights, input.comm, input.workers),
                     weights, Frame(Matrix::Identity(k, k)), input.workers);
}

class SlicedFitter final : public LayerFitter {
 public:
  explicit SlicedFitter(const FitInput& input)
      : center_(common_center_and_scale(input.groups(), input.usable, search_weights(input.options),
                                        input.comm)),
        image_(parse_image_shape(input.options.image, input.groups().dim())) {}

  Fitted fit(const FitInput& input, Index layer, double strength) override {
    check_split(input.given().names(), input.places, input.options.split);
    LayerRows rows = choose_rows(input.usable, input.places, layer, input.options);
    SearchResult found = search(input, layer, rows.search);
    share(found.frame, input.comm);
    const auto projections =
        std::make_shared<Projections>(input.latent.project(found.frame, input.workers, found.work));
    const auto fitted =
        std::make_shared<SlicedLayer>(fit_maps(input, found, *projections, rows.maps(), strength));
    Fitted out = from_search(found);
    out.layers = {fitted};
    out.move = [fitted, projections, input](Latent& latent, Work& work) {
      latent.move_along(*fitted, *projections, input.workers, work);
    };
    out.spread_after = [projections, seen = std::move(rows.search), input] {
      return mean_spread_of(*projections, seen, input);
    };
    return out;
  }

 private:
  /// In all features, or for every second layer on images in those of a patch.
  SearchResult search(const FitInput& input, Index layer, const RowChoice& rows) const {
    const FitOptions& options = input.options;
    const std::vector<Index> features = image_ && layer % 2 == 1
                                            ? random_patch(*image_, options.seed, layer)
                                            : std::vector<Index>();
    const std::vector<double> weights = search_weights(options);
    const Latent::Some seen = input.latent.some(rows);
    const SearchSample<float> sample = gather_search_sample<float>(
        seen.groups, seen.rows, weights, input.comm, input.workers, &center_, features);
    Stream stream(options.seed, Purpose::kDirections, static_cast<std::uint64_t>(layer));
    const Frame start =
        Frame::random(sample.dim(), std::min(*options.directions, sample.dim()), stream);
    SearchResult found =
        find_directions(sample, weights, start, search_options(options), input.workers);
    if (!features.empty()) found.frame = spread_over(features, found.frame, input.given().dim());
    return found;
  }

  static SlicedLayer fit_maps(const FitInput& input, SearchResult& found,
                              const Projections& projections, const RowChoice& rows,
                              double strength) {
    const Stopwatch watch;
    const auto fit_in = [&](auto zero) {
      using Scalar = decltype(zero);
      const ReadLine<Scalar> read_line = [&](Index m, Index line, std::span<Scalar> values) {
        projections.copy(m, line, rows[m], values);
      };
      return fit_line_maps(found.frame.directions(), read_line, input.given(), rows, strength,
                           input.options, input.comm, input.workers, input.places.most);
    };
    LineMaps lines = projections.single() ? fit_in(0.0F) : fit_in(0.0);
    found.work.sort_seconds += watch.seconds();
    return {found.frame, std::move(lines.maps), std::move(lines.barycenters)};
  }

  CenterAndScale center_;
  std::optional<ImageShape> image_;
};

LayerPointer widen_sliced(const LayerPointer& layer, const NewGroup& added) {
  const auto& sliced = dynamic_cast<const SlicedLayer&>(*layer);
  LineMaps lines{sliced.maps(), sliced.barycenters()};
  if (!add_line_maps(lines, added.group, added.chosen, &sliced.frame(), added.strength,
                     added.options, added.workers)) {
    return nullptr;
  }
  return std::make_shared<SlicedLayer>(sliced.frame(), std::move(lines.maps),
                                       std::move(lines.barycenters));
}

// A fit moves rows of single precision along their projections.
void repeat(const Layer& layer, Latent& latent, const Workers& workers) {
  const auto& sliced = dynamic_cast<const SlicedLayer&>(layer);
  Work work;
  Projections projections = latent.project(sliced.frame(), workers, work);
  latent.move_along(sliced, projections, workers, work);
}

// Every layer keeps its directions three times (rows, columns, padded) and the knots of its maps; a
// search looks at a sample in single precision.
double memory_of_sliced(const DataShape& data, const FitOptions& options) {
  const auto groups = static_cast<double>(data.group_sizes.size());
  const auto dim = static_cast<double>(data.dim);
  const auto directions = static_cast<double>(*options.directions);
  const double per_layer =
      directions * (3 * dim + 2 * groups * static_cast<double>(*options.knots));
  double sample = 0;
  for (const Index rows : data.group_sizes) {
    sample += dim * static_cast<double>(std::min(rows, *options.search_rows));
  }
  return sizeof(double) * per_layer * static_cast<double>(*options.layers) + sizeof(float) * sample;
}

}  // namespace

LayerKind sliced_kind() {
  return {.name = "sliced",
          .start = [](const FitInput& input) -> std::unique_ptr<LayerFitter> {
            return std::make_unique<SlicedFitter>(input);
          },
          .widen = widen_sliced,
          .repeat = repeat,
          .memory = memory_of_sliced};
}

}  // namespace conflux
