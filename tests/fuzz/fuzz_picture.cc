#include "tables/picture.h"
#include "tests/fuzz/read_all.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  conflux::read_all(conflux::kPngFormat, bytes, {});
  conflux::read_all(conflux::kPpmFormat, bytes, {});
  return 0;
}
