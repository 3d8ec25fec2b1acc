// Loops with counters of their own, and statements whose order they keep.
#include "codegen/emit/c_operators.h"
#include "codegen/emit/c_text.h"
#include "fmt/format.h"
#include "ir/threads/ordered.h"

namespace hone {

/// A slot or a parity that the loop around counts.
std::optional<std::string> CText::ring_count(const Expr& expr, int precedence) const {
  if (!ring_) return std::nullopt;
  if (ring_->is_slot(expr)) return names_.slot_of(*ring_->axis);
  if (ring_->is_parity(expr)) return names_.parity_of(*ring_->axis);
  if (const int64_t back = ring_->iterations_back(expr); back > 0)
    return in_parentheses_if(operator_of(BinaryOp::mod).precedence < precedence,
                             fmt::format("({} + {}) % {}", names_.slot_of(*ring_->axis),
                                         ring_->slots - back, ring_->slots));
  if (!ring_->is_other_parity(expr)) return std::nullopt;
  return in_parentheses_if(operator_of(BinaryOp::sub).precedence < precedence,
                           "1 - " + names_.parity_of(*ring_->axis));
}

void CText::declare(const RingCounter& ring) {
  line(fmt::format("{} {} = {}, {} = {};", dialect_.type(DType::index), names_.slot_of(*ring.axis),
                   print(ring.first_slot(), 0), names_.parity_of(*ring.axis),
                   print(ring.first_parity(), 0)));
}

/// To the next slot, or to the first one of the next round.
void CText::move_on(const RingCounter& ring) {
  const std::string &slot = names_.slot_of(*ring.axis), &parity = names_.parity_of(*ring.axis);
  line(fmt::format("if (++{} == {}) {{", slot, ring.slots));
  line(fmt::format("  {} = 0;", slot));
  line(fmt::format("  {0} = 1 - {0};", parity));
  line("}");
}

std::optional<std::string> CText::ordered(const Store& store) const {
  const std::string target = element(*store.tensor, store.indices);
  if (keeps_order_ && is_sum_of_products(store)) {
    const auto& product = *llvm::cast<Binary>(store.value);
    return dialect_.ordered_sum(target, print(product.lhs, 0), print(product.rhs, 0));
  }
  const auto* load = llvm::dyn_cast<Load>(store.value);
  if (!load || may_lie_elsewhere(*load->tensor, load->indices)) return std::nullopt;
  return ordered_load(&store, "&" + target, 1);
}

std::optional<std::string> CText::ordered(const Copy& copy) const {
  if (may_lie_elsewhere(*copy.source.tensor, copy.source.first())) return std::nullopt;
  return ordered_load(&copy, address(copy.destination), copy.vector);
}

std::optional<std::string> CText::ordered_load(const StmtNode* stmt, const std::string& to,
                                               int64_t count) const {
  const auto found = loads_.addresses.find(stmt);
  if (found == loads_.addresses.end() || bases_.empty()) return std::nullopt;
  const SharedAddress& address = found->second;
  const auto& [base, flip] = bases_[address.base];
  std::string from = base;
  if (!is_int(address.bytes, 0))
    from += " + " + print(address.bytes, operator_of(BinaryOp::add).precedence);
  if (address.flipped.defined())
    from += fmt::format(" + ({} ^ {})",
                        print(address.flipped, operator_of(BinaryOp::bit_xor).precedence), flip);
  return dialect_.ordered_load(to, from, count);
}

/// Before the outermost loop that has ordered ones in it. They are loads from the memory of the
/// thread's own block, whose parts for others are beside its own.
void CText::declare_addresses(const For& loop) {
  bases_.clear();
  loads_ = shared_loads(loop, facts_);
  for (const SharedBase& base : loads_.bases) {
    const std::string& tensor = names_.of(*base.tensor);
    const std::string at = names_.fresh(tensor + "_at");
    const std::string text =
        dialect_.declared_address(at, "&" + own_element(*base.tensor, base.indices));
    if (text.empty()) return bases_.clear();
    line(text);
    std::string flip;
    if (base.flip.defined()) {
      flip = names_.fresh(tensor + "_flip");
      line(dialect_.declared_bytes(flip, print(base.flip, 0)));
    }
    bases_.emplace_back(at, flip);
  }
}

}  // namespace hone
