#include "baselines/instructions.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <set>

#include "conflux/core/error.h"
#include "core/nearest_name.h"

namespace conflux {

namespace {

constexpr const char* kLines = "layers";
// Values of one image between two instructions; more is a mistake, not a network.
constexpr double kMostValues = 1e8;

const std::vector<std::pair<std::string, FeatureOperation>> kOperations = {
    {"image", FeatureOperation::kImage},     {"resize", FeatureOperation::kResize},
    {"repeat", FeatureOperation::kRepeat},   {"conv", FeatureOperation::kConv},
    {"maxpool", FeatureOperation::kMaxPool}, {"avgpool", FeatureOperation::kAvgPool},
    {"mean", FeatureOperation::kMean},       {"dense", FeatureOperation::kDense},
    {"concat", FeatureOperation::kConcat}};

// One line on its way to an instruction.
class LineReader {
 public:
  LineReader(const WeightFile& file, const std::string& line,
             const std::vector<FeatureInstruction>& before)
      : file_(file), line_(line), before_(before) {
    const std::size_t colon = line.find(": ");
    if (colon == std::string::npos || colon == 0) wrong("has no \"NAME: OPERATION\"");
    out_.name = line.substr(0, colon);
    if (find(out_.name) != before_.size()) wrong("makes something that is there already");
    std::vector<std::string> words = split(line.substr(colon + 2));
    if (words.empty()) wrong("has no operation");
    out_.operation = operation(words.front());
    for (std::size_t k = 1; k < words.size(); ++k) {
      const std::size_t equal = words[k].find('=');
      if (equal == std::string::npos) {
        add_input(words[k]);
      } else {
        settings_[words[k].substr(0, equal)] = words[k].substr(equal + 1);
      }
    }
  }

  FeatureInstruction read() {
    check_inputs();
    switch (out_.operation) {
      case FeatureOperation::kImage:
        out_.shape = {integer("height"), integer("width"), integer("channels", 1)};
        out_.low = number("low", 0);
        out_.high = number("high", 1);
        break;
      case FeatureOperation::kResize:
        out_.shape = {integer("height"), integer("width"), taken().channels};
        break;
      case FeatureOperation::kRepeat:
        if (taken().channels != 1) wrong("repeats an image that has several channels already");
        out_.shape = {taken().height, taken().width, integer("channels")};
        break;
      case FeatureOperation::kConv:
        read_conv();
        break;
      case FeatureOperation::kMaxPool:
      case FeatureOperation::kAvgPool:
        read_window(integer("size"), integer("size"));
        if (out_.window.pad_height >= out_.window.height ||
            out_.window.pad_width >= out_.window.width) {
          wrong("has windows that lie outside of the image");
        }
        break;
      case FeatureOperation::kMean:
        out_.shape = {1, 1, taken().channels};
        break;
      case FeatureOperation::kDense:
        read_map({taken().size()});
        out_.shape = {1, 1, out_.map->outputs};
        break;
      case FeatureOperation::kConcat:
        read_concat();
        break;
    }
    const double values = static_cast<double>(out_.shape.height) *
                          static_cast<double>(out_.shape.width) *
                          static_cast<double>(out_.shape.channels);
    if (!(values >= 1 && values <= kMostValues)) wrong("makes an image of no or too many values");
    check_settings();
    return std::move(out_);
  }

 private:
  [[noreturn]] void wrong(const std::string& what) const {
    throw InvalidData(fmt::format("{}: line \"{}\" of \"{}\" {}; docs/formats.md has the layout.",
                                  file_.name, line_, kLines, what));
  }

  static std::vector<std::string> split(const std::string& text) {
    std::vector<std::string> out;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = std::min(text.find(' ', at), text.size());
      if (end > at) out.push_back(text.substr(at, end - at));
      at = end + 1;
    }
    return out;
  }

  FeatureOperation operation(const std::string& name) const {
    std::vector<std::string> known;
    for (const auto& [each, value] : kOperations) {
      if (each == name) return value;
      known.push_back(each);
    }
    wrong("is not understood: " + unknown_name("operation", name, known));
  }

  std::size_t find(const std::string& name) const {
    std::size_t k = 0;
    while (k < before_.size() && before_[k].name != name) ++k;
    return k;
  }

  void add_input(const std::string& name) {
    const std::size_t k = find(name);
    if (k == before_.size()) wrong(fmt::format("takes \"{}\", which no line before makes", name));
    out_.inputs.push_back(k);
  }

  void check_inputs() const {
    const bool first = before_.empty();
    if ((out_.operation == FeatureOperation::kImage) != first) {
      wrong("is out of place: the first line, and no other, is an image");
    }
    const std::size_t least = first ? 0 : 1;
    const bool several = out_.operation == FeatureOperation::kConcat;
    if (out_.inputs.size() < least || (!several && out_.inputs.size() > least)) {
      wrong(fmt::format("takes {} images", out_.inputs.size()));
    }
  }

  const FeatureShape& taken() const { return before_[out_.inputs.front()].shape; }

  const std::string* setting(const std::string& key) {
    used_.insert(key);
    const auto found = settings_.find(key);
    return found == settings_.end() ? nullptr : &found->second;
  }

