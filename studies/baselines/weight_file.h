// Arrays of an npz file by name: numbers for weights, lines of text for instructions.

#pragma once

#include <map>
#include <string>
#include <vector>

#include "conflux/core/index.h"
#include "files/input_stream.h"

namespace conflux {

struct WeightArray {
  std::vector<Index> shape;
  std::vector<float> values;
};

struct WeightFile {
  std::string name;
  std::map<std::string, WeightArray> arrays;
  std::map<std::string, std::vector<std::string>> texts;
};

/// Throws InvalidData for what is no npz file, and for arrays that are neither numbers of 2 to 8
/// bytes in C order nor text.
WeightFile read_weight_file(const ByteSource& source);

}  // namespace conflux
