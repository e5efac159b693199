// Layers that all groups share: between the units of the data and normal scores.

#include "flow/score_layer.h"
#include "flow/shear_layer.h"
#include "flow/unit_cube_layer.h"
#include "storage/damaged.h"
#include "storage/layer_codecs.h"
#include "storage/map_tensors.h"

namespace conflux {

namespace {

using CubeStep = UnitCubeLayer::CubeStep;
using ScoreStep = ScoreLayer::ScoreStep;

void write_scores(const Layer& layer, const LayerSink& sink) {
  std::vector<const PiecewiseLinearMap*> maps;
  for (const PiecewiseLinearMap& map : dynamic_cast<const ScoreLayer&>(layer).scores()) {
    maps.push_back(&map);
  }
  write_piecewise_linear(maps, sink.prefix, sink.out);
}

template <ScoreStep step>
std::shared_ptr<const Layer> read_scores(const LayerSource& source) {
  return std::make_shared<ScoreLayer>(read_piecewise_linear(source.prefix, source.dim, source.file),
                                      step);
}

void write_cube(const Layer& layer, const LayerSink& sink) {
  const double margin = dynamic_cast<const UnitCubeLayer&>(layer).margin();
  sink.out.add(sink.prefix + ".margin", {1}, std::vector<double>{margin});
}

template <CubeStep step>
std::shared_ptr<const Layer> read_cube(const LayerSource& source) {
  const std::string name = source.prefix + ".margin";
  const double margin = source.file.doubles(name, {1}).front();
  if (!(margin > 0 && margin < 0.5)) damaged(name, "is not between 0 and 1/2");
  return std::make_shared<UnitCubeLayer>(source.dim, margin, step);
}

void write_shear(const Layer& layer, const LayerSink& sink) {
  const Matrix& slopes = dynamic_cast<const ShearLayer&>(layer).slopes();
  sink.out.add(sink.prefix + ".slopes", {slopes.rows(), slopes.cols()},
               std::vector<double>(slopes.data(), slopes.data() + slopes.size()));
}

template <ShearLayer::ShearStep step>
std::shared_ptr<const Layer> read_shear(const LayerSource& source) {
  const std::string name = source.prefix + ".slopes";
  const Index covariates = source.file.shape(name, 2)[0];
  const Index features = source.dim - covariates;
  if (covariates < 1 || features < 1) damaged(name, "has no or too many rows");
  const std::vector<double> slopes = source.file.doubles(name, {covariates, features});
  return std::make_shared<ShearLayer>(
      Matrix(Eigen::Map<const Matrix>(slopes.data(), covariates, features)), step);
}

}  // namespace

LayerCodec less_covariates_codec() {
  return {"less-covariates", write_shear, read_shear<ShearLayer::ShearStep::kTakeOff>};
}
LayerCodec plus_covariates_codec() {
  return {"plus-covariates", write_shear, read_shear<ShearLayer::ShearStep::kPutBack>};
}
LayerCodec to_scores_codec() {
  return {"to-scores", write_scores, read_scores<ScoreStep::kToScores>};
}
LayerCodec from_scores_codec() {
  return {"from-scores", write_scores, read_scores<ScoreStep::kFromScores>};
}
LayerCodec cube_to_normal_codec() {
  return {"cube-to-normal", write_cube, read_cube<CubeStep::kToNormal>};
}
LayerCodec normal_to_cube_codec() {
  return {"normal-to-cube", write_cube, read_cube<CubeStep::kToCube>};
}

}  // namespace conflux
