// Index arithmetic in check mode: no value on the way to an index leaves the bits that C computes
// it in.
#include "codegen/contract/index_width.h"
#include "runtime/sim/check/checker.h"
#include "runtime/sim/report.h"

namespace hone {
namespace {

bool adds_or_multiplies(BinaryOp op, int64_t lhs, int64_t rhs, int64_t& result) {
  if (op == BinaryOp::add) return !__builtin_add_overflow(lhs, rhs, &result);
  if (op == BinaryOp::sub) return !__builtin_sub_overflow(lhs, rhs, &result);
  return !__builtin_mul_overflow(lhs, rhs, &result);
}

/// Shifts by less than the bits; what is shifted is not negative.
bool shifts(BinaryOp op, int64_t lhs, int64_t rhs, int bits, int64_t& result) {
  if (rhs < 0 || rhs >= bits || lhs < 0) return false;
  result = op == BinaryOp::shl ? lhs << rhs : lhs >> rhs;
  return op == BinaryOp::shr || lhs <= INT64_MAX >> rhs;
}

/// True if the result is what C computes in so many bits.
bool is_exact(const IndexStepDetail& step, int64_t lhs, int64_t rhs, int64_t& result) {
  const bool is_shift = step.op == BinaryOp::shl || step.op == BinaryOp::shr;
  const bool exists = is_shift ? shifts(step.op, lhs, rhs, step.bits, result)
                               : adds_or_multiplies(step.op, lhs, rhs, result);
  return exists && fits_in(result, step.bits);
}

/// The value of a lane, or the one value where it is uniform.
int64_t index_at(const Worker& worker, Slot slot, int lane) {
  const bool is_uniform = worker.program.slots[slot] == SlotKind::uniform;
  return worker.at<int64_t>(slot)[is_uniform ? 0 : lane];
}

const char* spelling(BinaryOp op) {
  switch (op) {
    case BinaryOp::add:
      return "+";
    case BinaryOp::sub:
      return "-";
    case BinaryOp::mul:
      return "*";
    default:
      return op == BinaryOp::shl ? "<<" : ">>";
  }
}

}  // namespace

void Checker::on_index_step(Worker& worker, const Instruction& instruction) {
  const IndexStepDetail& step = worker.program.index_steps[instruction.detail];
  int64_t result = 0;
  worker.mask->for_each([&](int lane) {
    const int64_t lhs = index_at(worker, instruction.operands[0], lane);
    const int64_t rhs = index_at(worker, instruction.operands[1], lane);
    if (!is_exact(step, lhs, rhs, result))
      static_cast<Checker&>(*worker.observer)
          .report_overflow(worker, instruction.detail, lane, lhs, rhs);
  });
}

void Checker::report_overflow(Worker& worker, uint32_t number, int lane, int64_t lhs, int64_t rhs) {
  folded_.add(FindingKind::index_overflow, number, number, [&] {
    const IndexStepDetail& step = worker.program.index_steps[number];
    Finding finding;
    finding.kind = FindingKind::index_overflow;
    finding.detail = fmt::format("{} {} {} leaves {} bits", lhs, spelling(step.op), rhs, step.bits);
    finding.sites = {site_of(worker, step.statement, lane)};
    finding.sites[0].access = to_string(step.expr);
    finding.sites[0].verb = "computes";
    return place(std::move(finding));
  });
}

}  // namespace hone
