// Well-formedness: the invariants of every function, whatever made it.
#pragma once

#include <optional>
#include <string>

#include "ir/core/stmt.h"

namespace hone {

/// The languages that have their nodes in common: the two that have a text of their own, and what
/// lies between them, while lowering makes the one of the other.
enum class IrLevel : uint8_t { loops, lowering, kernel };

/// The first violation in the order of the text, as in "A is indexed by f32", or nothing. Beside
/// the conditions that `make` functions ensure, this is checked:
/// - names can be read back; names of axes and params are unique, and so are those of tensors, and
///   those of operators;
/// - an axis has one loop or let, and whatever is referred to is in scope, and as it was declared;
/// - extents and shapes are index expressions over params and constants;
/// - indices, conditions, updates, constants and layouts have a fitting type and range;
/// - the regions of a copy have equal extents and one type;
/// - a nest binds no index of blocks twice, has block loops only inside block loops, and does not
/// mix
///   @parallel with blocks and threads;
/// - nodes of kernel IR do not appear;
/// - nothing is larger than size_problem allows.
///
/// In kernel IR (codegen/kernel.h) instead:
/// - loops are serial or unrolled, and extents depend on no thread;
/// - an allocated tensor is shared or in registers, of a constant size that a GPU may have;
/// - a copy is one access of a whole vector;
/// - atomic updates, and the counters of arrivals, are of memory.
///
/// While lowering, nodes of both languages may appear, loops, allocs and copies are those of
/// either, and extents may depend on axes around.
std::optional<std::string> verify(const Function& function, IrLevel level = IrLevel::loops);

}  // namespace hone
