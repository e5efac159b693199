// Networks that are part of the library: the npz files of this folder, which
// tools/train_feature_nets.py makes, byte by byte (cmake/ConfluxEmbed.cmake).

#pragma once

#include <span>
#include <string_view>

namespace conflux {

struct BuiltInNet {
  std::string_view name;
  std::span<const char> bytes;
};

std::span<const BuiltInNet> built_in_nets();

}  // namespace conflux
