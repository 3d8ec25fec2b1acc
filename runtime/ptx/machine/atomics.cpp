// Atomic updates of memory. The lanes of a warp take their turns in order.

#include <algorithm>
#include <type_traits>

#include "llvm/ADT/StringSwitch.h"
#include "runtime/ptx/machine/access.h"
#include "runtime/ptx/machine/block.h"
#include "runtime/sim/lanes.h"

namespace hone::ptx {
namespace {

using Wide = unsigned __int128;

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

// ---- By type ------------------------------------------------------------------------------------

template <class Function>
Op::Execute of_numbers(Type type) {
  switch (type) {
    case Type::u32:
      return run_atomic<uint32_t, Function>;
    case Type::s32:
      return run_atomic<int32_t, Function>;
    case Type::u64:
      return run_atomic<uint64_t, Function>;
    case Type::s64:
      return run_atomic<int64_t, Function>;
    case Type::f32:
      return run_atomic<float, Function>;
    case Type::f64:
      return run_atomic<double, Function>;
    case Type::f16:
      return run_atomic<uint16_t, OfHalves<DType::f16, 1, Function>>;
    case Type::f16x2:
      return run_atomic<uint32_t, OfHalves<DType::f16, 2, Function>>;
    case Type::bf16:
      return run_atomic<uint16_t, OfHalves<DType::bf16, 1, Function>>;
    case Type::bf16x2:
      return run_atomic<uint32_t, OfHalves<DType::bf16, 2, Function>>;
    default:
      return nullptr;
  }
}

template <class Function>
Op::Execute of_bits(Type type) {
  switch (bytes_of(type)) {
    case 2:
      return run_atomic<uint16_t, Function>;
    case 4:
      return run_atomic<uint32_t, Function>;
    case 8:
      return run_atomic<uint64_t, Function>;
    case 16:
      return run_atomic<Wide, Function>;
    default:
      return nullptr;
  }
}

}  // namespace

Op::Execute atomic_op(llvm::StringRef operation, Type type) {
  if (operation == "inc" || operation == "dec") {
    if (type != Type::u32) return nullptr;
    return operation == "inc" ? run_atomic<uint32_t, Inc> : run_atomic<uint32_t, Dec>;
  }
  return llvm::StringSwitch<Op::Execute>(operation)
      .Case("add", of_numbers<Add>(type))
      .Case("min", of_numbers<Min>(type))
      .Case("max", of_numbers<Max>(type))
      .Case("exch", of_bits<Exchange>(type))
      .Case("cas", of_bits<CompareAndSwap>(type))
      .Case("and", of_bits<And>(type))
      .Case("or", of_bits<Or>(type))
      .Case("xor", of_bits<Xor>(type))
      .Default(nullptr);
}

}  // namespace hone::ptx
