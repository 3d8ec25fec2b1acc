#include "ir/verify_kernel_ir.h"

#include "ir/bulk_limits.h"
#include "ir/gpu_limits.h"
#include "ir/text/printer.h"
#include "ir/violation.h"

namespace hone {
namespace {

/// The most that a thread may have in registers and in the memory that stands in for them, and a
/// block in shared memory.
constexpr int64_t most_bytes_of_a_thread = 512 << 10;
constexpr int64_t most_bytes_of_a_block = 1 << 20;

/// Elements that one access moves.
constexpr int64_t widest_vector = 16;

void check_parity(const TensorNode& mbarriers, const Expr& parity) {
  require(parity.type() == DType::index, "the parity {} of a phase of {} is no index", parity,
          mbarriers.name);
}

}  // namespace

void check_in_kernel(const For& loop) {
  const bool is_plain = loop.binding.is_serial() || loop.binding.kind == Binding::Kind::unroll;
  require(is_plain, "{} is bound to {}, and the loops of a kernel are serial or unrolled",
          loop.axis->name, to_string(loop.binding));
  const bool in_full = loop.binding == Binding{Binding::Kind::unroll};
  require(!in_full || as_int(loop.extent),
          "{} is unrolled in full, and its extent {} is not constant", loop.axis->name,
          loop.extent);
}

void check_in_kernel(const TensorNode& tensor) {
  require(tensor.scope != Scope::global, "{} is allocated @global, and a kernel has arguments",
          tensor.name);
  require(tensor.layout.is_row_major(), "{} is allocated with a layout, which is in the indices",
          tensor.name);
  int64_t bytes = size_of(tensor.type);
  for (const Expr& extent : tensor.shape) {
    const auto size = as_int(extent);
    require(size && *size > 0, "the extent {} of {} is not a positive constant", extent,
            tensor.name);
    if (__builtin_mul_overflow(bytes, *size, &bytes)) bytes = INT64_MAX;
  }
  const bool is_shared = tensor.scope == Scope::shared;
  const int64_t most = is_shared ? most_bytes_of_a_block : most_bytes_of_a_thread;
  require(bytes <= most, "{} takes {} bytes, and a {} has at most {}", tensor.name, bytes,
          is_shared ? "block" : "thread", most);
  require(tensor.address < 0 || tensor.address % alignment_of(tensor.type) == 0,
          "the address {} of {} is no multiple of {}, the bytes of its elements", tensor.address,
          tensor.name, alignment_of(tensor.type));
  require(tensor.address < 0 || tensor.alignment == 0 || tensor.address % tensor.alignment == 0,
          "the address {} of {} is no multiple of {}, its alignment", tensor.address, tensor.name,
          tensor.alignment);
  require(tensor.address <= most, "the address {} of {} is beyond the {} bytes of a block",
          tensor.address, tensor.name, most);
}

void check_in_kernel(const Copy& copy) {
  require(copy.maker == CopyMaker(), "threads make the copy to {} together, and it is no loop yet",
          copy.destination.tensor->name);
  require(copy.vector > 1 && copy.vector <= widest_vector,
          "a copy to {} moves {} elements at once, and a vector has 2 to {}",
          copy.destination.tensor->name, copy.vector, widest_vector);
  for (const Region* region : {&copy.destination, &copy.source}) {
    const std::string& name = region->tensor->name;
    require(!region->ranges.empty() && !region->ranges.back().is_point() &&
                is_int(region->ranges.back().extent, copy.vector) &&
                region->ranges.back().stride == 1 && region->extents().size() == 1,
            "a copy of {} moves something else than {} neighbours", name, copy.vector);
  }
}

void check_in_kernel(const AsyncCopy& copy) {
  const auto source = copy.source();
  const std::string& name = copy.tensor->name;
  require(source.element && source.element->tensor->scope == Scope::global &&
              copy.tensor->scope == Scope::shared,
          "an asynchronous copy moves {} to {}, and not an element of global memory, or zero, to "
          "shared memory",
          copy.value, name);
  require((copy.bytes() == 4 || copy.bytes() == 8 || copy.bytes() == 16),
          "an asynchronous copy to {} moves {} bytes at once, and takes 4, 8 or 16", name,
          copy.bytes());
}

void check_mbarrier(const TensorNode& mbarriers, const Expr& slot) {
  require(mbarriers.scope == Scope::shared && mbarriers.type == i64,
          "{} is {} @{}, and mbarriers are elements of i64 in shared memory", mbarriers.name,
          name(mbarriers.type).str(), name(mbarriers.scope).str());
  require(slot.type() == DType::index, "the number {} of an mbarrier of {} is no index", slot,
          mbarriers.name);
}

void check_in_kernel(const InitMbarrier& init) {
  check_mbarrier(*init.mbarriers, init.slot);
  require(init.count >= 1 && init.count <= most_mbarrier_count,
          "{} counts {} arrivals, and an mbarrier counts 1 to {}", init.mbarriers->name, init.count,
          most_mbarrier_count);
}

void check_in_kernel(const WaitMbarrier& wait) {
  check_mbarrier(*wait.mbarriers, wait.slot);
  check_parity(*wait.mbarriers, wait.parity);
}

void check_in_kernel(const TestMbarrier& test) {
  const TensorNode& flag = *test.flag;
  require(flag.scope == Scope::registers && flag.type == boolean,
          "{} is {} @{}, and a test of an mbarrier sets a bool in registers", flag.name,
          name(flag.type).str(), name(flag.scope).str());
  check_mbarrier(*test.mbarriers, test.slot);
  check_parity(*test.mbarriers, test.parity);
}

void check_in_kernel(const ExpectBytes& expect) {
  check_mbarrier(*expect.mbarriers, expect.slot);
  require(expect.bytes >= 1 && expect.bytes <= most_mbarrier_count,
          "{} expects {} bytes, and an mbarrier counts 1 to {}", expect.mbarriers->name,
          expect.bytes, most_mbarrier_count);
}

void check_in_kernel(const BulkMove& move) {
  const auto* copy = llvm::dyn_cast<BulkCopy>(&move);
  if (copy) check_mbarrier(*copy->mbarriers, copy->slot);
  const TensorNode &to = copy ? *move.tensor : *move.memory,
                   &from = copy ? *move.memory : *move.tensor;
  const std::string what = fmt::format("a bulk {} to {}", copy ? "copy" : "store", to.name);
  require(move.tensor->scope == Scope::shared && move.memory->scope == Scope::global,
          "a bulk {} moves {} to {}, and not {}", copy ? "copy" : "store", from.name, to.name,
          copy ? "global memory to shared memory" : "shared memory to global memory");
  require(to.type == from.type, "{} ({}) moves {}", what, name(to.type).str(),
          name(from.type).str());
  require(is_bulk_element(size_of(to.type)),
          "{} moves elements of {} bytes; there are those of 1, 2, 4 and 8", what,
          size_of(to.type));
  const auto& [extents, swizzle] = move.box;
  require(extents.size() == move.coordinates.size() && !extents.empty() &&
              static_cast<int64_t>(extents.size()) <= most_bulk_rank,
          "{} has a box of {} dimensions, and {} coordinates; there are 1 to {}", what,
          extents.size(), move.coordinates.size(), most_bulk_rank);
  for (const int64_t extent : extents)
    require(extent >= 1 && extent <= most_bulk_extent,
            "the box of {} has an extent of {}; there are 1 to {}", what, extent, most_bulk_extent);
  require(swizzle == 0 || bulk_swizzle(swizzle) == swizzle,
          "{} has a swizzle of {} bytes; there are those of 32, 64 and 128", what, swizzle);
}

void check_in_kernel(const SetRegisters& set) {
  require(set.count >= least_set_registers && set.count <= most_set_registers &&
              set.count % set_registers_step == 0,
          "{} {}: threads have {} to {} registers, a multiple of {}", set.word().str(), set.count,
          least_set_registers, most_set_registers, set_registers_step);
}

void check_in_kernel(const BarrierScope& scope) {
  if (scope.kind != BarrierScope::Kind::named) return;
  require(scope.id > 0 && scope.id < BarrierScope::most_ids,
          "a named barrier has the number {}; there are 1 to {}", scope.id,
          BarrierScope::most_ids - 1);
  require(scope.threads > 0 && scope.threads % warp_size == 0,
          "barrier {} waits for {} threads; whole warps come to it, {} threads each", scope.id,
          scope.threads, warp_size);
}

}  // namespace hone
