// The instructions of a network, checked against its weights before the first image.
//
//   features: conv input weights=conv1 stride=2 relu=1
//
// A line has the name of what it makes, an operation, the names of what it takes (made by lines
// before it), and settings. docs/formats.md lists the operations.

#pragma once

#include <memory>
#include <string>
#include <vector>

#include "baselines/image_operations.h"
#include "baselines/weight_file.h"

namespace conflux {

enum class FeatureOperation {
  kImage,
  kResize,
  kRepeat,
  kConv,
  kMaxPool,
  kAvgPool,
  kMean,
  kDense,
  kConcat
};

struct FeatureInstruction {
  std::string name;
  FeatureOperation operation = FeatureOperation::kImage;
  std::vector<std::size_t> inputs = {};
  FeatureShape shape = {};  // of what it makes
  Window window = {};
  bool relu = false;
  float low = 0;  // of an image, where its rows have 0 and 1
  float high = 1;
  std::shared_ptr<const LinearMap> map = nullptr;
};

/// Throws InvalidData that names the line and what is wrong with it.
std::vector<FeatureInstruction> read_instructions(const WeightFile& file);

/// The output of the last instruction for an image.
std::vector<float> run(const std::vector<FeatureInstruction>& instructions, const double* image);

}  // namespace conflux
