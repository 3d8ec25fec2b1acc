// for v in 0..4 @vectorize { D[n*4 + v] += A[n*4 + v]*s[n] }
//
//   =>  alloc A.vec: f32[4] @registers
//       copy A.vec[0 .. +4] <- A[n*4 .. +4] @vector(4)
//       alloc D.vec: f32[4] @registers
//       copy D.vec[0 .. +4] <- D[n*4 .. +4] @vector(4)
//       for v in 0..4 @unroll { D.vec[v] += A.vec[v]*s[n] }
//       copy D[n*4 .. +4] <- D.vec[0 .. +4] @vector(4)
//
// Each vector of memory is read once before the lanes run, and written once after them. A plain
// move of neighbours to neighbours is one copy. Runs while tensors have their dimensions, so that
// what lies side by side can be seen.

#include "codegen/pass/passes.h"
#include "codegen/pass/vector_registers.h"
#include "ir/algebra/facts_rewriter.h"
#include "ir/core/layout.h"
#include "ir/traverse/guards.h"
#include "ir/traverse/rewriter.h"

namespace hone {
namespace {

using Form = LaneAccess::Form;

/// The count elements from `first` on, along the fastest dimension.
Region region(const TensorPtr& tensor, llvm::ArrayRef<Expr> first, int64_t count) {
  Region result{tensor, {}};
  for (const Expr& index : first) result.ranges.push_back({index, {}});
  result.ranges[fastest_dim(*tensor)].extent = count;
  return result;
}

Stmt copy(const Region& to, const Region& from, int64_t count) {
  return Copy::make(to, from, {.vector = count});
}

/// Replaces lets by their values: a vector loop holds stores and conditions only.
Stmt without_lets(const Stmt& stmt) {
  return transform_stmts(stmt, [](const Stmt& part) -> Stmt {
    const auto* let = llvm::dyn_cast<Let>(part);
    return let ? without_lets(substitute(let->body, let->axis.get(), let->value)) : Stmt();
  });
}

/// One vector loop on its way to vector accesses.
class Vectorizer {
 public:
  Vectorizer(const For& loop, const Facts& facts, Names& names)
      : lanes_(lanes_of(loop)), facts_(facts), names_(names), body_(loop.body) {
    body_ = with_uniform_conditions(without_lets(body_), lanes_, facts);
    while (const auto* branch = llvm::dyn_cast<If>(body_)) {
      if (mentions(branch->condition, lanes_.axis.get())) break;
      guards_.push_back(branch->condition);
      body_ = branch->body;
    }
  }

  Stmt run() {
    const Stmt moved = plain_move();
    return guarded(guards_, moved.defined() ? moved : through_registers());
  }

 private:
  /// Neighbours to neighbours, of memory or registers: one access, or a read and a write.
  Stmt plain_move() const {
    const auto* store = llvm::dyn_cast<Store>(body_);
    if (!store || !is_plain_move(*store)) return {};
    const auto* load = llvm::dyn_cast<Load>(store->value);
    if (!load) return {};
    const LaneAccess to = lane_access(*store->tensor, store->indices, lanes_, facts_);
    const LaneAccess from = lane_access(*load->tensor, load->indices, lanes_, facts_);
    if (to.form != Form::contiguous || from.form != Form::contiguous) return {};
    return copy(region(store->tensor, to.first, lanes_.count),
                region(load->tensor, from.first, lanes_.count), lanes_.count);
  }

  Stmt through_registers() {
    auto [work, vectors] = move_to_registers(body_, lanes_, facts_, names_);
    llvm::SmallVector<Stmt, 4> last;
    if (const Vector* source = moved(work, vectors)) {
      last.push_back(write(vectors.back(), source->registers));
      vectors.pop_back();
    } else {
      last.push_back(unrolled(lanes_.axis, work));
      for (const Vector& vector : vectors)
        if (vector.is_written)
          last.push_back(guarded(vector.guards, write(vector, vector.registers)));
    }
    Stmt result = Seq::make(last);
    for (const Vector& vector : llvm::reverse(vectors))
      result = Alloc::make(vector.registers, with_reads(vector, result));
    return result;
  }

  /// The other vector that `work` moves, as it is, to the last one; null where there is none.
  static const Vector* moved(const Stmt& work, llvm::ArrayRef<Vector> vectors) {
    const auto* store = llvm::dyn_cast<Store>(work);
    if (!store || store->update != Update::set) return nullptr;
    const auto* load = llvm::dyn_cast<Load>(store->value);
    if (!load || store->tensor != vectors.back().registers) return nullptr;
    const auto* source = llvm::find_if(
        vectors, [&](const Vector& vector) { return vector.registers == load->tensor; });
    return source == vectors.end() || source == &vectors.back() ? nullptr : source;
  }

  Stmt unrolled(const AxisPtr& axis, const Stmt& body) const {
    return For::make(axis, lanes_.count, {Binding::Kind::unroll}, body);
  }

  Stmt write(const Vector& vector, const TensorPtr& registers) const {
    return copy(region(vector.tensor, vector.first, lanes_.count),
                region(registers, Expr(0), lanes_.count), lanes_.count);
  }

  Stmt read(const Vector& vector) const {
    return copy(region(vector.registers, Expr(0), lanes_.count),
                region(vector.tensor, vector.first, lanes_.count), lanes_.count);
  }

  Stmt with_reads(const Vector& vector, const Stmt& rest) {
    if (!vector.is_read) return rest;
    const Stmt reading = guarded(vector.guards, read(vector));
    if (!vector.fill.defined()) return Seq::make({reading, rest});
    const AxisPtr axis = make_axis(names_.fresh(lanes_.axis->name), AxisKind::spatial);
    const Stmt fill = Store::make(vector.registers, AxisRef::make(axis), Update::set, vector.fill);
    return Seq::make({unrolled(axis, fill), reading, rest});
  }

  Lanes lanes_;
  const Facts& facts_;
  Names& names_;
  Stmt body_;
  llvm::SmallVector<Expr, 2> guards_;
};

class VectorRewriter : public FactsRewriter {
 public:
  explicit VectorRewriter(const KernelFunction& kernel)
      : FactsRewriter(facts_in(kernel)), kernel_(kernel), names_(as_function(kernel)) {}

  using FactsRewriter::rewrite;
  Stmt rewrite(const Stmt& stmt) override {
    const auto* loop = llvm::dyn_cast<For>(stmt);
    const bool is_vector = loop && loop->binding.kind == Binding::Kind::vectorize;
    return is_vector ? vectorize(*loop) : rewrite_inside(stmt);
  }

 private:
  Stmt vectorize(const For& loop) {
    assert(!vector_problem(loop, facts, kernel_.may_alias));
    return Vectorizer(loop, facts, names_).run();
  }

  const KernelFunction& kernel_;
  Names names_;
};

}  // namespace

void vectorize_accesses(KernelFunction& kernel) {
  kernel.body = VectorRewriter(kernel).rewrite(kernel.body);
}

}  // namespace hone
