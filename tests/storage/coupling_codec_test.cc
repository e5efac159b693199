#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "conflux/core/error.h"
#include "conflux/toys/toy.h"
#include "conflux/training/fit.h"
#include "core/rng.h"
#include "tests/storage/models.h"

namespace conflux {
namespace coupling_codec_test {

Model trained(Method method) {
  FitOptions options;
  options.method = method;
  options.hidden = 5;
  options.couplings = 3;
  options.epochs = 3;
  Fit fit = fit_flow(make_gaussian_groups(3, 5, 60, 1), options);
  return {.flow = std::move(fit.flow), .record = std::move(fit.record)};
}

TEST(CouplingFile, GivesBackTheSameBits) {
  for (const Method method : {Method::kRealnvp, Method::kLrmf, Method::kAlignflow}) {
    const Model model = trained(method);
    const Bytes bytes = bytes_of(model);
    const Model loaded = parse_model(bytes);
    expect_same_bits(model.flow, loaded.flow, Stream(2, Purpose::kTest).normal_matrix(50, 5));
    EXPECT_EQ(bytes_of(loaded), bytes);
  }
}

// Behind a right checksum anything may stand; whatever is accepted must be usable without a crash.
TEST(CouplingFile, WithFlippedBitsIsRefusedOrUsable) {
  const Bytes file = bytes_of(trained(Method::kRealnvp));
  Stream stream(3, Purpose::kTest);
  for (int i = 0; i < 500; ++i) {
    Bytes flipped = file;
    const Index at = stream.below(static_cast<Index>(file.size()));
    flipped[at] ^= static_cast<std::byte>(1 << stream.below(8));
    renew_checksum(flipped);
    try {
      const Model model = parse_model(flipped);
      const Matrix rows = stream.normal_matrix(3, model.flow.dim());
      model.flow.translate(0, model.flow.num_groups() - 1, rows, Workers(1));
    } catch (const InvalidData&) {
    }
  }
}

TEST(CouplingFile, MadeUpNumbersAreRefusedByName) {
  const Bytes file = bytes_of(trained(Method::kRealnvp));
  const auto refusal = [&](const std::string& array, auto value) -> std::string {
    RawFile raw(file);
    raw.set_number("layer.0." + array, 0, value);
    try {
      parse_model(raw.bytes());
    } catch (const InvalidData& error) {
      return error.what();
    }
    return "accepted";
  };
  using testing::HasSubstr;
  EXPECT_THAT(refusal("hidden", std::int64_t{0}), HasSubstr("does not suit the parameters"));
  EXPECT_THAT(refusal("hidden", std::int64_t{1} << 50), HasSubstr("does not suit the parameters"));
  EXPECT_THAT(refusal("moved", std::int64_t{2}), HasSubstr("is not a choice of features"));
  EXPECT_THAT(refusal("from.deviation", 0.0), HasSubstr("is not positive"));
  EXPECT_THAT(refusal("to.deviation", -1.0), HasSubstr("layer.0.to.deviation"));
}

}  // namespace coupling_codec_test
}  // namespace conflux
