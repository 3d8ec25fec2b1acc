#include "tools/cli/command/host_access.h"

#include <algorithm>
#include <cmath>

#include "ir/text/operators.h"
#include "ir/traverse/rewriter.h"
#include "ir/traverse/visit.h"
#include "tools/cli/profile/source_loops.h"

namespace hone {
namespace {

using Kind = Binding::Kind;

bool is_unrolled(const For* loop) { return loop->binding.kind == Kind::unroll; }

/// By which an index grows from one iteration of the loop to the next.
SizeFormula growth(const Expr& index, const For& loop) {
  const AxisNode* axis = loop.axis.get();
  return SizeFormula::of(substitute(index, axis, 1)) - SizeFormula::of(substitute(index, axis, 0));
}

/// Bytes between two iterations of a loop.
struct Step {
  const For* loop;
  SizeFormula bytes;
  double size;       ///< of these at the sizes, without a sign
  double trips = 1;  ///< of the loop
};

/// The lines of an access, of the step of its loop and those of the unrolled loops inside. Copies
/// that stay in place share one; those that fill the step of the loop share as it does.
double lines_of(llvm::ArrayRef<Step> steps) {
  const double step = steps.front().size;
  double lines = std::min(step / line_bytes, 1.0);
  for (const Step& copies : steps.drop_front()) {
    const double shared = lines / copies.trips;
    if (copies.size < step)
      lines = std::min(lines, std::max(std::min(copies.size / line_bytes, 1.0), shared));
  }
  return lines;
}

/// Reads the accesses of one kernel.
class AccessReader {
 public:
  AccessReader(const KernelFunction& kernel, const Sizes& sizes, std::vector<HostAccess>& accesses)
      : loops_(kernel.body), sizes_(sizes), accesses_(accesses) {
    walk(kernel.body, [&](const Stmt& stmt) {
      if (const auto* store = llvm::dyn_cast<Store>(stmt)) read(stmt, *store);
    });
  }

 private:
  void read(const Stmt& stmt, const Store& store) {
    const size_t first = accesses_.size();
    const LoopNest nest = loops_.around.lookup(stmt.get());
    walk_exprs(stmt, [&](const Expr& expr) {
      if (const auto* load = llvm::dyn_cast<Load>(expr))
        add(*load->tensor, load->indices, nest, /*is_store=*/false, first);
    });
    if (store.update != Update::set) add(*store.tensor, store.indices, nest, false, first);
    add(*store.tensor, store.indices, nest, /*is_store=*/true, first);
  }

  void add(const TensorNode& tensor, llvm::ArrayRef<Expr> indices, const LoopNest& nest,
           bool is_store, size_t first) {
    if (tensor.scope != Scope::global || indices.size() != 1) return;
    HostAccess access = {fmt::format("{}[{}]", tensor.name, indices[0]), tensor.name, is_store};
    for (size_t number = first; number < accesses_.size(); ++number)
      if (accesses_[number].text == access.text && accesses_[number].is_store == is_store) return;
    fill_in_steps(access, steps_of(indices[0], size_of(tensor.type), nest));
    access.times = loops_.product(nest);
    accesses_.push_back(std::move(access));
  }

  /// Of the innermost loop that is not unrolled, and of the unrolled ones inside.
  llvm::SmallVector<Step, 4> steps_of(const Expr& index, int64_t bytes,
                                      const LoopNest& nest) const {
    llvm::SmallVector<Step, 4> steps;
    for (const For* loop : nest) {
      if (!is_unrolled(loop)) steps.clear();
      const SizeFormula step = growth(index, *loop) * SizeFormula(bytes);
      steps.push_back({loop, step, std::abs(value_of(step, sizes_)),
                       std::max(value_of(loops_.trips.find(loop)->second, sizes_), 1.0)});
    }
    return steps;
  }

  static void fill_in_steps(HostAccess& access, llvm::ArrayRef<Step> steps) {
    if (steps.empty()) return;
    const Step* shown = &steps.front();
    for (const Step& copies : steps.drop_front())
      if (copies.size > 0 && copies.size < shown->size) shown = &copies;
    access.loop = shown->loop->axis->name;
    access.step = shown->bytes;
    access.lines = lines_of(steps);
  }

  SourceLoops loops_;
  const Sizes& sizes_;
  std::vector<HostAccess>& accesses_;
};

void add_names(const Stmt& body, HostLoops& loops) {
  walk(body, [&](const Stmt& stmt) {
    const auto* loop = llvm::dyn_cast<For>(stmt);
    if (!loop) return;
    if (loop->binding.kind == Kind::parallel) loops.parallel.push_back(loop->axis->name);
    if (is_unrolled(loop)) loops.unrolled.push_back(loop->axis->name);
  });
}

}  // namespace

std::vector<HostAccess> host_accesses(const Module& module, const Sizes& sizes) {
  std::vector<HostAccess> accesses;
  for (const KernelFunction& kernel : module.kernels) AccessReader(kernel, sizes, accesses);
  return accesses;
}

HostLoops host_loops(const Module& module, const Sizes& sizes) {
  HostLoops loops;
  double most = 0;
  for (const KernelFunction& kernel : module.kernels) {
    add_names(kernel.body, loops);
    loops.may_alias |= kernel.may_alias;
    const SourceLoops source(kernel.body);
    walk(kernel.body, [&](const Stmt& stmt) {
      if (!llvm::isa<Store>(stmt)) return;
      const LoopNest nest = source.around.lookup(stmt.get());
      const double runs = value_of(source.product(nest), sizes);
      if (runs < most) return;
      most = runs;
      loops.names.clear();
      for (const For* loop : nest)
        if (!is_unrolled(loop)) loops.names.push_back(loop->axis->name);
    });
  }
  return loops;
}

}  // namespace hone
