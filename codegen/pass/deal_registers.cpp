// alloc X.reg: f32[8192] @registers
// copy X.reg[0 .. +8192] <- X[i, 0 .. +8192]
// for o in 0..2 @unroll
//   for t in 0..1024 @thread.x
//     for v in 0..4 @unroll
//       m[] max= X.reg[o*4096 + t*4 + v]
//
//   =>  alloc X.reg: f32[8] @registers
//       for X.reg.o in 0..2 @unroll
//         for X.reg.t in 0..1024 @thread.x
//           copy X.reg[X.reg.o*4 .. +4] <- X[i, (X.reg.o*1024 + X.reg.t)*4 .. +4]
//       for o in 0..2 @unroll
//         for t in 0..1024 @thread.x
//           for v in 0..4 @unroll
//             m[] max= X.reg[o*4 + v]
//
// A register tensor that is allocated outside of thread loops lies with the threads that touch its
// elements; each has its own part.

#include "codegen/pass/passes.h"
#include "ir/algebra/facts_rewriter.h"
#include "ir/algebra/simplify.h"
#include "ir/threads/register_owners.h"
#include "ir/traverse/rename.h"

namespace hone {
namespace {

class Dealer : public FactsRewriter {
 public:
  explicit Dealer(const KernelFunction& kernel)
      : FactsRewriter(facts_of(kernel.assumptions)), names_(as_function(kernel)) {}

  using FactsRewriter::rewrite;
  Stmt rewrite(const Stmt& stmt) override {
    const auto* alloc = llvm::dyn_cast<Alloc>(stmt);
    const bool is_dealt = alloc && alloc->tensor->scope == Scope::registers;
    return rewrite_inside(is_dealt ? dealt(*alloc) : stmt);
  }

 private:
  Stmt dealt(const Alloc& alloc) {
    const RegisterOwners owners = register_owners(alloc.tensor, alloc.body, facts);
    assert(owners.conflict.empty());
    Stmt result(&alloc);
    for (const Dealing& dealing : owners.dealings) {
      const auto& whole = *llvm::cast<Alloc>(result);
      const bool is_last = &dealing == &owners.dealings.back();
      result = Part(whole, dealing, is_last ? owners.layout : Layout(), names_, facts).run();
    }
    return result;
  }

  /// One thread's part of a tensor in the place of the whole.
  class Part : public FactsRewriter {
   public:
    Part(const Alloc& alloc, const Dealing& dealing, const Layout& layout, Names& names,
         const Facts& facts)
        : FactsRewriter(facts),
          alloc_(alloc),
          whole_(alloc.tensor),
          dealing_(dealing),
          names_(names) {
      auto shape = whole_->shape;
      elements_ = *as_int(shape[dealing.dim]);
      shape[dealing.dim] = dealing.per_thread(elements_);
      part_ = make_form(*whole_, shape, Scope::registers, layout);
    }

    Stmt run() { return Alloc::make(part_, rewrite(alloc_.body)); }

    Expr rewrite(const Expr& expr) override {
      const Expr rebuilt = rewrite_operands(expr);
      const auto* load = llvm::dyn_cast<Load>(rebuilt);
      return load && load->tensor == whole_ ? Load::make(part_, place(load->indices)) : rebuilt;
    }

    Stmt rewrite(const Stmt& stmt) override {
      const Stmt rebuilt = rewrite_inside(stmt);
      if (const auto* store = llvm::dyn_cast<Store>(rebuilt); store && store->tensor == whole_)
        return store->with(part_, place(store->indices), store->value);
      if (const auto* instr = llvm::dyn_cast<Instr>(rebuilt)) return taken_from_part(*instr);
      const auto* copy = llvm::dyn_cast<Copy>(rebuilt);
      const bool moves =
          copy && (copy->destination.tensor == whole_ || copy->source.tensor == whole_);
      return moves ? dealt_out(*copy) : rebuilt;
    }

   private:
    Stmt taken_from_part(const Instr& instr) const {
      llvm::SmallVector<ElementRef, 3> places(instr.places);
      for (ElementRef& at : places)
        if (at.tensor == whole_) at = {part_, place(at.indices)};
      return instr.with(places, instr.values);
    }

    llvm::SmallVector<Expr, 4> place(llvm::ArrayRef<Expr> indices) const {
      llvm::SmallVector<Expr, 4> result(indices.begin(), indices.end());
      result[dealing_.dim] = simplify(dealing_.place(result[dealing_.dim]), facts);
      return result;
    }

