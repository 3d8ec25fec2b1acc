// The work of a GPU's memory for one warp's access, from the bytes that its lanes ask for. The
// terms are those of Nsight Compute.
#pragma once

#include <array>
#include <cstdint>

#include "ir/target/gpu_limits.h"
#include "llvm/ADT/SmallVector.h"

namespace hone {

inline constexpr int sector_bytes = 32;

/// Bytes that one instruction moves for a lane, at most; of more, there are several.
inline constexpr int widest_access = 16;

/// One instruction of a warp.
struct WarpAccess {
  std::array<int64_t, warp_size> addresses{};  ///< in bytes; of an inactive lane anything
  uint32_t active = 0;                         ///< one bit per lane
  int width = 4;                               ///< bytes per lane: 1, 2, 4, 8 or 16
};

/// Sectors, which are aligned pieces of 32 bytes, that an access to global memory touches. Lanes
/// that ask for bytes of one sector share it.
int count_sectors(const WarpAccess& access);
/// The same of lines, which are aligned pieces of 128 bytes.
int count_lines(const WarpAccess& access);

/// Bytes that it moves: those of lanes that ask for the same ones count once.
int64_t count_data_bytes(const WarpAccess& access);

/// Lanes that shared memory serves together.
struct Phases {
  llvm::SmallVector<uint32_t, 4> lanes;  ///< in order; a bit per active lane
  int asking = 0;                        ///< lanes that ask for something of their own
};

/// As count_wavefronts says.
Phases phases_of(const WarpAccess& access);

struct Wavefronts {
  int actual = 0, ideal = 0;

  bool operator==(const Wavefronts&) const = default;
};

/// Passes that an access to shared memory takes.
///
/// Shared memory has 32 banks, each of which gives one 4-byte word a pass. Lanes are served in
/// phases: the whole warp with up to 4 bytes a lane, its halves with 8, its quarters with 16. A
/// phase takes as many passes as the fullest bank has different words to give; lanes that ask for
/// one word share it. A phase without active lanes takes none.
///
/// The two halves with 8 bytes, and the two quarters of a half with 16, are one phase where lanes
/// pair up: each active lane n has the address of lane n ^ 1 or that one is inactive, or all so
/// with n ^ 2. So a broadcast of 16 bytes to the whole warp takes two passes.
///
/// Ideal is one pass for each 128 bytes, or part of them, that active lanes ask for; lanes that
/// pair up ask once.
Wavefronts count_wavefronts(const WarpAccess& access);

}  // namespace hone
