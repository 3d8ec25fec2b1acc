// Floating point as LLVM computes it: what operations are compared with.
#pragma once

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/APSInt.h"
#include "runtime/ptx/operations/layout.h"
#include "tests/ptx/operations/operation_lanes.h"

namespace hone::ptx {

using Mode = llvm::APFloat::roundingMode;

struct NamedMode {
  const char* name;
  Mode mode;
};
inline constexpr NamedMode named_modes[] = {{"rn", Mode::NearestTiesToEven},
                                            {"rz", Mode::TowardZero},
                                            {"rm", Mode::TowardNegative},
                                            {"rp", Mode::TowardPositive}};

template <class T>
const llvm::fltSemantics& semantics() {
  if constexpr (std::is_same_v<T, F16>) return llvm::APFloat::IEEEhalf();
  if constexpr (std::is_same_v<T, Bf16>) return llvm::APFloat::BFloat();
  if constexpr (std::is_same_v<T, float>) return llvm::APFloat::IEEEsingle();
  return llvm::APFloat::IEEEdouble();
}

template <class T>
llvm::APFloat exact(T value) {
  return {semantics<T>(), llvm::APInt(8 * sizeof(T), std::bit_cast<BitsOf<T>>(value))};
}

/// Rounded to the type; a NaN is the one that PTX has for it.
template <class T>
T nearest(llvm::APFloat value, Mode mode = Mode::NearestTiesToEven) {
  bool loses = false;
  value.convert(semantics<T>(), mode, &loses);
  const auto bits = static_cast<BitsOf<T>>(value.bitcastToAPInt().getZExtValue());
  return std::bit_cast<T>(value.isNaN() ? Layout<T>::nan : bits);
}

template <class T>
T without_subnormals(T value) {
  const llvm::APFloat real = exact(value);
  if (!real.isDenormal()) return value;
  return nearest<T>(llvm::APFloat::getZero(semantics<T>(), real.isNegative()));
}

/// From 0 to 1.
template <class T>
T between_0_and_1(T value) {
  const llvm::APFloat real = exact(value), one(semantics<T>(), "1");
  if (real.isNaN() || real.isNegative()) return nearest<T>(llvm::APFloat::getZero(semantics<T>()));
  return real.compare(one) == llvm::APFloat::cmpGreaterThan ? nearest<T>(one) : value;
}

template <class T>
T not_negative(T value) {
  const llvm::APFloat real = exact(value);
  const bool is_negative = real.isNegative() && !real.isNaN();
  return is_negative ? nearest<T>(llvm::APFloat::getZero(semantics<T>())) : value;
}

inline llvm::APFloat sum(llvm::APFloat a, const llvm::APFloat& b, Mode mode) {
  a.add(b, mode);
  return a;
}
inline llvm::APFloat difference(llvm::APFloat a, const llvm::APFloat& b, Mode mode) {
  a.subtract(b, mode);
  return a;
}
inline llvm::APFloat product(llvm::APFloat a, const llvm::APFloat& b, Mode mode) {
  a.multiply(b, mode);
  return a;
}
inline llvm::APFloat quotient(llvm::APFloat a, const llvm::APFloat& b, Mode mode) {
  a.divide(b, mode);
  return a;
}
inline llvm::APFloat fused(llvm::APFloat a, const llvm::APFloat& b, const llvm::APFloat& c,
                           Mode mode) {
  a.fusedMultiplyAdd(b, c, mode);
  return a;
}

/// All bits of the type that differ much, and those around powers of two.
template <class T>
std::vector<T> critical_halves() {
  std::vector<T> values;
  for (const uint32_t magnitude :
       {0x0000, 0x0001, 0x0002, 0x0003, 0x007f, 0x0080, 0x0081, 0x03ff, 0x0400, 0x0401, 0x1234,
        0x2fff, 0x3555, 0x3b9a, 0x3bff, 0x3c00, 0x3c01, 0x3c03, 0x3f80, 0x3f81, 0x3fff, 0x4049,
        0x4248, 0x4b01, 0x5bff, 0x63d1, 0x7bff, 0x7c00, 0x7c01, 0x7f7f, 0x7f80, 0x7f81, 0x7fff})
    for (const uint32_t sign : {0x0000, 0x8000}) values.push_back(static_cast<T>(magnitude | sign));
  return values;
}

}  // namespace hone::ptx
