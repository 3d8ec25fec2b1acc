#include "codegen/c_form/shared_loads.h"

#include <bit>

#include "ir/algebra/interval.h"
#include "ir/algebra/simplify.h"
#include "ir/analysis/divisibility.h"
#include "ir/threads/ordered.h"
#include "ir/traverse/equal.h"
#include "ir/traverse/visit.h"
#include "llvm/ADT/DenseSet.h"

namespace hone {
namespace {

/// An expression as `inside ^ outside`: over axes of the nest, and over all else.
struct Bits {
  Expr inside, outside;
};

class AddressFinder {
 public:
  AddressFinder(const For& nest, const Facts& facts) : facts_(facts) {
    walk(Stmt(&nest), [&](const Stmt& stmt) {
      if (const auto* loop = llvm::dyn_cast<For>(stmt)) {
        inside_.insert(loop->axis.get());
        facts_.add_axis(loop->axis, loop->extent);
      }
      if (const auto* let = llvm::dyn_cast<Let>(stmt)) inside_.insert(let->axis.get());
    });
  }

  /// Adds the load of the element to `loads`.
  void add(const StmtNode* stmt, const TensorPtr& tensor, llvm::ArrayRef<Expr> indices,
           SharedLoads& loads) const {
    SharedBase base{tensor, {}, {}};
    SharedAddress address;
    address.bytes = 0;
    int64_t stride = size_of(tensor->type);
    for (size_t dim = indices.size(); dim-- > 0; stride *= *as_int(tensor->shape[dim]))
      base.indices.push_back(add_index(indices[dim], stride, base, address));
    std::reverse(base.indices.begin(), base.indices.end());
    address.bytes = simplify(address.bytes, facts_);
    address.base = number_of(base, loads.bases);
    loads.addresses[stmt] = address;
  }

 private:
  bool is_outside(const Expr& expr) const {
    return !any_of(expr, [&](const Expr& part) {
      const auto* reference = llvm::dyn_cast<AxisRef>(part);
      return reference && inside_.contains(reference->axis.get());
    });
  }

  /// True of constants as well.
  bool is_inside(const Expr& expr) const {
    return !any_of(expr, [&](const Expr& part) {
      const auto* reference = llvm::dyn_cast<AxisRef>(part);
      return reference ? !inside_.contains(reference->axis.get())
                       : llvm::isa<ThreadIndex, ParamRef, Load>(part);
    });
  }

  /// The terms go to the base, to the bits that are flipped, or to the bytes from the base on.
  /// Returns the index of the base.
  Expr add_index(const Expr& index, int64_t stride, SharedBase& base,
                 SharedAddress& address) const {
    const auto* sum = llvm::dyn_cast<Binary>(index);
    if (sum && sum->op == BinaryOp::add) {
      const Expr first = add_index(sum->lhs, stride, base, address);
      return simplify(first + add_index(sum->rhs, stride, base, address), facts_);
    }
    if (is_outside(index) && !as_int(index)) return index;
    const bool may_flip =
        !base.flip.defined() && std::has_single_bit(static_cast<uint64_t>(stride));
    const auto bits = may_flip && !is_inside(index) ? bits_of(index) : std::nullopt;
    if (bits) {
      base.flip = simplify(bits->outside * stride, facts_);
      address.flipped = simplify(bits->inside * stride, facts_);
    } else {
      address.bytes = address.bytes + index * stride;
    }
    return 0;
  }

  std::optional<Bits> bits_of(const Expr& expr) const {
    if (is_inside(expr)) return Bits{expr, 0};
    if (is_outside(expr)) return Bits{0, expr};
    const auto* binary = llvm::dyn_cast<Binary>(expr);
    if (!binary) return std::nullopt;
    if (binary->op == BinaryOp::add) return bits_of_sum(expr);
    if (binary->op == BinaryOp::bit_xor) {
      const auto lhs = bits_of(binary->lhs), rhs = bits_of(binary->rhs);
      if (!lhs || !rhs) return std::nullopt;
      return Bits{flipped(lhs->inside, rhs->inside), flipped(lhs->outside, rhs->outside)};
    }
    const auto number = as_int(binary->rhs);
    if (!number || *number <= 0 || !std::has_single_bit(static_cast<uint64_t>(*number)))
      return std::nullopt;
    const bool is_remainder = binary->op == BinaryOp::mod;
    const auto lhs = is_remainder ? bits_below(*number, binary->lhs) : bits_of(binary->lhs);
    if (lhs && is_remainder) return Bits{lhs->inside % *number, lhs->outside % *number};
    if (lhs && binary->op == BinaryOp::mul)
      return Bits{lhs->inside * *number, lhs->outside * *number};
    return std::nullopt;
  }

