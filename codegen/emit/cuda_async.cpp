#include "codegen/emit/cuda_async.h"

#include <set>

#include "fmt/format.h"
#include "ir/visit.h"

namespace hone {
namespace {

/// The instruction in a function: so many bytes, of zeros where a condition does not hold.
struct Variant {
  int64_t bytes = 0;
  bool is_clipped = false;

  auto operator<=>(const Variant&) const = default;
  std::string name() const {
    return fmt::format("copy_async_{}{}", bytes, is_clipped ? "_or_zeros" : "");
  }
  /// 16 bytes go past the L1 cache.
  const char* cache() const { return bytes == 16 ? "cg" : "ca"; }
};

Variant variant_of(const AsyncCopy& copy) {
  return {copy.bytes(), copy.source().condition.defined()};
}

std::string function(const Variant& variant) {
  if (!variant.is_clipped)
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
                       variant.bytes, variant.name(), variant.cache());
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
                     variant.bytes, variant.name(), variant.cache());
}

/// Copies of producers have mbarriers instead.
constexpr const char* groups = R"(
// The copies that this thread has started since its last group are the next one.
static __device__ void commit_group() {
  asm volatile("cp.async.commit_group;" ::: "memory");
}

// Waits for all groups of this thread but the last `pending` ones.
template <int pending>
static __device__ void wait_group() {
  asm volatile("cp.async.wait_group %0;" : : "n"(pending) : "memory");
}
)";

}  // namespace

std::string cuda_copy_async(const AsyncCopy& copy, const CText& text) {
  const auto [element, condition] = copy.source();
  const std::string to = text.element(*copy.tensor, copy.indices);
  const std::string from = text.element(*element->tensor, element->indices);
  const std::string call = fmt::format("{}(&{},", variant_of(copy).name(), to);
  if (!condition.defined()) return fmt::format("{} &{});", call, from);
  const std::string clip = text.expression(condition);
  const bool is_long = call.size() + from.size() + clip.size() > longest_statement;
  return fmt::format("{}{}&{}, {});", call, is_long ? "\n    " : " ", from, clip);
}

std::string cuda_commit_group() { return "commit_group();"; }

std::string cuda_wait_group(const WaitGroup& wait) {
  return fmt::format("wait_group<{}>();", wait.pending);
}

std::string cuda_async_helpers(const KernelFunction& kernel) {
  std::set<Variant> variants;
  walk(kernel.body, [&](const Stmt& stmt) {
    if (const auto* copy = llvm::dyn_cast<AsyncCopy>(stmt)) variants.insert(variant_of(*copy));
  });
  std::string text;
  for (const Variant& variant : variants) text += function(variant);
  const bool waits =
      any_of(kernel.body, [](const Stmt& stmt) { return llvm::isa<CommitGroup, WaitGroup>(stmt); });
  return waits ? text + groups : text;
}

}  // namespace hone
