#include "reproduce/samples.h"

#include <algorithm>
#include <cmath>

namespace conflux::app {

namespace {

constexpr Index kImagesOfTwo = 3;
constexpr Index kPointsOfClass = 150;
constexpr const char* kDigits = "0123456789abcdef";

using Tile = Eigen::Ref<const Eigen::RowVectorXd>;

class SheetWriter {
 public:
  void add(const Tile& image) {
    for (const double value : image) {
      const auto gray = static_cast<unsigned>(std::lround(255 * std::clamp(value, 0.0, 1.0)));
      text_ += kDigits[gray >> 4];
      text_ += kDigits[gray & 15];
    }
  }
  Json finish(Index rows, Index columns, Index side) {
    return {{"rows", rows}, {"columns", columns}, {"side", side}, {"pixels", std::move(text_)}};
  }

 private:
  std::string text_;
};

std::vector<double> rounded(const Matrix& points) {
  std::vector<double> out;
  for (const double value : points.reshaped<Eigen::RowMajor>()) {
    out.push_back(std::round(1e4 * value) / 1e4);
  }
  return out;
}

Json two_groups(const Translator& translator, const GroupSet& test, Index side) {
  SheetWriter sheet;
  const Index count = std::min(kImagesOfTwo, test[0].rows.rows());
  for (const Index m : {0, 1}) {
    for (Index i = 0; i < count; ++i) sheet.add(test[m].rows.eigen().row(i));
  }
  for (const Matrix& rows : translator.shared()) {
    for (Index i = 0; i < count; ++i) sheet.add(rows.row(i));
  }
  for (const Index m : {0, 1}) {
    const Matrix flipped = translator.first_translated(m, 1 - m, count);
    for (Index i = 0; i < count; ++i) sheet.add(flipped.row(i));
  }
  return sheet.finish(translator.shared().empty() ? 2 : 3, 2 * count, side);
}

Json many_groups(const Translator& translator, const GroupSet& test, Index side) {
  SheetWriter sheet;
  const Index groups = test.num_groups();
  for (Index m = 0; m < groups; ++m) {
    sheet.add(test[m].rows.eigen().row(0));
    sheet.add(translator.shared()[static_cast<std::size_t>(m)].row(0));
    for (Index to = 0; to < groups; ++to) {
      sheet.add(translator.first_translated(m, to, 1).row(0));
    }
  }
  return sheet.finish(groups, groups + 2, side);
}

}  // namespace

Json image_samples(const Translator& translator, const GroupSet& test) {
  const auto side = static_cast<Index>(std::lround(std::sqrt(static_cast<double>(test.dim()))));
  return test.num_groups() == 2 ? two_groups(translator, test, side)
                                : many_groups(translator, test, side);
}

Json planar_samples(const Translator& translator, const GroupSet& test) {
  Json original = Json::array(), shared = Json::array(), translated = Json::array();
  const Index groups = test.num_groups();
  for (Index m = 0; m < groups; ++m) {
    const Index count = std::min(kPointsOfClass, test[m].rows.rows());
    original.push_back(rounded(test[m].rows.eigen().topRows(count)));
    if (!translator.shared().empty()) {
      shared.push_back(rounded(translator.shared()[static_cast<std::size_t>(m)].topRows(count)));
    }
    translated.push_back(rounded(translator.first_translated(m, groups == 2 ? 1 - m : 0, count)));
  }
  return {{"original", original}, {"shared", shared}, {"translated", translated}};
}

Sheet sheet_of(const Json& samples) {
  const auto whole = [&](const char* name) { return static_cast<int>(samples.at(name).whole()); };
  Sheet out{whole("rows"), whole("columns"), whole("side"), {}};
  const std::string& text = samples.at("pixels").text();
  for (std::size_t i = 0; i + 1 < text.size(); i += 2) {
    out.pixels.push_back(static_cast<unsigned char>(std::stoi(text.substr(i, 2), nullptr, 16)));
  }
  return out;
}

}  // namespace conflux::app
