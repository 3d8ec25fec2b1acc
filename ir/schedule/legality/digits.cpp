#include "ir/schedule/legality/digits.h"

#include "fmt/format.h"
#include "ir/target/gpu_limits.h"
#include "ir/text/printer.h"
#include "ir/threads/instruction_copy.h"
#include "ir/threads/instruction_nest.h"
#include "ir/threads/instruction_places.h"
#include "ir/threads/thread_space.h"
#include "ir/traverse/visit.h"

namespace hone {
namespace {

/// The number of these units in the next larger one; nothing if that is the block.
std::optional<int64_t> most_of(ThreadUnit unit) {
  if (unit == ThreadUnit::lane) return warp_size;
  return std::nullopt;
}

class KernelDigits {
 public:
  KernelDigits(const Preconditions& check, const StmtNode* culprit)
      : check_(check), culprit_(culprit) {}

  void check(const Stmt& kernel) {
    for (const For* loop : loops_of(kernel)) {
      if (!is_thread_loop(*loop)) continue;
      (loop->binding.digit.is_whole() ? whole_ : digits_).push_back(loop);
    }
    check_nests();
    check_instructions(kernel);
    check_tiles(kernel);
    if (digits_.empty()) return;
    check_dimensions();
    for (uint8_t dim = 0; dim < 3; ++dim) check_strides(kernel, dim);
  }

 private:
  /// True of two loops in one dimension of which one goes over digits of the other.
  static bool take_turns(const For& outer, const For& inner) {
    return outer.binding.dim == inner.binding.dim && share_digits(outer.binding, inner.binding);
  }

  void check_nests() const {
    for (const auto* loops : {&whole_, &digits_})
      for (const For* outer : *loops)
        for (const For* inner : loops_of(outer->body))
          if (is_thread_loop(*inner) && take_turns(*outer, *inner)) check_nest(*outer, *inner);
  }

  void check_nest(const For& outer, const For& inner) const {
    const std::string &axis = outer.axis->name, &own = inner.axis->name;
    if (any_expr_of(inner.body, [&](const Expr& part) { return is_axis(part, outer.axis); }))
      check_.refuse(
          culprit_ ? culprit_ : &inner,
          fmt::format("all threads of the block run {} together, and it depends on {}, which "
                      "differs between them",
                      own, axis),
          fmt::format("{} is bound to {} inside {}, which is bound to it too", own,
                      to_string(inner.binding), axis));
  }

  static bool is_axis(const Expr& expr, const AxisPtr& axis) {
    const auto* reference = llvm::dyn_cast<AxisRef>(expr);
    return reference && reference->axis == axis;
  }

  /// Nests that are bound to an instruction are what it computes, and whole warps come to them.
  void check_instructions(const Stmt& kernel) const {
    for (const For* nest : loops_of(kernel)) {
      const Opcode* opcode = nest->binding.opcode;
      if (!opcode) continue;
      const InstructionMatch match = match_instruction(*nest, *opcode);
      if (!match.instr.defined())
        check_.refuse(culprit_ ? culprit_ : nest, match.problem, match.way_out);
      check_places(*llvm::cast<Instr>(match.instr.get()), kernel, *nest);
      check_threads(kernel, Stmt(nest));
    }
  }

  void check_places(const Instr& instr, const Stmt& kernel, const For& nest) const {
    const auto problem = places_problem(instr, find_site(kernel, &nest)->facts());
    if (problem) check_.refuse(culprit_ ? culprit_ : &nest, problem->message, problem->note);
  }

  /// Copies that are bound to one can still be made so, and whole warps come to them.
  void check_tiles(const Stmt& kernel) const {
    walk(kernel, [&](const Stmt& stmt) {
      const auto* copy = llvm::dyn_cast<Copy>(stmt);
      if (!copy || !copy->execution.opcode) return;
      const Facts facts = find_site(kernel, copy)->facts();
      if (const auto problem = tiles_problem(*copy, *copy->execution.opcode, facts))
        check_.refuse(culprit_ ? culprit_ : copy, problem->message, problem->note);
      check_threads(kernel, stmt);
    });
  }

  /// The threads that come to the part that an instruction computes are whole warps.
  void check_threads(const Stmt& kernel, const Stmt& part) const {
    const Opcode& opcode = *opcode_with_lanes(part);
    if (!is_of_lanes(opcode)) return;
    for (const auto* loops : {&whole_, &digits_})
      for (const For* loop : *loops) check_lanes(*loop, part, opcode);
    const bool is_of_warp = opcode.rules.threads == warp_size;
    check_block(
        block_of(kernel)[0], opcode.rules.threads, 0,
        fmt::format("{} takes whole {}", opcode.word(), is_of_warp ? "warps" : "warpgroups"));
  }

