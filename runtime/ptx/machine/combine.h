// Functions that combine two values: of atomic updates, of engines, and of reductions of a warp.
#pragma once

#include <cstdint>
#include <type_traits>

namespace hone::ptx::combine {

/// The new value of `old`, with the operands b and c.
struct Add {
  template <class T>
  T operator()(T old, T b, T) const {
    if constexpr (std::is_signed_v<T> && std::is_integral_v<T>)
      return static_cast<T>(static_cast<std::make_unsigned_t<T>>(old) +
                            static_cast<std::make_unsigned_t<T>>(b));
    else
      return old + b;
  }
};
struct Min {
  template <class T>
  T operator()(T old, T b, T) const {
    return b < old || old != old ? b : old;
  }
};
struct Max {
  template <class T>
  T operator()(T old, T b, T) const {
    return old < b || old != old ? b : old;
  }
};
struct Inc {
  uint32_t operator()(uint32_t old, uint32_t b, uint32_t) const { return old >= b ? 0 : old + 1; }
};
struct Dec {
  uint32_t operator()(uint32_t old, uint32_t b, uint32_t) const {
    return old == 0 || old > b ? b : old - 1;
  }
};
struct Exchange {
  template <class T>
  T operator()(T, T b, T) const {
    return b;
  }
};
struct CompareAndSwap {
  template <class T>
  T operator()(T old, T b, T c) const {
    return old == b ? c : old;
  }
};
struct And {
  template <class T>
  T operator()(T old, T b, T) const {
    return old & b;
  }
};
struct Or {
  template <class T>
  T operator()(T old, T b, T) const {
    return old | b;
  }
};
struct Xor {
  template <class T>
  T operator()(T old, T b, T) const {
    return old ^ b;
  }
};

}  // namespace hone::ptx::combine
