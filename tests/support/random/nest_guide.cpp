#include "tests/support/random/nest_guide.h"

#include "ir/analysis/accesses.h"
#include "ir/analysis/site.h"
#include "ir/traverse/visit.h"

namespace hone {
namespace {

/// True if the index reads data, or has arithmetic that no loop runs along.
bool is_chosen(const Expr& index) {
  bool found = false;
  walk(index, [&](const Expr& part) {
    const auto* binary = llvm::dyn_cast<Binary>(part);
    found |= llvm::isa<Load>(part) || (binary && binary->op == BinaryOp::mod);
  });
  return found;
}

}  // namespace

NestGuide::NestGuide(Random& random, const Function& function)
    : random_(random), function_(function) {
  Loops outermost;
  for (const For* loop : loops_of(function_.body))
    if (find_site(function_, loop->axis.get())->enclosing_loops().empty())
      outermost.push_back(loop);
  const bool is_last = random_.chance(60);  // what temporaries are computed for
  const For* nest = is_last ? outermost.back() : outermost[random_.below(outermost.size())];
  add_axis(*nest);
  for (const For* loop : loops_of(nest->body)) add_axis(*loop);
  for (const MemoryAccess& access : collect_accesses(nest->body)) {
    if (access.writes) result_ = access.tensor;
    scatters_ |= access.writes && llvm::any_of(access.indices, is_chosen);
    if (access.tensor->rank() > 0 && !llvm::is_contained(operands_, access.tensor))
      operands_.push_back(access.tensor);
  }
  llvm::erase_if(operands_, [&](const TensorPtr& operand) { return operand == result_; });
}

void NestGuide::add_axis(const For& loop) {
  (loop.is_reduction() ? reductions_ : spatial_).push_back(loop.axis->name);
}

Step& NestGuide::add(llvm::StringRef primitive, llvm::ArrayRef<std::string> axes) {
  Step& step = steps_.emplace_back(find_primitive(primitive));
  for (const std::string& axis : axes) step.axes.push_back(make_axis(axis, AxisKind::spatial));
  return step;
}

Step& NestGuide::add(llvm::StringRef primitive, const std::string& tensor,
                     llvm::ArrayRef<std::string> axes) {
  Step& step = add(primitive, axes);
  step.tensor = make_tensor(tensor, f32, {});
  return step;
}

void NestGuide::bind(const std::string& axis, Kind kind, uint8_t dim) {
  if (!random_.chance(94)) return;
  add("bind", {axis}).binding = {kind, dim, 0};
}

void NestGuide::combine(const std::string& axis, Kind kind, uint8_t dim) {
  Binding& binding = add("bind", {axis}).binding;
  binding = {kind, dim, 0};
  binding.combine = random_combine(random_, kind);
}

void NestGuide::split(const std::string& axis, int64_t size, Tail how) {
  Step& step = add("split", {axis});
  step.factors.push_back(size);
  step.tail = how;
}

Tail NestGuide::tail() {
  constexpr Tail tails[] = {Tail::guard, Tail::pad, Tail::exact, Tail::peel};
  return tails[random_.weighted({62, 22, 13, 3})];
}

}  // namespace hone
