// let i.0 = block.y                          let i = block.y*32 + thread.y
// let i.1 = thread.y                   =>    if (i < M)
// if (i.0*32 + i.1 < M)                        C[i] = A[i]
//   C[i.0*32 + i.1] = A[i.0*32 + i.1]
//
// The parts of a fused axis get back the names that they had: with i_j = thread.x, i = i_j / 16 and
// j = i_j % 16. A sum of thread axes that descend from one axis and that occurs twice gets the name
// of that axis; beside loops over the rest of the axis it is the base: i_base. Lets of single
// thread indices that nothing else uses go away, and so do those inside another let of the same
// index; lets inside that only threads decide move to the top.

#include "codegen/pass/lets.h"
#include "codegen/pass/passes.h"
#include "ir/algebra/polynomial.h"
#include "ir/algebra/simplify.h"
#include "ir/traverse/equal.h"
#include "ir/traverse/rename.h"
#include "ir/traverse/rewriter.h"
#include "ir/traverse/roots.h"
#include "ir/traverse/visit.h"

namespace hone {
namespace {

struct SignedTerm {
  Expr value;
  bool negative = false;
};

/// True if `let` names the thread index of dimension `dim`.
bool is_thread_index(const Let& let, unsigned dim) {
  const auto* index = llvm::dyn_cast<ThreadIndex>(let.value);
  return index && index->space == IndexSpace::thread && index->dim == dim;
}

bool is_sum(const Expr& expr) {
  const auto* binary = llvm::dyn_cast<Binary>(expr);
  return binary && expr.type() == DType::index &&
         (binary->op == BinaryOp::add || binary->op == BinaryOp::sub);
}

void append_terms(const Expr& expr, bool negative, llvm::SmallVectorImpl<SignedTerm>& terms) {
  if (!is_sum(expr)) return terms.push_back({expr, negative});
  const auto& binary = *llvm::cast<Binary>(expr);
  append_terms(binary.lhs, negative, terms);
  append_terms(binary.rhs, negative != (binary.op == BinaryOp::sub), terms);
}

Expr add(const Expr& sum, const SignedTerm& term) {
  if (!sum.defined()) return term.negative ? Expr(0) - term.value : term.value;
  return term.negative ? sum - term.value : sum + term.value;
}

bool mentions_param(const Expr& expr) {
  return any_of(expr, [&](const Expr& part) { return llvm::isa<ParamRef>(part); });
}

bool is_never_negative(const Expr& expr) {
  return !any_of(expr, [&](const Expr& part) {
    const auto* binary = llvm::dyn_cast<Binary>(part);
    return llvm::isa<Unary>(part) || (binary && binary->op == BinaryOp::sub);
  });
}

/// True if the value exists for all threads, those beyond the end too: a name stands before the
/// guards.
bool has_value_everywhere(const Expr& expr) {
  return !any_of(expr, [](const Expr& part) {
    const auto* binary = llvm::dyn_cast<Binary>(part);
    if (!binary || binary->type != DType::index) return false;
    const bool divides = binary->op == BinaryOp::div || binary->op == BinaryOp::mod;
    const bool shifts = binary->op == BinaryOp::shl || binary->op == BinaryOp::shr;
    const bool is_size = as_int(binary->rhs) || (divides && llvm::isa<ParamRef>(binary->rhs));
    return (divides || shifts) && !(is_size && is_never_negative(binary->lhs));
  });
}

/// A part of a fused axis, and what it had been before it was fused.
struct Digit {
  Expr value;
  AxisPtr axis;
};

/// Appends the parts of `value`, which stands for `axis`.
void append_digits(const Expr& value, const AxisNode& axis, llvm::SmallVectorImpl<Digit>& digits) {
  if (!axis.outer) return;
  for (const auto& [part, digit] : {std::pair(axis.outer, simplify(value / axis.inner_extent)),
                                    std::pair(axis.inner, simplify(value % axis.inner_extent))}) {
    digits.push_back({digit, part});
    append_digits(digit, *part, digits);
  }
}

class DigitRenamer : public Rewriter {
 public:
  explicit DigitRenamer(llvm::ArrayRef<Digit> digits, llvm::ArrayRef<Expr> names)
      : digits_(digits), names_(names) {}
  using Rewriter::rewrite;
  Expr rewrite(const Expr& expr) override {
    if (llvm::isa<Binary>(expr) && expr.type() == DType::index)
      for (size_t n = 0; n < digits_.size(); ++n)
        if (equal(digits_[n].value, expr)) return names_[n];
    return rewrite_operands(expr);
  }

