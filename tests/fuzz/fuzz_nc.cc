// Classic files only: those of the newer kind are read by the HDF5 library, which does not survive
// all that a fuzzer invents.

#include <unistd.h>

#include <cstdio>

#include "tables/netcdf.h"
#include "tests/fuzz/read_all.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 3 || data[0] != 'C' || data[1] != 'D' || data[2] != 'F') return 0;
  const std::string path = "/dev/shm/conflux_fuzz_" + std::to_string(::getpid());
  std::FILE* file = std::fopen(path.c_str(), "wb");
  if (file == nullptr || std::fwrite(data, 1, size, file) != size) std::abort();
  std::fclose(file);
  conflux::read_all(conflux::kNetcdfFormat, conflux::ByteSource::file(path), {});
  std::remove(path.c_str());
  return 0;
}
