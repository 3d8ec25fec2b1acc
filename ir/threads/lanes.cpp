#include "ir/threads/lanes.h"

#include "fmt/format.h"
#include "fmt/ranges.h"
#include "ir/algebra/simplify.h"
#include "ir/analysis/divisibility.h"
#include "ir/core/layout.h"
#include "ir/text/printer.h"
#include "ir/traverse/rewriter.h"

namespace hone {
namespace {

using Form = LaneAccess::Form;

Expr at_first_lane(const Expr& expr, const Lanes& lanes) {
  const AxisNode* axis = lanes.axis.get();
  return mentions(expr, axis) ? simplify(substitute(expr, axis, 0)) : expr;
}

/// e of e + v, where it is a multiple of the number of lanes.
std::optional<Polynomial> aligned_start(const Expr& index, const Lanes& lanes, const Facts& facts) {
  const auto linear = Polynomial::of(index).linear_in(lanes.axis.get());
  if (!linear || linear->coefficient.constant() != 1) return std::nullopt;
  if (!divides(lanes.count, linear->rest, facts)) return std::nullopt;
  return linear->rest;
}

/// (e + v) / N is e / N and (e + v) % N is e % N + v, where the number of lanes divides e and N.
Expr without_quotients(const Expr& expr, const Lanes& lanes, const Facts& facts) {
  const AxisNode* axis = lanes.axis.get();
  return transform(expr, [&](const Expr& part) -> Expr {
    const auto* binary = llvm::dyn_cast<Binary>(part);
    if (!binary || binary->type != DType::index) return {};
    if (binary->op != BinaryOp::div && binary->op != BinaryOp::mod) return {};
    if (!mentions(binary->lhs, axis) || mentions(binary->rhs, axis)) return {};
    if (!aligned_start(binary->lhs, lanes, facts) || !divides(lanes.count, binary->rhs, facts))
      return {};
    const Expr start = Binary::make(binary->op, at_first_lane(binary->lhs, lanes), binary->rhs);
    return binary->op == BinaryOp::div ? start : start + AxisRef::make(lanes.axis);
  });
}

std::string not_a_multiple(const Expr& value, int64_t count) {
  return fmt::format("which is not {}a multiple of {}", as_int(value) ? "" : "proved to be ",
                     count);
}

/// Promises are made about params.
std::string promise_note(const Expr& value, int64_t count) {
  if (!llvm::isa<ParamRef>(value)) return "";
  return fmt::format("assume({} % {} == 0) promises it, and launches check it", value, count);
}

class AccessReader {
 public:
  AccessReader(const TensorNode& tensor, llvm::ArrayRef<Expr> indices, const Lanes& lanes,
               const Facts& facts)
      : tensor_(tensor), written_(indices), lanes_(lanes), facts_(facts) {
    for (const Expr& index : indices)
      indices_.push_back(mentions(index, lanes.axis.get()) ? without_quotients(index, lanes, facts)
                                                           : index);
  }

  LaneAccess read() {
    for (const Expr& index : indices_) result_.first.push_back(at_first_lane(index, lanes_));
    if (llvm::none_of(indices_, [&](const Expr& index) { return depends(index); })) {
      result_.form = Form::invariant;
      return result_;
    }
    if (runs_along_rows() && has_runs() && starts_aligned() && has_aligned_rows() && keeps_chunks())
      result_.form = Form::contiguous;
    return result_;
  }

 private:
  std::string text() const {
    return fmt::format("{}[{}]", tensor_.name, fmt::join(written_, ", "));
  }

  bool depends(const Expr& index) const { return mentions(index, lanes_.axis.get()); }

  bool fail(std::string reason, std::string note = "") {
    result_.reason = std::move(reason);
    result_.note = std::move(note);
    return false;
  }

