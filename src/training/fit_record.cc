#include "conflux/training/fit_record.h"

namespace conflux {

Throughput throughput_of(const FitRecord& record) {
  LayerRecord sum;
  for (const auto* layers : {&record.layers, &record.dropped_layers}) {
    for (const LayerRecord& layer : *layers) {
      sum.passes += layer.passes;
      sum.seconds += layer.seconds;
      sum.product_seconds += layer.product_seconds;
      sum.sort_seconds += layer.sort_seconds;
      sum.flops += layer.flops;
      sum.bytes += layer.bytes;
    }
  }
  Throughput out;
  out.passes = sum.passes;
  if (sum.product_seconds > 0) {
    out.gflops_per_second = 1e-9 * sum.flops / sum.product_seconds;
    out.gigabytes_per_second = 1e-9 * sum.bytes / sum.product_seconds;
  }
  if (sum.seconds > 0) {
    out.product_share = sum.product_seconds / sum.seconds;
    out.sort_share = sum.sort_seconds / sum.seconds;
    out.rest_share = 1 - out.product_share - out.sort_share;
  }
  return out;
}

}  // namespace conflux
