// The signed type of every count and position.

#pragma once

#include <cstddef>

namespace conflux {

using Index = std::ptrdiff_t;

}  // namespace conflux
