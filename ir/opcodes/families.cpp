#include "ir/opcodes/opcodes.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

namespace hone {
namespace {

std::vector<Family>& families() {
  static std::vector<Family> all = {
      {{&op::arrive}, "arrives_last"},
      {{&op::copy_async, &op::commit_group, &op::wait_group},
       "copy_async_4 copy_async_8 copy_async_16 copy_async_4_or_zeros copy_async_8_or_zeros "
       "copy_async_16_or_zeros commit_group wait_group"},
      {{&op::init_mbarrier, &op::arrive_mbarrier, &op::arrive_in_blocks, &op::wait_mbarrier,
        &op::test_mbarrier, &op::give_registers, &op::take_registers},
       "init_mbarrier arrive_mbarrier arrive_in_blocks arrive_mbarrier_after_copies wait_mbarrier "
       "test_mbarrier "
       "give_registers take_registers"},
      {{&op::expect_bytes, &op::fence_engine, &op::commit_stores, &op::wait_stores,
        &op::wait_stores_written, &op::copy_bulk, &op::multicast_bulk, &op::store_bulk},
       "TensorMap expect_bytes fence_engine commit_stores wait_stores wait_stores_written "
       "copy_bulk_1d "
       "copy_bulk_2d copy_bulk_3d copy_bulk_4d copy_bulk_5d multicast_bulk_1d multicast_bulk_2d "
       "multicast_bulk_3d multicast_bulk_4d multicast_bulk_5d store_bulk_1d store_bulk_2d "
       "store_bulk_3d store_bulk_4d store_bulk_5d"},
      {{&op::barrier, &op::barrier_of_warp, &op::barrier_of_warpgroup, &op::barrier_of_cluster,
        &op::named_barrier, &op::wait_kernel_before},
       "warpgroup_barrier cluster_barrier named_barrier"},
      ldmatrix_family(),
      mma_family(),
      wgmma_family(),
      dp4a_family(),
  };
  return all;
}

/// The words in the names of the family.
void add_names(const Family& family, llvm::StringSet<>& names) {
  llvm::SmallVector<llvm::StringRef, 32> words;
  llvm::SplitString(family.names, words);
  for (const llvm::StringRef word : words) names.insert(word);
}

llvm::StringSet<>& names_of_helpers() {
  static llvm::StringSet<> names = [] {
    llvm::StringSet<> result;
    for (const Family& family : families()) add_names(family, result);
    return result;
  }();
  return names;
}

}  // namespace

FragmentSpread spread_of(llvm::ArrayRef<SpreadDigit> digits, Scope scope) {
  FragmentSpread spread = {{}, scope};
  llvm::copy_if(digits, std::back_inserter(spread.digits),
                [](const SpreadDigit& digit) { return digit.count > 1; });
  return spread;
}

llvm::ArrayRef<Family> opcode_families() { return families(); }

bool is_name_of_helper(std::string_view word) { return names_of_helpers().contains(word); }

void add_family(Family family) {
  add_names(family, names_of_helpers());
  families().push_back(std::move(family));
}

}  // namespace hone
