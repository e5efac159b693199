#include "tables/npz.h"
#include "tests/fuzz/read_all.h"

// Once as the file is, once with another name for the groups.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  conflux::read_all(conflux::kNpzFormat, bytes, {});
  conflux::read_all(conflux::kNpzFormat, bytes, {.group = "batch"});
  return 0;
}
