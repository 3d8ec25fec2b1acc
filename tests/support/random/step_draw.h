// The choices and loops that random steps are drawn from.
#pragma once

#include "ir/analysis/accesses.h"
#include "ir/analysis/site.h"
#include "tests/support/random/random_step.h"

namespace hone {

using Loops = llvm::SmallVector<const For*, 8>;
using Kind = Binding::Kind;

/// One draw: the source of choices and the loops.
struct Draw {
  Random& random;
  const Function& function;
  Phase phase;
  Loops loops;

  Loops those(llvm::function_ref<bool(const For*)> hold) const;
  const For* any_loop() const { return loops[random.below(loops.size())]; }
  /// Mostly one that no step has bound yet.
  const For* serial_loop() const;
  Loops around(const For* loop) const;
  /// The loop and those around it, outermost first.
  Loops path(const For* loop) const;
};

std::optional<Step> make_step(llvm::StringRef primitive, llvm::ArrayRef<const For*> loops);

bool is_device(const For* loop, Kind kind);

/// A dimension that no loop around and inside has taken.
uint8_t free_dimension(const Draw& draw, const For* loop, Kind kind);

/// The step binds to lanes, warps or digits of a dimension, often the axis of a loop inside as
/// well.
void draw_units(Draw& draw, const For* loop, Step& step);

// Reduction axes over threads and blocks: combine_steps.cpp.

CombineLevels random_combine(Random& random, Kind kind);
std::optional<Step> draw_combine(Draw& draw);

// Steps of the memory hierarchy: memory_steps.cpp.

/// A layout for a tile of that rank, row-major among them.
Layout random_layout(Random& random, unsigned rank);
/// The axes that were declared and that the indices of an access descend from, dimension by
/// dimension.
llvm::SmallVector<Expr, 4> declared_element(const MemoryAccess& access);
/// Elements of a vector; 0, for as many as can be proved, most often.
int64_t random_width(Random& random);

std::optional<Step> draw_cache_registers(Draw& draw);
std::optional<Step> draw_cache_shared(Draw& draw);
std::optional<Step> draw_copy_loops(Draw& draw);
std::optional<Step> draw_write_back_at(Draw& draw);
std::optional<Step> draw_layout(Draw& draw);
std::optional<Step> draw_copy_async(Draw& draw);
std::optional<Step> draw_cache_global(Draw& draw);
std::optional<Step> draw_copy_bulk(Draw& draw);
std::optional<Step> draw_vectorize(Draw& draw);
std::optional<Step> draw_write_out(Draw& draw);
std::optional<Step> draw_assume(Draw& draw);
std::optional<Step> draw_assume_aligned(Draw& draw);

// Nests that instructions compute: tensor_schedule.cpp.

std::optional<Step> draw_tensorize(Draw& draw);
std::optional<Step> draw_spread(Draw& draw);

// Stores among the work on what comes next: warpgroup_schedule.cpp.

std::optional<Step> draw_defer(Draw& draw);

// The places of temporaries: placement_steps.cpp.

std::optional<Step> draw_compute_at(Draw& draw);
std::optional<Step> draw_inline_tensor(Draw& draw);
std::optional<Step> draw_fuse_epilogue(Draw& draw);

}  // namespace hone
