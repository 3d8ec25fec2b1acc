#include "ir/verify/verify_kernel_ir.h"

#include "ir/core/violation.h"
#include "ir/text/printer.h"

namespace hone {
namespace {

/// The most that a thread may have in registers and in the memory that stands in for them, and a
/// block in shared memory.
constexpr int64_t most_bytes_of_a_thread = 512 << 10;
constexpr int64_t most_bytes_of_a_block = 1 << 20;

/// Elements that one access moves.
constexpr int64_t widest_vector = 16;

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
  require(copy.execution == CopyExecution(),
          "threads make the copy to {} together, and it is no loop yet",
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

}  // namespace hone
