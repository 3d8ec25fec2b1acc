#include "ir/analysis/thread_space.h"

#include "ir/algebra/simplify.h"
#include "ir/gpu_limits.h"
#include "ir/visit.h"

namespace hone {
namespace {

/// Calls `visit` with the bindings of loops over threads, and of the threads that make copies.
void for_each_binding(const Stmt& stmt, llvm::function_ref<void(const Binding&)> visit) {
  walk(stmt, [&](const Stmt& nested) {
    if (const auto* loop = llvm::dyn_cast<For>(nested); loop && is_thread_loop(*loop))
      visit(loop->binding);
    if (const auto* copy = llvm::dyn_cast<Copy>(nested))
      for (const Binding& digit : copy->maker.digits) visit(digit);
  });
}

/// The strides at which digits begin, 1 first.
llvm::SmallVector<int64_t, 4> strides_of(const Stmt& kernel, uint8_t dim) {
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

/// Lanes or warps, where the digit is one of their numbers too.
ThreadUnit unit_of(int64_t stride, int64_t end) {
  if (end > 0 && end <= warp_size && warp_size % end == 0) return ThreadUnit::lane;
  return stride % warp_size == 0 ? ThreadUnit::warp : ThreadUnit::thread;
}

}  // namespace

ThreadSpace::ThreadSpace(const Stmt& kernel) : block_(block_of(kernel)) {
  for (uint8_t dim = 0; dim < 3; ++dim) add_digits(kernel, dim);
}

void ThreadSpace::add_digits(const Stmt& kernel, uint8_t dim) {
  auto strides = strides_of(kernel, dim);
  const auto threads = as_int(block_[dim]);
  while (strides.size() > 1 && threads && strides.back() >= *threads) strides.pop_back();
  if (strides.size() == 1) {
    digits_.push_back({{Binding::Kind::thread, dim}, block_[dim]});
    return;
  }
  for (size_t n = 0; n < strides.size(); ++n) {
    const bool is_last = n + 1 == strides.size();
    const int64_t stride = strides[n];
    const Expr count =
        is_last ? simplify((block_[dim] + (stride - 1)) / stride) : Expr(strides[n + 1] / stride);
    const int64_t known = as_int(count).value_or(0);
    const ThreadUnit unit = dim == 0 ? unit_of(stride, stride * known) : ThreadUnit::thread;
    digits_.push_back({{Binding::Kind::thread, dim, 0, {}, {unit, stride, known}}, count});
  }
}

ThreadDigits ThreadSpace::digits_of(const Binding& binding) const {
  ThreadDigits result;
  if (binding.kind != Binding::Kind::thread) return result;
  const ThreadDigit& asked = binding.digit;
  for (size_t n = 0; n < digits_.size(); ++n) {
    const Binding& digit = digits_[n].binding;
    const bool is_in = asked.is_whole() ||
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
    groups.push_back(group(first, end - first));
    first = end - 1;
  }
  return groups;
}

ThreadGroup ThreadSpace::group(size_t first, size_t count) const {
  if (count == 1) return digits_[first];
  const uint8_t dim = digits_[first].binding.dim;
  const auto is_own = [&](const ThreadGroup& digit) { return digit.binding.dim == dim; };
  if (static_cast<size_t>(llvm::count_if(digits_, is_own)) == count)
    return {{Binding::Kind::thread, dim}, block_[dim]};
  const ThreadDigit &low = digits_[first].binding.digit,
                    &high = digits_[first + count - 1].binding.digit;
  const ThreadUnit unit = dim == 0 ? unit_of(low.stride, high.end()) : ThreadUnit::thread;
  const Expr threads = simplify(digits_[first + count - 1].count * (high.stride / low.stride));
  const int64_t known = as_int(threads).value_or(0);
  return {{Binding::Kind::thread, dim, 0, {}, {unit, low.stride, known}}, threads};
}

}  // namespace hone
