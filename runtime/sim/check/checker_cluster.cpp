// Check mode of clusters, whose blocks run as one.
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "runtime/sim/check/checker.h"
#include "runtime/sim/report.h"

namespace hone {

/// A block has its shared memory when it has started, which others know of behind a barrier of the
/// cluster: as if it had written all of its elements before.
void Checker::start_cluster(const Worker& worker) {
  const SimProgram& program = worker.program;
  for (size_t number = 0; number < program.memories.size(); ++number) {
    const Memory& memory = program.memories[number];
    const auto first = llvm::find_if(program.accesses,
                                     [&](const Access& access) { return access.memory == number; });
    if (!memory.is_shared() || first == program.accesses.end()) continue;
    const Cells cells = cells_of(worker, *first);
    const WarpClocks clocks{clocks_, static_cast<uint32_t>(first - program.accesses.begin()),
                            others_};
    for (int block = 0; block < launch_.cluster(); ++block) {
      const int thread = block * launch_.block_lanes();
      const int64_t start = cells.origin + block * memory.part_stride * cells.per_element;
      for (int64_t n = start; n < start + memory.own_elements * cells.per_element; ++n)
        shared_[n].record_write(clocks.stamp(thread), clocks.order_of(thread),
                                clocks.more_of(shared_[n]));
    }
  }
  join_within(worker, {}, ~WarpBits{0} >> (most_warps_together - launch_.lanes() / warp_lanes));
  visits_.assign(launch_.cluster() * clocks_.agents(), {});
}

/// The last access of each agent to the memory of another block counts: what comes behind that
/// comes behind all of its accesses.
void Checker::note_visit(int thread, uint32_t access, int64_t element) {
  const SimProgram& program = launch_.program;
  const int64_t block = program.memories[program.accesses[access].memory].part_of(element);
  if (block != thread / launch_.block_lanes())
    visits_[block * clocks_.agents() + clocks_.agent_of(thread)] = {clocks_.stamp(thread, access),
                                                                    element};
}

void Checker::note_visits(const Running& running) {
  running.worker.mask->for_each([&](int lane) {
    note_visit(running.worker.thread(lane), running.number, running.address.element(lane));
  });
}

/// A block ends, and its memory with it, when all of its threads have: one of them has to know of
/// what others have done there.
void Checker::look_for_ended_blocks() {
  for (size_t n = 0; n < visits_.size(); ++n) {
    const auto& [stamp, element] = visits_[n];
    const int first = static_cast<int>(n / clocks_.agents()) * launch_.block_lanes();
    const auto is_known = [stamp = stamp, this](int thread) {
      return clocks_.warp_order(thread).is_past(stamp);
    };
    if (!stamp.exists() || llvm::any_of(llvm::seq(first, first + launch_.block_lanes()), is_known))
      continue;
    report(FindingKind::ended_block, stamp, element, [] {
      return "the block that has it may end before: no barrier of the cluster comes behind the "
             "access";
    });
  }
}

/// Those of a warp, or of a block, for themselves.
void Checker::join_within(const Worker& worker, const BarrierScope& scope, WarpBits warps) {
  using Kind = BarrierScope::Kind;
  const bool is_of_block = scope.kind == Kind::block && worker.launch.cluster() > 1;
  if (!is_of_block && scope.kind != Kind::warp) return clocks_.join(warps);
  const int count = is_of_block ? worker.launch.block_lanes() / warp_lanes : 1;
  const WarpBits first = ~WarpBits{0} >> (most_warps_together - count);
  for (int start = 0; start < most_warps_together; start += count)
    if (const WarpBits own = warps & first << start; own != 0) clocks_.join(own);
}

bool Checker::are_in_one_block(int thread, int other) const {
  return thread / launch_.block_lanes() == other / launch_.block_lanes();
}

}  // namespace hone
