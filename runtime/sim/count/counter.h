// The observer of a launch in count mode. The cost of a warp's access depends on the distances of
// its lanes, which of them are active, and where in a sector or a word it starts; an access is
// looked at lane by lane only when one of these has changed.
#pragma once

#include "ir/memory/warp_access.h"
#include "runtime/sim/count/count.h"
#include "runtime/sim/worker.h"

namespace hone {

/// Facts about an access that are to be known before the launch.
struct CountedAccess {
  AccessClass access_class = AccessClass::global_load;
  int element_bytes = 0;
  int width_bytes = 0;      ///< per lane
  uint32_t own_lanes = 0;   ///< as Access has them
  int64_t address = 0;      ///< of element 0, from the start of the memory
  uint32_t first_cost = 0;  ///< of its costs; they have one per place that an element may have
  uint32_t places = 0;      ///< in a sector, or in a word of shared memory; 0: it is not counted
};

/// The accesses of a program that is watched.
struct CountedProgram {
  /// Of the accesses that have the instruction `watch`.
  CountedProgram(const SimProgram& program, Instruction::Execute watch);
  /// Of those of `counting()`.
  explicit CountedProgram(const SimProgram& program);

  void add_boxes();

  const SimProgram& program;
  std::vector<CountedAccess> accesses;  ///< as the program's
  uint32_t costs = 0;                   ///< of all accesses
};

/// Calls `use` for each request of an access, an instruction of a warp, with the warp's first lane.
/// The lanes are at `offsets`, or all at 0, plus `uniform`, in elements.
void for_each_request(const Worker& worker, const CountedAccess& access, const int64_t* offsets,
                      int64_t uniform, llvm::function_ref<void(const WarpAccess&, int)> use);

/// The cost of one request.
MemoryCounts counts_of(const WarpAccess& request, AccessClass access_class);

/// The counts of blocks, by the numbers of the program's tables.
struct BlockCounts {
  explicit BlockCounts(const SimProgram& program);
  BlockCounts& operator+=(const BlockCounts& other);

  std::vector<MemoryCounts> accesses;
  std::vector<BranchCounts> branches;  ///< by statement
  std::vector<WarpCounts> runs;        ///< by statement
  WarpCounts shuffles;
  int64_t barriers = 0;
};

/// The instructions that count.
Instrumentation counting();

class CountingObserver : public Observer {
 public:
  /// Adds to `total` in the end.
  CountingObserver(const CountedProgram& counted, BlockCounts& total)
      : counted_(counted), total_(total), costs_(counted.costs), counts_(counted.program) {}

  void finish() override { total_ += counts_; }
  void start_operation(Worker& worker, const AsyncOperation& operation) override;

  void count_access(const Worker& worker, uint32_t access);
  void count_branch(const Worker& worker, uint32_t statement, const uint8_t* condition);
  void count_statement(const Worker& worker, uint32_t statement);
  void count_shuffle(const Worker& worker) { counts_.shuffles += active_warps(worker); }
  void count_barrier() { ++counts_.barriers; }

 private:
  WarpCounts active_warps(const Worker& worker);

  /// The cost of an access when its lanes were looked at last.
  struct Cost {
    uint64_t base_version = 0, mask_stamp = 0;  ///< no mask has 0
    MemoryCounts counts;
  };

  const CountedProgram& counted_;
  BlockCounts& total_;
  std::vector<Cost> costs_;
  BlockCounts counts_;
  WarpCounts active_;  ///< under the mask of that stamp
  uint64_t active_stamp_ = 0;
};

}  // namespace hone
