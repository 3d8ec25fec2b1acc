// The counts of a launch, and of one of its blocks.
#pragma once

#include <mutex>

#include "runtime/ptx/compile/symbols.h"
#include "runtime/ptx/count/l1_cache.h"
#include "runtime/ptx/count/merging.h"
#include "runtime/ptx/count/updated_words.h"
#include "runtime/ptx/machine/block.h"

namespace hone::ptx {

struct AccessTally {
  MemoryCounts counts;  ///< as machine code has it, or PTX where that is not known
  MemoryCounts in_ptx;  ///< requests and bytes
  CacheCounts cache;
  std::string array;  ///< the first one that it came to

  AccessTally& operator+=(const AccessTally& other);
};
using AccessTable = std::map<AccessKey, AccessTally>;

class LaunchCounter : public LaunchObserver {
 public:
  explicit LaunchCounter(const Run& run);
  void watch(Block& block) override;
  void finish(Report& report) override;
  using ByClass = std::array<int64_t, access_classes>;
  /// Of a block, beside its accesses.
  struct Others {
    int64_t local_requests = 0, stretches = 0;
    /// Bytes that count as data of the other memory, too: of generic addresses, and of the shared
    /// memory of other blocks.
    ByClass data{};
    UpdatedWords updates;
  };
  void add(const AccessTable& table, const Others& others, const Block& block);
  /// Null where each access of PTX is one of machine code.
  const CompiledAccess* fate_of(uint32_t number) const;
  /// True if its bytes count as data, as those of copies and of rows of matrices do not.
  bool moves_data(uint32_t number) const;
  bool is_generic(uint32_t number) const;
  /// True if loads look for their bytes in the L1 cache.
  bool is_cached(uint32_t number) const;
  /// The name of what has the byte.
  std::string array_at(const Found& place) const;
  std::string shared_variable(uint64_t address) const;

 private:
  AccessCounts report_of(const AccessKey& key, const AccessTally& tally) const;
  void find_full_block(int64_t blocks);

  const Run& run_;
  KernelShared shared_;
  std::mutex mutex_;
  AccessTable table_;
  LaunchCounts counts_;
  ByClass data_{};  ///< as of Others
  UpdatedWords updates_;
  std::vector<std::pair<int64_t, int64_t>> instructions_of_blocks_;  ///< of warps, by the number
};

/// The lanes of a warp that start one instruction `cp.async`, one after the other.
struct StartedCopies {
  const AsyncDetail* detail = nullptr;
  int last = 0;  ///< the lane
  WarpAccess reads, writes;
};

class BlockCounter : public Observer {
 public:
  BlockCounter(LaunchCounter& launch, const Block& block)
      : launch_(launch), warps_(block.warps.size()), cache_(block.run.options.l1_bytes) {}

  void access(const MemoryAccess& access) override;
  void start(Warp& warp, int lane, AsyncOperation& operation) override;
  void multiply(const WarpgroupDetail& detail, int64_t bytes) override;
  void synchronise(Block& block, llvm::ArrayRef<LaneMask> lanes_by_warp) override;
  void end_block(Block& block) override;

 private:
  /// Accesses that a warp may still go on with.
  struct Begun {
    Merging merging;
    StartedCopies copies;
  };

  AccessTally& tally_of(const MemoryAccess& access, AccessClass access_class);
  void add(AccessKey key, const WarpAccess& access);
  void exchange(const MemoryAccess& access, AccessClass access_class, LaneMask elsewhere);
  void count(AccessKey key, const WarpAccess& access, AccessTally& tally);
  /// Of an operation that goes on beside the threads.
  AccessTally& tally_of(uint32_t number, AccessClass access_class, const Found& place);
  void start_bulk(const AsyncOperation& operation);
  void end(StartedCopies& copies);
  void end(Merging& merging);

  LaunchCounter& launch_;
  std::vector<Begun> warps_;
  AccessTable table_;
  L1Cache cache_;
  LaunchCounter::Others others_;
};

}  // namespace hone::ptx
