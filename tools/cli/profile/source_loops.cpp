#include "tools/cli/profile/source_loops.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "ir/opcodes/opcodes.h"
#include "ir/traverse/rewriter.h"
#include "ir/traverse/visit.h"
#include "llvm/ADT/STLExtras.h"

namespace hone {
namespace {

/// Notes loops with the values of the axes around them put in.
class Collector {
 public:
  explicit Collector(SourceLoops& loops) : loops_(loops) {}

  void collect(const Stmt& stmt) {
    loops_.around[stmt.get()] = nest_;
    const auto* loop = llvm::dyn_cast<For>(stmt);
    const bool is_let = llvm::isa<Let>(stmt);
    if (loop) loops_.trips.insert({loop, SizeFormula::of(resolved(loop->extent))});
    if (loop) nest_.push_back(loop);
    if (is_let) lets_.push_back(stmt);
    for_each_operand(
        stmt, [](const Expr&) {}, [&](const Stmt& nested) { collect(nested); });
    if (is_let) lets_.pop_back();
    if (loop) nest_.pop_back();
  }

 private:
  Expr resolved(const Expr& expr) const { return without_lets(expr, lets_); }

  SourceLoops& loops_;
  LoopNest nest_;
  llvm::SmallVector<Stmt, 6> lets_;
};

}  // namespace

double value_of(const SizeFormula& formula, const Sizes& sizes) {
  try {
    return formula.at(sizes);
  } catch (const std::invalid_argument&) {
    return 1;
  }
}

SourceLoops::SourceLoops(const Stmt& body) { Collector(*this).collect(body); }

SizeFormula SourceLoops::product(llvm::ArrayRef<const For*> loops) const {
  SizeFormula all = 1;
  for (const For* loop : loops) all *= trips.find(loop)->second;
  return all;
}

}  // namespace hone
