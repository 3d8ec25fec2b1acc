#include "tests/support/codegen/mutants.h"

#include "fmt/format.h"
#include "ir/opcodes/opcodes.h"
#include "ir/traverse/rename.h"
#include "ir/traverse/visit.h"
#include "tests/support/codegen/mutation.h"

namespace hone {
namespace {

// ---- Barriers -----------------------------------------------------------------------------------

class BarrierDropped : public Mutation {
 public:
  using Mutation::Mutation;
  Stmt rewrite(const Stmt& stmt) override {
    if (!is_barrier(stmt) || !is_here()) return rewrite_operands(stmt);
    describe("a barrier dropped");
    return nothing();
  }
};

/// A barrier and the statement before it change places.
class BarrierMoved : public Mutation {
 public:
  using Mutation::Mutation;
  Stmt rewrite(const Stmt& stmt) override {
    const auto* seq = llvm::dyn_cast<Seq>(stmt);
    if (!seq) return rewrite_operands(stmt);
    llvm::SmallVector<Stmt, 4> stmts(seq->stmts.begin(), seq->stmts.end());
    for (size_t n = 1; n < stmts.size(); ++n) {
      const bool is_moved = is_barrier(stmts[n]);
      if (is_moved == is_barrier(stmts[n - 1]) || !is_here()) continue;
      describe("a barrier moved across: " + head(stmts[is_moved ? n - 1 : n]));
      std::swap(stmts[n], stmts[n - 1]);
      return Seq::make(stmts);
    }
    return rewrite_operands(stmt);
  }
};

// ---- Tiles --------------------------------------------------------------------------------------

class TileShrunk : public Mutation {
 public:
  using Mutation::Mutation;
  Stmt rewrite(const Stmt& stmt) override {
    const auto* alloc = llvm::dyn_cast<Alloc>(stmt);
    if (!alloc || alloc->tensor->scope != Scope::shared) return rewrite_operands(stmt);
    for (unsigned dim = 0; dim < alloc->tensor->rank(); ++dim)
      if (is_here()) return shrunk(*alloc, dim);
    return rewrite_operands(stmt);
  }

 private:
  Stmt shrunk(const Alloc& alloc, unsigned dim) {
    describe(fmt::format("{} one shorter in dimension {}", alloc.tensor->name, dim));
    const auto smaller = llvm::makeIntrusiveRefCnt<TensorNode>(*alloc.tensor);
    smaller->shape[dim] = Expr(*as_int(smaller->shape[dim]) - 1);
    return Alloc::make(smaller, replace_tensor(alloc.body, alloc.tensor.get(), smaller));
  }
};

class IndicesSwapped : public Mutation {
 public:
  using Mutation::Mutation;
  Expr rewrite(const Expr& expr) override {
    const auto* load = llvm::dyn_cast<Load>(expr);
    if (!load || load->tensor->rank() < 2 || !is_here()) return rewrite_operands(expr);
    describe("indices swapped in " + to_string(expr));
    return Load::make(load->tensor, swapped(load->indices));
  }
  Stmt rewrite(const Stmt& stmt) override {
    const auto* store = llvm::dyn_cast<Store>(stmt);
    if (!store || store->tensor->rank() < 2 || !is_here()) return rewrite_operands(stmt);
    describe("indices swapped on the left of " + head(stmt));
    return store->with(store->tensor, swapped(store->indices), store->value);
  }

 private:
  static llvm::SmallVector<Expr, 4> swapped(llvm::ArrayRef<Expr> indices) {
    llvm::SmallVector<Expr, 4> result(indices.begin(), indices.end());
    std::swap(result[result.size() - 1], result[result.size() - 2]);
    return result;
  }
};

// ---- Bounds -------------------------------------------------------------------------------------

class BoundShifted : public Mutation {
 public:
  BoundShifted(size_t number, int64_t by) : Mutation(number), by_(by) {}

  Stmt rewrite(const Stmt& stmt) override {
    const auto* loop = llvm::dyn_cast<For>(stmt);
    if (!loop || !is_here()) return rewrite_operands(stmt);
    describe(fmt::format("{:+} iterations of {}", by_, head(stmt)));
    return For::make(loop->axis, loop->extent + by_, loop->binding, loop->body);
  }

  Expr rewrite(const Expr& expr) override {
    const auto* binary = llvm::dyn_cast<Binary>(expr);
    if (!binary || !is_comparison(binary->op) || binary->lhs.type() != DType::index || !is_here())
      return rewrite_operands(expr);
    describe(fmt::format("bound {:+} in {}", by_, to_string(expr)));
    return Binary::make(binary->op, binary->lhs, binary->rhs + by_);
  }

 private:
  int64_t by_;
};

class GuardDropped : public Mutation {
 public:
  using Mutation::Mutation;
  Stmt rewrite(const Stmt& stmt) override {
    const auto* guard = llvm::dyn_cast<If>(stmt);
    if (!guard || !is_here()) return rewrite_operands(stmt);
    describe("dropped: " + head(stmt));
    return guard->body;
  }
  Expr rewrite(const Expr& expr) override {
    const auto* select = llvm::dyn_cast<Select>(expr);
    if (!select || !is_here()) return rewrite_operands(expr);
    describe("condition dropped of " + to_string(expr));
    return select->if_true;
  }
};

}  // namespace

std::vector<Mutant> mutants_of(const KernelFunction& kernel) {
  std::vector<Mutant> mutants;
  append_mutants<BarrierDropped>(mutants, kernel);
  append_mutants<BarrierMoved>(mutants, kernel);
  append_mutants<TileShrunk>(mutants, kernel);
  append_mutants<IndicesSwapped>(mutants, kernel);
  append_mutants<BoundShifted>(mutants, kernel, 1);
  append_mutants<BoundShifted>(mutants, kernel, -1);
  append_mutants<GuardDropped>(mutants, kernel);
  return mutants;
}

}  // namespace hone
