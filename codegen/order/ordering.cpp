#include "codegen/order/ordering.h"

#include "llvm/ADT/STLExtras.h"

namespace hone {
namespace {

struct BarrierOfReach {
  Reach who;
  BarrierScope::Kind barrier;
};

/// The first of a reach is its barrier, so `block` stands before `named`. At a named barrier all
/// consumers of the block wait, and nobody else.
constexpr BarrierOfReach barriers[] = {
    {Reach::warp, BarrierScope::Kind::warp},   {Reach::warpgroup, BarrierScope::Kind::warpgroup},
    {Reach::block, BarrierScope::Kind::block}, {Reach::cluster, BarrierScope::Kind::cluster},
    {Reach::block, BarrierScope::Kind::named},
};

}  // namespace

Stmt barrier_of(Reach who) {
  if (who <= Reach::thread) return Seq::make({});
  const auto* found =
      llvm::find_if(barriers, [&](const BarrierOfReach& one) { return one.who == who; });
  return make_barrier({found->barrier});
}

Reach reach_of(const BarrierScope& barrier) {
  return llvm::find_if(barriers,
                       [&](const BarrierOfReach& one) { return one.barrier == barrier.kind; })
      ->who;
}

}  // namespace hone
