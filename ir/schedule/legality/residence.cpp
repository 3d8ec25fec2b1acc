#include "ir/schedule/legality/residence.h"

#include "fmt/format.h"
#include "ir/algebra/facts.h"
#include "ir/analysis/nests.h"
#include "ir/memory/shared_plan.h"
#include "ir/target/gpu_limits.h"
#include "ir/threads/launch_shape.h"
#include "ir/threads/roles.h"
#include "ir/traverse/visit.h"
#include "llvm/Support/MathExtras.h"

namespace hone {
namespace {

/// Threads of a block, with producers; as many as there may be where a launch says.
int64_t threads_of(const Stmt& nest) {
  int64_t threads = 1;
  for (const Expr& extent : block_of(nest)) {
    if (!as_int(extent)) return widest_architecture().max_threads;
    threads *= std::max<int64_t>(*as_int(extent), 1);
  }
  const For* loop = loop_with_roles(nest);
  return threads + (loop ? loop->binding.roles.producer_warps * warp_size : 0);
}

/// The bytes that a block takes of a multiprocessor's shared memory.
int64_t shared_bytes_of(const Stmt& nest, const Facts& facts) {
  int64_t bytes = 0;
  for (const SharedPlace& place : plan_shared(nest, facts)) bytes = std::max(bytes, place.end());
  const ArchitectureLimits& limits = widest_architecture();
  return llvm::alignTo(bytes + ring_phase_bytes(nest) + limits.reserved_bytes_per_block,
                       limits.shared_unit);
}

class ResidenceCheck {
 public:
  ResidenceCheck(const Preconditions& check, const For& loop, const StmtNode* culprit)
      : check_(check),
        loop_(loop),
        blocks_(loop.binding.attributes.number(attr::resident)),
        culprit_(culprit) {}

  void run(const Stmt& nest, const Facts& facts) const {
    const ArchitectureLimits& limits = widest_architecture();
    if (blocks_ > limits.blocks_per_sm) refuse(limits.blocks_per_sm);
    const int64_t threads = threads_of(nest);
    const int64_t warps = static_cast<int64_t>(llvm::divideCeil(threads, warp_size));
    if (blocks_ * warps > limits.warps_per_sm)
      refuse(limits.warps_per_sm / warps, fmt::format(" of {} threads", threads),
             fmt::format("bind {} threads at most", limits.warps_per_sm / blocks_ * warp_size));
    const int64_t bytes = shared_bytes_of(nest, facts);
    if (blocks_ * bytes > limits.shared_bytes_per_sm)
      refuse(limits.shared_bytes_per_sm / bytes,
             fmt::format(" with {} bytes of shared memory, the system's among them", bytes),
             "split into smaller tiles");
  }

 private:
  [[noreturn]] void refuse(int64_t most, const std::string& block = "",
                           const std::string& note = "") const {
    check_.refuse(culprit_ ? culprit_ : &loop_,
                  fmt::format("a multiprocessor holds at most {} block{}{}, and {} asks for {}",
                              most, most == 1 ? "" : "s", block, loop_.axis->name, blocks_),
                  note);
  }

  const Preconditions& check_;
  const For& loop_;
  const int64_t blocks_;
  const StmtNode* culprit_;
};

}  // namespace

void check_residence(const Preconditions& check, const Function& result, const StmtNode* culprit) {
  for (const Stmt& nest : nests_of(result.body))
    if (const For* loop = loop_with_bounds(nest))
      ResidenceCheck(check, *loop, culprit).run(nest, facts_of(result.assumptions));
}

}  // namespace hone
