#include "tests/support/ir/shared_over.h"

#include "ir/analysis/dependence.h"
#include "ir/analysis/site.h"
#include "ir/text/parser.h"
#include "tests/support/ir/expect_rewrite.h"

namespace hone {

std::string shared_over(llvm::StringRef text, std::initializer_list<llvm::StringRef> names) {
  const Function function = parse_function(text);
  llvm::SmallVector<const For*, 4> loops;
  const auto named = axes(function, names);
  for (const AxisPtr& axis : named) loops.push_back(&find_site(function, axis.get())->loop());
  const Site site = *find_site(function, named.front().get());
  const Accesses accesses = collect_accesses(loops.back()->body);
  std::string result;
  for (const For* loop : loops)
    for (const MemoryAccess& lhs : accesses)
      for (const MemoryAccess& rhs : accesses) {
        if (!conflict(lhs, rhs) || result.find(loop->axis->name) != std::string::npos) continue;
        if (llvm::is_contained(unseparated(loops, lhs, rhs, site.facts()), loop))
          result += (result.empty() ? "" : " ") + loop->axis->name;
      }
  return result.empty() ? "none" : result;
}

}  // namespace hone
