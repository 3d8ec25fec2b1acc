#include "fmt/format.h"
#include "ir/core/error.h"
#include "ir/schedule/legality/dependences.h"
#include "ir/text/printer.h"
#include "ir/traverse/visit.h"

namespace hone {
namespace {

/// "1 iteration", "2 iterations"
std::string iterations(int64_t count) {
  return fmt::format("{} iteration{}", count, count == 1 ? "" : "s");
}

/// "C[i] is written, and read 1 iteration later as C[i - 1]"
std::string sentence(const CarriedDependence& one) {
  const std::string later = one.distance ? iterations(*one.distance) + " later" : "later";
  const std::string as = one.earlier == one.later ? "" : " as " + one.later;
  switch (one.kind) {
    case DependenceKind::flow:
      return fmt::format("{} is written, and read {}{}", one.earlier, later, as);
    case DependenceKind::anti:
      return fmt::format("{} is read, and overwritten {}{}", one.earlier, later, as);
    case DependenceKind::output:
      return fmt::format("{} is written, and written again {}{}", one.earlier, later, as);
    case DependenceKind::reduction:
      return fmt::format("iterations update {} together", one.later);
  }
  llvm_unreachable("unknown kind");
}

std::string line_of(const CarriedDependence& one) {
  const std::string distance =
      one.distance ? fmt::format(", distance {}", *one.distance) : std::string();
  return fmt::format("{} a dependence ({} of {}{}): {}", one.is_certain ? "carries" : "may carry",
                     to_string(one.kind), one.tensor->name, distance, sentence(one));
}

std::string lines_of(const LoopDependences& one, size_t width) {
  const std::string indent(width + 4, ' ');
  std::string text = fmt::format("  {:<{}}  ", one.loop->axis->name, width);
  if (one.is_parallel()) return text + "parallel: no iteration touches what another one writes\n";
  for (size_t n = 0; n < one.carried.size(); ++n)
    text += (n == 0 ? "" : indent) + line_of(one.carried[n]) + "\n";
  for (const auto& [tensor, regrouping] : one.regroupings)
    text += fmt::format("{}the values of {} {} be regrouped: {}\n", indent, tensor,
                        regrouping.is_allowed ? "may" : "may not", regrouping.reason);
  return text;
}

/// "i", "i and j", "i, j and k": of the loops that `holds` is true of.
std::string axes_that(const NestDependences& nest,
                      llvm::function_ref<bool(const LoopDependences&)> holds) {
  llvm::SmallVector<std::string, 4> names;
  for (const LoopDependences& one : nest.loops)
    if (holds(one)) names.push_back(one.loop->axis->name);
  return names.empty() ? "" : join_names(names);
}

std::string list(llvm::ArrayRef<std::string> names) { return join_names(names); }

bool combines_alone(const LoopDependences& one) {
  return !one.is_parallel() && !one.regroupings.empty() &&
         llvm::all_of(one.carried,
                      [](const auto& d) { return d.kind == DependenceKind::reduction; });
}

/// A sentence about the loops that may be bound.
std::string conclusion(const NestDependences& nest) {
  const std::string parallel =
      axes_that(nest, [](const LoopDependences& one) { return one.is_parallel(); });
  const std::string combining = axes_that(nest, combines_alone);
  const std::string others = axes_that(
      nest, [](const LoopDependences& one) { return !one.is_parallel() && !combines_alone(one); });
  std::string text;
  if (!nest.only_reads.empty())
    text += fmt::format("  {} {} only read, which may be done at the same time.\n",
                        list(nest.only_reads), nest.only_reads.size() == 1 ? "is" : "are");
  if (!nest.waits_for.empty())
    text += fmt::format("  A nest before writes {}: it has to be done by then.\n",
                        list(nest.waits_for));
  if (!parallel.empty())
    text += fmt::format(
        "  Iterations of {} may run at the same time, in any order: bind takes "
        "blocks and threads for them.\n",
        parallel);
  if (!combining.empty())
    text += fmt::format(
        "  Iterations of {} combine values: one after the other, or at the same "
        "time by a method of Combine.\n",
        combining);
  if (!others.empty()) text += fmt::format("  Iterations of {} keep their order.\n", others);
  return text;
}

/// "C[i, j] = 0.0; C[i, j] += A[i, k]*B[k, j]": the stores of a nest, a few of them.
std::string heading(const NestDependences& nest) {
  constexpr size_t most = 4;
  llvm::SmallVector<std::string, 4> stores;
  walk(nest.nest, [&](const Stmt& stmt) {
    if (llvm::isa<Store, Copy>(stmt)) stores.push_back(to_string(stmt));
  });
  std::string text;
  for (size_t n = 0; n < std::min(stores.size(), most); ++n) text += stores[n] + "\n";
  if (stores.size() > most) text += fmt::format("and {} more\n", stores.size() - most);
  return text;
}

}  // namespace

std::string to_string(llvm::ArrayRef<NestDependences> nests) {
  std::string text;
  for (const NestDependences& nest : nests) {
    size_t width = 0;
    for (const LoopDependences& one : nest.loops)
      width = std::max(width, one.loop->axis->name.size());
    text += (text.empty() ? "" : "\n") + heading(nest);
    for (const LoopDependences& one : nest.loops) text += lines_of(one, width);
    text += conclusion(nest);
  }
  return text;
}

}  // namespace hone
