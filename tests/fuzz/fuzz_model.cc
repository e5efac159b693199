// Bytes that claim to be a model: refused as InvalidData, or usable.
//
// Each input is tried as it is and with a right checksum, which mutations would hardly ever find.

#include <cstdint>

#include "conflux/core/error.h"
#include "conflux/storage/model_file.h"
#include "storage/tensor_file.h"

namespace {

void load_and_use(const conflux::Bytes& file) {
  try {
    const conflux::Model model = conflux::parse_model(file);
    if (model.flow.dim() > 64) return;
    const conflux::Workers workers(1);
    const conflux::Index last = model.flow.num_groups() - 1;
    conflux::Matrix rows = conflux::Matrix::Constant(3, model.flow.dim(), 0.25);
    rows.row(1).setConstant(-7);
    rows.row(2).setConstant(1e6);
    model.flow.translate(0, last, rows, workers);
    model.flow.inverse(last, rows, workers);
  } catch (const conflux::InvalidData&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto* bytes = reinterpret_cast<const std::byte*>(data);
  conflux::Bytes file(bytes, bytes + size);
  load_and_use(file);
  conflux::renew_checksum(file);
  load_and_use(file);
  return 0;
}
