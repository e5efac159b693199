#include "tables/netcdf.h"
#include "tests/fuzz/file_in_memory.h"
#include "tests/fuzz/read_all.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const conflux::FileInMemory file(data, size);
  conflux::read_all(conflux::kNetcdfFormat, conflux::ByteSource::file(file.path()), {});
  return 0;
}
