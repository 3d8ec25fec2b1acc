#include "ir/analysis/last_use.h"

#include "ir/algebra/simplify.h"
#include "ir/analysis/accesses.h"
#include "ir/traverse/equal.h"
#include "ir/traverse/guards.h"
#include "ir/traverse/rewriter.h"
#include "ir/traverse/tensors.h"
#include "ir/traverse/visit.h"
#include "llvm/ADT/DenseMap.h"

namespace hone {
namespace {

bool never_holds(const Expr& condition) { return is_int(simplify(condition), 0); }

bool are_apart(const Expr& one, const Expr& other) {
  const auto distance = as_int(simplify(one - other));
  return distance && *distance != 0;
}

bool touches(const MemoryAccess& access, const TilePart& part) {
  if (access.tensor != part.tensor || llvm::any_of(access.guards, never_holds)) return false;
  for (unsigned d = 0; d < part.at.size(); ++d)
    if (part.at[d].defined() && are_apart(access.indices[d], part.at[d])) return false;
  return true;
}

bool touches(const Stmt& stmt, const TilePart& part) {
  return llvm::any_of(collect_accesses(stmt),
                      [&](const MemoryAccess& access) { return touches(access, part); });
}

/// The dimension of the part that the loop goes through: each iteration uses the elements at its
/// own index, and no others.
std::optional<unsigned> dimension_of(const For& loop, const TilePart& part,
                                     llvm::function_ref<bool(unsigned)> shares) {
  const Expr index = AxisRef::make(loop.axis);
  const Accesses accesses = collect_accesses(loop.body);
  for (unsigned d = 0; d < part.at.size(); ++d) {
    if (part.at[d].defined() || !shares(d) || !equal(loop.extent, part.tensor->shape[d])) continue;
    if (llvm::all_of(accesses, [&](const MemoryAccess& access) {
          return !touches(access, part) || equal(simplify(access.indices[d]), index);
        }))
      return d;
  }
  return std::nullopt;
}

constexpr int64_t longest_unrolled = 64;

/// The iterations of a loop that one thread goes through, if their number is known; else 0.
int64_t iterations_of_thread(const For& loop) {
  const bool is_of_thread = loop.binding.is_serial() || loop.binding.kind == Binding::Kind::unroll;
  const int64_t extent = as_int(loop.extent).value_or(0);
  return is_of_thread && extent <= longest_unrolled ? extent : 0;
}

std::optional<Turn> end_of_last_loop(const Stmt& stmt) {
  if (const auto* let = llvm::dyn_cast<Let>(stmt)) return end_of_last_loop(let->body);
  if (const auto* alloc = llvm::dyn_cast<Alloc>(stmt)) return end_of_last_loop(alloc->body);
  if (const auto* seq = llvm::dyn_cast<Seq>(stmt))
    for (const Stmt& one : llvm::reverse(seq->stmts))
      if (const auto turn = end_of_last_loop(one)) return turn;
  const auto* loop = llvm::dyn_cast<For>(stmt);
  if (!loop || iterations_of_thread(*loop) < 1) return std::nullopt;
  return Turn{loop->axis, iterations_of_thread(*loop)};
}

class LastUseFinder {
 public:
  explicit LastUseFinder(llvm::function_ref<bool(unsigned)> shares) : shares_(shares) {}

  /// The turns in the statement, which touches the part; none where the part is used up to its end.
  LastUse in(const Stmt& stmt, const TilePart& part) const {
    if (const auto* seq = llvm::dyn_cast<Seq>(stmt)) {
      for (const Stmt& one : llvm::reverse(seq->stmts))
        if (touches(one, part)) return in(one, part);
    }
    if (const auto* let = llvm::dyn_cast<Let>(stmt)) return in(let->body, part);
    if (const auto* alloc = llvm::dyn_cast<Alloc>(stmt)) return in(alloc->body, part);
    const auto* loop = llvm::dyn_cast<For>(stmt);
    return loop ? in_loop(*loop, part) : LastUse();
  }

 private:
  LastUse in_loop(const For& loop, const TilePart& part) const {
    const int64_t extent = iterations_of_thread(loop);
    if (extent < 1) return {};
    if (const auto dimension = dimension_of(loop, part, shares_)) {
      TilePart share = part;
      share.at[*dimension] = AxisRef::make(loop.axis);
      return behind({loop.axis, 0, dimension}, in(loop.body, share));
    }
    return in_last_turn(loop, extent, part);
  }

