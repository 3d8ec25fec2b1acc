#include "fmt/format.h"
#include "ir/core/violation.h"
#include "ir/opcodes/opcodes.h"
#include "ir/text/printer.h"

namespace hone {

AsyncSource async_source(const Instr& copy) {
  const Expr& value = copy.values[0];
  if (const auto* load = llvm::dyn_cast<Load>(value)) return {load};
  const auto* choice = llvm::dyn_cast<Select>(value);
  if (!choice || !is_zero(choice->if_false)) return {};
  return {llvm::dyn_cast<Load>(choice->if_true), choice->condition};
}

namespace {

int64_t bytes_of(const Instr& copy) {
  return copy.constants[0] * size_of(copy.places[0].tensor->type);
}

void check_async(const Instr& copy) {
  const Expr& value = copy.values[0];
  const TensorNode& to = *copy.places[0].tensor;
  require(value.type() == to.type, "an asynchronous copy to {} ({}) moves {}", to.name,
          name(to.type).str(), name(value.type()).str());
  const Load* from = async_source(copy).element;
  require(from && from->tensor->scope == Scope::global && to.scope == Scope::shared,
          "an asynchronous copy moves {} to {}, and not an element of global memory, or zero, to "
          "shared memory",
          value, to.name);
  const int64_t bytes = bytes_of(copy);
  require(bytes == 4 || bytes == 8 || bytes == 16,
          "an asynchronous copy to {} moves {} bytes at once, and takes 4, 8 or 16", to.name,
          bytes);
}

llvm::SmallVector<Operand, 3> operands_of_async(const Instr& copy) {
  llvm::SmallVector<Operand, 3> operands;
  const auto [element, condition] = async_source(copy);
  const ElementRef& to = copy.places[0];
  const int64_t count = copy.constants[0];
  if (element)
    operands.push_back({.tensor = element->tensor,
                        .indices = element->indices,
                        .use = Use::reads,
                        .timeline = Timeline::async_thread,
                        .count = count,
                        .condition = condition,
                        .is_in_value = true});
  operands.push_back({to.tensor, to.indices, Use::writes, Timeline::async_thread, count});
  return operands;
}

/// A value that is folded to zero names no element any more. It stays a copy of zeros, as waits are
/// for copies: a choice that never takes the first element of the tensor.
Expr value_or_zeros(const Instr& copy, const Expr& value) {
  const Load* element = async_source(copy).element;
  if (!element || !is_zero(value)) return value;
  const llvm::SmallVector<Expr, 4> first(element->indices.size(), Expr(0));
  return Select::make(IntConst::make(0, DType::boolean), Load::make(element->tensor, first), value);
}

/// 16 bytes go past the L1 cache.
const char* cache_of(int64_t bytes) { return bytes == 16 ? "cg" : "ca"; }

std::string async_function(int64_t bytes, const std::string& name) {
  return fmt::format(R"(
// Starts a copy of {0} bytes to shared memory.
static __device__ void {1}(void* to, const void* from) {{
  const unsigned address = __cvta_generic_to_shared(to);
  asm volatile("cp.async.{2}.shared.global [%0], [%1], {0};"
               :
               : "r"(address), "l"(from)
               : "memory");
}}
)",
                     bytes, name, cache_of(bytes));
}

std::string clipped_async_function(int64_t bytes, const std::string& name) {
  return fmt::format(R"(
// Starts a copy of {0} bytes to shared memory, of zeros where `is_inside` is false.
static __device__ void {1}(void* to, const void* from, bool is_inside) {{
  const unsigned address = __cvta_generic_to_shared(to);
  asm volatile("cp.async.{2}.shared.global [%0], [%1], {0}, %2;"
               :
               : "r"(address), "l"(from), "r"(is_inside ? {0} : 0)
               : "memory");
}}
)",
                     bytes, name, cache_of(bytes));
}

CudaSpelling spelling_of_async(const Instr& copy) {
  const int64_t bytes = bytes_of(copy);
  const bool is_clipped = async_source(copy).condition.defined();
  const std::string name = fmt::format("copy_async_{}{}", bytes, is_clipped ? "_or_zeros" : "");
  const Helper helper = {
      static_cast<int>(2 * bytes + is_clipped),
      is_clipped ? clipped_async_function(bytes, name) : async_function(bytes, name)};
  return {name + (is_clipped ? "(&{0},| &{from}, {condition});" : "(&{0}, &{from});"), {helper}};
}

/// Copies of producers have mbarriers instead.
const Helper groups = {100, R"(
// The copies that this thread has started since its last group are the next one.
static __device__ void commit_group() {
  asm volatile("cp.async.commit_group;" ::: "memory");
}

// Waits for all groups of this thread but the last `pending` ones.
template <int pending>
static __device__ void wait_group() {
  asm volatile("cp.async.wait_group %0;" : : "n"(pending) : "memory");
}
)"};

CudaSpelling spelling_of_commit(const Instr&) { return {"commit_group();", {groups}}; }
CudaSpelling spelling_of_group_wait(const Instr& wait) {
  return {fmt::format("wait_group<{}>();", wait.constants[0]), {groups}};
}

}  // namespace

namespace op {

const Opcode copy_async(
    "copy_async {element} <- {value} of {integer:how many elements move together}", {Use::writes},
    {.check = check_async,
     .operands = operands_of_async,
     .kept_value = value_or_zeros,
     .spelling = spelling_of_async,
     .least_capability = 80,
     .work = "copies by cp.async"});
const Opcode commit_group("commit_group", {},
                          {.spelling = spelling_of_commit,
                           .is_for_all = true,
                           .groups = {Groups::Part::commits, Timeline::async_thread}});
const Opcode wait_group("wait_group {integer:the groups that may be pending}", {},
                        {.spelling = spelling_of_group_wait,
                         .is_for_all = true,
                         .groups = {Groups::Part::awaits, Timeline::async_thread}});

}  // namespace op
}  // namespace hone
