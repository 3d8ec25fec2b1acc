// The two copies of a tile.
#pragma once

#include <cstdint>

namespace hone {

enum class Direction : uint8_t { fill, write_back };

}  // namespace hone
