#include "codegen/emit/c_text.h"

#include "codegen/c_form/declaration.h"
#include "codegen/c_form/own_parts.h"
#include "codegen/contract/index_width.h"
#include "codegen/emit/c_operators.h"
#include "codegen/emit/operator_functions.h"
#include "fmt/format.h"
#include "ir/algebra/facts_rewriter.h"
#include "ir/algebra/simplify.h"
#include "ir/text/printer.h"
#include "ir/threads/ordered.h"
#include "ir/traverse/visit.h"
#include "llvm/Support/SaveAndRestore.h"

namespace hone {
namespace {

/// Longer assignments of vectors are broken.
constexpr size_t longest_line = 100;

/// C computes in int what is narrower; the result is cut to its width again.
bool is_narrow(DType type) { return type == DType::i8 || type == DType::u8; }

bool is_arithmetic(BinaryOp op) { return op <= BinaryOp::shr; }

/// Integers are shifted by a number modulo their bits; C gives no value to others.
Expr right_operand(const Binary& binary) {
  const bool is_shift = binary.op == BinaryOp::shl || binary.op == BinaryOp::shr;
  if (!is_shift || binary.type == DType::index) return binary.rhs;
  const int64_t last = 8 * size_of(binary.type) - 1;
  const auto by = as_int(binary.rhs);
  return by ? IntConst::make(*by & last, binary.type) : binary.rhs & last;
}

/// True if a shuffle occurs, which all lanes have to reach.
bool has_shuffle(const Expr& expr) {
  return any_of(expr, [&](const Expr& part) { return llvm::isa<Shuffle>(part); });
}

std::string integer(int64_t value, DType type) {
  if (type == DType::boolean) return value != 0 ? "true" : "false";
  if (type == DType::i32 && value == INT32_MIN) return "(-2147483647 - 1)";
  if (value == INT64_MIN) return "(-9223372036854775807LL - 1)";
  const bool is_wide = type == DType::i64 || !fits_in(value, 32);
  return fmt::format("{}{}", value, is_wide ? "LL" : "");
}

/// The text of a loop's step after each trip.
std::string advance(const LoopCount& loop, const std::string& axis) {
  switch (loop.kind) {
    case LoopCount::Kind::doubling:
      return axis + " *= 2";
    case LoopCount::Kind::halving:
      return axis + " /= 2";
    case LoopCount::Kind::adding:
      break;
  }
  return loop.step == 1 ? "++" + axis : fmt::format("{} += {}", axis, loop.step);
}

/// True of indices of threads and blocks, which CUDA has as unsigned numbers, up to where they are
/// converted to another type.
bool has_unsigned_part(const Expr& expr) {
  bool found = llvm::isa<ThreadIndex>(expr);
  if (!llvm::isa<Cast>(expr))
    for_each_operand(expr, [&](const Expr& part) { found |= has_unsigned_part(part); });
  return found;
}

}  // namespace

std::string CText::print(const Expr& expr, int precedence) const {
  return visit(
      expr,
      [&](const IntConst& constant) {
        return in_parentheses_if(constant.value < 0 && precedence > 11,
                                 integer(constant.value, constant.type));
      },
      [&](const FloatConst& constant) {
        return in_parentheses_if(constant.value < 0 && precedence > 11,
                                 dialect_.float_constant(constant.value, constant.type));
      },
      [&](const AxisRef& reference) { return names_.of(*reference.axis); },
      [&](const ParamRef& reference) { return names_.of(*reference.param); },
      [&](const ThreadIndex& index) { return dialect_.thread_index(index); },
      [&](const Load& load) { return element(*load.tensor, load.indices); },
      [&](const Unary& unary) { return print_unary(unary, precedence); },
      [&](const Binary& binary) {
        if (const auto count = ring_count(expr, precedence)) return *count;
        return may_overflow(binary.op, binary.type) ? print_wrapped(expr, precedence)
                                                    : print_binary(binary, precedence);
      },
      [&](const Select& select) {
        return in_parentheses_if(precedence > c_select_precedence,
                                 fmt::format("{} ? {} : {}", print(select.condition, 3),
                                             print(select.if_true, 3), print(select.if_false, 3)));
      },
      [&](const Cast& cast) { return print_cast(cast, precedence); },
      [&](const Call& call) {
        llvm::SmallVector<std::string, 3> arguments;
        for (const Expr& argument : call.arguments) arguments.push_back(print(argument, 0));
        return dialect_.call(call.intrinsic, call.type, arguments);
      },
      [&](const MakeTuple& tuple) {
        std::string components;
        for (const Expr& component : tuple.components)
          components += (components.empty() ? "" : ", ") + print_component(component);
        return dialect_.tuple(tuple.type, components);
      },
      [&](const Component& component) {
        return fmt::format("{}.{}", print(component.tuple, c_unary_precedence + 1),
                           component_name(component.position).str());
      },
      [&](const Shuffle& shuffle) {
        return dialect_.shuffle(shuffle, print(shuffle.value, 0), print(shuffle.offset, 0),
                                print(shuffle.lanes, 11));
      },
      [&](const Named& named) { return print(named.value, precedence); });
}

std::string CText::print_unary(const Unary& unary, int precedence) const {
  if (unary.op == UnaryOp::negate && may_overflow(BinaryOp::sub, unary.type))
    return print_wrapped(IntConst::make(0, unary.type) - unary.operand, precedence);
  std::string text =
      "-!~"[static_cast<int>(unary.op)] + print(unary.operand, c_unary_precedence + 1);
  if (is_narrow(unary.type)) return dialect_.cast(unary.type, DType::i32, text);
  return in_parentheses_if(precedence > c_unary_precedence, text);
}

/// The `|` of two bools is an int, which does not become a member by itself.
std::string CText::print_component(const Expr& component) const {
  const auto* binary = llvm::dyn_cast<Binary>(component);
  const bool is_eager =
      binary && is_logical(binary->op) && (logic_ == Logic::eager || has_shuffle(binary->rhs));
  const std::string text = print(component, 0);
  return is_eager ? dialect_.cast(DType::boolean, DType::i32, text) : text;
}

/// Of an index that is widened, a number as a wide one.
std::string CText::print_cast(const Cast& cast, int precedence) const {
  const Expr narrow = before_widening(Expr(&cast));
  if (!narrow.defined()) return print_conversion(cast, precedence);
  if (as_int(narrow)) return print(cast.operand, precedence);
  return in_parentheses_if(
      precedence > c_unary_precedence,
      fmt::format("({}){}", dialect_.type(DType::i64), print(narrow, c_unary_precedence)));
}

/// A wide element keeps its type on the way to a narrow index: an int would cut it. An int on the
/// way to an index that is one stays as it is; floats of 8 bits are unsigned chars, and no
/// integers.
std::string CText::print_conversion(const Cast& cast, int precedence) const {
  const bool is_wide =
      cast.type == DType::index && width_of(Expr(&cast), index_bits_) > index_bits_;
  const DType type = is_wide ? DType::i64 : cast.type, from = cast.operand.type();
  const bool are_floats = is_float(type) || is_float(from);
  const bool is_same =
      !are_floats && dialect_.type(type) == dialect_.type(from) && !has_unsigned_part(cast.operand);
  if (type == from || is_same) return print(cast.operand, precedence);
  return dialect_.cast(type, from, print(cast.operand, 0));
}

std::string CText::print_binary(const Binary& binary, int precedence) const {
  if (binary.op == BinaryOp::min || binary.op == BinaryOp::max)
    return dialect_.min_max(binary.op == BinaryOp::max, binary.type, print(binary.lhs, 0),
                            print(binary.rhs, 0));
  if (is_logical(binary.op) && (logic_ == Logic::eager || has_shuffle(binary.rhs)))
    return print_eagerly(binary, precedence);
  if (may_lack_value(binary))
    if (auto call = dialect_.division(binary, print(binary.lhs, 0), print(binary.rhs, 0)))
      return *call;
  const COperator op = operator_of(binary.op);
  if (const auto idiom = dialect_.idiom(binary))
    return in_parentheses_if(op.precedence < precedence, *idiom);
  // `&&` in `||` reads better, and compiles without a warning, in parentheses.
  const bool mixed_logic = binary.op == BinaryOp::logical_and && precedence == 3;
  const Expr rhs = right_operand(binary);
  const auto* right = llvm::dyn_cast<Binary>(rhs);
  const bool mixes_right =
      binary.op == BinaryOp::logical_or && right && right->op == BinaryOp::logical_and;
  std::string text = fmt::format("{} {} {}", print(binary.lhs, op.precedence), op.spelling,
                                 print(rhs, op.precedence + (mixes_right ? 2 : 1)));
  if (is_narrow(binary.type) && is_arithmetic(binary.op))
    return dialect_.cast(binary.type, DType::i32, text);
  return in_parentheses_if(op.precedence < precedence || mixed_logic, std::move(text));
}

/// In the form that compilers ask for: parentheses around all but names.
std::string CText::print_eagerly(const Binary& binary, int precedence) const {
  const COperator op = eager_operator_of(binary.op);
  return in_parentheses_if(op.precedence < precedence,
                           fmt::format("{} {} {}", print(binary.lhs, c_unary_precedence),
                                       op.spelling, print(binary.rhs, c_unary_precedence)));
}

std::string Dialect::statement(const Instr&, const CText&) const {
  llvm_unreachable("kernels of this language have no such statement");
}

std::string Dialect::in_block(const std::string&, const std::string&) const {
  llvm_unreachable("kernels of this language have no clusters");
}

/// True unless the element is known to lie in the memory of the thread's own block.
bool CText::may_lie_elsewhere(const TensorNode& tensor, llvm::ArrayRef<Expr> indices) const {
  if (!tensor.is_in_parts || indices.empty() || cluster_ == 1) return false;
  const Expr own = ThreadIndex::make(IndexSpace::block, 0) % cluster_;
  return !proves(indices[0] == own, facts_);
}

std::string CText::own_element(const TensorNode& tensor, llvm::ArrayRef<Expr> indices) const {
  std::string text = names_.of(tensor);
  for (const Expr& index : own_dims(tensor, indices)) text += "[" + print(index, 0) + "]";
  return text;
}

std::string CText::element(const TensorNode& tensor, llvm::ArrayRef<Expr> indices) const {
  return may_lie_elsewhere(tensor, indices) ? "*" + address(tensor, indices)
                                            : own_element(tensor, indices);
}

std::string CText::address(const TensorNode& tensor, llvm::ArrayRef<Expr> indices) const {
  const std::string own = "&" + own_element(tensor, indices);
  return may_lie_elsewhere(tensor, indices) ? dialect_.in_block(own, print(indices[0], 0)) : own;
}

void CText::line(const std::string& text) {
  out_ += std::string(indent_, ' ') + text + "\n";
  ++next_line_;
}

/// Marks the line that is printed next as this statement's.
void CText::mark(const StmtNode* stmt) { lines_[form_.origin(stmt)].push_back(next_line_); }

void CText::mark_all(const Stmt& stmt) {
  walk(stmt, [&](const Stmt& nested) { mark(nested.get()); });
}

std::string CText::statements(const KernelFunction& kernel, unsigned indent) {
  out_.clear();
  indent_ = indent;
  next_line_ = 1;
  form_ = c_form(kernel);
  has_order_ = keeps_order(form_.body);
  write(form_.body);
  return std::move(out_);
}

void CText::write(const Stmt& stmt) {
  if (!llvm::isa<Seq>(stmt) && !llvm::isa<For>(stmt)) mark(stmt.get());
  visit(
      stmt, [&](const For& loop) { write_loop(loop); },
      [&](const Seq& seq) {
        for (const Stmt& nested : seq.stmts) write(nested);
      },
      [&](const If& branch) { write_if(branch); },
      [&](const Let& let) {
        if (!numbers_own_parts(let, cluster_))
          line(fmt::format("const {} {} = {};", dialect_.type(DType::index), names_.of(*let.axis),
                           print(let.value, 0)));
        const FactsScope inside(facts_, stmt);
        write(let.body);
      },
      [&](const Store& store) { write_store(store); },
      [&](const Alloc& alloc) { write_alloc(alloc); },
      [&](const Copy& copy) { write_vector(copy); },
      [&](const Instr& instr) {
        llvm::SmallVector<llvm::StringRef, 2> lines;
        const std::string text = dialect_.statement(instr, *this);
        llvm::StringRef(text).split(lines, '\n');
        for (const llvm::StringRef each : lines) line(each.str());
      });
}

/// A role's own condition stands alone: threads that do not fulfil it are in another role.
void CText::write_if(const If& branch) {
  const bool is_role = &branch == form_.returning || &branch == form_.remaining;
  const auto [condition, body] = is_role ? JoinedIf{branch.condition, branch.body} : joined(branch);
  for (Stmt nested = branch.body; !nested.same_as(body); nested = llvm::cast<If>(nested)->body)
    mark(nested.get());
  if (&branch == form_.remaining) return write(body);
  line(fmt::format("if ({}) {{", print(condition, 0)));
  indent_ += 2;
  write(body);
  if (&branch == form_.returning) line("return;");
  indent_ -= 2;
  line("}");
}

void CText::write_loop(const For& loop) {
  const bool is_outermost = has_order_ && loads_.addresses.empty() && keeps_order(Stmt(&loop));
  if (is_outermost) declare_addresses(loop);
  const RingCounter* ring = form_.ring(loop);
  const llvm::SaveAndRestore<const RingCounter*> counting(ring_, ring ? ring : ring_);
  if (ring) declare(*ring);
  const std::string pragma = dialect_.loop_pragma(loop);
  if (!pragma.empty()) line(pragma);
  const std::string& axis = names_.of(*loop.axis);
  const LoopCount& count = form_.count(loop);
  mark(&loop);
  line(fmt::format("for ({0} {1} = {2}; {1} {3} {4}; {5}) {{", dialect_.type(DType::index), axis,
                   print(count.first, 0), count.kind == LoopCount::Kind::halving ? ">" : "<",
                   print(count.limit, 10), advance(count, axis)));
  const FactsScope inside(facts_);
  const llvm::SaveAndRestore<bool> order(keeps_order_,
                                         keeps_order_ || loop.binding.has(attr::ordered));
  if (count.is_of_trips()) facts_.add_axis(loop.axis, loop.extent);
  indent_ += 2;
  if (count.is_guard) mark(loop.body.get());
  write(count.is_guard ? llvm::cast<If>(loop.body)->body : loop.body);
  if (ring) move_on(*ring);
  indent_ -= 2;
  line("}");
  if (is_outermost) loads_ = SharedLoads();
}

void CText::write_store(const Store& store) {
  if (const auto text = ordered(store)) return line(*text);
  const std::string target = element(*store.tensor, store.indices);
  if (store.is_atomic) return line(dialect_.atomic(store, names_, target, print(store.value, 0)));
  const bool wraps = may_overflow(BinaryOp::add, store.tensor->type);
  const bool has_operator =
      store.update == Update::set ||
      (!wraps && (store.update == Update::add || store.update == Update::mul));
  if (has_operator)
    return line(fmt::format("{} {} {};", target, update_text(store), print(store.value, 0)));
  line(fmt::format("{} = {};", target, updated(store)));
}

std::string CText::updated(const Store& store) const {
  const Expr element = Load::make(store.tensor, store.indices);
  if (store.op && has_function(*store.op))
    return fmt::format("{}({}, {})", names_.function(*store.op), print(element, 0),
                       print(store.value, 0));
  return print(combined(store, element, store.value), 0);
}

void CText::write_alloc(const Alloc& alloc) {
  const TensorNode& tensor = *alloc.tensor;
  const std::string& name = names_.of(tensor);
  std::string dims;
  for (const Expr& extent : own_dims(tensor, tensor.shape)) dims += "[" + print(extent, 0) + "]";
  if (tensor.scope == Scope::shared) {
    line(dialect_.shared(tensor, name, dims) + ";");
    return write(alloc.body);
  }
  const std::string text =
      (tensor.is_value ? "const " : "") + dialect_.registers(tensor, name, dims);
  const Declaration declaration = declaration_of(alloc);
  if (declaration.first.defined()) mark_all(declaration.first);
  const bool has_value = declaration.first.defined() && !declaration.load.defined();
  const std::string value = tensor.rank() > 0 ? dialect_.zeros()
                            : has_value       ? print(declaration.value, 0)
                                              : "";
  line(has_value ? fmt::format("{} = {};", text, value) : text + ";");
  if (declaration.load.defined()) write_guarded_vector(*llvm::cast<If>(declaration.load));
  write(declaration.rest);
}

void CText::write_vector(const Copy& copy) {
  assert(copy.vector > 1 && "other copies are expanded before text is made");
  if (const auto text = ordered(copy)) return line(*text);
  write_assignment(vector(copy.destination, copy.vector, false),
                   vector(copy.source, copy.vector, true));
}

/// One value, if it exists, or zeros: loads of other vectors need not wait for it.
void CText::write_guarded_vector(const If& branch) {
  const auto [condition, body] = joined(branch);
  const auto& copy = *llvm::cast<Copy>(body);
  mark_all(Stmt(&branch));
  write_assignment(
      vector(copy.destination, copy.vector, false),
      fmt::format("({}) ? {} : {}", print(condition, 0), vector(copy.source, copy.vector, true),
                  dialect_.zero_vector(copy.destination.tensor->type, copy.vector)));
}

void CText::write_assignment(const std::string& target, const std::string& value) {
  if (indent_ + target.size() + value.size() + 4 <= longest_line)
    return line(fmt::format("{} = {};", target, value));
  line(target + " =");
  line(fmt::format("    {};", value));
}

/// Of the first element.
std::string CText::address(const Region& region) const {
  const auto first = region.first();
  const bool is_start = first.size() == 1 && is_int(first[0], 0);
  return is_start ? names_.of(*region.tensor) : address(*region.tensor, first);
}

std::string CText::vector(const Region& region, int64_t count, bool is_read) const {
  return dialect_.vector(address(region), region.tensor->type, count, is_read);
}

}  // namespace hone
