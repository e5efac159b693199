#include "baselines/feature_net.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>

#include "baselines/built_in_nets.h"
#include "baselines/instructions.h"
#include "conflux/core/error.h"

namespace conflux {

struct FeatureNet::Parts {
  std::vector<FeatureInstruction> instructions;
};

FeatureNet FeatureNet::load(const std::string& name_or_path) {
  const auto read = [](const ByteSource& source) {
    FeatureNet out;
    out.parts_ = std::make_shared<const Parts>(Parts{read_instructions(read_weight_file(source))});
    return out;
  };
  for (const BuiltInNet& net : built_in_nets()) {
    if (net.name != name_or_path) continue;
    return read(ByteSource::memory({net.bytes.begin(), net.bytes.end()}, std::string(net.name)));
  }
  if (!std::filesystem::exists(name_or_path)) {
    throw InvalidOption(
        fmt::format("features-net is \"{}\", which is neither a file nor one of {}; give one of "
                    "these small networks, or an npz file of weights, such as "
                    "tools/get_inception.py makes of an Inception network.",
                    name_or_path, fmt::join(built_in(), ", ")));
  }
  return read(ByteSource::file(name_or_path));
}

std::vector<std::string> FeatureNet::built_in() {
  std::vector<std::string> out;
  for (const BuiltInNet& net : built_in_nets()) out.emplace_back(net.name);
  return out;
}

Index FeatureNet::num_inputs() const { return parts_->instructions.front().shape.size(); }
Index FeatureNet::num_features() const { return parts_->instructions.back().shape.size(); }

Matrix FeatureNet::features(ConstRows images, const Workers& workers) const {
  if (images.cols() != num_inputs()) {
    const FeatureShape& shape = parts_->instructions.front().shape;
    throw InvalidData(fmt::format(
        "rows have {} columns but the network takes images of {} x {} x {}, {} values; give rows "
        "that are such images, or another network.",
        images.cols(), shape.height, shape.width, shape.channels, num_inputs()));
  }
  Matrix out(images.rows(), num_features());
  workers.for_each(images.rows(), [&](Index i) {
    const std::vector<float> values = run(parts_->instructions, images.row(i));
    for (Index k = 0; k < out.cols(); ++k) out(i, k) = values[static_cast<std::size_t>(k)];
  });
  return out;
}

}  // namespace conflux
