// Atomic updates of memory. The lanes of a warp take their turns in order.

#include <algorithm>
#include <type_traits>

#include "llvm/ADT/StringSwitch.h"
#include "runtime/ptx/machine/access.h"
#include "runtime/ptx/machine/block.h"
#include "runtime/ptx/machine/combine.h"
#include "runtime/sim/lanes.h"

namespace hone::ptx {
namespace {

using Wide = unsigned __int128;

/// The same of floats of 16 bits, `count` in a register.
template <DType type, int count, class Function>
struct OfHalves {
  using Bits = std::conditional_t<count == 1, uint16_t, uint32_t>;

  Bits operator()(Bits old, Bits b, Bits) const {
    Bits result = 0;
    for (int n = 0; n < count; ++n) {
      const float lhs = decode<type>(static_cast<uint16_t>(old >> 16 * n));
      const float rhs = decode<type>(static_cast<uint16_t>(b >> 16 * n));
      const auto half = static_cast<Bits>(encode<type>(narrow<type>(Function{}(lhs, rhs, rhs))));
      result |= static_cast<Bits>(half << 16 * n);
    }
    return result;
  }
};

template <class T, class Function>
void run_atomic(Warp& warp, const Op& op) {
  const MemoryDetail& detail = warp.block->run.program.memory[op.detail];
  Targets targets;
  find_targets(warp, op, detail, targets);
  const T* const third = op.sources[2].exists() ? warp.at<T>(op.sources[2]) : nullptr;
  for_each_lane(warp.active, [&](int lane) {
    for (size_t n = 0; n < detail.values.size(); ++n) {
      std::byte* const data = targets.data[lane] + n * sizeof(T);
      T old;
      std::memcpy(&old, data, sizeof old);
      const T b = warp.at<T>(detail.values[n])[lane];
      const T changed = Function{}(old, b, third ? third[lane] : b);
      std::memcpy(data, &changed, sizeof changed);
      if (n < detail.results.size() && detail.results[n].exists())
        warp.at<T>(detail.results[n])[lane] = old;
    }
  });
}

template <class T, class Function>
void combine_bytes(std::byte* to, const std::byte* from, int64_t bytes) {
  for (int64_t at = 0; at + static_cast<int64_t>(sizeof(T)) <= bytes; at += sizeof(T)) {
    T old, b;
    std::memcpy(&old, to + at, sizeof old);
    std::memcpy(&b, from + at, sizeof b);
    const T changed = Function{}(old, b, b);
    std::memcpy(to + at, &changed, sizeof changed);
  }
}

// ---- By type ------------------------------------------------------------------------------------

struct AsOp {
  using Result = Op::Execute;
  template <class T, class Function>
  static constexpr Result make = run_atomic<T, Function>;
};
struct AsCombine {
  using Result = AsyncDetail::Combine;
  template <class T, class Function>
  static constexpr Result make = combine_bytes<T, Function>;
};

template <class As, class Function>
typename As::Result of_numbers(Type type) {
  switch (type) {
    case Type::u32:
      return As::template make<uint32_t, Function>;
    case Type::s32:
      return As::template make<int32_t, Function>;
    case Type::u64:
      return As::template make<uint64_t, Function>;
    case Type::s64:
      return As::template make<int64_t, Function>;
    case Type::f32:
      return As::template make<float, Function>;
    case Type::f64:
      return As::template make<double, Function>;
    case Type::f16:
      return As::template make<uint16_t, OfHalves<DType::f16, 1, Function>>;
    case Type::f16x2:
      return As::template make<uint32_t, OfHalves<DType::f16, 2, Function>>;
    case Type::bf16:
      return As::template make<uint16_t, OfHalves<DType::bf16, 1, Function>>;
    case Type::bf16x2:
      return As::template make<uint32_t, OfHalves<DType::bf16, 2, Function>>;
    default:
      return nullptr;
  }
}

template <class As, class Function>
typename As::Result of_bits(Type type) {
  switch (bytes_of(type)) {
    case 2:
      return As::template make<uint16_t, Function>;
    case 4:
      return As::template make<uint32_t, Function>;
    case 8:
      return As::template make<uint64_t, Function>;
    case 16:
      return As::template make<Wide, Function>;
    default:
      return nullptr;
  }
}

template <class As, class Function>
typename As::Result of_u32(Type type) {
  return type == Type::u32 ? As::template make<uint32_t, Function> : nullptr;
}

template <class As>
typename As::Result update_of(llvm::StringRef operation, Type type) {
  return llvm::StringSwitch<typename As::Result>(operation)
      .Case("inc", of_u32<As, combine::Inc>(type))
      .Case("dec", of_u32<As, combine::Dec>(type))
      .Case("add", of_numbers<As, combine::Add>(type))
      .Case("min", of_numbers<As, combine::Min>(type))
      .Case("max", of_numbers<As, combine::Max>(type))
      .Case("exch", of_bits<As, combine::Exchange>(type))
      .Case("cas", of_bits<As, combine::CompareAndSwap>(type))
      .Case("and", of_bits<As, combine::And>(type))
      .Case("or", of_bits<As, combine::Or>(type))
      .Case("xor", of_bits<As, combine::Xor>(type))
      .Default(nullptr);
}

}  // namespace

Op::Execute atomic_op(llvm::StringRef operation, Type type) {
  return update_of<AsOp>(operation, type);
}

AsyncDetail::Combine combine_of(llvm::StringRef operation, Type type) {
  return update_of<AsCombine>(operation, type);
}

}  // namespace hone::ptx
