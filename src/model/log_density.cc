#include <fmt/format.h>

#include "conflux/core/error.h"
#include "conflux/model/model.h"
#include "fitting/destructor.h"
#include "flow/unit_cube_layer.h"
#include "kernels/normal.h"
#include "options/option_table.h"

namespace conflux {

namespace {

constexpr Index kRowsPerTask = 256;

}  // namespace

std::vector<double> log_density(const Model& model, std::span<const Index> groups,
                                const SampleRows& rows, const Workers& workers) {
  const FitOptions& options = model.record.options;
  if (!method_info(options.method).to_uniform) {
    throw InvalidOption(
        fmt::format("the model was fitted by {}, which has no densities; fit with method dd.",
                    name_of(options.method)));
  }
  Matrix latent(rows.rows(), rows.cols());
  std::vector<double> out(static_cast<std::size_t>(latent.rows()));
  model.flow.move(rows, Route::to_shared(groups), Rows(latent), out.data(), workers);
  const UnitCubeLayer to_normal(latent.cols(), options.unit_cube_margin,
                                UnitCubeLayer::CubeStep::kToNormal);
  workers.for_each_block(latent.rows(), kRowsPerTask, [&](Index begin, Index end) {
    const Rows block = Rows(latent).middle_rows(begin, end - begin);
    if (!ends_at_normal_law(options)) to_normal.forward(0, block, out.data() + begin);
    for (Index i = begin; i < end; ++i) {
      for (Index j = 0; j < latent.cols(); ++j) {
        out[i] += kernels::log_normal_density(latent(i, j));
      }
    }
  });
  return out;
}

}  // namespace conflux
