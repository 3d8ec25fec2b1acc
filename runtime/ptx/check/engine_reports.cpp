// The findings about asynchronous operations, in words.

#include "fmt/format.h"
#include "runtime/ptx/check/checker.h"
#include "runtime/ptx/check/words.h"

namespace hone::ptx {
namespace {

/// Of two accesses to one place, one of an engine that is not over.
FindingKind kind_of(const MemoryDetail& engine) {
  if (engine.by && llvm::StringRef(engine.by) == "wgmma") return FindingKind::unfinished_product;
  const bool fills_shared =
      engine.kind == MemoryDetail::Kind::store && engine.space == Space::shared;
  return fills_shared ? FindingKind::unfinished_copy : FindingKind::unfinished_store;
}

const char* cause_of_kind(FindingKind kind) {
  return kind == FindingKind::unfinished_copy
             ? "The copy has to be waited for: by its group, or at its "
               "mbarrier, and a barrier tells "
               "other threads."
         : kind == FindingKind::unfinished_product
             ? "wgmma.wait_group has to come first."
             : "cp.async.bulk.wait_group has to come first, and a barrier tells other threads.";
}

}  // namespace

bool Checker::is_of_engine(Stamp stamp) const {
  return state_.plan.has_engines && clocks_.agent_of(stamp.lane()) == engine_agent();
}

std::string Checker::place_name(const Block* owner, int64_t address) const {
  return owner ? name_of_shared(block_.run, static_cast<uint64_t>(address))
               : name_of_global(block_.run, static_cast<uint64_t>(address), state_.plan.granule);
}

Report::Finding Checker::engine_finding(Stamp engine, const std::string& where) const {
  Report::Finding finding;
  finding.kind = kind_of(block_.run.program.memory[engine.access()]);
  finding.cause = cause_of_kind(finding.kind);
  finding.what = where;
  return finding;
}

void Checker::report_engine_race(const AsyncOperation& operation, uint32_t access, Stamp met,
                                 const Block* owner, int64_t address) {
  const auto& memory = block_.run.program.memory;
  const bool both = is_of_engine(met);
  const FindingKind kind = both ? kind_of(memory[met.access()]) : FindingKind::race;
  block_.run.findings.add(kind, memory[met.access()].place, memory[access].place, [&] {
    Report::Finding finding;
    if (both) finding = engine_finding(met, place_name(owner, address));
    finding.kind = kind;
    finding.what = place_name(owner, address);
    if (!both) finding.cause = "Nothing orders the thread's access and the start of the operation.";
    const Stamp mine = Stamp::of(1, access, static_cast<int>(operation.thread));
    finding.sites = {site_of(met, block_), site_of(mine, block_)};
    return finding;
  });
}

void Checker::report_missing_fence(const AsyncOperation& operation, Stamp write, int64_t address) {
  const auto& memory = block_.run.program.memory;
  const uint32_t access = operation.detail->reads;
  block_.run.findings.add(
      FindingKind::missing_fence, memory[write.access()].place, memory[access].place, [&] {
        Report::Finding finding;
        finding.kind = FindingKind::missing_fence;
        finding.what = place_name(&block_, address);
        finding.cause = "fence.proxy.async has to come between the write and the operation.";
        const Stamp mine = Stamp::of(1, access, static_cast<int>(operation.thread));
        finding.sites = {site_of(write, block_), site_of(mine, block_)};
        return finding;
      });
}

void Checker::report_unset_copy(const AsyncOperation& operation, const Piece& piece) {
  const auto& memory = block_.run.program.memory;
  const Place place = memory[operation.detail->writes].place;
  block_.run.findings.add(FindingKind::uninitialised_read, place, place, [&] {
    Report::Finding finding;
    finding.kind = FindingKind::uninitialised_read;
    finding.what = fmt::format("{}: bytes that nobody wrote are copied to global memory",
                               place_name(piece.from.owner, piece.from.address));
    const Stamp mine = Stamp::of(1, operation.detail->reads, static_cast<int>(operation.thread));
    finding.sites = {site_of(mine, *operation.block)};
    return finding;
  });
}

void Checker::leave(const AsyncOperation& operation) {
  const auto& memory = block_.run.program.memory;
  const bool loads = operation.mbarrier.data != nullptr;
  const uint32_t access = loads ? operation.detail->writes : operation.detail->reads;
  const Place place = memory[access].place;
  const FindingKind kind = loads ? FindingKind::unfinished_copy : FindingKind::unfinished_store;
  block_.run.findings.add(kind, place, place, [&] {
    Report::Finding finding;
    finding.kind = kind;
    finding.what = "a block ends while the engine uses its shared memory";
    finding.cause = loads ? "Its mbarrier has to be waited for."
                          : "cp.async.bulk.wait_group.read has to come before the end.";
    const Stamp mine = Stamp::of(1, access, static_cast<int>(operation.thread));
    finding.sites = {site_of(mine, *operation.block)};
    return finding;
  });
}

}  // namespace hone::ptx
