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

}  // namespace

const char* to_string(FindingKind kind) {
  switch (kind) {
    case FindingKind::race:
      return "race";
    case FindingKind::same_value_race:
      return "same-value race";
    case FindingKind::uninitialised_read:
      return "uninitialised read";
    case FindingKind::unfinished_copy:
      return "unfinished copy";
    case FindingKind::unfinished_product:
      return "unfinished product";
    case FindingKind::unfinished_store:
      return "unfinished store";
    case FindingKind::missing_fence:
      return "missing fence";
    case FindingKind::ended_block:
      return "use of an ended block";
    case FindingKind::out_of_bounds:
      return "access out of bounds";
    case FindingKind::misaligned_access:
      return "misaligned access";
    case FindingKind::divergent_barrier:
      return "divergent barrier";
    case FindingKind::divergent_shuffle:
      return "divergent shuffle";
    case FindingKind::missing_arrival:
      return "missing arrival";
    case FindingKind::invalid_operation:
      return "invalid operation";
    case FindingKind::index_overflow:
      return "index overflow";
    case FindingKind::run_away_loop:
      return "run-away loop";
    case FindingKind::deadlock:
      return "deadlock";
    case FindingKind::unneeded_barrier:
      return "unneeded barrier";
  }
  llvm_unreachable("unknown kind of finding");
}

bool is_hint(FindingKind kind) { return kind == FindingKind::unneeded_barrier; }

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
