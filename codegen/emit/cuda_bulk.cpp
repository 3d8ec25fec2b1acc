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

constexpr size_t longest_statement = 84;

}  // namespace

std::string cuda_copy_bulk(const BulkCopy& copy, const KernelFunction& kernel, const CText& text) {
  const std::string call = fmt::format("copy_bulk_{}d(&{}, &{},", copy.coordinates.size(),
                                       text.element(*copy.tensor, copy.indices),
                                       text.names().map(tensor_map_of(copy, kernel), kernel));
  std::string rest;
  for (const Expr& coordinate : coordinates_of(copy, kernel))
    rest += text.expression(coordinate) + ", ";
  rest += fmt::format("&{});", text.element(*copy.mbarriers, copy.slot));
  return call + (call.size() + rest.size() > longest_statement ? "\n    " : " ") + rest;
}

std::string cuda_expect_bytes(const ExpectBytes& expect, const CText& text) {
  return fmt::format("expect_bytes(&{}, {});", text.element(*expect.mbarriers, expect.slot),
                     expect.bytes);
}

llvm::SmallVector<std::string, 2> cuda_map_parameters(const KernelFunction& kernel,
                                                      const Identifiers& names) {
  llvm::SmallVector<std::string, 2> parameters;
  for (const TensorMap& map : tensor_maps(kernel))
    parameters.push_back("const __grid_constant__ TensorMap " + names.map(map, kernel));
  return parameters;
}

std::string cuda_bulk_helpers(const KernelFunction& kernel) {
  std::set<size_t> ranks;
  bool expects = false;
  walk(kernel.body, [&](const Stmt& stmt) {
    if (const auto* copy = llvm::dyn_cast<BulkCopy>(stmt)) ranks.insert(copy->coordinates.size());
    expects |= llvm::isa<ExpectBytes>(stmt);
  });
  std::string text = ranks.empty() ? "" : map_type;
  if (expects) text += expect;
  for (const size_t rank : ranks) text += copy_function(rank);
  return text;
}

}  // namespace hone
