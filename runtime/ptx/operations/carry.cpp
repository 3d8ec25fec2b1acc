// Sums and differences of many words: the carry of a lane goes through a predicate.
#include "runtime/ptx/operations/elementwise.h"
#include "runtime/ptx/operations/wrapping.h"

namespace hone::ptx {
namespace {

/// In the detail.
constexpr uint32_t reads_carry = 1, writes_carry = 2;
constexpr size_t flag = 3;  ///< the source

template <class T>
struct Carried {
  T value;
  bool carry;
};

template <class T>
struct AddCarry {
  static constexpr int operands = 2;
  static Carried<T> sum(T a, T b, T /*c*/, bool carry) {
    const T partial = a + b, whole = partial + carry;
    return {whole, partial < a || whole < partial};
  }
};

/// The carry is a borrow.
template <class T>
struct SubtractCarry {
  static constexpr int operands = 2;
  static Carried<T> sum(T a, T b, T /*c*/, bool carry) {
    const T partial = a - b, whole = partial - carry;
    return {whole, a < b || partial < whole};
  }
};

/// Of a product of type Factor.
template <class Factor, template <class> class Product>
struct MultiplyAddCarry {
  using T = std::make_unsigned_t<Factor>;
  static constexpr int operands = 3;
  static Carried<T> sum(T a, T b, T c, bool carry) {
    const auto product = Product<Factor>{}(static_cast<Factor>(a), static_cast<Factor>(b));
    return AddCarry<T>::sum(static_cast<T>(product), c, 0, carry);
  }
};

/// For all lanes.
template <class F, class T>
struct CarryLanes {
  static void run(Warp& warp, const Op& op) {
    const T* a = warp.at<T>(op.sources[0]);
    const T* b = warp.at<T>(op.sources[1]);
    const T* c = F::operands == 3 ? warp.at<T>(op.sources[2]) : a;
    const LaneMask carries = (op.detail & reads_carry) != 0 ? warp.predicate(op.sources[flag]) : 0;
    LaneMask carries_out = 0;
    write_lanes<T>(warp, op.destination, [&](int lane) {
      const Carried<T> sum = F::sum(a[lane], b[lane], c[lane], (carries >> lane & 1) != 0);
      carries_out |= static_cast<LaneMask>(sum.carry) << lane;
      return sum.value;
    });
    if ((op.detail & writes_carry) != 0) write_mask(warp, op.sources[flag], carries_out);
  }
};

template <class F, class T>
Operation carried(const Form& form) {
  const bool reads = llvm::StringRef(form.instruction.opcode).endswith("c");
  Operation operation;
  operation.execute = executes<CarryLanes<F, T>>();
  operation.detail = (reads ? reads_carry : 0) | (form.has(Modifier::cc) ? writes_carry : 0);
  operation.types = OperandTypes(F::operands + 1, form.type());
  operation.has_carry = true;
  return operation;
}

template <template <class> class F>
Operation sum_with_carry(const Form& form) {
  if (bytes_of(form.type()) == 4) return carried<F<uint32_t>, uint32_t>(form);
  return carried<F<uint64_t>, uint64_t>(form);
}

template <class Factor>
Operation product_of(const Form& form) {
  using T = std::make_unsigned_t<Factor>;
  return form.has(Modifier::hi) ? carried<MultiplyAddCarry<Factor, MultiplyHigh>, T>(form)
                                : carried<MultiplyAddCarry<T, MultiplyLow>, T>(form);
}

Operation product_with_carry(const Form& form) {
  return with_integer(form.type(), [&]<class T>() -> Operation {
    if constexpr (sizeof(T) == 2)
      return {};
    else
      return product_of<T>(form);
  });
}

constexpr Types words_and_doubles = {Type::u32, Type::s32, Type::u64, Type::s64};
constexpr Modifiers cc = {Modifier::cc}, halves_and_cc = {Modifier::lo, Modifier::hi, Modifier::cc};

constexpr Entry entries_with_carry[] = {
    {"add", words_and_doubles, cc, sum_with_carry<AddCarry>},
    {"addc", words_and_doubles, cc, sum_with_carry<AddCarry>},
    {"sub", words_and_doubles, cc, sum_with_carry<SubtractCarry>},
    {"subc", words_and_doubles, cc, sum_with_carry<SubtractCarry>},
    {"mad", words_and_doubles, halves_and_cc, product_with_carry},
    {"madc", words_and_doubles, halves_and_cc, product_with_carry},
};

}  // namespace

llvm::ArrayRef<Entry> carry_entries() { return entries_with_carry; }

}  // namespace hone::ptx