 private:
  llvm::ArrayRef<Digit> digits_;
  llvm::ArrayRef<Expr> names_;
};

/// A sum that gets a name.
struct NameGroup {
  Expr value;
  std::string root;
  bool is_base = false;  ///< the rest of the axis is added in loops
  int uses = 0;
  Expr name = Expr();
  Polynomial polynomial = {};  ///< of the value: the same for any order of its terms
};

/// Calls `use` on the terms of every sum in `expr` that is not part of a larger sum.
void for_each_sum(const Expr& expr, llvm::function_ref<void(llvm::ArrayRef<SignedTerm>)> use) {
  if (!is_sum(expr)) return for_each_operand(expr, [&](const Expr& e) { for_each_sum(e, use); });
  llvm::SmallVector<SignedTerm, 4> terms;
  append_terms(expr, false, terms);
  use(terms);
  for (const SignedTerm& term : terms) for_each_sum(term.value, use);
}

void for_each_sum(const Stmt& stmt, llvm::function_ref<void(llvm::ArrayRef<SignedTerm>)> use) {
  for_each_operand(
      stmt, [&](const Expr& expr) { for_each_sum(expr, use); },
      [&](const Stmt& nested) { for_each_sum(nested, use); });
}

/// One name for each index of a thread: that of the outermost let.
class OuterNames : public Rewriter {
 public:
  Expr rewrite(const Expr& expr) override { return expr; }

  Stmt rewrite(const Stmt& stmt) override {
    const auto* let = llvm::dyn_cast<Let>(stmt);
    for (unsigned dim = 0; let && dim < 3; ++dim)
      if (is_thread_index(*let, dim)) return rewrite(*let, dim);
    return rewrite_operands(stmt);
  }

  /// Names that lets around give; null where there is none.
  std::array<Expr, 3> names;

 private:
  Stmt rewrite(const Let& let, unsigned dim) {
    if (names[dim].defined()) return rewrite(substitute(let.body, let.axis.get(), names[dim]));
    names[dim] = AxisRef::make(let.axis);
    const Stmt body = rewrite(let.body);
    names[dim] = {};
    return Let::make(let.axis, let.value, body);
  }
};

class Namer : public Rewriter {
 public:
  explicit Namer(Names names) : names_(std::move(names)) {}

  Stmt rewrite(const Stmt& stmt) override {
    const auto* let = llvm::dyn_cast<Let>(stmt);
    if (!let || !is_of_thread(*let)) return rewrite_operands(stmt);
    const auto axes_around = thread_axes_;
    thread_axes_.push_back(let->axis);
    if (!llvm::isa<ThreadIndex>(let->value)) units_.push_back(let->axis);
    const std::array<Expr, 3> around = outer_.names;
    for (unsigned dim = 0; dim < 3; ++dim)
      if (is_thread_index(*let, dim)) outer_.names[dim] = AxisRef::make(let->axis);
    const auto* next = llvm::dyn_cast<Let>(let->body);
    const bool is_last = !next || !is_of_thread(*next);
    const Stmt body = is_last ? name_parts(let->body) : let->body;
    const Stmt rebuilt = Let::make(let->axis, let->value, rewrite(body));
    outer_.names = around;
    thread_axes_ = axes_around;
    return rebuilt;
  }

  Expr rewrite(const Expr& expr) override { return expr; }

 private:
  /// An index of the thread or the block, or a digit of one: `lane = thread.x % 32`, `y = lane /
  /// 8`.
  bool is_of_thread(const Let& let) const {
    const auto is_unit = [&](const Expr& part) {
      const auto* axis = llvm::dyn_cast<AxisRef>(part);
      return llvm::isa<ThreadIndex>(part) || (axis && llvm::is_contained(units_, axis->axis));
    };
    const auto is_other = [&](const Expr& part) {
      const auto* binary = llvm::dyn_cast<Binary>(part);
      const bool is_digit = binary && is_constant(binary->rhs) &&
                            (binary->op == BinaryOp::div || binary->op == BinaryOp::mod);
      return !is_unit(part) && !is_digit && !is_constant(part);
    };
    return any_of(let.value, is_unit) && !any_of(let.value, is_other);
  }

  /// Names for values that are the same for all that a thread does.
  Stmt name_parts(const Stmt& body) {
    llvm::SmallVector<Digit, 4> digits;
    for (const AxisPtr& axis : thread_axes_)
      if (!llvm::is_contained(named_axes_, axis)) append_digits(AxisRef::make(axis), *axis, digits);
    llvm::append_range(named_axes_, thread_axes_);
    llvm::SmallVector<Expr, 4> names;
    for (const Digit& digit : digits) {
      const auto& part = *digit.axis;
      names.push_back(AxisRef::make(make_axis(names_.fresh(part.name), part.kind, part.roots)));
      thread_axes_.push_back(llvm::cast<AxisRef>(names.back())->axis);
    }
    Stmt named = name_groups(DigitRenamer(digits, names).rewrite(body));
    for (size_t n = digits.size(); n-- > 0;)
      named = Let::make(llvm::cast<AxisRef>(names[n])->axis, digits[n].value, named);
    return named;
  }

