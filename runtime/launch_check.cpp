// What is checked before a kernel runs: arrays against the program, sizes against the device.

#include "codegen/c_text.h"
#include "codegen/index_ranges.h"
#include "codegen/index_width.h"
#include "codegen/shared_memory.h"
#include "codegen/vector_access.h"
#include "fmt/ranges.h"
#include "ir/interpreter.h"
#include "ir/layout.h"
#include "ir/printer.h"
#include "ir/trips.h"
#include "ir/visit.h"
#include "runtime/compile.h"
#include "runtime/sim/finding.h"

namespace hone {
namespace {

/// "f32[M, K] @pitch(lda)"
std::string type_text(const TensorNode& tensor) {
  std::string dims;
  for (const Expr& extent : tensor.shape) dims += (dims.empty() ? "" : ", ") + to_string(extent);
  return fmt::format("{}[{}]{}", name(tensor.type).str(), dims, to_string(tensor.layout));
}

/// `sizes` are those that the type is made of, `detail` says more about the array.
[[noreturn]] void refuse_array(const Module& module, const TensorNode& tensor,
                               const AnyArray& array, const std::string& sizes = "",
                               const std::string& detail = "") {
  throw RuntimeError("{}: {} is {}{}, got {}{}", module.name, tensor.name, type_text(tensor), sizes,
                     array.describe(), detail);
}

void check_order(const Module& module, const TensorNode& tensor, const AnyArray& array) {
  const auto wanted = storage_order(tensor), got = array.order();
  if (wanted != got)
    refuse_array(module, tensor, array, "",
                 fmt::format(", whose dimensions lie in the order ({}) and not ({}), from the "
                             "slowest to the fastest; use with_layout()",
                             fmt::join(got, ", "), fmt::join(wanted, ", ")));
}

void check_arrays(const Module& module, llvm::ArrayRef<AnyArray> arrays) {
  if (arrays.size() != module.arguments.size()) {
    std::string names;
    for (const TensorPtr& tensor : module.arguments)
      names += (names.empty() ? "" : ", ") + tensor->name;
    throw RuntimeError("{} takes {} arrays ({}), got {}", module.name, module.arguments.size(),
                       names, arrays.size());
  }
  for (auto [tensor, array] : llvm::zip(module.arguments, arrays)) {
    if (array.dtype() != tensor->type) refuse_array(module, *tensor, array);
    if (array.shape().size() != tensor->rank()) refuse_array(module, *tensor, array);
    check_order(module, *tensor, array);
  }
}

void bind_param(const Expr& size, int64_t value, Sizes& sizes) {
  if (const auto* reference = llvm::dyn_cast<ParamRef>(size))
    sizes.try_emplace(reference->param->name, value);
}

/// A dimension that is a param alone gives the param its value, and so does a pitch.
void bind_params(const Module& module, llvm::ArrayRef<AnyArray> arrays, Sizes& sizes) {
  for (auto [tensor, array] : llvm::zip(module.arguments, arrays))
    for (auto [extent, size] : llvm::zip(tensor->shape, array.shape()))
      bind_param(extent, size, sizes);
  for (auto [tensor, array] : llvm::zip(module.arguments, arrays))
    if (tensor->layout.row_pitch.defined())
      bind_param(tensor->layout.row_pitch, array.row_pitch(), sizes);
}

std::string known_sizes(const TensorNode& tensor, const Sizes& sizes) {
  std::string text;
  llvm::SmallVector<std::string, 4> seen;
  llvm::SmallVector<Expr, 4> parts = tensor.shape;
  if (tensor.layout.row_pitch.defined()) parts.push_back(tensor.layout.row_pitch);
  for (const Expr& part_of_type : parts)
    walk(part_of_type, [&](const Expr& part) {
      const auto* reference = llvm::dyn_cast<ParamRef>(part);
      if (!reference || llvm::is_contained(seen, reference->param->name)) return;
      seen.push_back(reference->param->name);
      text += fmt::format("{} {} = {}", text.empty() ? " with" : ",", reference->param->name,
                          sizes.find(reference->param->name)->second);
    });
  return text;
}

/// An array without gaps has the pitch of its row.
void check_pitch(const Module& module, const TensorNode& tensor, const AnyArray& array,
                 const Sizes& sizes) {
  if (tensor.rank() == 0 || evaluate(row_pitch(tensor), sizes) == array.row_pitch()) return;
  refuse_array(
      module, tensor, array, known_sizes(tensor, sizes),
      fmt::format(", whose rows lie {} elements apart; use with_layout()", array.row_pitch()));
}

void check_shapes(const Module& module, llvm::ArrayRef<AnyArray> arrays, const Sizes& sizes) {
  for (auto [tensor, array] : llvm::zip(module.arguments, arrays)) {
    for (auto [extent, size] : llvm::zip(tensor->shape, array.shape()))
      if (evaluate(extent, sizes) != size)
        refuse_array(module, *tensor, array, known_sizes(*tensor, sizes));
    check_pitch(module, *tensor, array, sizes);
  }
}

/// "n is 7", "M is 7 and N is 8"
std::string values_of(const Expr& condition, const Sizes& sizes) {
  llvm::SmallVector<std::string, 2> values;
  walk(condition, [&](const Expr& part) {
    const auto* reference = llvm::dyn_cast<ParamRef>(part);
    if (!reference) return;
    const std::string& name = reference->param->name;
    const std::string value = fmt::format("{} is {}", name, sizes.find(name)->second);
    if (!llvm::is_contained(values, value)) values.push_back(value);
  });
  return fmt::format("{}", fmt::join(values, " and "));
}

void check_assumptions(const Module& module, const Sizes& sizes) {
  for (const KernelFunction& kernel : module.kernels)
    for (const Expr& assumption : kernel.assumptions)
      if (!evaluate(assumption, sizes))
        throw RuntimeError("{} was compiled for {}, and {}", module.name, assumption,
                           values_of(assumption, sizes));
}

/// The largest number where it is more.
int64_t product(int64_t lhs, int64_t rhs) {
  return __builtin_mul_overflow(lhs, rhs, &lhs) ? INT64_MAX : lhs;
}

void check_fits_32_bits(const KernelFunction& kernel, const Sizes& sizes) {
  const int64_t most = max_size_32(kernel);
  const auto check = [&](const std::string& what, int64_t size) {
    if (size > most)
      throw RuntimeError(
          "{}: {} is {}, more than the {} that a kernel with 32-bit indices takes; "
          "compile with {{.index_bits = 64}}",
          kernel.name, what, size, most);
  };
  for (const ParamPtr& param : kernel.params) check(param->name, sizes.find(param->name)->second);
  for (const TensorPtr& tensor : kernel.arguments) {
    int64_t elements = 1;
    for (const Expr& extent : storage_shape(*tensor))
      elements = product(elements, evaluate(extent, sizes));
    check("the number of elements of " + tensor->name, elements);
  }
  walk(kernel.body, [&](const Stmt& stmt) {
    const auto* loop = llvm::dyn_cast<For>(stmt);
    if (loop) check("the extent of " + loop->axis->name, count_iterations(*loop, sizes));
  });
  for (int dim = 0; dim < 3; ++dim)
    check("the number of threads in " + std::string(1, "xyz"[dim]),
          product(evaluate(kernel.grid[dim], sizes), evaluate(kernel.block[dim], sizes)));
}

/// " with M = 7, N = 8"
std::string with_sizes(const KernelFunction& kernel, const Sizes& sizes) {
  std::string text;
  for (const ParamPtr& param : kernel.params)
    text += fmt::format("{} {} = {}", text.empty() ? " with" : ",", param->name,
                        sizes.find(param->name)->second);
  return text;
}

/// "i*j may reach 4294836225 with n = 65536, more than the 2147483647 that 32 bits hold"
std::string what_does_not_fit(const IndexStep& step, const std::string& with) {
  const std::string text = to_string(step.expr);
  if (step.bits == 64) return fmt::format("{} may leave the 64 bits of an index{}", text, with);
  const bool is_large = step.range.high > INT32_MAX;
  const int64_t end = is_large ? step.range.high : step.range.low;
  if (end == Interval::no_high || end == Interval::no_low)
    return fmt::format("{} may leave 32 bits{}", text, with);
  return fmt::format("{} may reach {}{}, {} than the {} that 32 bits hold", text, end, with,
                     is_large ? "more" : "less", is_large ? INT32_MAX : INT32_MIN);
}

[[noreturn]] void refuse_step(const KernelFunction& kernel, const IndexStep& step,
                              const Sizes& sizes) {
  throw RuntimeError("{}: {}, in: {}; {}", kernel.name,
                     what_does_not_fit(step, with_sizes(kernel, sizes)), head_of(step.statement),
                     step.bits == 64 ? "use smaller sizes" : "compile with {.index_bits = 64}");
}

void check_launch(const KernelFunction& kernel, const LaunchDims& dims) {
  constexpr int64_t max_grid[] = {2147483647, 65535, 65535};
  for (int dim = 0; dim < 3; ++dim)
    if (dims.grid[dim] > max_grid[dim])
      throw RuntimeError("{}: the grid has {} blocks in {} ({}), and a grid takes at most {}",
                         kernel.name, dims.grid[dim], "xyz"[dim], kernel.grid[dim], max_grid[dim]);
  const auto is_too_long = [](int64_t threads) { return threads > 1024; };
  if (llvm::any_of(dims.block, is_too_long) || dims.block[2] > 64 ||
      is_too_long(dims.block[0] * dims.block[1] * dims.block[2]))
    throw RuntimeError(
        "{}: the block has {} x {} x {} threads ({}, {}, {}), and a block takes at "
        "most 1024; split the axis that is bound to thread.x",
        kernel.name, dims.block[0], dims.block[1], dims.block[2], kernel.block[0], kernel.block[1],
        kernel.block[2]);
}

}  // namespace

void check_divisors(const KernelFunction& kernel, const Sizes& sizes) {
  for_each_index_division(kernel, sizes, [&](const Binary& division, const Interval& divisor) {
    if (divisor.is_empty() || divisor.high > 0) return;
    throw RuntimeError("{}: {} divides by {}, and {}", kernel.name, Expr(&division), division.rhs,
                       values_of(division.rhs, sizes));
  });
}

Sizes resolve_sizes(const Module& module, llvm::ArrayRef<AnyArray> arrays, const Sizes& more) {
  check_arrays(module, arrays);
  Sizes sizes = more;
  bind_params(module, arrays, sizes);
  for (const ParamPtr& param : module.params) {
    const auto found = sizes.find(param->name);
    if (found == sizes.end())
      throw RuntimeError("{}: no array's shape gives the size {}; pass it to run()", module.name,
                         param->name);
    if (found->second < 0)
      throw RuntimeError("{}: the size {} must not be negative, got {}", module.name, param->name,
                         found->second);
  }
  check_shapes(module, arrays, sizes);
  check_assumptions(module, sizes);
  return sizes;
}

void check_alignment(const KernelFunction& kernel, const TensorNode& tensor, const void* address) {
  const int64_t bytes = vector_bytes(kernel, tensor.name);
  if (bytes == 0 || reinterpret_cast<uintptr_t>(address) % bytes == 0) return;
  throw RuntimeError(
      "{}: {} is accessed in vectors of {} bytes, and its memory at {} does not start at a "
      "multiple of {}",
      kernel.name, tensor.name, bytes, address, bytes);
}

void check_indices(const KernelFunction& kernel, const Sizes& sizes) {
  for_each_index_step(kernel, &sizes, LoopForm::stepped, [&](const IndexStep& step) {
    if (!step.fits()) refuse_step(kernel, step, sizes);
  });
}

LaunchDims launch_dims(const KernelFunction& kernel, const Sizes& sizes) {
  LaunchDims dims;
  for (int dim = 0; dim < 3; ++dim) {
    dims.grid[dim] = evaluate(kernel.grid[dim], sizes);
    dims.block[dim] = evaluate(kernel.block[dim], sizes);
  }
  const SharedMemory memory = shared_memory(kernel);
  if (memory.is_dynamic()) dims.shared_bytes = memory.bytes;
  // Where nothing runs, the extents of loops may be undefined: a number of threads divides them.
  const bool is_empty = llvm::is_contained(dims.grid, 0) || llvm::is_contained(dims.block, 0);
  if (is_empty) return dims;
  if (kernel.index_bits == 32) check_fits_32_bits(kernel, sizes);
  check_launch(kernel, dims);
  check_indices(kernel, sizes);
  return dims;
}

}  // namespace hone
