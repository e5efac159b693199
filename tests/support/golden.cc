#include "tests/support/golden.h"

namespace conflux {

std::filesystem::path golden_folder() { return CONFLUX_TEST_DATA; }

}  // namespace conflux
