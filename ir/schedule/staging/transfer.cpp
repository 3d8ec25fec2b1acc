#include "ir/schedule/staging/transfer.h"

#include "ir/algebra/polynomial.h"
#include "ir/algebra/simplify.h"
#include "ir/traverse/equal.h"
#include "ir/traverse/rename.h"
#include "ir/traverse/rewriter.h"

namespace hone {
namespace {

/// "A" of A, A.shared and A.reg.
llvm::StringRef root_name(const TensorNode& tensor) {
  return llvm::StringRef(tensor.name).split('.').first;
}

bool is_one_element(const Region& region) {
  return llvm::all_of(region.ranges, [](const Range& range) { return range.is_point(); });
}

/// A region of the tensor as one of the tile. Dimensions of one element are none of the tile's; a
/// copy runs through them once.
Region in_tile(const Region& region, const TensorPtr& tile, const Box& box, const Facts& facts) {
  Region result{tile, {}};
  for (size_t dim = 0; dim < region.ranges.size(); ++dim) {
    if (box.extents[dim] == 1) continue;
    const Range& range = region.ranges[dim];
    result.ranges.push_back({position_in_box(range.offset, box, dim, facts), range.extent,
                             range.is_point() ? 1 : range.stride / box.strides[dim]});
  }
  return result;
}

/// A side of a copy in the tile. What is one element there is one on the other side, too.
void move_into_tile(Region& side, Region& other, const TensorPtr& tile, const Box& box,
                    const Facts& facts) {
  for (const auto [dim, other_dim] : llvm::zip(side.dims(), other.dims()))
    if (box.extents[dim] == 1) other.ranges[other_dim].extent = Expr();
  side = in_tile(side, tile, box, facts);
}

/// The condition where `position`, which is made of some of the axes, is `place`.
Expr at_place(const Expr& condition, const Expr& position, const Expr& place,
              llvm::ArrayRef<AxisRange> axes) {
  for (const auto& [axis, extent] : axes) {
    const auto linear = Polynomial::of(position).linear_in(axis.get());
    if (linear && linear->coefficient.constant() == 1)
      return substitute(condition, axis.get(), place - linear->rest.to_expr());
  }
  return condition;
}

/// The conditions of an update that say which elements there are, for the element at `place`.
llvm::SmallVector<Expr, 2> guards_at(const MemoryAccess& update, const Box& box,
                                     llvm::ArrayRef<Expr> place, const Facts& facts) {
  llvm::SmallVector<Expr, 2> guards;
  for (Expr guard : update.guards) {
    const Expr* next = place.begin();
    for (size_t dim = 0; dim < box.extents.size(); ++dim)
      if (box.extents[dim] != 1)
        guard = at_place(guard, position_in_box(update.indices[dim], box, dim, facts), *next++,
                         update.inner);
    for (const AxisRange& range : update.inner)
      if (is_int(range.second, 1)) guard = substitute(guard, range.first.get(), 0);
    guard = simplify(guard, facts);
    const auto is_inside = [&](const AxisRange& range) {
      return mentions(guard, range.first.get());
    };
    if (!reads_tensor(guard) && llvm::none_of(update.inner, is_inside)) guards.push_back(guard);
  }
  return guards;
}

}  // namespace

TensorPtr make_tile(const Function& function, const TensorPtr& tensor, const Box& box,
                    Scope scope) {
  llvm::SmallVector<Expr, 4> shape;
  for (const int64_t extent : box.extents)
    if (extent != 1) shape.push_back(extent);
  const std::string name = root_name(*tensor).str() + (scope == Scope::shared ? ".shared" : ".reg");
  return make_tensor(Names(function).fresh(name), tensor->type, shape, scope);
}

Transfer::Transfer(const TensorPtr& tensor, const TensorPtr& tile, const Box& box)
    : outside{tensor, {}}, inside{tile, {}} {
  for (size_t dim = 0; dim < box.base.size(); ++dim) {
    const bool is_point = box.extents[dim] == 1;
    outside.ranges.push_back(
        {box.base[dim], is_point ? Expr() : Expr(box.extents[dim]), box.strides[dim]});
    if (!is_point) inside.ranges.push_back({0, box.extents[dim]});
  }
}

const StmtNode* find_copy(const Function& function, const TensorPtr& tile, Direction direction) {
  const Stmt* lifetime = nullptr;
  const auto lives_within = [&](const TensorPtr& tensor) {
    return lifetime && find_alloc(*lifetime, tensor);
  };
  if (const Alloc* alloc = find_alloc(function.body, tile)) lifetime = &alloc->body;
  return find_stmt(function.body, [&](const Stmt& stmt) {
    const auto* copy = llvm::dyn_cast<Copy>(stmt);
    if (!copy) return false;
    const auto& [to, from] = std::pair(copy->destination.tensor, copy->source.tensor);
    return direction == Direction::fill ? to == tile && !lives_within(from)
                                        : from == tile && !lives_within(to);
  });
}

Stmt move(const Region& to, const Region& from, int64_t vector) {
  if (!is_one_element(to) || !is_one_element(from))
    return Copy::make(to, from, {.fill = {}, .vector = vector});
  return Store::make(to.tensor, to.first(), Update::set, Load::make(from.tensor, from.first()));
}

Stmt where_inside(const Region& region, Stmt stmt) {
  for (size_t dim = 0; dim < region.ranges.size(); ++dim) {
    const Expr& index = region.ranges[dim].offset;
    stmt = If::make(index >= 0 && index < region.tensor->shape[dim], stmt);
  }
  return stmt;
}

llvm::SmallVector<Expr, 2> element_guards(const Accesses& accesses, const TensorPtr& tensor,
                                          const Box& box, llvm::ArrayRef<Expr> place,
                                          const Facts& facts) {
  std::optional<llvm::SmallVector<Expr, 2>> common;
  for (const MemoryAccess& update : accesses) {
    if (update.tensor != tensor) continue;
    const auto own = guards_at(update, box, place, facts);
    const auto is_other = [&](const Expr& guard) {
      return llvm::none_of(own, [&](const Expr& other) { return equal(guard, other); });
    };
    if (!common) common = own;
    llvm::erase_if(*common, is_other);
  }
  return *common;
}

Stmt redirect_to_tile(const Stmt& stmt, const TensorPtr& tensor, const TensorPtr& tile,
                      const Box& box, const Facts& facts) {
  const Stmt redirected = redirect_accesses(stmt, tensor.get(), [&](llvm::ArrayRef<Expr> indices) {
    TensorElement access{tile, {}};
    for (size_t dim = 0; dim < indices.size(); ++dim)
      if (box.extents[dim] != 1)
        access.indices.push_back(position_in_box(indices[dim], box, dim, facts));
    return access;
  });
  return transform_stmts(redirected, [&](const Stmt& nested) -> Stmt {
    const auto* copy = llvm::dyn_cast<Copy>(nested);
    if (!copy || (copy->source.tensor != tensor && copy->destination.tensor != tensor)) return {};
    Region to = copy->destination, from = copy->source;
    if (from.tensor == tensor)
      move_into_tile(from, to, tile, box, facts);
    else
      move_into_tile(to, from, tile, box, facts);
    return copy->with_regions(to, from);
  });
}

}  // namespace hone
