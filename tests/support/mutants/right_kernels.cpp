#include "tests/support/mutants/right_kernels.h"

#include "codegen/lower.h"
#include "tests/support/ir/run.h"
#include "tests/support/random/random_program.h"
#include "tests/support/runtime/product.h"

namespace hone {

Buffers RightKernel::buffers(const Sizes& at) const {
  Buffers buffers;
  double next = 0;
  for (const TensorPtr& tensor : program.arguments) {
    Buffer& buffer = buffers.emplace(tensor->name, buffer_for(*tensor, at)).first->second;
    const bool is_output = is_written(kernel, tensor);
    fill_with(buffer, [&] { return is_output ? -77.0 : 1 + static_cast<int>(next++ * 7) % 61; });
  }
  return buffers;
}

RightKernel right_kernel(const Program& program, const Schedule& schedule, Sizes sizes,
                         llvm::ArrayRef<int64_t> lengths) {
  RightKernel right = {program.function(), lower(schedule.function()).kernels.front(), {}};
  for (const int64_t length : lengths) {
    sizes["K"] = length;
    right.sizes.push_back(sizes);
  }
  return right;
}

namespace {

/// In slices of 4: 8 trips, 1, 3 and none.
constexpr int64_t lengths[] = {31, 3, 11, 0};

RightKernel for_threads(const ProductProgram& product, const Schedule& schedule) {
  return right_kernel(product.program, schedule, {{"M", 19}, {"N", 9}}, lengths);
}

RightKernel for_warps(const ProductProgram& product, const Schedule& schedule) {
  return right_kernel(product.program, schedule, {{"M", 19}, {"N", 21}}, lengths);
}

// ---- Loads and stores ---------------------------------------------------------------------------

template <int stages>
RightKernel by_loads_and_stores() {
  const ProductProgram product;
  auto [s, ko, ki, a, b] = product.tiled_for_threads();
  s.pipeline(ko, stages);
  return for_threads(product, s);
}

/// Rings of two depths, one in the other: tiles in shared memory, and fragments of them.
template <int stages, bool async>
RightKernel with_fragments() {
  const ProductProgram product;
  auto [s, ko, ki, a, b] = product.tiled_for_threads();
  for (const Cache& tile : {a, b}) {
    if (async) s.copy_async(tile);
    s.cache_registers(tile, ki);
  }
  s.unroll(ki);
  s.pipeline(ki, 2);
  s.pipeline(ko, stages);
  return for_threads(product, s);
}

RightKernel rows() {
  const Param M("M"), K("K");
  const Axis i("i", M);
  const ReduceAxis k("k", K);
  const Tensor A("A", f32, {M, K}), S("S", f32, {M});
  const Program program("rows", S(i) = sum(k, A(i, k)));
  Schedule s(program);
  auto [block_of_rows, row] = s.split(s.axis(S, i), 64);
  auto [ko, ki] = s.split(s.axis(S, k), 4);
  s.bind(block_of_rows, block.x);
  s.bind(row, thread.x);
  s.cache_registers(S, row);
  s.copy_async(s.cache_shared(A, ko));
  s.pipeline(ko, 3);
  return right_kernel(program, s, {{"M", 70}}, lengths);
}

// ---- Asynchronous copies ------------------------------------------------------------------------

template <int stages>
RightKernel by_async_copies() {
  const ProductProgram product;
  auto [s, ko, ki, a, b] = product.tiled_for_threads();
  s.copy_async(a);
  s.copy_async(b);
  if (stages > 1) s.pipeline(ko, stages);
  return for_threads(product, s);
}

/// Some tiles stick out of the tensors.
RightKernel in_vectors() {
  const ProductProgram product;
  const Schedule s = product.pipelined_in_vectors(8, 3, {product.K % 4 == 0, product.N % 4 == 0});
  return right_kernel(product.program, s, {{"M", 11}, {"N", 12}}, {52, 4});
}

RightKernel in_whole_tiles() {
  const ProductProgram product;
  const Schedule s = product.pipelined_in_vectors(
      8, 3, {product.M % 8 == 0, product.N % 8 == 0, product.K % 8 == 0});
  return right_kernel(product.program, s, {{"M", 16}, {"N", 8}}, {64, 8});
}

// ---- Roles --------------------------------------------------------------------------------------

template <int stages, int producers>
RightKernel by_producers() {
  const ProductProgram product;
  auto [s, ko, ki, a, b] = product.tiled_for_warps();
  s.copy_async(a);
  s.copy_async(b);
  s.specialize(ko, stages, {.producer_warps = producers});
  return for_warps(product, s);
}

/// The consumers make one of the tiles, and wait for each other at a barrier of their own.
RightKernel by_both_roles() {
  const ProductProgram product;
  auto [s, ko, ki, a, b] = product.tiled_for_warps();
  s.copy_async(a);
  s.specialize(ko, 3, {.producer_warps = 1});
  return for_warps(product, s);
}

constexpr KernelCase cases[] = {
    {"LoadsAndStores2", by_loads_and_stores<2>},
    {"LoadsAndStores3", by_loads_and_stores<3>},
    {"Fragments", with_fragments<2, false>},
    {"AsyncFragments", with_fragments<3, true>},
    {"Rows", rows},
    {"Async1", by_async_copies<1>},
    {"Async2", by_async_copies<2>},
    {"Async3", by_async_copies<3>},
    {"Async4", by_async_copies<4>},
    {"Vectors", in_vectors},
    {"WholeTiles", in_whole_tiles},
    {"Producers2", by_producers<2, 1>},
    {"Producers3", by_producers<3, 2>},
    {"Producers4", by_producers<4, 1>},
    {"BothRoles", by_both_roles},
};

}  // namespace

llvm::ArrayRef<KernelCase> kernel_cases() { return cases; }

}  // namespace hone
