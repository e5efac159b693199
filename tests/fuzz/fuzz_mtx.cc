#include "tables/mtx.h"
#include "tests/fuzz/read_all.h"

// Rows stay sparse: a matrix of a few entries may be told to have a million columns.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  try {
    const conflux::ByteSource source = conflux::ByteSource::memory(bytes);
    conflux::SparseBlock whole, blocks;
    conflux::Table none;
    conflux::kMtxFormat.open_sparse(source, {})->read(whole, none, 0, conflux::Index{1} << 40);
    const auto reader = conflux::kMtxFormat.open_sparse(source, {});
    while (reader->read(blocks, none, 0, 3) > 0) continue;
    if (whole.starts != blocks.starts || whole.columns != blocks.columns) std::abort();
    if (whole.values != blocks.values) std::abort();
  } catch (const conflux::Error&) {
  }
  return 0;
}
