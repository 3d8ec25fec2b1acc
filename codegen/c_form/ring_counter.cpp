#include "codegen/c_form/ring_counter.h"

#include "ir/equal.h"
#include "ir/kernel_stmt.h"
#include "ir/visit.h"

namespace hone {
namespace {

Expr round_of(const RingCounter& ring) { return AxisRef::make(ring.axis) / ring.slots; }

/// `n` of k % n; nothing for another expression.
std::optional<int64_t> slots_in(const Expr& slot, const AxisPtr& axis) {
  const auto* remainder = llvm::dyn_cast<Binary>(slot);
  if (!remainder || remainder->op != BinaryOp::mod) return std::nullopt;
  return equal(remainder->lhs, AxisRef::make(axis)) ? as_int(remainder->rhs) : std::nullopt;
}

}  // namespace

bool RingCounter::is_slot(const Expr& expr) const {
  return equal(expr, AxisRef::make(axis) % slots);
}

bool RingCounter::is_parity(const Expr& expr) const { return equal(expr, round_of(*this) % 2); }

bool RingCounter::is_other_parity(const Expr& expr) const {
  return equal(expr, (round_of(*this) + 1) % 2);
}

std::optional<RingCounter> ring_counter(const For& loop) {
  std::optional<RingCounter> ring;
  if (!loop.binding.is_serial()) return ring;
  walk(loop.body, [&](const Stmt& stmt) {
    const auto* wait = llvm::dyn_cast<WaitMbarrier>(stmt);
    const auto* arrive = llvm::dyn_cast<ArriveMbarrier>(stmt);
    if (!wait && !arrive) return;
    const auto slots = slots_in(wait ? wait->slot : arrive->slot, loop.axis);
    if (slots && !ring) ring = {loop.axis, *slots};
  });
  return ring;
}

}  // namespace hone
