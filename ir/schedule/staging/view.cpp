#include "ir/schedule/staging/view.h"

#include <numeric>

#include "fmt/format.h"
#include "ir/algebra/polynomial.h"
#include "ir/algebra/simplify.h"
#include "ir/analysis/dependence.h"
#include "ir/analysis/index_value.h"
#include "ir/analysis/tiles.h"
#include "ir/core/layout.h"
#include "ir/schedule/staging/region.h"
#include "ir/text/printer.h"
#include "ir/threads/launch_shape.h"
#include "ir/traverse/equal.h"
#include "ir/traverse/rewriter.h"
#include "ir/traverse/visit.h"

namespace hone {
namespace {

/// All orders of more loops are too many to try.
constexpr size_t most_loops = 4;

/// The loops inside, of those around the access, that choose its element.
llvm::SmallVector<AxisRange, 4> choosing_loops(const MemoryAccess& access) {
  llvm::SmallVector<AxisRange, 4> loops;
  for (const AxisRange& range : access.inner)
    if (llvm::any_of(access.indices,
                     [&](const Expr& index) { return mentions(index, range.first.get()); }))
      loops.push_back(range);
  return loops;
}

bool has_iterations(const AxisRange& range) { return as_int(range.second).value_or(0) > 0; }

/// True where constant numbers of iterations choose the element.
bool is_chosen(const MemoryAccess& access) {
  const auto loops = choosing_loops(access);
  return !loops.empty() && loops.size() <= most_loops && llvm::all_of(loops, has_iterations) &&
         !access.copy && llvm::none_of(access.indices, reads_tensor);
}

bool is_written(const Accesses& accesses, const TensorPtr& tensor) {
  return llvm::any_of(accesses,
                      [&](const MemoryAccess& a) { return a.tensor == tensor && a.writes; });
}

/// The number of elements of that shape, which is constant.
int64_t count_of(llvm::ArrayRef<Expr> extents) {
  int64_t count = 1;
  for (const Expr& extent : extents) count *= *as_int(extent);
  return count;
}

void check_no_threads(const Preconditions& check, const Site& site, const TensorPtr& tensor) {
  for (const For* loop : loops_of(site.loop().body))
    if (loop->binding.kind == Binding::Kind::thread)
      check.refuse(loop,
                   fmt::format("{} is bound to {} inside {}, and the elements of {} that {} "
                               "touches are no box of it, whose parts threads could have",
                               loop->axis->name, to_string(loop->binding), site.loop().axis->name,
                               tensor->name, site.loop().axis->name),
                   fmt::format("cache under {} or inside it", loop->axis->name));
}

/// In which the order of terms does not count in quotients and remainders either.
Polynomial normal_form(const Expr& index, const Facts& facts) {
  return Polynomial::of(transform(simplify(index, facts), [](const Expr& part) -> Expr {
    const auto* binary = llvm::dyn_cast<Binary>(part);
    const bool is_digit = binary && binary->type == DType::index &&
                          (binary->op == BinaryOp::div || binary->op == BinaryOp::mod);
    if (!is_digit) return {};
    return Binary::make(binary->op, Polynomial::of(binary->lhs).to_expr(),
                        Polynomial::of(binary->rhs).to_expr());
  }));
}

/// index < limit, as a / b < m where b is positive: a < m*b.
Expr without_quotients(Expr index, Expr limit) {
  for (const auto* quotient = llvm::dyn_cast<Binary>(index);
       quotient && quotient->op == BinaryOp::div; quotient = llvm::dyn_cast<Binary>(index)) {
    limit = limit * quotient->rhs;
    index = quotient->lhs;
  }
  return index < limit;
}

/// True where evaluating the expression cannot fail.
bool is_safe(const Expr& expr, const Facts& facts) {
  return has_value(expr, facts) && divides_by_positive(expr, facts);
}

}  // namespace

std::optional<IterationView> IterationView::find(const Preconditions& check, const Site& site,
                                                 const TensorPtr& tensor, const Accesses& accesses,
                                                 const Facts& facts) {
  if (has_constant_size(accesses, tensor)) return std::nullopt;
  const auto* first =
      llvm::find_if(accesses, [&](const MemoryAccess& access) { return access.tensor == tensor; });
  if (first == accesses.end() || !is_chosen(*first)) return std::nullopt;
  check_no_threads(check, site, tensor);
  IterationView view(check, *first, facts);
  view.check_match(accesses);
  view.take_guards(accesses);
  if (is_written(accesses, tensor)) view.check_distinct();
  return view;
}

std::optional<IterationView> IterationView::find_sparse(const Preconditions& check,
                                                        const Site& site, const TensorPtr& tensor,
                                                        const Accesses& accesses,
                                                        const Facts& facts, const Box& box) {
  const auto* first =
      llvm::find_if(accesses, [&](const MemoryAccess& access) { return access.tensor == tensor; });
  if (first == accesses.end() || !is_chosen(*first) || has_thread_loops(site.loop().body))
    return std::nullopt;
  IterationView view(check, *first, facts);
  const int64_t held =
      std::accumulate(box.extents.begin(), box.extents.end(), int64_t{1}, std::multiplies<>());
  if (count_of(view.view_->shape) >= held || view.match(accesses) || view.find_shared())
    return std::nullopt;
  if (!view.is_within()) view.take_guards(accesses);
  return view;
}

IterationView::IterationView(const Preconditions& check, const MemoryAccess& first,
                             const Facts& facts)
    : check_(check), facts_(facts), first_(first), loops_(choosing_loops(first)) {
  Exprs shape;
  for (const AxisRange& range : loops_) shape.push_back(range.second);
  view_ = make_tensor(first.tensor->name, first.tensor->type, shape, first.tensor->scope);
}

const MemoryAccess* IterationView::match(const Accesses& accesses) {
  for (const MemoryAccess& access : accesses) {
    if (access.tensor != first_.tensor) continue;
    const auto position = position_of(access);
    if (!position) return &access;
    known_.push_back({Exprs(access.indices.begin(), access.indices.end()), *position});
  }
  return nullptr;
}

void IterationView::check_match(const Accesses& accesses) {
  if (const MemoryAccess* other = match(accesses))
    check_.refuse(
        other->statement.get(),
        fmt::format("loops choose {} and {} in different ways", first_.text(), other->text()),
        fmt::format("no box of {} holds them, and one tile has one element for each "
                    "iteration; cache under an inner axis",
                    first_.tensor->name));
}

/// The axes of the access that stand for the loops of the first one, in any order.
std::optional<IterationView::Exprs> IterationView::position_of(const MemoryAccess& access) const {
  const auto loops = choosing_loops(access);
  if (loops.size() != loops_.size() || access.copy) return std::nullopt;
  Facts facts = facts_;
  for (const auto& [axis, extent] : access.inner) facts.add_axis(axis, extent);
  llvm::SmallVector<size_t, 4> order(loops.size());
  std::iota(order.begin(), order.end(), 0);
  do {
    Exprs position;
    bool is_same = true;
    for (size_t n = 0; n < order.size(); ++n) {
      position.push_back(AxisRef::make(loops[order[n]].first));
      is_same &= as_int(loops[order[n]].second) == as_int(loops_[n].second);
    }
    for (size_t dim = 0; dim < first_.indices.size() && is_same; ++dim)
      is_same = normal_form(at(first_.indices[dim], position), facts) ==
                normal_form(access.indices[dim], facts);
    if (is_same) return position;
  } while (std::next_permutation(order.begin(), order.end()));
  return std::nullopt;
}

/// Takes the guards that all accesses share. If the first access has others as well, or may not
/// happen for other reasons, the bounds of the tensor become guards too.
void IterationView::take_guards(const Accesses& accesses) {
  bool is_certain = llvm::all_of(first_.inner, has_iterations);
  Facts facts = facts_;
  for (const auto& [axis, extent] : loops_) facts.add_axis(axis, extent);
  for (const Expr& guard : first_.guards)
    for_each_conjunct(guard, [&](const Expr& part) {
      const bool is_taken = is_shared(part, accesses) && (is_certain || is_safe(part, facts));
      is_certain &= is_taken;
      if (!is_taken) return;
      guards_.push_back(part);
      facts.assume(part);
    });
  if (!is_certain) guard_bounds();
}

/// True if the tensor has an element for each iteration, guards or none.
bool IterationView::is_within() const {
  Facts facts = facts_;
  for (const auto& [axis, extent] : loops_) facts.add_axis(axis, extent);
  for (size_t dim = 0; dim < first_.indices.size(); ++dim) {
    const Expr& index = first_.indices[dim];
    if (!proves(index >= 0 && index < first_.tensor->shape[dim], facts)) return false;
  }
  return true;
}

/// True where the guard is about the loops that choose and those around, and all accesses have it.
bool IterationView::is_shared(const Expr& guard, const Accesses& accesses) const {
  if (reads_tensor(guard)) return false;
  const auto chooses = [&](const AxisPtr& axis) {
    return llvm::any_of(loops_, [&](const AxisRange& range) { return range.first == axis; });
  };
  for (const AxisRange& range : first_.inner)
    if (mentions(guard, range.first.get()) && !chooses(range.first)) return false;
  size_t number = 0;
  return llvm::all_of(accesses, [&](const MemoryAccess& access) {
    if (access.tensor != first_.tensor) return true;
    Facts facts = facts_;
    for (const auto& [axis, extent] : access.inner) facts.add_axis(axis, extent);
    for (const Expr& known : access.guards) facts.assume(known);
    return proves(at(guard, known_[number++].position), facts);
  });
}

void IterationView::guard_bounds() {
  Facts facts = facts_;
  for (const auto& [axis, extent] : loops_) facts.add_axis(axis, extent);
  for (const Expr& guard : guards_) facts.assume(guard);
  for (size_t dim = 0; dim < first_.indices.size(); ++dim) {
    const Expr& index = first_.indices[dim];
    if (!is_safe(index, facts))
      check_.refuse(first_.statement.get(),
                    fmt::format("{} in {} may have no value where the access does not happen",
                                index, first_.text()),
                    "cache under an axis inside of the loops that its guards are about");
    guards_.push_back(index >= 0);
    guards_.push_back(without_quotients(index, first_.tensor->shape[dim]));
  }
}

AxisPtr IterationView::find_shared() const {
  MemoryAccess access = first_;
  access.inner = loops_;
  access.guards.assign(guards_.begin(), guards_.end());
  llvm::SmallVector<Stmt, 4> stmts;
  llvm::SmallVector<const For*, 4> loops;
  for (const auto& [axis, extent] : loops_) {
    stmts.push_back(For::make(axis, extent, {}, Seq::make({})));
    loops.push_back(llvm::cast<For>(stmts.back().get()));
  }
  const auto open = unseparated(loops, access, access, facts_);
  return open.empty() ? nullptr : open.back()->axis;
}

void IterationView::check_distinct() const {
  if (const AxisPtr shared = find_shared())
    check_.refuse(first_.statement.get(),
                  fmt::format("two iterations of {} may have one element of {}: {}", shared->name,
                              first_.tensor->name, first_.text()),
                  fmt::format("no box of {} holds them, and one tile has one element for each "
                              "iteration; cache under {} or inside it",
                              first_.tensor->name, shared->name));
}

void IterationView::assume_existence(Facts& facts) const {
  for (const Expr& guard : guards_) facts.assume(guard);
}

/// `expr`, over the axes of the first access, at another position.
Expr IterationView::at(const Expr& expr, llvm::ArrayRef<Expr> position) const {
  return transform(expr, [&](const Expr& part) -> Expr {
    const auto* reference = llvm::dyn_cast<AxisRef>(part);
    if (!reference) return {};
    for (size_t n = 0; n < loops_.size(); ++n)
      if (loops_[n].first == reference->axis) return position[n];
    return {};
  });
}

Accesses IterationView::on_view(Accesses accesses) const {
  size_t number = 0;
  for (MemoryAccess& access : accesses) {
    if (access.tensor != first_.tensor) continue;
    access.tensor = view_;
    access.indices = known_[number++].position;
  }
  return accesses;
}

Stmt IterationView::on_view(const Stmt& body) const {
  const Stmt result =
      redirect_accesses(body, first_.tensor.get(), [&](llvm::ArrayRef<Expr> indices) {
        for (const Known& known : known_)
          if (all_equal(known.indices, indices)) return TensorElement{view_, known.position};
        return TensorElement{first_.tensor, Exprs(indices.begin(), indices.end())};
      });
  if (touches(result, first_.tensor))
    check_.refuse(first_.statement.get(),
                  fmt::format("the elements of {} that are no box of it are chosen by lets",
                              first_.tensor->name),
                  "write the indices out");
  return result;
}

Stmt IterationView::on_tensor(const Stmt& stmt, Names& names) const {
  const auto is_view = [&](const Region& region) { return region.tensor == view_; };
  return transform_stmts(stmt, [&](const Stmt& nested) -> Stmt {
    if (const auto* copy = llvm::dyn_cast<Copy>(nested))
      return is_view(copy->source) || is_view(copy->destination) ? loops_of_copy(*copy, names)
                                                                 : Stmt();
    const auto* store = llvm::dyn_cast<Store>(nested);
    return store && touches(nested, view_) ? moved(*store) : Stmt();
  });
}

namespace {

struct LoopOfView {
  AxisPtr axis;
  Expr extent;
  Binding binding;
};

}  // namespace

/// Registers have no addresses: the loops are unrolled. Vectors go along the innermost one.
Stmt IterationView::loops_of_copy(const Copy& copy, Names& names) const {
  const bool fills = copy.source.tensor == view_;
  const TensorPtr& tile = (fills ? copy.destination : copy.source).tensor;
  const auto extents = copy.destination.extents();
  llvm::SmallVector<LoopOfView, 4> loops;
  const auto add_loop = [&](const char* suffix, const Expr& extent, const Binding& binding) {
    if (is_int(extent, 1)) return Expr(0);
    const std::string name = names.fresh(tile->name + suffix);
    loops.push_back({make_axis(name, AxisKind::spatial, {name}), extent, binding});
    return AxisRef::make(loops.back().axis);
  };
  Exprs place;
  for (size_t n = 0; n < extents.size(); ++n) {
    const int64_t vector = n + 1 == extents.size() ? std::max<int64_t>(copy.vector, 1) : 1;
    const Expr at = add_loop(fills ? ".fill" : ".write_back", simplify(extents[n] / vector),
                             {Binding::Kind::unroll});
    place.push_back(vector == 1 ? at
                                : at * vector + add_loop(".v", vector, {Binding::Kind::vectorize}));
  }
  const Stmt store =
      Store::make(copy.destination.tensor, indices_at(copy.destination, place), Update::set,
                  Load::make(copy.source.tensor, indices_at(copy.source, place)));
  Stmt nest = moved(*llvm::cast<Store>(store));
  for (const LoopOfView& loop : llvm::reverse(loops))
    nest = For::make(loop.axis, loop.extent, loop.binding, nest);
  return nest;
}

/// A store that moves one element.
Stmt IterationView::moved(const Store& store) const {
  Exprs position;
  const auto element = [&](llvm::ArrayRef<Expr> place) {
    position.assign(place.begin(), place.end());
    Exprs indices;
    for (const Expr& index : first_.indices) indices.push_back(at(index, position));
    return indices;
  };
  Stmt result;
  if (store.tensor == view_) {
    result = store.with(first_.tensor, element(store.indices), store.value);
  } else {
    const Expr value = transform(store.value, [&](const Expr& part) -> Expr {
      const auto* load = llvm::dyn_cast<Load>(part);
      return load && load->tensor == view_ ? Load::make(first_.tensor, element(load->indices))
                                           : Expr();
    });
    result = store.with(store.tensor, store.indices, value);
  }
  for (const Expr& guard : llvm::reverse(guards_)) result = If::make(at(guard, position), result);
  return result;
}

}  // namespace hone
