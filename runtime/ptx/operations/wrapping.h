// Arithmetic on integers that wraps around, and choices without branches.
#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

namespace hone::ptx {

/// An unsigned type in which sums and products of the type wrap around, none smaller than int.
template <class T>
using Wrapping = std::conditional_t<sizeof(T) < 4, uint32_t, std::make_unsigned_t<T>>;

template <class T>
struct Add {
  T operator()(T a, T b) const {
    return static_cast<T>(static_cast<Wrapping<T>>(a) + static_cast<Wrapping<T>>(b));
  }
};

template <class T>
struct Subtract {
  T operator()(T a, T b) const {
    return static_cast<T>(static_cast<Wrapping<T>>(a) - static_cast<Wrapping<T>>(b));
  }
};

/// The type of a whole product.
template <class T>
struct WideOf;
template <>
struct WideOf<uint16_t> {
  using Wide = uint32_t;
};
template <>
struct WideOf<int16_t> {
  using Wide = int32_t;
};
template <>
struct WideOf<uint32_t> {
  using Wide = uint64_t;
};
template <>
struct WideOf<int32_t> {
  using Wide = int64_t;
};
template <>
struct WideOf<uint64_t> {
  using Wide = unsigned __int128;
};
template <>
struct WideOf<int64_t> {
  using Wide = __int128;
};

template <class T>
struct MultiplyWide {
  using Wide = typename WideOf<T>::Wide;
  Wide operator()(T a, T b) const { return static_cast<Wide>(a) * static_cast<Wide>(b); }
};

template <class T>
struct MultiplyLow {
  T operator()(T a, T b) const {
    return static_cast<T>(static_cast<Wrapping<T>>(a) * static_cast<Wrapping<T>>(b));
  }
};

template <class T>
struct MultiplyHigh {
  T operator()(T a, T b) const {
    return static_cast<T>(MultiplyWide<T>{}(a, b) >>
                          std::numeric_limits<std::make_unsigned_t<T>>::digits);
  }
};

/// `condition ? a : b` without branches: those of many conditions are no vector code.
template <class Bits>
inline Bits pick(bool condition, Bits a, std::type_identity_t<Bits> b) {
  const auto mask = static_cast<Bits>(Bits{0} - static_cast<Bits>(condition));
  return static_cast<Bits>((a & mask) | (b & ~mask));
}

}  // namespace hone::ptx
