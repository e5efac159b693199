// Files that are truncated, damaged or made up.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "conflux/core/error.h"
#include "tests/storage/models.h"

namespace conflux {
namespace hostile_file_test {

std::string refusal(const Bytes& bytes) {
  try {
    parse_model(bytes);
  } catch (const InvalidData& error) {
    return error.what();
  }
  return "accepted";
}

const std::vector<Bytes>& some_files() {
  static const std::vector<Bytes> files = [] {
    const GroupSet groups = make_gaussian_groups(3, 4, 60, 1);
    std::vector<Bytes> out;
    for (const Kind kind : {Kind{Method::kGbInb}, Kind{Method::kNb, Estimator::kHistogram},
                            Kind{Method::kInb, Estimator::kHistogram, 20}, Kind{Method::kTree},
                            Kind{Method::kSinf}, Kind{Method::kConditional}}) {
      out.push_back(bytes_of(fit_model(groups, kind)));
    }
    return out;
  }();
  return files;
}

TEST(HostileFile, TruncatedAnywhereIsRefused) {
  Stream stream(2, Purpose::kTest);
  for (const Bytes& file : some_files()) {
    ASSERT_NO_THROW(parse_model(file));
    for (int i = 0; i < 300; ++i) {
      const Index length = stream.below(static_cast<Index>(file.size()));
      EXPECT_NE(refusal(Bytes(file.begin(), file.begin() + length)), "accepted") << length;
    }
    Bytes longer = file;
    longer.resize(file.size() + 8);
    EXPECT_THAT(refusal(longer), testing::HasSubstr("follow after the last array"));
  }
}

// The checksum covers header and payload, so no flip goes unseen.
TEST(HostileFile, WithAFlippedBitIsRefused) {
  Stream stream(3, Purpose::kTest);
  for (const Bytes& file : some_files()) {
    for (int i = 0; i < 1000; ++i) {
      const Index at = stream.below(static_cast<Index>(file.size()));
      Bytes flipped = file;
      flipped[at] ^= static_cast<std::byte>(1 << stream.below(8));
      EXPECT_NE(refusal(flipped), "accepted") << at;
    }
  }
}

// Behind a right checksum anything may stand; whatever is accepted must be usable without a crash.
TEST(HostileFile, WithFlippedBitsAndARightChecksumIsRefusedOrUsable) {
  Stream stream(4, Purpose::kTest);
  const Workers workers(1);
  for (const Bytes& file : some_files()) {
    for (int i = 0; i < 2000; ++i) {
      Bytes flipped = file;
      for (Index flips = 1 + stream.below(4); flips > 0; --flips) {
        const Index at = stream.below(static_cast<Index>(file.size()));
        flipped[at] ^= static_cast<std::byte>(1 << stream.below(8));
      }
      renew_checksum(flipped);
      try {
        const Model model = parse_model(flipped);
        if (model.flow.dim() > 100) continue;
        const Matrix rows = stream.normal_matrix(3, model.flow.dim());
        model.flow.translate(0, model.flow.num_groups() - 1, rows, workers);
      } catch (const InvalidData&) {
      }
    }
  }
}

struct Case {
  std::string name;
  std::function<void(RawFile&)> change;
  std::string message;
};

void PrintTo(const Case& each, std::ostream* out) { *out << each.message; }

class MadeUpFile : public testing::TestWithParam<Case> {};

TEST_P(MadeUpFile, IsRefusedByName) {
  RawFile raw(some_files().front());
  GetParam().change(raw);
  EXPECT_THAT(refusal(raw.bytes()), testing::HasSubstr(GetParam().message));
}

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// The file is of a model by gb-inb: layer 0 is affine, layers 1 to 3 are sliced with quantile maps.
std::vector<Case> cases() {
  using R = RawFile;
  return {
      {"NotAnObject", [](R& r) { r.header = OrderedJson::array({1}); }, "no JSON object"},
      {"NoMetadata", [](R& r) { r.header.erase("__metadata__"); }, "no metadata"},
      {"MetadataNotText", [](R& r) { r.metadata()["dim"] = 4; }, "\"dim\" is no text"},
      {"OtherFormat", [](R& r) { r.metadata()["format"] = "pt"; }, "this is no conflux file"},
      {"NewerVersion", [](R& r) { r.metadata()["format_version"] = "5"; }, "newer conflux"},
      {"NoVersion", [](R& r) { r.metadata()["format_version"] = "new"; }, "no number above 0"},
      {"VersionZero", [](R& r) { r.metadata()["format_version"] = "0"; }, "no number above 0"},
      {"NoChecksum", [](R& r) { r.metadata().erase("checksum"); }, "no checksum"},
      {"OtherChecksum", [](R& r) { r.metadata()["checksum"] = "md5:00"; }, "no checksum"},
      {"UnknownKind", [](R& r) { r.metadata()["kind"] = "x"; }, "neither model nor checkpoint"},
      {"Deep",
       [](R& r) {
         OrderedJson deep = 1;
         for (int i = 0; i < 50; ++i) deep = OrderedJson::array({deep});
         r.header["x"] = deep;
       },
       "nested too deeply"},
      {"LayersWithoutEnd",
       [](R& r) {
         std::string layers = "[{}";
         for (int i = 0; i < 300'000; ++i) layers += ",{}";
         r.metadata()["layers"] = layers + "]";
       },
       "has 300001 layers, more than 100000"},
      {"GroupTwice",
       [](R& r) { r.change("groups", [](OrderedJson& names) { names[1] = names[0]; }); },
       "groups has the name"},
      {"FeatureTwice",
       [](R& r) { r.change("features", [](OrderedJson& names) { names[1] = names[0]; }); },
       "features has the name \"f0\" twice"},
      {"UnknownDtype", [](R& r) { r.header["layer.1.from"]["dtype"] = "F32"; }, "unknown dtype"},
      {"OtherDtype", [](R& r) { r.header["layer.1.from"]["dtype"] = "I64"; }, "instead of F64"},
      {"ShapeMissing", [](R& r) { r.header["layer.1.from"].erase("shape"); }, "not described"},
      {"ShapeNegative", [](R& r) { r.header["layer.1.from"]["shape"] = {-1}; }, "out of range"},
      {"ShapeFraction", [](R& r) { r.header["layer.1.from"]["shape"] = {1.5}; }, "no number"},
      {"ShapeHuge",
       [](R& r) {
         const std::int64_t huge = std::int64_t{1} << 47;
         r.header["layer.1.frame"]["shape"] = {huge, huge};
       },
       "multiply to more"},
      {"ShapeWrong",
       [](R& r) {
         r.header["layer.1.frame"]["shape"] = {3, 4};
       },
       "shape [3, 4]"},
      {"LengthWrong",
       [](R& r) {
         r.header["layer.1.frame"]["shape"] = {4, 4};
       },
       "bytes go from"},
      {"OffsetsReversed",
       [](R& r) {
         r.header["layer.1.from"]["data_offsets"] = {800, 0};
       },
       "bytes go from"},
      {"OffsetsOutside",
       [](R& r) {
         const std::int64_t size = r.header["layer.1.to"]["shape"][0];
         r.header["layer.1.to"]["data_offsets"] = {8 << 20, (8 << 20) + 8 * size};
       },
       "truncated"},
      {"Overlap",
       [](R& r) {
         r.header["layer.1.to"]["data_offsets"] = r.header["layer.1.from"]["data_offsets"];
       },
       "overlap or leave a gap"},
      {"ArrayMissing",
       [](R& r) {
         const auto moved = r.header["layer.1.from"];
         r.header.erase("layer.1.from");
         r.header["layer.1.form"] = moved;
       },
       "\"layer.1.from\" is missing"},
      {"ArrayTooMany",
       [](R& r) {
         const std::size_t end = r.payload.size();
         r.header["layer.9.frame"] = {
             {"dtype", "F64"}, {"shape", {0}}, {"data_offsets", {end, end}}};
       },
       "no layer has an array \"layer.9.frame\""},
      {"NoGroups", [](R& r) { r.metadata()["groups"] = "[]"; }, "no groups"},
      {"GroupsNoText", [](R& r) { r.metadata()["groups"] = "[1,2,3]"; }, "\"groups\" is no text"},
      {"GroupsNoJson", [](R& r) { r.metadata()["groups"] = "[\"a\""; }, "is no JSON"},
      {"GroupTooMany", [](R& r) { r.change("groups", [](OrderedJson& j) { j.push_back("x"); }); },
       "instead of [4, 4]"},
      {"GroupSizes",
       [](R& r) { r.change("record", [](OrderedJson& j) { j["group_sizes"].push_back(1); }); },
       "group_sizes"},
      {"Neighborhoods",
       [](R& r) {
         r.change("record", [](OrderedJson& j) {
           j["neighborhoods"] = {{{"label", "a"}, {"before", {1, 0}}, {"after", {1}}}};
         });
       },
       "no square table"},
      {"Check", [](R& r) { r.change("record", [](OrderedJson& j) { j["check"]["auc"] = "x"; }); },
       "\"auc\" is no number"},
      {"Weights",
       [](R& r) { r.change("options", [](OrderedJson& j) { j["weights"].push_back(1); }); },
       "weights"},
      {"Features", [](R& r) { r.change("features", [](OrderedJson& j) { j.push_back("x"); }); },
       "one name per feature"},
      {"NoFeatures", [](R& r) { r.metadata()["dim"] = "0"; }, "number of features"},
      {"HugeDim", [](R& r) { r.metadata()["dim"] = "99999999999999999999"; }, "number of features"},
      {"OtherDim", [](R& r) { r.metadata()["dim"] = "5"; }, "instead of [3, 5]"},
      {"OptionUnknown", [](R& r) { r.change("options", [](OrderedJson& j) { j["speed"] = 3; }); },
       "\"speed\" is unknown"},
      {"OptionOutOfRange",
       [](R& r) { r.change("options", [](OrderedJson& j) { j["strength"] = 7; }); },
       "strength is 7"},
      {"OptionOfOtherType",
       [](R& r) { r.change("options", [](OrderedJson& j) { j["layers"] = "many"; }); },
       "\"layers\" is no whole number"},
      {"OptionTooLarge",
       [](R& r) { r.change("options", [](OrderedJson& j) { j["threads"] = 1e15; }); },
       "\"threads\" is no whole number"},
      {"OptionBeyondInteger",
       [](R& r) {
         r.change("options", [](OrderedJson& j) { j["threads"] = std::int64_t{1} << 40; });
       },
       "\"threads\" is out of range"},
      {"MethodUnknown",
       [](R& r) { r.change("options", [](OrderedJson& j) { j["method"] = "magic"; }); },
       "\"method\" is none of its names"},
      {"LayerUnknown",
       [](R& r) { r.change("layers", [](OrderedJson& j) { j[1]["kind"] = "spline"; }); },
       "unknown kind \"spline\""},
      {"LayerNoObject", [](R& r) { r.change("layers", [](OrderedJson& j) { j[1] = 3; }); },
       "unknown kind"},
      {"MapsUnknown",
       [](R& r) { r.change("layers", [](OrderedJson& j) { j[1]["maps"] = "wavelet"; }); },
       "maps of the unknown kind"},
      {"LayerTooMany", [](R& r) { r.change("layers", [](OrderedJson& j) { j.push_back(j[1]); }); },
       "\"layer.4.frame\" is missing"},
      {"LayerTooFew", [](R& r) { r.change("layers", [](OrderedJson& j) { j.erase(3); }); },
       "no layer has an array"},
      {"NotFinite", [](R& r) { r.set_number("layer.0.matrix", 5, kNan); }, "is not finite"},
      {"NotOrthonormal", [](R& r) { r.set_number("layer.2.frame", 0, 2.0); }, "not orthonormal"},
      {"KnotsFall", [](R& r) { r.set_number("layer.1.from", 0, r.number("layer.1.from", 1) + 1); },
       "do not increase"},
      {"KnotsRepeat", [](R& r) { r.set_number("layer.1.to", 0, r.number("layer.1.to", 1)); },
       "do not increase"},
      {"BarycenterFalls", [](R& r) { r.set_number("layer.1.barycenter", 0, 1e9); },
       "do not increase"},
      {"OffsetsFall", [](R& r) { r.set_number("layer.1.offsets", 1, std::int64_t{-5}); },
       "does not increase from 0"},
      {"OffsetsEndElsewhere",
       [](R& r) { r.set_number("layer.1.offsets", 9, std::int64_t{1} << 60); }, "instead of ["},
  };
}

INSTANTIATE_TEST_SUITE_P(Each, MadeUpFile, testing::ValuesIn(cases()),
                         [](const auto& each) { return each.param.name; });

Bytes with_length(std::uint64_t length, std::string_view rest) {
  Bytes out(8 + rest.size());
  std::memcpy(out.data(), &length, 8);
  std::memcpy(out.data() + 8, rest.data(), rest.size());
  return out;
}

TEST(HostileFile, WithAnImpossibleHeaderIsRefused) {
  EXPECT_THAT(refusal({}), testing::HasSubstr("0 bytes"));
  EXPECT_THAT(refusal(Bytes(7)), testing::HasSubstr("truncated or no model"));
  EXPECT_THAT(refusal(Bytes(8)), testing::HasSubstr("no JSON"));
  EXPECT_THAT(refusal(with_length(~std::uint64_t{0}, "{}")), testing::HasSubstr("no model file"));
  EXPECT_THAT(refusal(with_length(1000, "{}")), testing::HasSubstr("truncated"));
  EXPECT_THAT(refusal(with_length(2, "{}")), testing::HasSubstr("no metadata"));
  EXPECT_THAT(refusal(with_length(3, "{x}")), testing::HasSubstr("no JSON"));
  EXPECT_THAT(refusal(with_length(13, "{\"a\":1,\"a\":2}")), testing::HasSubstr("\"a\" twice"));
  const std::string brackets(100000, '[');
  EXPECT_THAT(refusal(with_length(brackets.size(), brackets)), testing::HasSubstr("deeply"));
}

// A tree that is none would never end, and a map that moves the end of its box is no bijection.
TEST(HostileFile, OfATreeIsRefusedByName) {
  const auto refuse = [](const auto& change) {
    RawFile raw(some_files()[3]);
    change(raw);
    return refusal(raw.bytes());
  };
  using R = RawFile;
  using testing::HasSubstr;
  const std::int64_t one = 1;
  ASSERT_EQ(refuse([](R&) {}), "accepted");
  EXPECT_THAT(refuse([&](R& r) { r.set_number("layer.0.children", 0, 0 * one); }),
              HasSubstr("does not make a tree"));
  EXPECT_THAT(refuse([&](R& r) { r.set_number("layer.0.children", 1, 99 * one); }),
              HasSubstr("does not make a tree"));
  EXPECT_THAT(refuse([&](R& r) {
                r.set_number("layer.0.children", 0, one);
                r.set_number("layer.0.children", 1, one);
              }),
              HasSubstr("does not make a tree"));
  EXPECT_THAT(refuse([&](R& r) { r.set_number("layer.0.axis", 0, 9 * one); }),
              HasSubstr("names no axis"));
  EXPECT_THAT(refuse([&](R& r) { r.set_number("layer.0.features", 0, -one); }),
              HasSubstr("names no feature"));
  EXPECT_THAT(refuse([](R& r) { r.set_number("layer.0.to", 0, r.number("layer.0.to", 0) - 1); }),
              HasSubstr("moves the end of a box"));
  EXPECT_THAT(refuse([](R& r) { r.set_number("layer.0.threshold", 1, 1e9); }),
              testing::AnyOf(HasSubstr("cuts a box where it is not"), HasSubstr("moves the end")));
  EXPECT_THAT(refuse([](R& r) { r.set_number("layer.0.chart.from", 0, 1e9); }),
              HasSubstr("do not increase"));
  EXPECT_THAT(refuse([](R& r) { r.set_number("layer.0.ranges", 0, 1e9); }),
              HasSubstr("does not hold a cut"));
  EXPECT_THAT(refuse([](R& r) { r.set_number("layer.0.barycenter.levels", 0, 1.5); }),
              HasSubstr("does not increase from 0 to 1"));
  EXPECT_THAT(refuse([](R& r) { r.set_number("layer.0.barycenter.values", 0, 1e9); }),
              HasSubstr("do not increase"));
}

TEST(HostileFile, OfSplinesIsRefusedByName) {
  const auto refuse = [](const auto& change) {
    RawFile raw(some_files()[4]);
    change(raw);
    return refusal(raw.bytes());
  };
  using R = RawFile;
  using testing::HasSubstr;
  ASSERT_EQ(refuse([](R&) {}), "accepted");
  EXPECT_THAT(refuse([](R& r) { r.set_number("layer.0.slopes", 1, 0.0); }),
              HasSubstr("number out of range"));
  EXPECT_THAT(refuse([](R& r) { r.set_number("layer.0.slopes", 1, -2.0); }),
              HasSubstr("number out of range"));
  EXPECT_THAT(refuse([](R& r) { r.set_number("layer.0.to", 0, 1e9); }),
              HasSubstr("do not increase"));
}

// Parts of a barycenter are copies of groups' histograms; many of them would fill the memory.
TEST(HostileFile, OfHistogramMapsIsRefusedByName) {
  const auto refuse = [](std::size_t file, const auto& change) {
    RawFile raw(some_files()[file]);
    change(raw);
    return refusal(raw.bytes());
  };
  using R = RawFile;
  using testing::HasSubstr;
  const std::int64_t one = 1;
  EXPECT_THAT(refuse(1, [&](R& r) { r.set_number("layer.0.barycenter.parts", 0, one); }),
              HasSubstr("names no group, or one twice"));
  EXPECT_THAT(refuse(1, [&](R& r) { r.set_number("layer.0.barycenter.parts", 2, 9 * one); }),
              HasSubstr("names no group"));
  EXPECT_THAT(refuse(1, [](R& r) { r.set_number("layer.0.masses", 0, 0.0); }),
              HasSubstr("negative or empty share"));
  EXPECT_THAT(refuse(1, [](R& r) { r.set_number("layer.0.masses", 0, 3.0); }),
              HasSubstr("does not sum to 1"));
  EXPECT_THAT(refuse(1, [](R& r) { r.set_number("layer.0.moments", 1, 0.0); }),
              HasSubstr("deviation out of range"));
  EXPECT_THAT(refuse(1, [](R& r) { r.set_number("layer.0.options", 1, 0.9); }),
              HasSubstr("number out of range"));
  EXPECT_THAT(refuse(1, [](R& r) { r.set_number("layer.0.barycenter.weights", 0, -1.0); }),
              HasSubstr("negative or empty share"));
  EXPECT_THAT(refuse(2, [](R& r) { r.set_number("layer.0.barycenter.knots", 0, 0.5); }),
              HasSubstr("does not go from 0 to 1"));
  EXPECT_THAT(refuse(2, [](R& r) { r.set_number("layer.0.barycenter.knots", 4, 0.9); }),
              HasSubstr("no probability"));
  EXPECT_THAT(refuse(2, [&](R& r) { r.set_number("layer.0.barycenter.parts", 0, 0 * one); }),
              HasSubstr("\"layer.0.barycenter.moments\" has the shape"));
}

// Models of any method had these options while networks were methods of the library.
TEST(OlderFile, MayHaveTheOptionsOfNetworks) {
  RawFile raw(some_files().front());
  raw.change("options", [](OrderedJson& j) {
    j["couplings"] = 8;
    j["hidden"] = nullptr;
    j["epochs"] = nullptr;
    j["likelihood_weight"] = 0.5;
  });
  EXPECT_EQ(parse_model(raw.bytes()).flow.dim(), parse_model(some_files().front()).flow.dim());
}

}  // namespace hostile_file_test
}  // namespace conflux
