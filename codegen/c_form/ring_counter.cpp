#include "codegen/c_form/ring_counter.h"

#include "ir/algebra/polynomial.h"
#include "ir/algebra/simplify.h"
#include "ir/opcodes/opcodes.h"
#include "ir/traverse/equal.h"
#include "ir/traverse/rewriter.h"
#include "ir/traverse/visit.h"

namespace hone {
namespace {

/// True of k and of n + k, where the loop over k does not change n.
bool counts_iterations(const Expr& number, const For& loop) {
  const Polynomial before = Polynomial::of(number) - Polynomial::of(AxisRef::make(loop.axis));
  bool changes = before.mentions(loop.axis.get());
  walk(loop.body, [&](const Stmt& stmt) {
    if (const auto* inner = llvm::dyn_cast<For>(stmt))
      changes |= before.mentions(inner->axis.get());
    if (const auto* let = llvm::dyn_cast<Let>(stmt)) changes |= before.mentions(let->axis.get());
  });
  return !changes;
}

std::optional<RingCounter> counter_of(const Expr& slot, const For& loop) {
  const auto* remainder = llvm::dyn_cast<Binary>(slot);
  if (!remainder || remainder->op != BinaryOp::mod || !counts_iterations(remainder->lhs, loop))
    return std::nullopt;
  const auto slots = as_int(remainder->rhs);
  return slots ? std::optional(RingCounter{loop.axis, remainder->lhs, *slots}) : std::nullopt;
}

}  // namespace

bool RingCounter::is_slot(const Expr& expr) const { return equal(expr, number % slots); }

bool RingCounter::is_parity(const Expr& expr) const { return equal(expr, number / slots % 2); }

bool RingCounter::is_other_parity(const Expr& expr) const {
  return equal(expr, (number / slots + 1) % 2);
}

int64_t RingCounter::iterations_back(const Expr& expr) const {
  const auto* remainder = llvm::dyn_cast<Binary>(expr);
  if (!remainder || remainder->op != BinaryOp::mod || !is_int(remainder->rhs, slots)) return 0;
  const auto back = (Polynomial::of(number) - Polynomial::of(remainder->lhs)).constant();
  return back && *back > 0 && *back < slots ? *back : 0;
}

Expr RingCounter::first_slot() const { return simplify(substitute(number, axis.get(), 0) % slots); }

Expr RingCounter::first_parity() const {
  return simplify(substitute(number, axis.get(), 0) / slots % 2);
}

std::optional<RingCounter> ring_counter(const For& loop) {
  std::optional<RingCounter> ring;
  if (!loop.binding.is_serial()) return ring;
  walk(loop.body, [&](const Stmt& stmt) {
    const bool is_use = is_wait_for_phase(stmt) || is_arrival(stmt);
    if (is_use && !ring) ring = counter_of(llvm::cast<Instr>(stmt)->places[0].indices[0], loop);
  });
  return ring;
}

}  // namespace hone
