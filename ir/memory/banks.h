// Bank conflicts of shared memory, from layouts and indices alone.
#pragma once

#include "ir/memory/shared_accesses.h"
#include "ir/memory/storage_map.h"

namespace hone {

/// Of the warps that make an access. Wavefronts are passes of the banks, and ideal are those that
/// there would be without conflicts: count_wavefronts has both.
struct BankCounts {
  int64_t requests = 0, wavefronts = 0, ideal = 0;

  BankCounts& operator+=(const BankCounts& other);
  bool operator==(const BankCounts&) const = default;
  int64_t conflicts() const { return wavefronts - ideal; }
};

/// Calls `use` with the first thread of each warp that has an active one, and a bit per active
/// lane.
void for_each_warp(llvm::ArrayRef<uint8_t> active,
                   llvm::function_ref<void(size_t first, uint32_t active)> use);

/// Of the instructions by which the active lanes of a warp move so many bytes each, from where
/// `address` has them.
BankCounts bank_counts(uint32_t active, int64_t bytes,
                       llvm::function_ref<int64_t(size_t lane)> address);

/// Of one access, whose tensor lies as `map` says.
BankCounts bank_counts(const SharedAccess& access, const StorageMap& map);

/// An access of a statement, over all times that the threads of a block come to it.
struct AccessBanks {
  Stmt statement;
  TensorPtr tensor;
  bool writes = false;
  int64_t bytes = 0;  ///< that a thread moves at a time
  BankCounts counts;
};

/// Every access to shared memory of one block, in the order in which its threads first come to
/// them; nothing where the place of one is not known.
std::optional<std::vector<AccessBanks>> access_banks(const Stmt& stmt, const BlockOfThreads& block);

}  // namespace hone
