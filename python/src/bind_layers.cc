// The layers of a fitted flow, for plots and for the curious.

#include <fmt/format.h>

#include <algorithm>

#include "bindings.h"
#include "conflux/core/error.h"
#include "flow/affine_layer.h"
#include "flow/coordinate_layer.h"
#include "flow/sliced_layer.h"
#include "model_parts.h"

namespace py = pybind11;

namespace conflux::python {

namespace {

using Maps = std::vector<std::vector<MonotoneMap>>;

// The maps of each group on each line; null for layers of another kind.
const Maps* maps_of(const LayerOf& self) {
  if (const auto* sliced = dynamic_cast<const SlicedLayer*>(&self.layer())) return &sliced->maps();
  if (const auto* each = dynamic_cast<const CoordinateLayer*>(&self.layer())) return &each->maps();
  return nullptr;
}

Index num_lines(const LayerOf& self) {
  const Maps* maps = maps_of(self);
  return maps == nullptr ? 0 : static_cast<Index>(maps->front().size());
}

const MonotoneMap& map_of(const LayerOf& self, Index group, Index line) {
  const Index groups = self.model->flow.num_groups();
  if (group < 0 || group >= groups || line < 0 || line >= num_lines(self)) {
    throw InvalidOption(
        fmt::format("layer {} has no map of group {} on line {}; there are {} groups and {} lines.",
                    self.number, group, line, groups, num_lines(self)));
  }
  return (*maps_of(self))[static_cast<std::size_t>(group)][static_cast<std::size_t>(line)];
}

py::object frame_of(const LayerOf& self) {
  const auto* sliced = dynamic_cast<const SlicedLayer*>(&self.layer());
  return sliced == nullptr ? py::none() : py::object(to_array(sliced->frame().columns()));
}

py::array_t<double> move_along_line(const LayerOf& self, Index group, Index line,
                                    const Numbers& values) {
  py::array_t<double> out(values.size());
  std::copy_n(values.data(), values.size(), out.mutable_data());
  forward(map_of(self, group, line),
          std::span(out.mutable_data(), static_cast<std::size_t>(out.size())), nullptr);
  return out;
}

// Where a map has something to say: between its outer knots, or within three deviations.
py::tuple line_range(const LayerOf& self, Index group, Index line) {
  return std::visit(
      [](const auto& map) {
        if constexpr (requires { map.from(); }) {
          if (map.from().empty()) return py::make_tuple(-1.0, 1.0);
          return py::make_tuple(map.from().front(), map.from().back());
        } else {
          const double middle = map.source().mean();
          const double reach = 3 * map.source().deviation();
          return py::make_tuple(middle - reach, middle + reach);
        }
      },
      map_of(self, group, line));
}

py::object affine_of(const LayerOf& self, Index group) {
  const auto* affine = dynamic_cast<const AffineLayer*>(&self.layer());
  if (affine == nullptr || group < 0 || group >= self.model->flow.num_groups()) return py::none();
  const AffineLayer::Map& map = affine->maps()[static_cast<std::size_t>(group)];
  const auto vector = [](const Vector& from) {
    py::array_t<double> out(from.size());
    std::copy_n(from.data(), from.size(), out.mutable_data());
    return out;
  };
  // Rows are multiplied from the left.
  const Matrix matrix = map.matrix.transpose();
  return py::make_tuple(vector(map.mean), to_array(matrix), vector(map.center));
}

}  // namespace

void bind_layers(py::module_& module) {
  py::class_<LayerOf>(module, "Layer", "One invertible step of a fitted flow.")
      .def_property_readonly("kind", [](const LayerOf& self) { return self.layer().kind(); })
      .def_property_readonly("num_lines", &num_lines)
      .def_property_readonly("frame", &frame_of)
      .def("move_along_line", &move_along_line, py::arg("group"), py::arg("line"),
           py::arg("values"))
      .def("line_range", &line_range, py::arg("group"), py::arg("line"))
      .def("affine_map", &affine_of, py::arg("group"));
}

}  // namespace conflux::python
