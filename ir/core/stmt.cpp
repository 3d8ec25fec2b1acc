#include "ir/core/stmt.h"

#include "fmt/format.h"
#include "ir/core/counted.h"
#include "ir/core/opcode.h"
#include "ir/scalar/adapt_literal.h"
#include "ir/target/gpu_limits.h"
#include "llvm/Support/ErrorHandling.h"

namespace hone {

int64_t stride_of(ThreadUnit unit) {
  switch (unit) {
    case ThreadUnit::thread:
    case ThreadUnit::lane:
      return 1;
    case ThreadUnit::warp:
      return warp_size;
    case ThreadUnit::warpgroup:
      return warpgroup_size;
  }
  llvm_unreachable("unknown unit");
}

namespace {

std::string unit_of(const Binding& binding) {
  switch (binding.digit.unit) {
    case ThreadUnit::thread:
      return binding.is_cluster() ? "cluster.x" : fmt::format("thread.{}", "xyz"[binding.dim]);
    case ThreadUnit::lane:
      return "lane";
    case ThreadUnit::warp:
      return "warp";
    case ThreadUnit::warpgroup:
      return "warpgroup";
  }
  llvm_unreachable("unknown unit");
}

int64_t stride_in_units(const ThreadDigit& digit) { return digit.stride / stride_of(digit.unit); }

/// A digit of its own unit that is the fastest needs no stride.
std::string thread_text(const Binding& binding) {
  const ThreadDigit& digit = binding.digit;
  const int64_t stride = stride_in_units(digit);
  const bool is_plain = digit.is_whole() || (stride == 1 && digit.unit != ThreadUnit::thread);
  return is_plain ? unit_of(binding) : fmt::format("{}({})", unit_of(binding), stride);
}

/// "roles(4)", "roles(4, 40, 232)", "roles(4, 40, 232, 1)".
std::string roles_text(const WarpRoles& roles) {
  std::string text = fmt::format("roles({}", roles.producer_warps);
  if (roles.has_registers() || roles.in_flight > 0)
    text += fmt::format(", {}, {}", roles.producer_registers, roles.consumer_registers);
  if (roles.in_flight > 0) text += fmt::format(", {}", roles.in_flight);
  return text + ")";
}

}  // namespace

std::string to_string_with_count(const Binding& binding) {
  const ThreadDigit& digit = binding.digit;
  if (digit.is_whole()) return to_string(binding);
  return fmt::format("{}({}, {})", unit_of(binding), stride_in_units(digit), digit.count);
}

std::string to_string(const Binding& binding) {
  const char dim = "xyzx"[binding.dim];
  switch (binding.kind) {
    case Binding::Kind::serial:
      return "serial";
    case Binding::Kind::parallel:
      return "parallel";
    case Binding::Kind::block:
      return fmt::format("block.{}", dim);
    case Binding::Kind::thread:
      return thread_text(binding);
    case Binding::Kind::unroll:
      return binding.count == 0 ? "unroll" : fmt::format("unroll({})", binding.count);
    case Binding::Kind::vectorize:
      return "vectorize";
    case Binding::Kind::roles:
      return roles_text(binding.roles);
    case Binding::Kind::instr:
      return binding.opcode->word();
  }
  llvm_unreachable("unknown binding");
}

For::For(AxisPtr axis, Expr extent, Binding binding, Stmt body)
    : axis(std::move(axis)), extent(std::move(extent)), binding(binding), body(std::move(body)) {}

Stmt For::make(AxisPtr axis, Expr extent, Binding binding, Stmt body) {
  return Stmt(new For(std::move(axis), std::move(extent), binding, std::move(body)));
}

Stmt For::with_body(Stmt new_body) const {
  return make(axis, extent, binding, std::move(new_body));
}

Stmt Seq::make(llvm::ArrayRef<Stmt> stmts) {
  llvm::SmallVector<Stmt, 4> flat;
  for (const Stmt& stmt : stmts) {
    if (const auto* nested = llvm::dyn_cast<Seq>(stmt))
      flat.append(nested->stmts.begin(), nested->stmts.end());
    else
      flat.push_back(stmt);
  }
  return flat.size() == 1 ? flat.front() : Stmt(new Seq(flat));
}

Stmt If::make(Expr condition, Stmt body) {
  return Stmt(new If(std::move(condition), std::move(body)));
}

Stmt Let::make(AxisPtr axis, Expr value, Stmt body) {
  return Stmt(new Let(std::move(axis), std::move(value), std::move(body)));
}

void check_index_count(const TensorNode& tensor, llvm::ArrayRef<Expr> indices) {
  if (indices.size() != tensor.rank())
    throw DefinitionError(fmt::format("{} has {} and is written with {}", tensor.name,
                                      counted(tensor.rank(), "dimension", "dimensions"),
                                      counted(indices.size(), "index", "indices")));
}

Stmt Store::make(TensorPtr tensor, llvm::ArrayRef<Expr> indices, Update update, Expr value,
                 OperatorPtr op, bool is_atomic) {
  assert((update == Update::custom) == (op != nullptr) && "an operator that does not fit");
  check_index_count(*tensor, indices);
  const Expr adapted = adapt_literal(value, tensor->type);
  if (adapted.type() != tensor->type)
    throw DefinitionError(fmt::format("{} has type {} and is given a value of type {}; use cast",
                                      tensor->name, name(tensor->type).str(),
                                      name(adapted.type()).str()));
  return Stmt(new Store(std::move(tensor), indices, update, adapted, std::move(op), is_atomic));
}

Stmt Store::with(TensorPtr new_tensor, llvm::ArrayRef<Expr> new_indices, Expr new_value) const {
  return make(std::move(new_tensor), new_indices, update, std::move(new_value), op, is_atomic);
}

Stmt Store::as_atomic() const {
  return make(tensor, indices, update, value, op, /*is_atomic=*/true);
}

Stmt Alloc::make(TensorPtr tensor, Stmt body) {
  return Stmt(new Alloc(std::move(tensor), std::move(body)));
}

Expr Range::at(const Expr& position) const {
  return offset + (stride == 1 ? position : position * stride);
}

llvm::SmallVector<int, 4> Region::dims() const {
  llvm::SmallVector<int, 4> result;
  for (size_t dim = 0; dim < ranges.size(); ++dim)
    if (!ranges[dim].is_point()) result.push_back(static_cast<int>(dim));
  return result;
}

llvm::SmallVector<Expr, 4> Region::extents() const {
  llvm::SmallVector<Expr, 4> result;
  for (const int dim : dims()) result.push_back(ranges[dim].extent);
  return result;
}

llvm::SmallVector<Expr, 4> Region::first() const {
  llvm::SmallVector<Expr, 4> indices;
  for (const Range& range : ranges) indices.push_back(range.offset);
  return indices;
}

namespace {

Expr zero(DType type) {
  if (is_tuple(type)) {
    llvm::SmallVector<Expr, 4> zeros;
    for (unsigned n = 0; n < component_count(type); ++n)
      zeros.push_back(zero(component_type(type, n)));
    return MakeTuple::make(zeros);
  }
  return is_float(type) ? FloatConst::make(0, type) : IntConst::make(0, type);
}

}  // namespace

Stmt Copy::make(Region destination, Region source, const CopyOptions& options) {
  assert(destination.ranges.size() == destination.tensor->rank() && "one range per dimension");
  assert(source.ranges.size() == source.tensor->rank() && "one range per dimension");
  const DType type = source.tensor->type;
  CopyOptions known = options;
  known.fill = options.fill.defined() ? adapt_literal(options.fill, type) : zero(type);
  return Stmt(new Copy(std::move(destination), std::move(source), known));
}

std::string_view word_of(CopyEngine engine) {
  constexpr std::array<std::string_view, 3> words = {"", "async", "bulk"};
  return words[static_cast<size_t>(engine)];
}

Stmt Copy::with_regions(Region new_destination, Region new_source) const {
  return make(std::move(new_destination), std::move(new_source), {fill, vector, execution});
}

Stmt Copy::with_execution(const CopyExecution& new_execution) const {
  return make(destination, source, {fill, vector, new_execution});
}

Stmt Copy::with_engine(CopyEngine engine) const {
  CopyExecution other = execution;
  if (engine != CopyEngine::boxes) other.blocks = 1;
  other.engine = engine;
  return with_execution(other);
}

Timeline Copy::timeline() const {
  if (execution.engine == CopyEngine::load_store) return Timeline::thread;
  if (execution.engine == CopyEngine::async) return Timeline::async_thread;
  return destination.tensor->scope == Scope::shared ? Timeline::engine_in : Timeline::engine_out;
}

bool Copy::fills_zero() const { return is_zero(fill); }

Function Function::with_body(Stmt new_body) const {
  Function result = *this;
  result.body = std::move(new_body);
  return result;
}

}  // namespace hone
