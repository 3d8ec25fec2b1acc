// copy C[i*8 .. +8, j] <- C.reg[0 .. +8]
//
//   =>  for C.at in 0..8 @unroll
//         if (i*8 + C.at < M)
//           C[i*8 + C.at, j] = C.reg[C.at]
//
// The innermost loop goes over what lies side by side in memory.

#include "ir/algebra/simplify.h"
#include "ir/analysis/copy_sides.h"
#include "ir/copies/copies.h"
#include "ir/copies/copy_element.h"
#include "ir/copies/copy_nest.h"
#include "ir/traverse/rename.h"
#include "ir/traverse/rewriter.h"

namespace hone {
namespace {

bool is_in_registers(const Region& region) { return region.tensor->scope == Scope::registers; }

/// The side whose layout says which elements lie side by side: those of vectors, if it moves any.
const Region& layout_side(const Copy& copy) {
  if (vector_width(copy) > 1) return memory_side(copy);
  return is_in_registers(copy.destination) ? copy.source : copy.destination;
}

class Expansion {
 public:
  Expansion(const Copy& copy, Names& names)
      : copy_(copy),
        names_(names),
        // Registers have no addresses: their indices must be known when the code is compiled.
        binding_{is_in_registers(copy.destination) || is_in_registers(copy.source)
                     ? Binding::Kind::unroll
                     : Binding::Kind::serial} {}

  Stmt run() {
    const auto extents = copy_.destination.extents();
    const auto order = storage_order(layout_side(copy_));
    const int64_t width = vector_width(copy_);
    const int fastest = width > 1 ? static_cast<int>(order.back()) : -1;
    Coordinates place(extents.size());
    for (const unsigned dim : order) {
      const bool is_split = static_cast<int>(dim) == fastest;
      Expr at = add_loop(".at", is_split ? simplify(extents[dim] / width) : extents[dim], binding_);
      place[dim] = is_split ? at * width : at;
    }
    const AxisPtr lane = width > 1 ? fresh_axis(".v") : nullptr;
    Stmt nest = copy_access(copy_, place, width > 1 ? order.back() : 0, lane);
    for (const auto& [axis, extent, binding] : llvm::reverse(loops_))
      nest = For::make(axis, extent, binding, nest);
    return nest;
  }

 private:
  struct Loop {
    AxisPtr axis;
    Expr extent;
    Binding binding;
  };

  /// The axis of a new loop; 0 where it has one iteration.
  Expr add_loop(const char* suffix, const Expr& extent, const Binding& binding) {
    if (is_int(extent, 1)) return 0;
    loops_.push_back({fresh_axis(suffix), extent, binding});
    return AxisRef::make(loops_.back().axis);
  }

  AxisPtr fresh_axis(const char* suffix) {
    return make_axis(names_.fresh(copy_.destination.tensor->name + suffix), AxisKind::spatial);
  }

  const Copy& copy_;
  Names& names_;
  Binding binding_;
  llvm::SmallVector<Loop, 4> loops_;
};

}  // namespace

Stmt own_nest(const Copy& copy, Names& names) { return Expansion(copy, names).run(); }

Stmt copy_nest(const Copy& copy, const ThreadSpace& space, Names& names) {
  if (copy.execution.kind == CopyExecution::Kind::thread) return own_nest(copy, names);
  return cooperative_nest(copy, space.groups_of(space.digits_in(Stmt(&copy))), names);
}

Stmt with_copy_nests(const Stmt& nest, Names& names) {
  const ThreadSpace space(nest);
  return transform_stmts(nest, [&](const Stmt& stmt) {
    const auto* copy = llvm::dyn_cast<Copy>(stmt);
    return copy ? copy_nest(*copy, space, names) : Stmt();
  });
}

Stmt with_copies_made(const Function& function, const Stmt& nest) {
  const Stmt plain = transform_stmts(nest, [](const Stmt& stmt) -> Stmt {
    const auto* copy = llvm::dyn_cast<Copy>(stmt);
    if (copy && copy->moves_boxes()) return Seq::make({});
    return copy && copy->is_by_producers()
               ? copy->with_execution({.engine = copy->execution.engine})
               : Stmt();
  });
  const Stmt shared = with_shared_copies(plain);
  const Stmt wide = with_wide_copies(shared, facts_of(function.assumptions), function.may_alias);
  Names names(function);
  return with_copy_nests(wide, names);
}

}  // namespace hone