  LastUse in_last_turn(const For& loop, int64_t extent, const TilePart& part) const {
    for (int64_t turn = extent - 1; turn >= 0; --turn) {
      const Stmt body = substitute(loop.body, loop.axis.get(), turn);
      if (!touches(body, part)) continue;
      if (turn < extent - 1) return {{{loop.axis, turn + 1}}, true};
      const LastUse inside = in(body, part);
      return inside.turns.empty() ? inside : behind({loop.axis, turn}, inside);
    }
    return {};
  }

  static LastUse behind(const Turn& turn, const LastUse& inside) {
    LastUse use = {{turn}, inside.at_start};
    llvm::append_range(use.turns, inside.turns);
    return use;
  }

  llvm::function_ref<bool(unsigned)> shares_;
};

/// True if all that the statement does is to set elements of the tile, from other tensors.
bool only_fills(const Stmt& stmt, const TensorPtr& tile) {
  bool fills = true;
  walk(stmt, [&](const Stmt& part) {
    const auto* store = llvm::dyn_cast<Store>(part);
    fills &= !store || store->update == Update::set;
    for_each_tensor(part, [&](const TensorPtr& tensor, TensorUse how) {
      fills &= (tensor == tile) == (how == TensorUse::writes);
    });
  });
  return fills;
}

struct FirstFill {
  TileFill fill;
  Stmt rest;
};

/// Of a tile that the body allocates first, or beside others; nothing where it begins otherwise.
std::optional<FirstFill> first_fill(const Stmt& body) {
  llvm::SmallVector<TensorPtr, 2> tiles;
  Stmt inside = body;
  while (const auto* alloc = llvm::dyn_cast<Alloc>(inside)) {
    tiles.push_back(alloc->tensor);
    inside = alloc->body;
  }
  const auto* seq = llvm::dyn_cast<Seq>(inside);
  if (!seq) return std::nullopt;
  const Stmt& first = seq->stmts.front();
  const auto* filled =
      llvm::find_if(tiles, [&](const TensorPtr& tile) { return writes(first, tile); });
  if (filled == tiles.end() || !only_fills(first, *filled)) return std::nullopt;
  Stmt rest = Seq::make(llvm::ArrayRef<Stmt>(seq->stmts).drop_front());
  for (const TensorPtr& tile : llvm::reverse(tiles)) {
    if (tile == *filled) continue;
    if (touches(first, tile)) return std::nullopt;
    rest = Alloc::make(tile, rest);
  }
  return FirstFill{{*filled, first}, rest};
}

/// The share of a copy, under conditions or not, at an index of a dimension of its destination.
Stmt share_at(const Stmt& stmt, unsigned dimension, const Expr& index) {
  if (const auto* branch = llvm::dyn_cast<If>(stmt))
    return If::make(branch->condition, share_at(branch->body, dimension, index));
  const Copy& copy = *llvm::cast<Copy>(stmt);
  Region to = copy.destination, from = copy.source;
  const auto dims = to.dims();
  const auto nth = llvm::find(dims, static_cast<int>(dimension)) - dims.begin();
  Range& source = from.ranges[from.dims()[nth]];
  to.ranges[dimension] = {index};
  source = {simplify(source.at(index))};
  return copy.with_regions(to, from);
}

bool covers(const Range& range, const Expr& extent) {
  return !range.is_point() && range.stride == 1 && is_int(range.offset, 0) &&
         equal(range.extent, extent);
}

/// True if a copy may be taken apart along the dimension of the tile: the fastest one stays whole.
bool may_share(const TileFill& fill, unsigned dimension) {
  const auto* branch = llvm::dyn_cast<If>(fill.fill);
  const auto* copy = llvm::dyn_cast<Copy>(branch ? branch->body : fill.fill);
  return copy && dimension + 1 < fill.tile->rank() &&
         covers(copy->destination.ranges[dimension], fill.tile->shape[dimension]);
}

/// Compares times in a statement: of loops in one body, the first in the text runs first.
class TimeOrder {
 public:
  explicit TimeOrder(const Stmt& stmt) {
    walk(stmt, [&](const Stmt& part) {
      if (const auto* loop = llvm::dyn_cast<For>(part))
        places_.try_emplace(loop->axis.get(), places_.size());
    });
  }