  /// Neighbours along the fastest dimension lie side by side, in runs of whole vectors.
  bool has_runs() {
    const IndexDigit fastest = storage_digits(tensor_).back();
    if (fastest.stride != 1)
      return fail(
          fmt::format("what lies side by side in {} are elements {} apart along dimension {}",
                      tensor_.name, fastest.stride, fastest.dim));
    if (fastest.count % lanes_.count == 0) return true;  // 0: whole rows
    return fail(fmt::format("elements of {} lie side by side in runs of {}, {}", tensor_.name,
                            fastest.count, not_a_multiple(fastest.count, lanes_.count)));
  }

  bool runs_along_rows() {
    const int fastest = fastest_dim(tensor_);
    if (tensor_.is_in_parts && depends(indices_[0]))
      return fail(fmt::format("{} lies in the shared memory of several blocks", text()));
    for (int dim = 0; dim < static_cast<int>(indices_.size()); ++dim)
      if (dim != fastest && depends(indices_[dim]))
        return fail(
            fmt::format("{} does not run along the fastest dimension of {}", text(), tensor_.name),
            fmt::format("what lies side by side in {} are the elements along dimension {}",
                        tensor_.name, fastest));
    const auto linear = Polynomial::of(indices_[fastest]).linear_in(lanes_.axis.get());
    const auto step = linear ? linear->coefficient.constant() : std::nullopt;
    if (!step) return fail(fmt::format("{} is not linear in {}", text(), lanes_.axis->name));
    if (*step == 1) return true;
    return fail(fmt::format("{} moves by {} elements from one {} to the next", text(), *step,
                            lanes_.axis->name));
  }

  bool starts_aligned() {
    const Expr& start = result_.first[fastest_dim(tensor_)];
    if (divides(lanes_.count, start, facts_)) return true;
    return fail(
        fmt::format("{} starts at {}, {}", text(), start, not_a_multiple(start, lanes_.count)),
        promise_note(start, lanes_.count));
  }

  bool has_one_row() const {
    const auto shape = storage_shape(tensor_);
    return llvm::all_of(llvm::ArrayRef<Expr>(shape).drop_back(),
                        [](const Expr& extent) { return is_int(extent, 1); });
  }

  bool has_aligned_rows() {
    const Expr pitch = row_pitch(tensor_);
    if (has_one_row() || divides(lanes_.count, pitch, facts_)) return true;
    const std::string why = not_a_multiple(pitch, lanes_.count);
    if (tensor_.layout.padding != 0)
      return fail(fmt::format("the padding {} makes the rows of {} {} elements apart, {}",
                              tensor_.layout.padding, tensor_.name, pitch, why));
    return fail(fmt::format("rows of {} are {} elements apart, {}", tensor_.name, pitch, why),
                promise_note(pitch, lanes_.count));
  }

  bool keeps_chunks() {
    const int fastest = static_cast<int>(storage_digits(tensor_).size()) - 1;
    for (const Swizzle& swizzle : named_swizzles(tensor_)) {
      if (swizzle.digit == fastest && swizzle.chunk % lanes_.count != 0)
        return fail(fmt::format("the swizzle of {} moves chunks of {} elements, {}", tensor_.name,
                                swizzle.chunk, not_a_multiple(swizzle.chunk, lanes_.count)));
      if (swizzle.by == fastest && swizzle.rows % lanes_.count != 0)
        return fail(fmt::format("the swizzle of {} is another one every {} elements, {}",
                                tensor_.name, swizzle.rows,
                                not_a_multiple(swizzle.rows, lanes_.count)));
    }
    return true;
  }

