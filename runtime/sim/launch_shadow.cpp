#include "runtime/sim/launch_shadow.h"

#include <algorithm>
#include <numeric>

#include "runtime/sim/check_findings.h"
#include "runtime/sim/report.h"

namespace hone {
namespace {

constexpr int block_shift = Stamp::lane_bits + Stamp::access_bits;

/// An argument in memory.
struct Extent {
  int argument = 0;
  uintptr_t begin = 0, end = 0;
  int64_t granule = 1;
  bool is_written = false;
};

bool is_written(const SimProgram& program, int argument) {
  return llvm::any_of(program.accesses, [&](const Access& access) {
    return access.kind == Access::Kind::write &&
           program.memories[access.memory].argument == argument;
  });
}

/// By address; empty ones left out.
llvm::SmallVector<Extent, 4> extents_of(const Launch& launch) {
  llvm::SmallVector<Extent, 4> extents;
  for (int n = 0; n < static_cast<int>(launch.arguments.size()); ++n) {
    const SimArgument& argument = launch.arguments[n];
    const int64_t size = size_of(launch.program.kernel.arguments[n]->type);
    const auto begin = reinterpret_cast<uintptr_t>(argument.data);
    if (argument.elements > 0)
      extents.push_back(
          {n, begin, begin + argument.elements * size, size, is_written(launch.program, n)});
  }
  llvm::sort(extents, [](const Extent& a, const Extent& b) { return a.begin < b.begin; });
  return extents;
}

}  // namespace

BlockStamp BlockStamp::of(int64_t block, Stamp stamp) {
  constexpr uint64_t low = (uint64_t{1} << block_shift) - 1;
  return {static_cast<uint64_t>(block + 1) << block_shift | (stamp.bits & low)};
}

int64_t BlockStamp::block() const { return static_cast<int64_t>(bits >> block_shift) - 1; }
uint32_t BlockStamp::access() const { return Stamp{bits}.access(); }
int BlockStamp::lane() const { return Stamp{bits}.lane(); }

/// A block adds to a cell once.
void FirstTwo::add(BlockStamp stamp) {
  if (!first.exists() || stamp.bits < first.bits) std::swap(first, stamp);
  if (stamp.exists() && (!second.exists() || stamp.bits < second.bits)) second = stamp;
}

/// Arguments that overlap have their cells in common.
LaunchShadow::LaunchShadow(const Launch& launch)
    : launch_(launch), origins_(launch.arguments.size()) {
  const auto extents = extents_of(launch);
  int64_t cells = 0;
  for (const auto* group = extents.begin(); group != extents.end();) {
    uintptr_t end = group->end;
    int64_t granule = 0;
    bool is_watched = false;
    const auto* member = group;
    for (; member != extents.end() && member->begin < end; ++member) {
      end = std::max(end, member->end);
      granule = std::gcd(std::gcd(granule, member->granule),
                         static_cast<int64_t>(member->begin - group->begin));
      is_watched |= member->is_written;
    }
    for (const auto* other = group; is_watched && other != member; ++other)
      origins_[other->argument] = {
          true, cells + static_cast<int64_t>(other->begin - group->begin) / granule, granule};
    if (is_watched) cells += static_cast<int64_t>(end - group->begin + granule - 1) / granule;
    group = member;
  }
  cells_.resize(launch.runs() > 1 ? cells : 0);
}

void LaunchShadow::add(int64_t block, PagedShadow& touched) {
  int64_t locked_page = -1;
  std::unique_lock<std::mutex> lock;
  touched.take([&](int64_t number, const ShadowCell& seen) {
    if (cells_.empty()) return;
    if (const int64_t page = number / PagedShadow::page_cells; page != locked_page) {
      lock = {};
      lock = std::unique_lock(mutexes_[page % locks]);
      locked_page = page;
    }
    GlobalCell& cell = cells_[number];
    if (seen.write.exists()) cell.writers.add(BlockStamp::of(block, seen.write));
    if (seen.read.exists()) cell.readers.add(BlockStamp::of(block, seen.read));
  });
}

void LaunchShadow::report(Findings& findings) const {
  FoldedFindings folded;
  for (int64_t number = 0; number < static_cast<int64_t>(cells_.size()); ++number) {
    const FirstTwo &writers = cells_[number].writers, &readers = cells_[number].readers;
    if (!writers.first.exists()) continue;
    const int64_t block = writers.first.block();
    const bool is_own = readers.first.exists() && readers.first.block() == block;
    const BlockStamp reader = is_own ? readers.second : readers.first;
    const BlockStamp other = writers.second.exists() ? writers.second : reader;
    if (!other.exists()) continue;
    folded.add(FindingKind::race, writers.first.access(), other.access(),
               [&] { return describe(number, writers.first, other); });
  }
  folded.move_to(findings);
}

Finding LaunchShadow::describe(int64_t number, BlockStamp writer, BlockStamp other) const {
  const Access& access = launch_.program.accesses[writer.access()];
  const int argument = launch_.program.memories[access.memory].argument;
  const Origin& origin = origins_[argument];
  const int64_t size = size_of(launch_.program.kernel.arguments[argument]->type);
  Finding finding;
  finding.kind = FindingKind::race;
  finding.tensor = launch_.program.kernel.arguments[argument];
  finding.element = element_text(launch_, access, (number - origin.cell) * origin.granule / size);
  finding.detail = "nothing orders the blocks of a launch";
  for (const BlockStamp stamp : {writer, other})
    finding.sites.push_back(
        site_of(launch_, launch_.program.accesses[stamp.access()], stamp.block(), stamp.lane()));
  finding.block = std::min(writer.block(), other.block());
  finding.order = std::numeric_limits<int64_t>::max();  // behind those within the block
  return finding;
}

}  // namespace hone
