// Layers of increasing maps along lines: sliced and coordinate.

#include "flow/coordinate_layer.h"
#include "flow/sliced_layer.h"
#include "storage/layer_codecs.h"
#include "storage/map_tensors.h"

namespace conflux {

namespace {

void write_sliced(const Layer& layer, const LayerSink& sink) {
  const auto& sliced = dynamic_cast<const SlicedLayer&>(layer);
  write_frame(sliced.frame(), sink.prefix + ".frame", sink.out);
  sink.texts["maps"] = write_maps(sliced.maps(), sliced.barycenters(), sink.prefix, sink.out);
}

std::shared_ptr<const Layer> read_sliced(const LayerSource& source) {
  Frame frame = read_frame(source.prefix + ".frame", source.dim, source.file);
  LineMaps lines = read_maps(source.texts["maps"], source.prefix, source.groups, frame.directions(),
                             source.file);
  return std::make_shared<SlicedLayer>(std::move(frame), std::move(lines.maps),
                                       std::move(lines.barycenters));
}

void write_coordinate(const Layer& layer, const LayerSink& sink) {
  const auto& coordinate = dynamic_cast<const CoordinateLayer&>(layer);
  sink.texts["maps"] =
      write_maps(coordinate.maps(), coordinate.barycenters(), sink.prefix, sink.out);
}

std::shared_ptr<const Layer> read_coordinate(const LayerSource& source) {
  LineMaps lines =
      read_maps(source.texts["maps"], source.prefix, source.groups, source.dim, source.file);
  return std::make_shared<CoordinateLayer>(std::move(lines.maps), std::move(lines.barycenters));
}

}  // namespace

LayerCodec sliced_codec() { return {"sliced", write_sliced, read_sliced}; }
LayerCodec coordinate_codec() { return {"coordinate", write_coordinate, read_coordinate}; }

}  // namespace conflux
