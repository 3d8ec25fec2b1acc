#include "fmt/format.h"
#include "ir/core/violation.h"
#include "ir/opcodes/opcodes.h"
#include "ir/target/gpu_limits.h"

namespace hone {
namespace {

void check_named(const Instr& barrier) {
  const int64_t id = barrier.constants[0], threads = barrier.constants[1];
  constexpr int64_t last = BarrierScope::first_of_warpgroups - 1;
  require(id > 0 && id <= last, "a named barrier has the number {}; there are 1 to {}", id, last);
  require(threads > 0 && threads % warp_size == 0,
          "barrier {} waits for {} threads; whole warps come to it, {} threads each", id, threads,
          warp_size);
}

constexpr const char* cluster_barrier = R"(
// All threads of the cluster wait for each other, and see what each has written.
static __device__ void cluster_barrier() {
  asm volatile("barrier.cluster.arrive.release.aligned;\n"
               "  barrier.cluster.wait.acquire.aligned;"
               :
               :
               : "memory");
}
)";

constexpr const char* warpgroup_barrier = R"(
// The threads of this warpgroup wait for each other: number 8 and those behind it are theirs.
static __device__ void warpgroup_barrier() {
  asm volatile("bar.sync %0, 128;" : : "r"(8 + threadIdx.x / 128) : "memory");
}
)";

constexpr const char* named_barrier = R"(
// Waits until so many threads have come to the barrier of that number.
template <int barrier, int threads>
static __device__ void named_barrier() {
  asm volatile("bar.sync %0, %1;" : : "n"(barrier), "n"(threads) : "memory");
}
)";

CudaSpelling spelling_of_block(const Instr&) { return {"__syncthreads();"}; }
CudaSpelling spelling_of_warp(const Instr&) { return {"__syncwarp();"}; }
CudaSpelling spelling_of_warpgroup(const Instr&) {
  return {"warpgroup_barrier();", {{2, warpgroup_barrier}}};
}
CudaSpelling spelling_of_cluster(const Instr&) {
  return {"cluster_barrier();", {{0, cluster_barrier}}};
}
CudaSpelling spelling_of_named(const Instr& barrier) {
  return {fmt::format("named_barrier<{}, {}>();", barrier.constants[0], barrier.constants[1]),
          {{1, named_barrier}}};
}

CudaSpelling spelling_of_wait(const Instr&) {
  return {"asm volatile(\"griddepcontrol.wait;\" ::: \"memory\");"};
}

}  // namespace

namespace op {

const Opcode barrier("barrier", {}, {.spelling = spelling_of_block, .is_for_all = true});
const Opcode barrier_of_warp("barrier @warp", {},
                             {.spelling = spelling_of_warp, .is_for_all = true});
const Opcode barrier_of_warpgroup("barrier @warpgroup", {},
                                  {.spelling = spelling_of_warpgroup, .is_for_all = true});
const Opcode barrier_of_cluster("barrier @cluster", {},
                                {.spelling = spelling_of_cluster, .is_for_all = true});
const Opcode named_barrier(
    "barrier @named({integer:the number of a barrier}, {integer:a count of threads})", {},
    {.check = check_named, .spelling = spelling_of_named, .is_for_all = true});
const Opcode wait_kernel_before("wait_kernel_before", {},
                                {.spelling = spelling_of_wait,
                                 .least_capability = 90,
                                 .work = "overlaps with another kernel",
                                 .is_for_all = true});

}  // namespace op

using Kind = BarrierScope::Kind;

Stmt make_barrier(const BarrierScope& scope) {
  switch (scope.kind) {
    case Kind::block:
      return Instr::make(op::barrier);
    case Kind::warp:
      return Instr::make(op::barrier_of_warp);
    case Kind::warpgroup:
      return Instr::make(op::barrier_of_warpgroup);
    case Kind::cluster:
      return Instr::make(op::barrier_of_cluster);
    case Kind::named:
      return Instr::make(op::named_barrier, {}, {}, {scope.id, scope.threads});
  }
  llvm_unreachable("unknown scope of a barrier");
}

std::optional<BarrierScope> barrier_scope(const Stmt& stmt) {
  if (is<op::barrier>(stmt)) return BarrierScope{};
  if (is<op::barrier_of_warp>(stmt)) return BarrierScope{Kind::warp};
  if (is<op::barrier_of_warpgroup>(stmt)) return BarrierScope{Kind::warpgroup};
  if (is<op::barrier_of_cluster>(stmt)) return BarrierScope{Kind::cluster};
  if (const Instr* named = as(stmt, op::named_barrier))
    return BarrierScope{Kind::named, named->constants[0], named->constants[1]};
  return std::nullopt;
}

bool is_barrier(const Stmt& stmt) { return barrier_scope(stmt).has_value(); }

bool keeps_threads(const Stmt& stmt) {
  const auto* instr = llvm::dyn_cast<Instr>(stmt);
  if (!instr || is_barrier(stmt)) return instr != nullptr;
  const llvm::ArrayRef<Use> uses = instr->opcode.uses;
  return instr->opcode.rules.groups.awaits() || (!uses.empty() && uses.front() == Use::awaits);
}

}  // namespace hone