    const Range& dealt_range(const Copy& copy) const {
      const bool fills = copy.destination.tensor == whole_;
      return (fills ? copy.destination : copy.source).ranges[dealing_.dim];
    }

    /// A copy of elements that are all of one thread, which makes it.
    Stmt dealt_to_one(const Copy& copy) {
      const Expr& index = dealt_range(copy).offset;
      const auto own = [&](Region region) {
        if (region.tensor != whole_) return region;
        region.tensor = part_;
        region.ranges[dealing_.dim].offset = simplify(dealing_.place(index), facts);
        return region;
      };
      const AxisPtr thread = make_axis(names_.fresh(whole_->name + ".t"), AxisKind::spatial);
      const Expr owner = simplify(dealing_.owner(index), facts);
      return For::make(thread, dealing_.threads, dealing_.binding,
                       If::make(owner == AxisRef::make(thread),
                                copy.with_regions(own(copy.destination), own(copy.source))));
    }

    /// Each thread moves its own runs. A copy of threads that were told apart before has some of
    /// the elements, from a first thread's on.
    Stmt dealt_out(const Copy& copy) {
      if (dealt_range(copy).is_point()) return dealt_to_one(copy);
      const bool fills = copy.destination.tensor == whole_;
      const Range& range = dealt_range(copy);
      const int64_t count = as_int(range.extent).value_or(elements_);
      const bool moves_runs = count % dealing_.run == 0;
      // A single element is a point: the threads of a digit within the run find their own by it.
      const Expr step = moves_runs ? Expr(dealing_.run) : Expr();
      const AxisPtr turn = make_axis(names_.fresh(whole_->name + ".o"), AxisKind::spatial);
      const AxisPtr thread = make_axis(names_.fresh(whole_->name + ".t"), AxisKind::spatial);
      const AxisPtr element = make_axis(names_.fresh(whole_->name + ".v"), AxisKind::spatial);
      const int64_t turns = dealing_.per_thread(count) / dealing_.run;
      Expr inside = AxisRef::make(turn) * dealing_.run;
      Expr outside =
          (AxisRef::make(turn) * dealing_.threads + AxisRef::make(thread)) * dealing_.run;
      if (!moves_runs) {
        inside = inside + AxisRef::make(element);
        outside = outside + AxisRef::make(element);
      }
      Region mine = fills ? copy.destination : copy.source;
      const Region& others = fills ? copy.source : copy.destination;
      if (count < elements_)
        mine.ranges[dealing_.dim].offset = simplify(dealing_.place(range.offset), facts);
      const auto before = llvm::ArrayRef<Range>(mine.ranges).take_front(dealing_.dim);
      const auto dim = llvm::count_if(before, [](const Range& range) { return !range.is_point(); });
      const Region own = narrowed(mine, dim, inside, step, part_);
      const Region other = narrowed(others, dim, outside, step, nullptr);
      Stmt stmt = fills ? copy.with_regions(own, other) : copy.with_regions(other, own);
      if (count % (dealing_.run * dealing_.threads) != 0) stmt = If::make(outside < count, stmt);
      const Binding unrolled = {Binding::Kind::unroll};
      if (!moves_runs) stmt = For::make(element, dealing_.run, unrolled, stmt);
      stmt = For::make(thread, dealing_.threads, dealing_.binding, stmt);
      return For::make(turn, turns, unrolled, stmt);
    }

    /// The region from `at` on, `count` elements along its dimension `dim`, or the one there if
    /// that is undefined; of `tensor` where it is given.
    static Region narrowed(const Region& region, int64_t dim, const Expr& at, const Expr& count,
                           const TensorPtr& tensor) {
      Region result = region;
      if (tensor) result.tensor = tensor;
      for (Range& range : result.ranges) {
        if (range.is_point() || dim-- != 0) continue;
        range.offset = range.offset + at * range.stride;
        range.extent = count;
      }
      return result;
    }

    const Alloc& alloc_;
    const TensorPtr whole_;
    const Dealing dealing_;
    Names& names_;
    int64_t elements_ = 0;
    TensorPtr part_;
  };

  Names names_;
};

}  // namespace

void deal_registers(KernelFunction& kernel) { kernel.body = Dealer(kernel).rewrite(kernel.body); }

}  // namespace hone
