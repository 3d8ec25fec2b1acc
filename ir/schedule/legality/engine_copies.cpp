#include "ir/schedule/legality/engine_copies.h"

#include "fmt/format.h"
#include "ir/algebra/facts.h"
#include "ir/analysis/accesses.h"
#include "ir/analysis/nests.h"
#include "ir/memory/boxes.h"
#include "ir/schedule/legality/bulk_copies.h"
#include "ir/text/printer.h"
#include "ir/traverse/tensors.h"
#include "ir/traverse/visit.h"

namespace hone {
namespace {

std::string place_of(Scope scope) {
  return scope == Scope::registers ? "registers" : name(scope).str() + " memory";
}

std::optional<CopyProblem> problem_of_width(const Copy& copy) {
  const DType type = copy.source.tensor->type;
  const int64_t bytes = std::max<int64_t>(copy.vector, 1) * size_of(type);
  const std::string& tile = copy.destination.tensor->name;
  if (alignment_of(type) < std::min<int64_t>(size_of(type), 16))
    return CopyProblem{fmt::format("elements of {} are {}, of {} bytes at multiples of {}, and an "
                                   "asynchronous copy moves 4, 8 or 16 at a multiple of as many",
                                   tile, name(type).str(), size_of(type), alignment_of(type)),
                       "copy it with loads and stores"};
  if (bytes == 4 || bytes == 8 || bytes == 16) return std::nullopt;
  return CopyProblem{
      fmt::format("{} moves by {} bytes at a time, and an asynchronous copy by 4, 8 or "
                  "16",
                  tile, bytes),
      bytes < 4 ? fmt::format("cache_shared with {{.vectorize = {}}}", 4 / size_of(type))
                : "copy it with loads and stores"};
}

/// True if a statement in `nest` writes the tensor, or may do so by another name.
bool may_write(const Stmt& nest, const TensorPtr& tensor, bool may_alias) {
  bool found = false;
  walk(nest, [&](const Stmt& stmt) {
    for_each_tensor(stmt, [&](const TensorPtr& named, TensorUse how) {
      const bool is_other = may_alias && named->scope == Scope::global;
      found |= how == TensorUse::writes && (named->id == tensor->id || is_other);
    });
  });
  return found;
}

/// Loads and stores may take a vector apart on one of the sides.
std::optional<CopyProblem> problem_of_vectors(const Copy& copy, const Facts& facts) {
  if (copy.vector <= 1 || has_vectors_on_both_sides(copy, facts)) return std::nullopt;
  return CopyProblem{
      fmt::format(
          "{} elements of {} and of {} do not lie side by side, from a multiple of {} bytes "
          "on, and an asynchronous copy moves them at once",
          copy.vector, copy.source.tensor->name, copy.destination.tensor->name,
          copy.vector * size_of(copy.source.tensor->type)),
      "a layout of the tile that leaves its vectors whole, or cache_shared without {.vectorize}"};
}

/// The words of messages for an engine.
struct EngineWords {
  const char *one, *many;
};

EngineWords words_of(const Copy& copy) {
  return copy.moves_boxes() ? EngineWords{"a bulk copy", "bulk copies"}
                            : EngineWords{"an asynchronous copy", "asynchronous copies"};
}

/// All that goes on while threads do something else.
std::optional<CopyProblem> problem_of_sides(const Copy& copy, const Stmt& nest, bool may_alias) {
  const TensorNode &to = *copy.destination.tensor, &from = *copy.source.tensor;
  const EngineWords words = words_of(copy);
  if (to.scope != Scope::shared || from.scope != Scope::global)
    return CopyProblem{fmt::format("{} is copied from {} to {}, and {} goes from global to shared "
                                   "memory",
                                   to.name, place_of(from.scope), place_of(to.scope), words.one),
                       "cache_shared makes such a copy"};
  if (!copy.fills_zero())
    return CopyProblem{fmt::format("{} is {} beyond the ends of {}, and {} have zeros there",
                                   to.name, to_string(copy.fill), from.name, words.many),
                       "copy it with loads and stores"};
  if (may_write(nest, copy.source.tensor, may_alias))
    return CopyProblem{fmt::format("{} {} while it is copied to {}", from.name,
                                   may_alias ? "may be written, as arguments may overlap,"
                                             : "is written in the same kernel",
                                   to.name),
                       fmt::format("{} reads what nobody writes", words.one)};
  return std::nullopt;
}

std::optional<CopyProblem> problem_of(const Copy& copy, const Stmt& nest, const Facts& facts,
                                      bool may_alias) {
  if (is_box_store(copy)) return problem_of_bulk_store(copy, nest, facts, may_alias);
  if (const auto problem = problem_of_sides(copy, nest, may_alias)) return problem;
  if (copy.moves_boxes()) return problem_of_bulk(copy, facts);
  if (const auto problem = problem_of_width(copy)) return problem;
  return problem_of_vectors(copy, facts);
}

}  // namespace

void check_engine_copies(const Preconditions& check, const Function& result,
                         const StmtNode* culprit) {
  const auto is_under_way = [](const Stmt& stmt) {
    const auto* copy = llvm::dyn_cast<Copy>(stmt);
    return copy && copy->uses_engine();
  };
  for (const Stmt& nest : nests_of(result.body)) {
    if (!any_of(nest, is_under_way)) continue;
    Facts facts = facts_of(result.assumptions);
    walk_with_facts(nest, facts, [&](const Stmt& stmt, const Facts& around) {
      if (!is_under_way(stmt)) return;
      if (const auto problem = problem_of(*llvm::cast<Copy>(stmt), nest, around, result.may_alias))
        check.refuse(culprit ? culprit : stmt.get(), problem->message, problem->note);
    });
  }
}

}  // namespace hone