  void check_lanes(const For& loop, const Stmt& part, const Opcode& opcode) const {
    const Binding lanes = lanes_of(opcode);
    const bool is_around = any_of(loop.body, [&](const Stmt& stmt) { return stmt.same_as(part); });
    if (!is_around || loop.binding.dim != lanes.dim || !share_digits(loop.binding, lanes)) return;
    check_.refuse(culprit_ ? culprit_ : part.get(),
                  fmt::format("{} is bound to {}, and all lanes of a warp run {} together",
                              loop.axis->name, to_string(loop.binding), opcode.word()),
                  "bind the loops around it to warps");
  }

  bool has_unit() const {
    return llvm::any_of(
        digits_, [](const For* loop) { return loop->binding.digit.unit != ThreadUnit::thread; });
  }

  void check_dimensions() const {
    if (!has_unit()) return;
    for (const auto* loops : {&whole_, &digits_})
      for (const For* loop : *loops)
        if (loop->binding.dim != 0 && !loop->binding.is_cluster() && !is_int(loop->extent, 1))
          refuse(fmt::format("{} is bound to {}, and lanes and warps are digits of the numbers of "
                             "thread.x alone",
                             loop->axis->name, to_string(loop->binding)),
                 "bind several axes to one unit: s.bind({y, x}, lane)");
  }

  void check_strides(const Stmt& kernel, uint8_t dim) const {
    auto strides = digit_strides(kernel, dim);
    if (strides.size() == 1) return;
    const Expr threads = block_of(kernel)[dim];
    if (has_unit() && as_int(threads).value_or(0) > warp_size) strides.push_back(warp_size);
    llvm::sort(strides);
    for (size_t n = 1; n < strides.size(); ++n)
      if (strides[n] % strides[n - 1] != 0)
        refuse(fmt::format("loops of one kernel go over digits of {} and of {} threads, which do "
                           "not divide each other",
                           strides[n - 1], strides[n]),
               "digits of one number nest: split by factors that divide");
    check_block(threads, strides.back(), dim,
                fmt::format("other loops go over digits of {} of them", strides.back()));
  }

  void check_block(const Expr& threads, int64_t stride, uint8_t dim,
                   const std::string& reason) const {
    const auto known = as_int(threads);
    if (known && *known % stride == 0) return;
    const std::string size = known ? std::to_string(*known) : to_string(threads);
    refuse(
        fmt::format("a block would have {} threads in thread.{}, and {}", size, "xyz"[dim], reason),
        known ? fmt::format("{} is no multiple of {}", size, stride)
              : "split off a constant number of iterations");
  }

  void refuse(const std::string& message, const std::string& note) const {
    check_.refuse(culprit_, message, note);
  }

  const Preconditions& check_;
  const StmtNode* culprit_;
  llvm::SmallVector<const For*, 8> whole_, digits_;
};

/// Calls `visit` with each part of the body that becomes a kernel.
void for_each_kernel(const Stmt& body, llvm::function_ref<void(const Stmt&)> visit) {
  if (const auto* seq = llvm::dyn_cast<Seq>(body)) {
    for (const Stmt& stmt : seq->stmts) for_each_kernel(stmt, visit);
    return;
  }
  if (is_global_alloc(body)) return for_each_kernel(llvm::cast<Alloc>(body)->body, visit);
  visit(body);
}

}  // namespace

Binding digit_of(const Preconditions& check, const Site& site, const Binding& unit, int64_t inner) {
  const For& loop = site.loop();
  const auto extent = as_int(loop.extent);
  if (!extent)
    check.refuse(&loop,
                 fmt::format("{} has the extent {}, which is known at launch only, and a digit of "
                             "the number of a thread has a constant number of values",
                             loop.axis->name, loop.extent),
                 "split off a constant number of iterations");
  const auto most = most_of(unit.digit.unit);
  int64_t all = 0;
  if (__builtin_mul_overflow(inner, std::max<int64_t>(*extent, 1), &all) || (most && all > *most))
    check.refuse(&loop,
                 fmt::format("{} has {} iterations above {} of faster digits, and a warp has {} "
                             "lanes",
                             loop.axis->name, *extent, inner, warp_size),
                 "split it, and bind the rest to warps");
  Binding binding = unit;
  binding.digit.stride = stride_of(unit.digit.unit) * inner;
  binding.digit.count = std::max<int64_t>(*extent, 1);
  return binding;
}

bool share_digits(const Binding& lhs, const Binding& rhs) {
  if (lhs.digit.is_whole() || rhs.digit.is_whole()) return true;
  return lhs.digit.stride < rhs.digit.end() && rhs.digit.stride < lhs.digit.end();
}

void check_digits(const Preconditions& check, const Function& result, const StmtNode* culprit) {
  for_each_kernel(result.body,
                  [&](const Stmt& kernel) { KernelDigits(check, culprit).check(kernel); });
}

}  // namespace hone
