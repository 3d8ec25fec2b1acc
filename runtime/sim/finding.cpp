#include "runtime/sim/finding.h"

#include <algorithm>
#include <tuple>

#include "fmt/format.h"
#include "ir/text/printer.h"

namespace hone {
std::string triple(const std::array<int64_t, 3>& xyz) {
  return fmt::format("({}, {}, {})", xyz[0], xyz[1], xyz[2]);
}

namespace {

std::string text_of(const FindingSite& site) {
  const std::string statement = "in: " + head_of(site.statement);
  if (site.access.empty()) return "  " + statement;
  return fmt::format("  block {}, thread {} {} {}\n    {}", triple(site.block), triple(site.thread),
                     site.verb, site.access, statement);
}

bool same_place(const FindingSite& lhs, const FindingSite& rhs) {
  return lhs.statement.same_as(rhs.statement) && lhs.access == rhs.access && lhs.verb == rhs.verb;
}

bool comes_first(const Finding& lhs, const Finding& rhs) {
  return std::tie(lhs.block, lhs.order) < std::tie(rhs.block, rhs.order);
}

struct KindRow {
  FindingKind kind;
  const char* text;
  bool is_hint = false;
};

constexpr KindRow finding_kinds[] = {
    {FindingKind::race, "race"},
    {FindingKind::same_value_race, "same-value race"},
    {FindingKind::equal_writes, "same-value race", true},
    {FindingKind::unordered_read, "unsynchronised read", true},
    {FindingKind::lanes_in_step, "lanes in step", true},
    {FindingKind::uninitialised_read, "uninitialised read"},
    {FindingKind::unfinished_copy, "unfinished copy"},
    {FindingKind::unfinished_store, "unfinished store"},
    {FindingKind::unfinished_product, "unfinished product"},
    {FindingKind::missing_fence, "missing fence"},
    {FindingKind::ended_block, "use of an ended block"},
    {FindingKind::out_of_bounds, "access out of bounds"},
    {FindingKind::misaligned_access, "misaligned access"},
    {FindingKind::divergent_barrier, "divergent barrier"},
    {FindingKind::divergent_shuffle, "divergent shuffle"},
    {FindingKind::missing_arrival, "missing arrival"},
    {FindingKind::invalid_operation, "invalid operation"},
    {FindingKind::index_overflow, "index overflow"},
    {FindingKind::stack_overflow, "stack overflow"},
    {FindingKind::assertion, "assertion"},
    {FindingKind::trap, "trap"},
    {FindingKind::run_away_loop, "run-away loop"},
    {FindingKind::deadlock, "deadlock"},
    {FindingKind::unneeded_barrier, "unneeded barrier", true},
    {FindingKind::error, "error"},
};

constexpr bool is_in_order() {
  for (size_t n = 0; n < std::size(finding_kinds); ++n)
    if (static_cast<size_t>(finding_kinds[n].kind) != n) return false;
  return std::size(finding_kinds) == static_cast<size_t>(FindingKind::error) + 1;
}
static_assert(is_in_order());

const KindRow& row_of(FindingKind kind) { return finding_kinds[static_cast<size_t>(kind)]; }

}  // namespace

const char* to_string(FindingKind kind) { return row_of(kind).text; }

bool is_hint(FindingKind kind) { return row_of(kind).is_hint; }

bool alike(const Finding& lhs, const Finding& rhs) {
  return lhs.kind == rhs.kind && lhs.tensor == rhs.tensor &&
         std::equal(lhs.sites.begin(), lhs.sites.end(), rhs.sites.begin(), rhs.sites.end(),
                    same_place);
}

std::string to_string(const Finding& finding) {
  std::string text = to_string(finding.kind);
  if (finding.tensor) text += fmt::format(" on {}{}", finding.tensor->name, finding.element);
  if (!finding.detail.empty()) text += ": " + finding.detail;
  for (const FindingSite& site : finding.sites) text += "\n" + text_of(site);
  if (finding.count > 1) text += fmt::format("\n  and {} more like it", finding.count - 1);
  return text;
}

void Findings::add(Finding finding) {
  auto* known = llvm::find_if(findings_, [&](const Finding& f) { return alike(f, finding); });
  if (known == findings_.end()) return findings_.push_back(std::move(finding));
  const int64_t count = known->count + finding.count;
  if (comes_first(finding, *known)) *known = std::move(finding);
  known->count = count;
}

void Findings::add(const Findings& others) {
  for (const Finding& finding : others.findings_) add(finding);
}

std::vector<Finding> Findings::sorted() const {
  std::vector<Finding> sorted(findings_.begin(), findings_.end());
  llvm::stable_sort(sorted, comes_first);
  return sorted;
}

}  // namespace hone
