#include "tables/mat.h"
#include "tests/fuzz/read_all.h"

// Version 7.3 is HDF5 and asks for a file, which memory is not: it is refused.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  conflux::read_all(conflux::kMatFormat, bytes, {});
  conflux::read_all(conflux::kMatFormat, bytes, {.array = "A"});
  return 0;
}
