#include "tables/csv.h"
#include "tests/fuzz/read_all.h"

// The first byte chooses the dialect.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  conflux::TableOptions options;
  options.threads = 1;
  options.header = (data[0] & 1U) == 0;
  if ((data[0] & 2U) != 0) options.numeric = std::vector<std::string>();
  const bool prediction = (data[0] & 4U) != 0;
  conflux::read_all(prediction ? conflux::kTxtFormat : conflux::kCsvFormat, bytes, options);
  return 0;
}
