// Operations from function objects: what they compute for one lane, run for all.
#pragma once

#include <tuple>
#include <utility>

#include "runtime/ptx/operations/form.h"

namespace hone::ptx {

// ---- The types of a function object -------------------------------------------------------------

template <class Method>
struct MethodTraits;
template <class F, class Result, class... Args>
struct MethodTraits<Result (F::*)(Args...) const> {
  using Function = Result(Args...);
};
/// Result(Args...) of its operator().
template <class F>
using FunctionOf = typename MethodTraits<decltype(&F::operator())>::Function;

/// A function object of an Op: one with a member gets the detail.
template <class F>
inline F function_with(uint32_t detail) {
  if constexpr (requires { F{detail}; })
    return F{detail};
  else
    return F{};
}

// ---- Lanes --------------------------------------------------------------------------------------

template <class T>
struct Source {
  const T* values;

  Source(const Warp& warp, const Op& op, size_t number) : values(warp.at<T>(op.sources[number])) {}
  T operator[](int lane) const { return values[lane]; }
};
/// A predicate.
template <>
struct Source<bool> {
  LaneMask holds;

  Source(const Warp& warp, const Op& op, size_t number)
      : holds(warp.predicate(op.sources[number]) ^
              ((op.detail & negated_source << number) != 0 ? all_lanes : 0)) {}
  bool operator[](int lane) const { return (holds & LaneMask{1} << lane) != 0; }
};

/// A bit for each number below `count`, by `holds(number)`, which is computed for all of them.
template <int count, class Holds>
inline uint64_t bits_where(const Holds& holds) {
  uint8_t bytes[count];
  for (int n = 0; n < count; ++n) bytes[n] = holds(n) ? 1 : 0;
  uint64_t bits = 0;
  for (int first = 0; first < count; first += 8) {
    uint64_t eight;
    std::memcpy(&eight, bytes + first, sizeof eight);
    // The product moves the last bit of byte n to bit 56 + n.
    bits |= (eight * 0x0102040810204080 >> 56) << first;
  }
  return bits;
}

/// The lanes in which `holds(lane)`.
template <class Holds>
inline LaneMask mask_of(const Holds& holds) {
  return static_cast<LaneMask>(bits_where<lanes>(holds));
}

/// The predicate becomes that of the mask in the active lanes.
inline void write_mask(const Warp& warp, Ref destination, LaneMask mask) {
  LaneMask& result = warp.predicate(destination);
  result = (result & ~warp.active) | (mask & warp.active);
}

template <class F, class Result, class... Args, size_t... number>
inline void run_lanes(Warp& warp, const Op& op, Result (*)(Args...),
                      std::index_sequence<number...>) {
  const F function = function_with<F>(op.detail);
  const std::tuple<Source<Args>...> sources{Source<Args>(warp, op, number)...};
  const auto value = [&](int lane) { return function(std::get<number>(sources)[lane]...); };
  if constexpr (std::is_same_v<Result, bool>)
    write_mask(warp, op.destination, mask_of(value));
  else
    write_lanes<Result>(warp, op.destination, value);
}

/// Two values in a register.
template <class T>
struct Pair {
  T low, high;
};

/// In each lane both values of a Pair.
template <class F, class T, class... Args, size_t... number>
inline void run_pairs(Warp& warp, const Op& op, T (*)(Args...), std::index_sequence<number...>) {
  const F function = function_with<F>(op.detail);
  const std::tuple<const Args*...> sources{warp.at<T>(op.sources[number])...};
  T values[2 * lanes];
  for (int n = 0; n < 2 * lanes; ++n) values[n] = function(std::get<number>(sources)[n]...);
  using Whole = std::conditional_t<sizeof(T) == 2, uint32_t, uint64_t>;
  const auto pairs = std::bit_cast<std::array<Whole, lanes>>(values);
  write_lanes<Whole>(warp, op.destination, [&](int lane) { return pairs[lane]; });
}

template <class Result, class... Args>
constexpr std::index_sequence_for<Args...> numbers_of(Result (*)(Args...)) {
  return {};
}

/// An Execute: `run(warp, op)` of a class.
template <class Run>
[[gnu::noinline, gnu::flatten]] void execute(Warp& warp, const Op& op) {
  Run::run(warp, op);
}

#if defined(__x86_64__)
/// The same with vectors of 32 bytes and fused multiply-add.
template <class Run>
[[gnu::noinline, gnu::flatten, gnu::target("avx2,fma")]] void execute_wide(Warp& warp,
                                                                           const Op& op) {
  Run::run(warp, op);
}

inline bool has_wide_vectors() {
  static const bool has = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  return has;
}
#endif

/// The variant that this processor runs fastest.
template <class Run>
Op::Execute executes() {
#if defined(__x86_64__)
  if (has_wide_vectors()) return execute_wide<Run>;
#endif
  return execute<Run>;
}

/// A function object for all lanes.
template <class F>
struct Elementwise {
  static void run(Warp& warp, const Op& op) {
    constexpr FunctionOf<F>* function = nullptr;
    run_lanes<F>(warp, op, function, numbers_of(function));
  }
};

/// By operand, the destination first.
using OperandTypes = llvm::SmallVector<Type, 6>;

template <class F>
Operation elementwise(OperandTypes types, uint32_t detail = 0) {
  return {executes<Elementwise<F>>(), detail, std::move(types)};
}

// ---- Pairs --------------------------------------------------------------------------------------

template <class F, class = FunctionOf<F>>
struct Twice;
/// The same for both values of the pairs, which lie behind each other in the lanes.
template <class F, class T, class... Args>
struct Twice<F, T(Args...)> {
  template <class>
  using Operand = Pair<T>;
  /// For its types alone.
  Pair<T> operator()(Operand<Args>... pairs) const;
};

template <class F>
struct Elementwise<Twice<F>> {
  static void run(Warp& warp, const Op& op) {
    constexpr FunctionOf<F>* function = nullptr;
    run_pairs<F>(warp, op, function, numbers_of(function));
  }
};

// ---- Types of C++ for those of PTX --------------------------------------------------------------

/// Calls `use.operator()<T>()`, with the unsigned type that has the size of the register.
template <class Use>
auto with_size(Type type, const Use& use) {
  if (bytes_of(type) <= 2) return use.template operator()<uint16_t>();
  if (bytes_of(type) == 4) return use.template operator()<uint32_t>();
  return use.template operator()<uint64_t>();
}

/// The same with the signed type, where it is signed.
template <class Use>
auto with_integer(Type type, const Use& use) {
  if (!is_signed(type)) return with_size(type, use);
  return with_size(type,
                   [&]<class T>() { return use.template operator()<std::make_signed_t<T>>(); });
}

/// One type is that of all operands.
template <class F>
Operation uniform(Type type, uint32_t detail = 0) {
  constexpr FunctionOf<F>* function = nullptr;
  return elementwise<F>(OperandTypes(numbers_of(function).size() + 1, type), detail);
}

template <template <class> class F>
Operation of_size(const Form& form) {
  return with_size(form.type(), [&]<class T>() { return uniform<F<T>>(form.type()); });
}

template <template <class> class F>
Operation of_integer(const Form& form) {
  return with_integer(form.type(), [&]<class T>() { return uniform<F<T>>(form.type()); });
}

}  // namespace hone::ptx
