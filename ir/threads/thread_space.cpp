#include "ir/threads/thread_space.h"

#include "ir/algebra/simplify.h"
#include "ir/target/gpu_limits.h"
#include "ir/threads/instruction_nest.h"
#include "ir/traverse/visit.h"

namespace hone {
namespace {

/// Calls `visit` with the bindings of loops over threads, and of the threads that make copies and
/// run instructions together.
void for_each_binding(const Stmt& stmt, llvm::function_ref<void(const Binding&)> visit) {
  walk(stmt, [&](const Stmt& nested) {
    if (const auto* loop = llvm::dyn_cast<For>(nested); loop && is_thread_loop(*loop))
      visit(loop->binding);
    if (const auto* copy = llvm::dyn_cast<Copy>(nested))
      for (const Binding& digit : copy->execution.digits) visit(digit);
    if (const Opcode* opcode = opcode_with_lanes(nested)) visit(lanes_of(*opcode));
  });
}

/// Lanes or warps, where the digit is one of their numbers too.
ThreadUnit unit_of(int64_t stride, int64_t end) {
  if (end <= warp_size && warp_size % end == 0) return ThreadUnit::lane;
  return stride % warp_size == 0 ? ThreadUnit::warp : ThreadUnit::thread;
}

}  // namespace

llvm::SmallVector<int64_t, 4> digit_strides(const Stmt& kernel, uint8_t dim) {
  llvm::SmallVector<int64_t, 4> strides = {1};
  for_each_binding(kernel, [&](const Binding& binding) {
    if (binding.dim != dim || binding.digit.is_whole()) return;
    strides.push_back(binding.digit.stride);
    strides.push_back(binding.digit.end());
  });
  llvm::sort(strides);
  strides.erase(std::unique(strides.begin(), strides.end()), strides.end());
  return strides;
}

ThreadSpace::ThreadSpace(const Stmt& kernel) {
  const auto [x, y, z] = block_of(kernel);
  sizes_ = {x, y, z, cluster_of(kernel)};
  for (uint8_t dim = 0; dim <= cluster_dim; ++dim) add_digits(kernel, dim);
}

void ThreadSpace::add_digits(const Stmt& kernel, uint8_t dim) {
  const auto threads = as_int(sizes_[dim]);
  if (!threads) return digits_.push_back({{Binding::Kind::thread, dim}, sizes_[dim]});
  auto strides = digit_strides(kernel, dim);
  while (strides.size() > 1 && strides.back() >= *threads) strides.pop_back();
  const int64_t last = strides.back();
  strides.push_back((*threads + last - 1) / last * last);
  for (size_t n = 1; n < strides.size(); ++n)
    digits_.push_back(group(dim, strides[n - 1], strides[n]));
}

ThreadGroup ThreadSpace::group(uint8_t dim, int64_t stride, int64_t end) const {
  const auto threads = as_int(sizes_[dim]);
  if (!threads || (stride == 1 && end >= *threads))
    return {{Binding::Kind::thread, dim}, sizes_[dim]};
  const ThreadUnit unit = dim == 0 ? unit_of(stride, end) : ThreadUnit::thread;
  return {{Binding::Kind::thread, dim, 0, {}, {unit, stride, end / stride}}, end / stride};
}

ThreadDigits ThreadSpace::digits_of(const Binding& binding) const {
  ThreadDigits result;
  if (binding.kind != Binding::Kind::thread) return result;
  const ThreadDigit& asked = binding.digit;
  for (size_t n = 0; n < digits_.size(); ++n) {
    const Binding& digit = digits_[n].binding;
    const bool is_in = asked.is_whole() || !as_int(sizes_[binding.dim]) ||
                       (digit.digit.stride >= asked.stride && digit.digit.stride < asked.end());
    if (digit.dim == binding.dim && is_in) result = result.with(n);
  }
  return result;
}

ThreadDigits ThreadSpace::digits_in(const Stmt& stmt) const {
  ThreadDigits result;
  for_each_binding(stmt, [&](const Binding& binding) { result = result.with(digits_of(binding)); });
  return result;
}

ThreadDigits ThreadSpace::used() const {
  ThreadDigits used;
  for (size_t n = 0; n < digits_.size(); ++n)
    if (!is_int(digits_[n].count, 1)) used = used.with(n);
  return used;
}

llvm::SmallVector<ThreadGroup, 3> ThreadSpace::groups_of(ThreadDigits digits) const {
  llvm::SmallVector<ThreadGroup, 3> groups;
  for (size_t first = 0; first < digits_.size(); ++first) {
    if (!digits.contains(first)) continue;
    size_t end = first + 1;
    while (end < digits_.size() && digits.contains(end) &&
           digits_[end].binding.dim == digits_[first].binding.dim)
      ++end;
    const Binding &low = digits_[first].binding, &high = digits_[end - 1].binding;
    const bool is_whole = low.digit.is_whole();
    groups.push_back(is_whole ? digits_[first]
                              : group(low.dim, low.digit.stride, high.digit.end()));
    first = end - 1;
  }
  return groups;
}

}  // namespace hone