  float number(const std::string& key, float missing) {
    const std::string* text = setting(key);
    if (text == nullptr) return missing;
    float value = 0;
    const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), value);
    if (error != std::errc() || end != text->data() + text->size() || !std::isfinite(value)) {
      wrong(fmt::format("has {}={}, which is no number", key, *text));
    }
    return value;
  }

  /// A whole number from 1, or from 0 where that is what is missing.
  Index integer(const std::string& key, Index missing = -1) {
    const float value = number(key, static_cast<float>(missing));
    const float least = missing == 0 ? 0 : 1;
    if (!(value >= least && value <= 1e6F && value == std::floor(value))) {
      wrong(fmt::format("has no {} that is a whole number of at least {}", key, least));
    }
    return static_cast<Index>(value);
  }

  void check_settings() const {
    for (const auto& [key, value] : settings_) {
      if (!used_.contains(key)) wrong(fmt::format("has a setting {} that it does not use", key));
    }
  }

  void read_window(Index height, Index width) {
    const Index pad = integer("pad", 0);
    out_.window = {height, width, integer("stride", 1), pad, pad};
    if (setting("pad_height") != nullptr) out_.window.pad_height = integer("pad_height", 0);
    if (setting("pad_width") != nullptr) out_.window.pad_width = integer("pad_width", 0);
    const Index channels = taken().channels;
    out_.shape = places_of(taken(), out_.window);
    if (out_.shape.height == 0) wrong("has a window that is larger than the image");
    out_.shape.channels = channels;
  }

  /// Weights whose last dimension are the outputs and whose others are `inputs`.
  void read_map(const std::vector<Index>& inputs) {
    const std::string* name = setting("weights");
    if (name == nullptr) wrong("names no weights");
    const WeightArray& weights = array(*name + ".weights");
    const WeightArray& bias = array(*name + ".bias");
    std::vector<Index> shape = inputs;
    shape.push_back(weights.shape.empty() ? 0 : weights.shape.back());
    if (weights.shape != shape || bias.shape != std::vector<Index>{shape.back()}) {
      wrong("has weights or a bias whose shape does not suit the image");
    }
    Index count = 1;
    for (const Index size : inputs) count *= size;
    out_.map = std::make_shared<LinearMap>(count, shape.back(), weights.values, bias.values);
    out_.relu = integer("relu", 0) == 1;
  }

  const WeightArray& array(const std::string& name) const {
    const auto found = file_.arrays.find(name);
    if (found == file_.arrays.end()) wrong(fmt::format("needs an array \"{}\"", name));
    return found->second;
  }

  void read_conv() {
    const std::string* name = setting("weights");
    if (name == nullptr) wrong("names no weights");
    const std::vector<Index>& shape = array(*name + ".weights").shape;
    if (shape.size() != 4) wrong("needs weights of height x width x channels x outputs");
    read_map({shape[0], shape[1], taken().channels});
    read_window(shape[0], shape[1]);
    out_.shape.channels = out_.map->outputs;
  }

  void read_concat() {
    out_.shape = {taken().height, taken().width, 0};
    for (const std::size_t k : out_.inputs) {
      const FeatureShape& each = before_[k].shape;
      if (each.height != out_.shape.height || each.width != out_.shape.width) {
        wrong("joins images of different sizes");
      }
      out_.shape.channels += each.channels;
    }
  }

  const WeightFile& file_;
  const std::string& line_;
  const std::vector<FeatureInstruction>& before_;
  FeatureInstruction out_;
  std::map<std::string, std::string> settings_;
  std::set<std::string> used_;
};

FeatureImage do_one(const FeatureInstruction& next, const std::vector<FeatureImage>& made) {
  const FeatureImage& from = made[next.inputs.front()];
  switch (next.operation) {
    case FeatureOperation::kResize:
      return resize(from, next.shape.height, next.shape.width);
    case FeatureOperation::kRepeat:
      return repeat_channel(from, next.shape.channels);
    case FeatureOperation::kConv:
      return convolve(from, next.window, *next.map, next.relu);
    case FeatureOperation::kMaxPool:
    case FeatureOperation::kAvgPool:
      return pool(from, next.window, next.operation == FeatureOperation::kMaxPool);
    case FeatureOperation::kMean:
      return mean_of_pixels(from);
    case FeatureOperation::kDense:
      return multiply(from, *next.map, next.relu);
    case FeatureOperation::kImage:
    case FeatureOperation::kConcat:
      break;
  }
  std::vector<const FeatureImage*> parts;
  for (const std::size_t k : next.inputs) parts.push_back(&made[k]);
  return join_channels(parts);
}

}  // namespace

std::vector<FeatureInstruction> read_instructions(const WeightFile& file) {
  const auto lines = file.texts.find(kLines);
  if (lines == file.texts.end() || lines->second.empty()) {
    throw InvalidData(fmt::format(
        "{} has no array \"{}\" of instructions, so it is no network; docs/formats.md has the "
        "layout.",
        file.name, kLines));
  }
  std::vector<FeatureInstruction> out;
  for (const std::string& line : lines->second) out.push_back(LineReader(file, line, out).read());
  return out;
}

std::vector<float> run(const std::vector<FeatureInstruction>& instructions, const double* image) {
  std::vector<FeatureImage> made;
  const FeatureInstruction& first = instructions.front();
  made.push_back({first.shape, {}});
  for (Index k = 0; k < first.shape.size(); ++k) {
    made.back().values.push_back(first.low +
                                 (first.high - first.low) * static_cast<float>(image[k]));
  }
  for (std::size_t k = 1; k < instructions.size(); ++k) {
    made.push_back(do_one(instructions[k], made));
  }
  return std::move(made.back().values);
}

}  // namespace conflux
