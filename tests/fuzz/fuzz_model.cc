// Bytes that claim to be a model: refused as InvalidData, or usable.
//
// Each input is tried as it is and with a right checksum, which mutations would hardly ever find.
// Half of the mutations know the layout: they change one number of the header to another of as many
// digits, or one array element, so that what follows the checks of the layout is reached.

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>

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

constexpr double kOddNumbers[] = {0.0,
                                  -0.0,
                                  1.0,
                                  -1.0,
                                  0.5,
                                  1e-320,
                                  1e-300,
                                  1e300,
                                  -1e300,
                                  std::numeric_limits<double>::max(),
                                  std::numeric_limits<double>::infinity(),
                                  std::numeric_limits<double>::quiet_NaN()};
constexpr std::int64_t kOddIntegers[] = {0, 1, -1, 2, 255, 1 << 20, INT64_MAX, INT64_MIN};

bool is_digit(std::uint8_t byte) { return byte >= '0' && byte <= '9'; }

// Another number of as many digits, anywhere in the header.
void change_header(std::uint8_t* data, std::size_t begin, std::size_t end,
                   std::minstd_rand& random) {
  const std::size_t from = begin + random() % (end - begin);
  std::uint8_t* at = std::find_if(data + from, data + end, is_digit);
  for (; at != data + end && is_digit(*at); ++at) {
    if (random() % 2 == 0) *at = static_cast<std::uint8_t>('0' + random() % 10);
  }
}

// An odd number in place of one element, or that of its neighbor.
void change_element(std::uint8_t* data, std::size_t begin, std::size_t size,
                    std::minstd_rand& random) {
  const std::size_t count = (size - begin) / 8;
  if (count == 0) return;
  std::uint8_t* to = data + begin + 8 * (random() % count);
  switch (random() % 3) {
    case 0:
      std::memcpy(to, &kOddNumbers[random() % std::size(kOddNumbers)], 8);
      break;
    case 1:
      std::memcpy(to, &kOddIntegers[random() % std::size(kOddIntegers)], 8);
      break;
    default:
      std::memmove(to, data + begin + 8 * (random() % count), 8);
  }
}

}  // namespace

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t most, unsigned seed) {
  std::minstd_rand random(seed + 1);
  std::uint64_t header = 0;
  if (size > sizeof header) std::memcpy(&header, data, sizeof header);
  const bool has_layout = header > 0 && size > sizeof header && header <= size - sizeof header;
  if (!has_layout || random() % 2 == 0) return LLVMFuzzerMutate(data, size, most);
  const std::size_t payload = sizeof header + static_cast<std::size_t>(header);
  for (std::size_t changes = 1 + random() % 3; changes > 0; --changes) {
    if (random() % 2 == 0) {
      change_header(data, sizeof header, payload, random);
    } else {
      change_element(data, payload, size, random);
    }
  }
  return size;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto* bytes = reinterpret_cast<const std::byte*>(data);
  conflux::Bytes file(bytes, bytes + size);
  load_and_use(file);
  conflux::renew_checksum(file);
  load_and_use(file);
  return 0;
}
