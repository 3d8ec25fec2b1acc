#include "ir/schedule/legality/independence.h"

#include "ir/analysis/enumeration.h"
#include "ir/analysis/families.h"

namespace hone {

std::string Overlap::text(const For& loop) const {
  if (other.writes && writer.text() == other.text())
    return fmt::format("two iterations of {} may write one element: {}", loop.axis->name,
                       writer.text());
  return fmt::format("two iterations of {} may touch one element: one writes {}, one {} {}",
                     loop.axis->name, writer.text(), other.writes ? "writes" : "reads",
                     other.text());
}

std::optional<Overlap> find_overlap(const Site& site, const TensorPtr& only, bool updates_commute) {
  const bool has_one_iteration = is_int(site.loop().extent, 1);
  if (has_one_iteration || (only && !writes(site.loop().body, only))) return std::nullopt;
  const For* loops[] = {&site.loop()};
  Accesses accesses = collect_accesses(site.loop().body);
  if (only) llvm::erase_if(accesses, [&](const auto& access) { return access.tensor != only; });
  const Facts facts = site.facts();
  const auto found = find_harm(accesses, accesses, [&](const auto& lhs, const auto& rhs) {
    return !conflict(lhs, rhs) || (updates_commute && commute(lhs, rhs)) ||
           unseparated(loops, lhs, rhs, facts).empty() ||
           enumeration_separates(site.loop().axis, site.loop().extent, lhs, rhs);
  });
  if (!found) return std::nullopt;
  const MemoryAccess &first = accesses[found->first], &second = accesses[found->second];
  return first.writes ? Overlap{first, second} : Overlap{second, first};
}

void check_independent(const Preconditions& check, const Function& result, const AxisNode* axis,
                       const StmtNode* culprit, const TensorPtr& only) {
  const Site site = *find_site(result, axis);
  const auto overlap = find_overlap(site, only, static_cast<bool>(site.loop().binding.combine));
  if (!overlap) return;
  check.refuse(culprit, overlap->text(site.loop()),
               fmt::format("{} is bound to {}: its iterations run at the same time", axis->name,
                           to_string(site.loop().binding)));
}

}  // namespace hone