  bool is_before(const LastUse& lhs, const LastUse& rhs) const {
    for (size_t n = 0; n < lhs.turns.size() && n < rhs.turns.size(); ++n) {
      const Turn &left = lhs.turns[n], &right = rhs.turns[n];
      if (left.axis != right.axis) return place_of(left) < place_of(right);
      if (left.iteration != right.iteration) return left.iteration < right.iteration;
      if (lhs.at_start && n + 1 == lhs.turns.size()) return true;
      if (rhs.at_start && n + 1 == rhs.turns.size()) return false;
    }
    return lhs.turns.size() > rhs.turns.size();
  }

 private:
  size_t place_of(const Turn& turn) const { return places_.lookup(turn.axis.get()); }

  llvm::DenseMap<const AxisNode*, size_t> places_;
};

/// The iterations of the loops around, but of those in which each has a share.
llvm::SmallVector<Expr, 4> conditions_of(const LastUse& use) {
  llvm::SmallVector<Expr, 4> conditions;
  for (const Turn& turn : use.turns)
    if (!turn.dimension) conditions.push_back(AxisRef::make(turn.axis) == turn.iteration);
  return conditions;
}

}  // namespace

TilePart TileFill::part() const {
  Accesses stores = collect_accesses(fill);
  llvm::erase_if(stores, [&](const MemoryAccess& access) { return access.tensor != tile; });
  TilePart part{tile, {}};
  for (unsigned d = 0; d < tile->rank(); ++d) {
    const Expr first = simplify(stores.front().indices[d]);
    const bool is_one = as_int(first) && llvm::all_of(stores, [&](const MemoryAccess& store) {
                          return equal(simplify(store.indices[d]), first);
                        });
    part.at.push_back(is_one ? first : Expr());
  }
  return part;
}

llvm::SmallVector<TileFill, 2> take_fills(
    Stmt& body, llvm::function_ref<bool(const TileFill&, const Stmt&)> takes) {
  llvm::SmallVector<TileFill, 2> fills;
  while (const auto first = first_fill(body)) {
    if (!takes(first->fill, first->rest)) break;
    fills.push_back(first->fill);
    body = first->rest;
  }
  return fills;
}

LastUse LastUse::start() const {
  LastUse result = *this;
  result.at_start = true;
  for (Turn& turn : result.turns) turn.dimension = std::nullopt;
  return result;
}

LastUse last_use(const Stmt& stmt, const TileFill& fill) {
  const TilePart part = fill.part();
  const auto shares = [&](unsigned dimension) { return may_share(fill, dimension); };
  return touches(stmt, part) ? LastUseFinder(shares).in(stmt, part) : LastUse();
}

LastUse first_last_use(const Stmt& stmt, llvm::ArrayRef<TileFill> fills) {
  const TimeOrder order(stmt);
  LastUse first;
  for (const TileFill& fill : fills)
    if (const LastUse use = last_use(stmt, fill); order.is_before(use, first)) first = use;
  return first;
}

std::optional<Turn> outermost_turn(const Stmt& stmt, const LastUse& use) {
  return use.turns.empty() ? end_of_last_loop(stmt) : use.start().turns.front();
}

Stmt with_statement_at(const Stmt& stmt, const LastUse& use, const Stmt& added) {
  const auto joined = [&](const Stmt& body, const Stmt& other) {
    return use.at_start ? Seq::make({other, body}) : Seq::make({body, other});
  };
  if (use.turns.empty()) return joined(stmt, added);
  const Stmt guarded_one = guarded(conditions_of(use), added);
  return transform_stmts(stmt, [&](const Stmt& part) -> Stmt {
    const auto* loop = llvm::dyn_cast<For>(part);
    if (!loop || loop->axis != use.turns.back().axis) return {};
    return loop->with_body(joined(loop->body, guarded_one));
  });
}

Stmt with_fill_at(const Stmt& stmt, const LastUse& use, const TileFill& fill) {
  Stmt share = fill.fill;
  for (const Turn& turn : use.turns)
    if (turn.dimension) share = share_at(share, *turn.dimension, AxisRef::make(turn.axis));
  return with_statement_at(stmt, use, share);
}

}  // namespace hone
