#include "ir/analysis/accesses.h"
#include "ir/traverse/visit.h"
#include "tests/support/random/step_draw.h"

namespace hone {
namespace {

using Tensors = llvm::SmallVector<TensorPtr, 4>;

Tensors temporaries_of(const Function& function) {
  Tensors temporaries;
  walk(function.body, [&](const Stmt& stmt) {
    const auto* alloc = llvm::dyn_cast<Alloc>(stmt);
    if (alloc && alloc->tensor->scope == Scope::global) temporaries.push_back(alloc->tensor);
  });
  return temporaries;
}

/// One of the temporaries; rarely any argument.
TensorPtr random_temporary(Draw& draw) {
  const Tensors temporaries = temporaries_of(draw.function);
  if (temporaries.empty()) return nullptr;
  const auto& arguments = draw.function.arguments;
  if (draw.random.chance(3)) return arguments[draw.random.below(arguments.size())];
  return temporaries[draw.random.below(temporaries.size())];
}

int64_t count_reads(const Stmt& stmt, const TensorPtr& tensor) {
  return llvm::count_if(collect_accesses(stmt), [&](const MemoryAccess& access) {
    return access.tensor == tensor && !access.writes;
  });
}

}  // namespace

/// Mostly at a loop that reads the tensor as often as all others together.
std::optional<Step> draw_compute_at(Draw& draw) {
  const TensorPtr tensor = random_temporary(draw);
  if (!tensor) return std::nullopt;
  int64_t most = 0;
  for (const For* loop : draw.loops) most = std::max(most, count_reads(loop->body, tensor));
  const Loops places =
      draw.those([&](const For* loop) { return count_reads(loop->body, tensor) == most; });
  auto step =
      make_step("compute_at", draw.random.chance(90) ? places[draw.random.below(places.size())]
                                                     : draw.any_loop());
  step->tensor = tensor;
  constexpr Scope scopes[] = {Scope::registers, Scope::shared, Scope::global};
  if (draw.random.chance(40)) step->scope = scopes[draw.random.weighted({48, 48, 4})];
  return step;
}

std::optional<Step> draw_inline_tensor(Draw& draw) {
  auto step = make_step("inline_tensor", {});
  step->tensor = random_temporary(draw);
  return step->tensor ? step : std::nullopt;
}

/// Of what the program defines.
std::optional<Step> draw_fuse_epilogue(Draw& draw) {
  Tensors defined = temporaries_of(draw.function);
  if (defined.empty()) return std::nullopt;
  defined.push_back(draw.function.arguments.back());
  auto step = make_step("fuse_epilogue", {});
  step->tensor = defined[draw.random.below(defined.size())];
  return step;
}

}  // namespace hone
