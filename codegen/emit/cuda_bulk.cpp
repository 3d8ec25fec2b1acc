#include "codegen/emit/cuda_bulk.h"

#include <set>

#include "fmt/format.h"
#include "ir/visit.h"

namespace hone {
namespace {

constexpr const char* map_type = R"(
// A tensor as the copy engine knows it: cuTensorMapEncodeTiled makes it on the host.
struct alignas(64) TensorMap {
  unsigned char bytes[128];
};
)";

constexpr const char* expect = R"(
// Counts the thread in; the phase does not end before copies have brought `bytes` more.
static __device__ void expect_bytes(void* mbarrier, unsigned bytes) {
  const unsigned address = __cvta_generic_to_shared(mbarrier);
  asm volatile("{ .reg .b64 state; mbarrier.arrive.expect_tx.shared.b64 state, [%0], %1; }"
               :
               : "r"(address), "r"(bytes)
               : "memory");
}
)";

constexpr const char* wait_read = R"(
// Waits until the copy engine has read all that the stores of the thread take.
static __device__ void wait_stores() {
  asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
}
)";

constexpr const char* wait_written = R"(
// Waits until the copy engine has written all that the stores of the thread take.
static __device__ void wait_stores_written() {
  asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}
)";

constexpr const char* fence = R"(
// Shows the copy engine what the thread has written to memory before.
static __device__ void fence_engine() { asm volatile("fence.proxy.async;" ::: "memory"); }
)";

/// `text` with each "#" as the number of a dimension, for each of so many.
std::string per_dim(size_t rank, const std::string& text, size_t first = 0) {
  std::string result;
  for (size_t dim = 0; dim < rank; ++dim) {
    std::string part = text;
    part.replace(part.find('#'), 1, std::to_string(first + dim));
    result += (dim == 0 ? "" : ", ") + part;
  }
  return result;
}

std::string copy_function(size_t rank) {
  return fmt::format(
      R"(
// Asks the copy engine for the box of `map` at these coordinates, the fastest first. It counts the
// bytes at the mbarrier.
static __device__ void copy_bulk_{0}d(void* to, const TensorMap* map, {1}, void* mbarrier) {{
  const unsigned address = __cvta_generic_to_shared(to);
  const unsigned full = __cvta_generic_to_shared(mbarrier);
  asm volatile("cp.async.bulk.tensor.{0}d.shared::cta.global.mbarrier::complete_tx::bytes "
               "[%0], [%1, {{{2}}}], [%{3}];"
               :
               : "r"(address), "l"(map), {4}, "r"(full)
               : "memory");
}}
)",
      rank, per_dim(rank, "int c#"), per_dim(rank, "%#", 2), rank + 2, per_dim(rank, "\"r\"(c#)"));
}

std::string store_function(size_t rank) {
  return fmt::format(
      R"(
// Asks the copy engine to write the box of `map` at these coordinates, the fastest first.
static __device__ void store_bulk_{0}d(const TensorMap* map, {1}, const void* from) {{
  const unsigned address = __cvta_generic_to_shared(from);
  asm volatile("cp.async.bulk.tensor.{0}d.global.shared::cta.bulk_group [%0, {{{2}}}], [%{3}];"
               :
               : "l"(map), {4}, "r"(address)
               : "memory");
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}}
)",
      rank, per_dim(rank, "int c#"), per_dim(rank, "%#", 1), rank + 1, per_dim(rank, "\"r\"(c#)"));
}

std::string in_lines(const std::string& call, const std::string& rest) {
  return call + (call.size() + rest.size() > longest_statement ? "\n    " : " ") + rest;
}

/// Each followed by a comma.
std::string coordinates(const BulkMove& move, const KernelFunction& kernel, const CText& text) {
  std::string list;
  for (const Expr& coordinate : coordinates_of(move, kernel))
    list += text.expression(coordinate) + ", ";
  return list;
}

std::string copy_bulk(const BulkCopy& copy, const KernelFunction& kernel, const CText& text) {
  const std::string call = fmt::format("copy_bulk_{}d(&{}, &{},", copy.coordinates.size(),
                                       text.element(*copy.tensor, copy.indices),
                                       text.names().map(tensor_map_of(copy, kernel), kernel));
  const std::string full = text.element(*copy.mbarriers, copy.slot);
  return in_lines(call, fmt::format("{}&{});", coordinates(copy, kernel, text), full));
}

std::string store_bulk(const BulkStore& store, const KernelFunction& kernel, const CText& text) {
  const std::string call = fmt::format("store_bulk_{}d(&{},", store.coordinates.size(),
                                       text.names().map(tensor_map_of(store, kernel), kernel));
  const std::string from = text.element(*store.tensor, store.indices);
  return in_lines(call, fmt::format("{}&{});", coordinates(store, kernel, text), from));
}

}  // namespace

std::optional<std::string> cuda_bulk_statement(const KernelStmt& stmt, const KernelFunction& kernel,
                                               const CText& text) {
  if (const auto* copy = llvm::dyn_cast<BulkCopy>(&stmt)) return copy_bulk(*copy, kernel, text);
  if (const auto* store = llvm::dyn_cast<BulkStore>(&stmt)) return store_bulk(*store, kernel, text);
  if (const auto* wait = llvm::dyn_cast<WaitStores>(&stmt))
    return wait->written ? "wait_stores_written();" : "wait_stores();";
  if (llvm::isa<FenceEngine>(stmt)) return "fence_engine();";
  if (const auto* expect = llvm::dyn_cast<ExpectBytes>(&stmt))
    return fmt::format("expect_bytes(&{}, {});", text.element(*expect->mbarriers, expect->slot),
                       expect->bytes);
  return std::nullopt;
}

llvm::SmallVector<std::string, 2> cuda_map_parameters(const KernelFunction& kernel,
                                                      const Identifiers& names) {
  llvm::SmallVector<std::string, 2> parameters;
  for (const TensorMap& map : tensor_maps(kernel))
    parameters.push_back("const __grid_constant__ TensorMap " + names.map(map, kernel));
  return parameters;
}

std::string cuda_bulk_helpers(const KernelFunction& kernel) {
  std::set<size_t> copied, stored;
  std::set<const char*> others;
  walk(kernel.body, [&](const Stmt& stmt) {
    if (const auto* copy = llvm::dyn_cast<BulkCopy>(stmt)) copied.insert(copy->coordinates.size());
    if (const auto* store = llvm::dyn_cast<BulkStore>(stmt))
      stored.insert(store->coordinates.size());
    if (llvm::isa<ExpectBytes>(stmt)) others.insert(expect);
    if (llvm::isa<FenceEngine>(stmt)) others.insert(fence);
    if (const auto* wait = llvm::dyn_cast<WaitStores>(stmt))
      others.insert(wait->written ? wait_written : wait_read);
  });
  std::string text = copied.empty() && stored.empty() ? "" : map_type;
  for (const char* function : {expect, fence, wait_read, wait_written})
    if (others.count(function) > 0) text += function;
  for (const size_t rank : copied) text += copy_function(rank);
  for (const size_t rank : stored) text += store_function(rank);
  return text;
}

}  // namespace hone
