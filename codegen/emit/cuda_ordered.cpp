#include "codegen/emit/cuda_ordered.h"

#include <set>

#include "fmt/format.h"
#include "ir/threads/ordered.h"
#include "ir/traverse/visit.h"

namespace hone {
namespace {

/// The words of PTX and C++ for a type that ordered statements have.
struct OrderedType {
  const char* name;  ///< in C++
  const char* ptx;   ///< in instructions
  char constraint;   ///< of an operand
};

constexpr OrderedType words_of(DType type) {
  return type == DType::f64 ? OrderedType{"double", "f64", 'd'} : OrderedType{"float", "f32", 'f'};
}

/// The calls of a kernel: the types of sums, and the types and numbers of elements that are loaded.
struct OrderedCalls {
  std::set<DType> sums;
  std::set<std::pair<DType, int64_t>> loads;
};

void collect(const Stmt& body, OrderedCalls& calls) {
  walk(body, [&](const Stmt& stmt) {
    if (const auto* store = llvm::dyn_cast<Store>(stmt)) {
      if (is_sum_of_products(*store)) calls.sums.insert(store->tensor->type);
      if (is_shared_load(*store)) calls.loads.insert({store->tensor->type, 1});
    }
    const auto* copy = llvm::dyn_cast<Copy>(stmt);
    if (copy && is_shared_load(*copy))
      calls.loads.insert({copy->destination.tensor->type, copy->vector});
  });
}

OrderedCalls calls_of(const Stmt& body) {
  OrderedCalls calls;
  walk(body, [&](const Stmt& stmt) {
    const auto* loop = llvm::dyn_cast<For>(stmt);
    if (loop && loop->binding.has(attr::ordered)) collect(loop->body, calls);
  });
  return calls;
}

std::string multiply_add_function(DType type) {
  const OrderedType words = words_of(type);
  return fmt::format(R"(
// Adds x * y to the sum. The compiler leaves the instruction in its place.
static __device__ __forceinline__ void multiply_add({0}& sum, {0} x, {0} y) {{
  asm volatile("fma.rn.{1} %0, %1, %2, %0;" : "+{2}"(sum) : "{2}"(x), "{2}"(y));
}}
)",
                     words.name, words.ptx, words.constraint);
}

/// "{%0, %1}", or "%0" alone.
std::string operands(int64_t count) {
  std::string text = "%0";
  for (int64_t n = 1; n < count; ++n) text += fmt::format(", %{}", n);
  return count == 1 ? text : fmt::format("{{{}}}", text);
}

constexpr const char* address_function = R"(
// The address of an element in shared memory, as instructions take it.
static __device__ __forceinline__ unsigned shared_address(const void* element) {
  return __cvta_generic_to_shared(element);
}
)";

std::string load_shared_function(DType type, int64_t count) {
  const OrderedType words = words_of(type);
  std::string outputs;
  for (int64_t n = 0; n < count; ++n)
    outputs += fmt::format("{}\"={}\"(to[{}])", n == 0 ? "" : ", ", words.constraint, n);
  return fmt::format(R"(
// Loads {0} from shared memory. The compiler leaves the instruction in its place.
static __device__ __forceinline__ void load_shared_{1}({2}* to, unsigned address) {{
  asm volatile("ld.shared{3}.{4} {5}, [%{1}];"
               : {6}
               : "r"(address)
               : "memory");
}}
)",
                     count == 1 ? "an element" : fmt::format("{} elements", count), count,
                     words.name, count == 1 ? "" : fmt::format(".v{}", count), words.ptx,
                     operands(count), outputs);
}

}  // namespace

std::string cuda_multiply_add(const std::string& sum, const std::string& x, const std::string& y) {
  return fmt::format("multiply_add({}, {}, {});", sum, x, y);
}

std::string cuda_load_shared(const std::string& to, const std::string& from, int64_t count) {
  return fmt::format("load_shared_{}({}, {});", count, to, from);
}

std::string cuda_ordered_helpers(const KernelFunction& kernel) {
  const OrderedCalls calls = calls_of(kernel.body);
  std::string text;
  for (const DType type : calls.sums) text += multiply_add_function(type);
  if (!calls.loads.empty()) text += address_function;
  for (const auto& [type, count] : calls.loads) text += load_shared_function(type, count);
  return text;
}

}  // namespace hone