  Stmt name_groups(const Stmt& body) {
    llvm::SmallVector<NameGroup, 4> groups;
    for_each_sum(body, [&](llvm::ArrayRef<SignedTerm> terms) { count(terms, groups); });
    llvm::erase_if(groups, [](const NameGroup& group) { return group.uses < 2; });
    for (NameGroup& group : groups)
      group.name = AxisRef::make(
          make_axis(names_.fresh(group.root + (group.is_base ? "_base" : "")), AxisKind::spatial));
    groups_ = groups;
    // Loops inside that are bound to the same index are about other axes: they make no groups.
    Stmt named = ExprRenamer(*this).rewrite(outer_.rewrite(body));
    named = with_lets_hoisted(
        named, [&](const Expr& value) { return is_thread_only(value) && !mentions_param(value); });
    for (const NameGroup& group : groups)
      named = let_before_use(llvm::cast<AxisRef>(group.name)->axis, group.value, named);
    return named;
  }

  bool is_thread_only(const Expr& expr) const {
    bool only = true, some = false;
    walk(expr, [&](const Expr& part) {
      if (llvm::isa<Load>(part)) only = false;
      const auto* reference = llvm::dyn_cast<AxisRef>(part);
      if (!reference) return;
      some = true;
      only &= llvm::is_contained(thread_axes_, reference->axis);
    });
    return only && some && has_value_everywhere(expr);
  }

  /// The sums within a sum, one per root, of two terms or more.
  llvm::SmallVector<NameGroup, 2> groups_of(llvm::ArrayRef<SignedTerm> terms) const {
    llvm::SmallVector<NameGroup, 2> groups;
    llvm::SmallVector<int, 2> sizes;
    for (const SignedTerm& term : terms) {
      const llvm::StringRef root = common_root(term.value);
      if (root.empty() || !is_thread_only(term.value)) continue;
      auto* found = llvm::find_if(groups, [&](const NameGroup& g) { return g.root == root; });
      if (found == groups.end()) {
        groups.push_back({add(Expr(), term), root.str()});
        sizes.push_back(1);
        continue;
      }
      found->value = add(found->value, term);
      ++sizes[found - groups.begin()];
    }
    for (size_t n = groups.size(); n-- > 0;)
      if (sizes[n] < 2) groups.erase(groups.begin() + n);
    for (NameGroup& group : groups) {
      group.is_base = llvm::any_of(terms, [&](const SignedTerm& term) {
        return !is_thread_only(term.value) && common_root(term.value) == group.root;
      });
      group.polynomial = Polynomial::of(group.value);
    }
    return groups;
  }

  void count(llvm::ArrayRef<SignedTerm> terms, llvm::SmallVectorImpl<NameGroup>& groups) const {
    for (NameGroup& group : groups_of(terms)) {
      auto* found = llvm::find_if(
          groups, [&](const NameGroup& other) { return other.polynomial == group.polynomial; });
      if (found == groups.end()) found = &groups.emplace_back(std::move(group));
      ++found->uses;
    }
  }

  /// The sum of `terms` with its groups called by their names, and the other terms rewritten.
  Expr renamed_sum(llvm::ArrayRef<SignedTerm> terms,
                   llvm::function_ref<Expr(const Expr&)> rewrite) const {
    llvm::SmallVector<const NameGroup*, 2> named;
    for (const NameGroup& group : groups_of(terms))
      for (const NameGroup& candidate : groups_)
        if (candidate.polynomial == group.polynomial) named.push_back(&candidate);
    Expr sum;
    llvm::SmallVector<const NameGroup*, 2> done;
    for (const SignedTerm& term : terms) {
      const auto* found = llvm::find_if(named, [&](const NameGroup* group) {
        return is_thread_only(term.value) && common_root(term.value) == group->root;
      });
      if (found == named.end()) {
        sum = add(sum, {rewrite(term.value), term.negative});
      } else if (!llvm::is_contained(done, *found)) {
        sum = add(sum, {(*found)->name});
        done.push_back(*found);
      }
    }
    return sum;
  }

  /// Replaces whole sums, outermost first.
  class ExprRenamer : public Rewriter {
   public:
    explicit ExprRenamer(const Namer& namer) : namer_(namer) {}
    using Rewriter::rewrite;
    Expr rewrite(const Expr& expr) override {
      if (!is_sum(expr)) return rewrite_operands(expr);
      llvm::SmallVector<SignedTerm, 4> terms;
      append_terms(expr, false, terms);
      return namer_.renamed_sum(terms, [&](const Expr& term) { return rewrite(term); });
    }

   private:
    const Namer& namer_;
  };

  Names names_;
  llvm::SmallVector<AxisPtr, 6> thread_axes_;  ///< in scope
  llvm::SmallVector<AxisPtr, 4> units_;        ///< digits of indices
  llvm::SmallVector<AxisPtr, 6> named_axes_;   ///< those whose parts have got names
  llvm::SmallVector<NameGroup, 4> groups_;
  OuterNames outer_;
};

}  // namespace

void name_indices(KernelFunction& kernel) {
  kernel.body = with_lets_inlined(Namer(Names(as_function(kernel))).rewrite(kernel.body));
}

}  // namespace hone