  const TensorNode& tensor_;
  const llvm::ArrayRef<Expr> written_;
  const Lanes& lanes_;
  const Facts& facts_;
  llvm::SmallVector<Expr, 4> indices_;
  LaneAccess result_;
};

// ---- Conditions ---------------------------------------------------------------------------------

/// p of a comparison of indices that says p > 0; nothing for == and !=.
std::optional<Polynomial> positive_difference(const Binary& comparison) {
  const auto lhs = Polynomial::of(comparison.lhs), rhs = Polynomial::of(comparison.rhs);
  switch (comparison.op) {
    case BinaryOp::lt:
      return rhs - lhs;
    case BinaryOp::le:
      return rhs - lhs + 1;
    case BinaryOp::gt:
      return lhs - rhs;
    case BinaryOp::ge:
      return lhs - rhs + 1;
    default:
      return std::nullopt;
  }
}

/// True if the result of a comparison of indices is the same at every lane: r - v > 0 where r is a
/// multiple of the number of lanes, and v + r > 0 where r - 1 is.
bool is_uniform_comparison(const Binary& comparison, const Lanes& lanes, const Facts& facts) {
  if (!is_comparison(comparison.op) || comparison.lhs.type() != DType::index) return false;
  const auto difference = positive_difference(comparison);
  if (!difference) return false;
  const auto linear = difference->linear_in(lanes.axis.get());
  const auto step = linear ? linear->coefficient.constant() : std::nullopt;
  if (step == -1) return divides(lanes.count, linear->rest, facts);
  return step == 1 && divides(lanes.count, linear->rest - 1, facts);
}

Expr uniform(const Expr& condition, const Lanes& lanes, const Facts& facts) {
  if (!mentions(condition, lanes.axis.get())) return condition;
  if (const auto* negation = llvm::dyn_cast<Unary>(condition)) {
    const Expr operand = uniform(negation->operand, lanes, facts);
    return operand.defined() ? !operand : Expr();
  }
  const auto* binary = llvm::dyn_cast<Binary>(condition);
  if (!binary) return {};
  if (is_logical(binary->op)) {
    const Expr lhs = uniform(binary->lhs, lanes, facts), rhs = uniform(binary->rhs, lanes, facts);
    return lhs.defined() && rhs.defined() ? Binary::make(binary->op, lhs, rhs) : Expr();
  }
  return is_uniform_comparison(*binary, lanes, facts) ? at_first_lane(condition, lanes) : Expr();
}

class ConditionRewriter : public Rewriter {
 public:
  ConditionRewriter(const Lanes& lanes, const Facts& facts) : lanes_(lanes), facts_(facts) {}

  Expr rewrite(const Expr& expr) override {
    const Expr rebuilt = rewrite_operands(expr);
    const auto* choice = llvm::dyn_cast<Select>(rebuilt);
    if (!choice) return rebuilt;
    const Expr condition = improved(choice->condition);
    return condition.same_as(choice->condition)
               ? rebuilt
               : Select::make(condition, choice->if_true, choice->if_false);
  }

  Stmt rewrite(const Stmt& stmt) override {
    const Stmt rebuilt = rewrite_operands(stmt);
    const auto* guard = llvm::dyn_cast<If>(rebuilt);
    if (!guard) return rebuilt;
    const Expr condition = improved(guard->condition);
    return condition.same_as(guard->condition) ? rebuilt : If::make(condition, guard->body);
  }

 private:
  Expr improved(const Expr& condition) const {
    const Expr result = uniform_condition(condition, lanes_, facts_);
    return result.defined() ? result : condition;
  }

  const Lanes& lanes_;
  const Facts& facts_;
};

}  // namespace

LaneAccess lane_access(const TensorNode& tensor, llvm::ArrayRef<Expr> indices, const Lanes& lanes,
                       const Facts& facts) {
  return AccessReader(tensor, indices, lanes, facts).read();
}

Expr uniform_condition(const Expr& condition, const Lanes& lanes, const Facts& facts) {
  if (!mentions(condition, lanes.axis.get())) return condition;
  return uniform(without_quotients(condition, lanes, facts), lanes, facts);
}

Stmt with_uniform_conditions(const Stmt& body, const Lanes& lanes, const Facts& facts) {
  return ConditionRewriter(lanes, facts).rewrite(body);
}

}  // namespace hone
