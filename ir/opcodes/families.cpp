#include "ir/opcodes/opcodes.h"

namespace hone {
namespace {

std::vector<Family>& families() {
  static std::vector<Family> all = {
      {{&op::arrive}},
      {{&op::copy_async, &op::commit_group, &op::wait_group}},
      {{&op::init_mbarrier, &op::arrive_mbarrier, &op::wait_mbarrier, &op::test_mbarrier,
        &op::give_registers, &op::take_registers}},
      {{&op::expect_bytes, &op::fence_engine, &op::wait_stores, &op::copy_bulk, &op::store_bulk}},
      {{&op::barrier, &op::barrier_of_warp, &op::barrier_of_cluster, &op::named_barrier}},
  };
  return all;
}

}  // namespace

llvm::ArrayRef<Family> opcode_families() { return families(); }

void add_family(Family family) { families().push_back(std::move(family)); }

}  // namespace hone
