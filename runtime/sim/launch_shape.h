// The shape of a launch, of kernel IR or of PTX, as a GPU takes it.
#pragma once

#include <array>
#include <cstdint>
#include <string>

namespace hone {

/// Throws RuntimeError, with the kernel's name, where the grid or the block is larger than on any
/// GPU, or a block has no threads. A grid without blocks is none of that.
void check_launch_shape(const std::string& kernel, const std::array<int64_t, 3>& grid,
                        const std::array<int64_t, 3>& block);

}  // namespace hone