  /// A sum, as one of terms over axes of the nest and one of all others.
  std::optional<Bits> terms_of(const Expr& expr) const {
    if (is_inside(expr)) return Bits{expr, 0};
    if (is_outside(expr)) return Bits{0, expr};
    const auto* sum = llvm::dyn_cast<Binary>(expr);
    if (!sum || sum->op != BinaryOp::add) return std::nullopt;
    const auto lhs = terms_of(sum->lhs), rhs = terms_of(sum->rhs);
    if (!lhs || !rhs) return std::nullopt;
    return Bits{lhs->inside + rhs->inside, lhs->outside + rhs->outside};
  }

  /// A sum of numbers that have no bits in common.
  std::optional<Bits> bits_of_sum(const Expr& sum) const {
    const auto bits = terms_of(sum);
    if (!bits) return std::nullopt;
    const Interval range = interval_of(bits->outside, facts_);
    if (range.low < 0 || range.high >= (int64_t{1} << 30)) return std::nullopt;
    const auto beyond = static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(range.high) + 1));
    return divides(beyond, bits->inside, facts_) ? bits : std::nullopt;
  }

  /// The same of the bits below a power of two: half of it flips the highest of them.
  std::optional<Bits> bits_below(int64_t power, const Expr& expr) const {
    const auto terms = terms_of(expr);
    if (power == 1 || !terms || !is_natural(terms->inside) || !is_natural(terms->outside))
      return bits_of(expr);
    const bool flips_one =
        divides(power / 2, terms->inside, facts_) || divides(power / 2, terms->outside, facts_);
    return flips_one ? terms : bits_of(expr);
  }

  bool is_natural(const Expr& expr) const { return interval_of(expr, facts_).low >= 0; }

  static Expr flipped(const Expr& lhs, const Expr& rhs) {
    return is_int(lhs, 0) ? rhs : is_int(rhs, 0) ? lhs : lhs ^ rhs;
  }

  static bool is_same(const SharedBase& lhs, const SharedBase& rhs) {
    const bool has_same_flip = lhs.flip.defined() == rhs.flip.defined() &&
                               (!lhs.flip.defined() || equal(lhs.flip, rhs.flip));
    return lhs.tensor == rhs.tensor && has_same_flip &&
           std::equal(lhs.indices.begin(), lhs.indices.end(), rhs.indices.begin(),
                      [](const Expr& one, const Expr& other) { return equal(one, other); });
  }

  static size_t number_of(const SharedBase& base, llvm::SmallVectorImpl<SharedBase>& bases) {
    for (size_t n = 0; n < bases.size(); ++n)
      if (is_same(bases[n], base)) return n;
    bases.push_back(base);
    return bases.size() - 1;
  }

  Facts facts_;
  llvm::DenseSet<const AxisNode*> inside_;
};

}  // namespace

SharedLoads shared_loads(const For& nest, const Facts& facts) {
  SharedLoads loads;
  const AddressFinder finder(nest, facts);
  const auto add = [&](const Stmt& stmt) {
    if (const auto* copy = llvm::dyn_cast<Copy>(stmt); copy && is_shared_load(*copy))
      finder.add(copy, copy->source.tensor, copy->source.first(), loads);
    const auto* store = llvm::dyn_cast<Store>(stmt);
    if (!store || !is_shared_load(*store)) return;
    const auto& load = *llvm::cast<Load>(store->value);
    finder.add(store, load.tensor, load.indices, loads);
  };
  walk(Stmt(&nest), [&](const Stmt& stmt) {
    const auto* loop = llvm::dyn_cast<For>(stmt);
    if (loop && loop->binding.has(attr::ordered)) walk(loop->body, add);
  });
  return loads;
}

}  // namespace hone
