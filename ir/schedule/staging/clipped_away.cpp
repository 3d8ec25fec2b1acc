#include "ir/schedule/staging/clipped_away.h"

#include "ir/algebra/facts_rewriter.h"
#include "ir/algebra/fold.h"
#include "ir/algebra/polynomial.h"
#include "ir/algebra/simplify.h"
#include "ir/traverse/equal.h"
#include "ir/traverse/rewriter.h"
#include "ir/traverse/visit.h"

namespace hone {
namespace {

class ReadersCheck {
 public:
  ReadersCheck(const Expr& guard, const Tiles& tiles, const Facts& facts)
      : guard_(guard), tiles_(tiles), facts_(facts) {}

  bool holds_for(const TensorPtr& tensor, llvm::ArrayRef<Expr> indices) {
    const Tile* tile = tiles_.find(tensor.get());
    if (!tile || llvm::is_contained(moved_, tensor.get())) return false;
    moved_.push_back(tensor.get());
    const bool is_clipped = llvm::all_of(tile->readers, [&](const TileUse& reader) {
      return is_own_update(reader, tensor) || implies_guard(reader, tensor, indices);
    });
    moved_.pop_back();
    return is_clipped;
  }

 private:
  /// Axes of a reader, and the values that they have where it reads an element.
  using Places = llvm::SmallVector<std::pair<const AxisNode*, Expr>, 4>;

  /// A statement that reads an element only to write it again.
  static bool is_own_update(const TileUse& reader, const TensorPtr& tensor) {
    const auto* update = llvm::dyn_cast<Store>(reader.stmt);
    if (!update || update->tensor != tensor || decides_more(*update, tensor)) return false;
    return !any_of(update->value, [&](const Expr& part) {
      const auto* load = llvm::dyn_cast<Load>(part);
      return load && load->tensor == tensor && !all_equal(load->indices, update->indices);
    });
  }

  /// True if the element decides where the statement reads or writes, or whether it can fail.
  static bool decides_more(const Store& store, const TensorPtr& tensor) {
    const auto is_led_by = [&](llvm::ArrayRef<Expr> indices) {
      return llvm::any_of(indices, [&](const Expr& index) { return reads(index, tensor); });
    };
    return is_led_by(store.indices) || any_of(store.value, [&](const Expr& part) {
             const auto* load = llvm::dyn_cast<Load>(part);
             const auto* division = llvm::dyn_cast<Binary>(part);
             return (load && is_led_by(load->indices)) ||
                    (division && may_divide_by_zero(part) && reads(division->rhs, tensor));
           });
  }

  /// True if the reader may be in another iteration of a loop around it and the writer.
  bool is_elsewhere(const TileUse& reader, const Places& places) const {
    return llvm::any_of(reader.loops, [&](const AxisRange& loop) {
      const AxisNode* axis = loop.first.get();
      const Expr place = place_of(places, axis);
      const bool is_same = place.defined() && equal(place, AxisRef::make(loop.first));
      return facts_.extent(axis).defined() && !is_same;
    });
  }

  /// True if an axis in the value is no loop's: lets may stand in loops around the reader.
  bool mentions_let(const Expr& value, const TileUse& reader) const {
    return any_of(value, [&](const Expr& part) {
      const auto* reference = llvm::dyn_cast<AxisRef>(part);
      return reference && !facts_.extent(reference->axis.get()).defined() &&
             !is_loop_of(reader, reference->axis);
    });
  }

  static bool is_loop_of(const TileUse& reader, const AxisPtr& axis) {
    return llvm::any_of(reader.loops, [&](const AxisRange& loop) { return loop.first == axis; });
  }

  bool implies_guard(const TileUse& reader, const TensorPtr& tensor, llvm::ArrayRef<Expr> indices) {
    const FactsScope inside(facts_);
    const auto* copy = llvm::dyn_cast<Copy>(reader.stmt);
    return copy ? is_copied_inside(reader, *copy, tensor, indices)
                : is_read_inside(reader, tensor, indices);
  }

  /// The same of a reader in loops over elements.
  bool is_read_inside(const TileUse& reader, const TensorPtr& tensor,
                      llvm::ArrayRef<Expr> indices) {
    const auto places = places_of(reader, tensor, indices);
    if (!places) return false;
    assume_guards(reader, *places);
    if (proves(guard_, facts_)) return true;
    const auto* move = llvm::dyn_cast<Store>(reader.stmt);
    const auto is_known = [&](const Expr& index) {
      return !reads_tensor(index) && !is_of_another_iteration(index, reader, *places);
    };
    if (!move || decides_more(*move, tensor) || is_elsewhere(reader, *places) ||
        !llvm::all_of(move->indices, is_known))
      return false;
    const auto at_places = [&](const Expr& index) { return at(*places, index); };
    return holds_behind(reader, move->tensor,
                        llvm::to_vector(llvm::map_range(move->indices, at_places)));
  }

  /// The same of an element that the reader writes.
  bool holds_behind(const TileUse& reader, const TensorPtr& tensor, llvm::ArrayRef<Expr> indices) {
    for (const auto& [axis, extent] : reader.loops) facts_.add_axis(axis, extent);
    return holds_for(tensor, indices);
  }

