// The places that a schedule gives to axes and tensors: which axis became which thread or loop, and
// which tile lies in shared memory or registers.
#pragma once

#include <string>
#include <vector>

#include "codegen/kernel.h"
#include "dsl/schedule.h"
#include "tools/page/listing.h"

namespace hone {

struct AxisPlace {
  std::string axis;    ///< "i.1.0"
  std::string extent;  ///< of a loop: "(N + 127) / 128"; empty for what lowering made
  std::string place;   ///< "threads of a block", "a loop, 4 copies a trip, of a reduction"
  std::string value;   ///< over thread indices: "thread.x / 16"; empty for a loop of a kernel
  int step = -1;       ///< of the schedule, as ListingLine::step
};

/// The loops of the schedule, outermost first, then the values over thread indices that lowering
/// made of them and of the tiles.
std::vector<AxisPlace> axis_places(const Schedule& schedule, const Module& module);

struct TilePlace {
  std::string tensor;  ///< "A.shared"
  std::string shape;   ///< "f32[128, 8]"
  std::string place;   ///< "shared memory of a block, 4096 bytes", "registers of a thread, 64"
  int step = -1;
};

/// The tensors that the kernels allocate, in the order of their text.
std::vector<TilePlace> tile_places(const Schedule& schedule, const Module& module);

/// The places as rows: lines whose cells tabs part.
Listing rows_of(llvm::ArrayRef<AxisPlace> places);
Listing rows_of(llvm::ArrayRef<TilePlace> places);

}  // namespace hone