  static Expr at(const Places& places, const Expr& value) {
    return transform(value, [&](const Expr& part) {
      const auto* reference = llvm::dyn_cast<AxisRef>(part);
      return reference ? place_of(places, reference->axis.get()) : Expr();
    });
  }

  void assume_guards(const TileUse& reader, const Places& places) {
    for (const Expr& guard : reader.guards)
      if (!is_of_another_iteration(guard, reader, places)) facts_.assume(at(places, guard));
  }

  /// True if the value changes with a loop around both the writer and the reader: they may be in
  /// different iterations of it.
  bool is_of_another_iteration(const Expr& value, const TileUse& reader,
                               const Places& places) const {
    if (mentions_let(value, reader) && is_elsewhere(reader, places)) return true;
    return llvm::any_of(reader.loops, [&](const AxisRange& loop) {
      const AxisNode* axis = loop.first.get();
      return facts_.extent(axis).defined() && !place_of(places, axis).defined() &&
             mentions(value, axis);
    });
  }

  /// Undefined where the axis has none.
  static Expr place_of(const Places& places, const AxisNode* axis) {
    const auto* found =
        llvm::find_if(places, [&](const auto& known) { return known.first == axis; });
    return found == places.end() ? Expr() : found->second;
  }

  /// The places of axes where the reader reads the element at `indices`, once or more often; none
  /// of a tile of one element. Nothing where they are not known.
  std::optional<Places> places_of(const TileUse& reader, const TensorPtr& tensor,
                                  llvm::ArrayRef<Expr> indices) const {
    Places places;
    if (tensor->rank() == 0) return places;
    llvm::SmallVector<const Load*, 1> loads;
    walk_exprs(reader.stmt, [&](const Expr& part) {
      const auto* load = llvm::dyn_cast<Load>(part);
      if (load && load->tensor == tensor) loads.push_back(load);
    });
    const auto is_another = [&](const Load* load) {
      return !all_equal(load->indices, loads.front()->indices);
    };
    if (!llvm::isa<Store>(reader.stmt) || loads.empty() || llvm::any_of(loads, is_another))
      return std::nullopt;
    for (const auto& [index, place] : llvm::zip(loads.front()->indices, indices)) {
      const AxisNode* axis = summand_of(index, reader, places);
      const Expr rest = axis ? substitute(index, axis, 0) : Expr();
      if (!axis || is_of_another_iteration(rest, reader, {})) return std::nullopt;
      places.push_back({axis, simplify(place - rest)});
    }
    return places;
  }

  /// An axis of the reader that the index is a sum of, and that has no place yet.
  static const AxisNode* summand_of(const Expr& index, const TileUse& reader,
                                    const Places& places) {
    for (const auto& [axis, extent] : reader.loops) {
      const auto linear = Polynomial::of(index).linear_in(axis.get());
      if (linear && linear->coefficient == Polynomial(1) && !place_of(places, axis.get()).defined())
        return axis.get();
    }
    return nullptr;
  }

  bool is_of_another_iteration(const Copy& copy, const TileUse& reader) const {
    return llvm::any_of(
        llvm::concat<const Range>(copy.source.ranges, copy.destination.ranges),
        [&](const Range& range) { return is_of_another_iteration(range.offset, reader, {}); });
  }

  /// True if the tensor has indices of the copy.
  static bool leads(const TensorPtr& tensor, const Copy& copy) {
    return llvm::any_of(llvm::concat<const Range>(copy.source.ranges, copy.destination.ranges),
                        [&](const Range& range) { return reads(range.offset, tensor); });
  }

  /// The same of a copy, which takes along an element whose place in the destination exists.
  bool is_copied_inside(const TileUse& reader, const Copy& copy, const TensorPtr& tensor,
                        llvm::ArrayRef<Expr> indices) {
    if (leads(tensor, copy)) return false;
    assume_guards(reader, {});
    llvm::SmallVector<Expr, 4> position;
    for (const auto& [range, index] : llvm::zip(copy.source.ranges, indices)) {
      if (range.stride != 1) return false;
      if (!range.is_point()) position.push_back(index - range.offset);
    }
    const auto place = indices_at(copy.destination, position);
    if (is_of_another_iteration(copy, reader)) return false;
    for (const auto& [index, extent] : llvm::zip(place, copy.destination.tensor->shape))
      facts_.assume(simplify(index, facts_) < extent);
    return proves(guard_, facts_) ||
           (!is_elsewhere(reader, {}) && holds_behind(reader, copy.destination.tensor, place));
  }

  const Expr& guard_;
  const Tiles& tiles_;
  Facts facts_;
  llvm::SmallVector<const TensorNode*, 2> moved_;  ///< tiles on the way
};

}  // namespace

bool is_clipped_away(const TensorPtr& tensor, llvm::ArrayRef<Expr> indices, const Expr& guard,
                     const Tiles& tiles, const Facts& facts) {
  return ReadersCheck(guard, tiles, facts).holds_for(tensor, indices);
}

}  // namespace hone
