#include "runtime/sim/check/launch_shadow.h"

#include <algorithm>
#include <numeric>

#include "ir/opcodes/opcodes.h"
#include "runtime/sim/check/check_findings.h"
#include "runtime/sim/report.h"

namespace hone {
namespace {

constexpr int block_shift = Stamp::lane_bits + Stamp::access_bits;

/// An argument in memory.
struct Extent {
  int argument = 0;
  uintptr_t begin = 0, end = 0;
  int64_t granule = 1;
  bool is_watched = false;
};

bool is_written(const SimProgram& program, int argument) {
  return llvm::any_of(program.accesses, [&](const Access& access) {
    return access.kind != Access::Kind::read &&
           program.memories[access.memory].argument == argument;
  });
}

bool has_unset(const SimArgument& argument) {
  return argument.uninitialised || (argument.unset && llvm::is_contained(argument.unset->flags, 1));
}

/// By address; empty ones left out.
llvm::SmallVector<Extent, 4> extents_of(const SimLaunch& launch) {
  llvm::SmallVector<Extent, 4> extents;
  for (int n = 0; n < static_cast<int>(launch.arguments.size()); ++n) {
    const SimArgument& argument = launch.arguments[n];
    const int64_t size = size_of(launch.program.kernel.arguments[n]->type);
    const auto begin = reinterpret_cast<uintptr_t>(argument.data);
    if (argument.elements > 0)
      extents.push_back({n, begin, begin + argument.elements * size, size,
                         is_written(launch.program, n) || has_unset(argument)});
  }
  llvm::sort(extents, [](const Extent& a, const Extent& b) { return a.begin < b.begin; });
  return extents;
}

}  // namespace

bool has_arrivals(const SimProgram& program) {
  return llvm::any_of(program.statements, is<op::arrive>);
}

BlockStamp BlockStamp::of(int64_t block, Stamp stamp) {
  constexpr uint64_t low = (uint64_t{1} << block_shift) - 1;
  return {static_cast<uint64_t>(block + 1) << block_shift | (stamp.bits & low)};
}

int64_t BlockStamp::block() const { return static_cast<int64_t>(bits >> block_shift) - 1; }
uint32_t BlockStamp::access() const { return Stamp{bits}.access(); }
int BlockStamp::lane() const { return Stamp{bits}.lane(); }

/// Of a block the first access that is added counts.
void FirstTwo::add(BlockStamp stamp) {
  for (const BlockStamp known : {first, second})
    if (known.exists() && known.block() == stamp.block()) return;
  if (!first.exists() || stamp.bits < first.bits) std::swap(first, stamp);
  if (stamp.exists() && (!second.exists() || stamp.bits < second.bits)) second = stamp;
}

/// Arguments that overlap have their cells in common.
LaunchShadow::LaunchShadow(const SimLaunch& launch)
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
      is_watched |= member->is_watched;
    }
    for (const auto* other = group; is_watched && other != member; ++other)
      origins_[other->argument] = {
          true, cells + static_cast<int64_t>(other->begin - group->begin) / granule, granule};
    if (is_watched) cells += static_cast<int64_t>(end - group->begin + granule - 1) / granule;
    group = member;
  }
  find_unset(cells);
  if (launch.runs() < 2) return;
  const bool are_ordered = has_arrivals(launch.program);
  constexpr auto plain_bytes = static_cast<int64_t>(sizeof(GlobalCell));
  constexpr auto ordered_bytes = static_cast<int64_t>(sizeof(OrderedCell));
  claim_.grow(cells * (plain_bytes + (are_ordered ? ordered_bytes : 0)),
              "the record of what blocks write");
  cells_.resize(cells);
  if (are_ordered) ordered_.resize(cells);
}

void LaunchShadow::find_unset(int64_t cells) {
  for (int n = 0; n < static_cast<int>(origins_.size()); ++n) {
    if (!may_be_unset(n) || !origins_[n].is_watched) continue;
    claim_.grow(unset_before_.empty() ? 2 * cells : 0, "the record of elements without values");
    unset_before_.resize(cells);
    const SimArgument& argument = launch_.arguments[n];
    const int64_t size = size_of(launch_.program.kernel.arguments[n]->type) / origins_[n].granule;
    for (int64_t element = 0; element < argument.elements; ++element)
      if (!argument.unset || argument.unset->flags[element])
        std::fill_n(unset_before_.begin() + origins_[n].cell + element * size, size, 1);
  }
  unset_after_ = unset_before_;
}

void LaunchShadow::hand_on_unset() const {
  for (int n = 0; n < static_cast<int>(origins_.size()); ++n) {
    const SimArgument& argument = launch_.arguments[n];
    if (!argument.unset || !origins_[n].is_watched) continue;
    const int64_t size = size_of(launch_.program.kernel.arguments[n]->type) / origins_[n].granule;
    for (int64_t element = 0; element < argument.elements; ++element)
      argument.unset->flags[element] = unset_after_[origins_[n].cell + element * size];
  }
}

/// Accesses that another counter orders with others are not ordered by this one.
GlobalCell& LaunchShadow::cell_of(int64_t number, BlockOrder order, int64_t counter) {
  if (order == BlockOrder::none) return cells_[number];
  OrderedCell& cell = ordered_[number];
  if (cell.counter < 0) cell.counter = counter;
  if (cell.counter != counter) return cells_[number];
  return order == BlockOrder::released ? cell.released : cell.acquired;
}

void LaunchShadow::add(int64_t block, const PagedShadow& touched,
                       llvm::ArrayRef<OtherStamps> others, const Arrival& arrival) {
  if (cells_.empty() && unset_after_.empty()) return;
  int64_t locked_page = -1;
  std::unique_lock<std::mutex> lock;
  touched.for_each([&](int64_t number, const ShadowCell& seen) {
    if (const int64_t page = number / PagedShadow::page_cells; page != locked_page) {
      lock = {};
      lock = std::unique_lock(mutexes_[page % locks]);
      locked_page = page;
    }
    const bool is_written = seen.write.exists() || seen.updates.first.exists();
    if (is_written && !unset_after_.empty()) unset_after_[number] = !seen.is_set;
    if (cells_.empty()) return;
    const auto add = [&](Stamp stamp, FirstTwo GlobalCell::*kind) {
      if (stamp.exists())
        (cell_of(number, arrival.order_of(stamp), arrival.counter).*kind)
            .add(BlockStamp::of(block, stamp));
    };
    add(seen.write, &GlobalCell::writers);
    for (const Stamp stamp : {seen.updates.first, seen.updates.second})
      add(stamp, &GlobalCell::updaters);
    for (const Stamp stamp : {seen.reads.first, seen.reads.second})
      add(stamp, &GlobalCell::readers);
    if (seen.others == 0) return;
    for (const Stamp stamp : others[seen.others - 1].updates) add(stamp, &GlobalCell::updaters);
    for (const Stamp stamp : others[seen.others - 1].reads) add(stamp, &GlobalCell::readers);
  });
}

bool LaunchShadow::is_published(int64_t cell, int64_t counter) const {
  if (ordered_.empty() || ordered_[cell].counter != counter || unset_after_[cell]) return false;
  const GlobalCell& released = ordered_[cell].released;
  return released.writers.first.exists() || released.updaters.first.exists();
}

namespace {

struct BlockAccess {
  BlockStamp stamp;
  Access::Kind kind;
  BlockOrder order;
};
using BlockAccesses = llvm::SmallVector<BlockAccess, 8>;

/// Writes first, and reads last.
void append(const GlobalCell& cell, BlockOrder order, BlockAccesses& accesses) {
  const auto append_two = [&](const FirstTwo& blocks, Access::Kind kind) {
    for (const BlockStamp stamp : {blocks.first, blocks.second})
      if (stamp.exists()) accesses.push_back({stamp, kind, order});
  };
  append_two(cell.writers, Access::Kind::write);
  append_two(cell.updaters, Access::Kind::update);
  append_two(cell.readers, Access::Kind::read);
}

bool is_race(const BlockAccess& lhs, const BlockAccess& rhs) {
  const bool is_plain_write = lhs.kind == Access::Kind::write || rhs.kind == Access::Kind::write;
  const bool are_ordered =
      lhs.order != rhs.order && lhs.order != BlockOrder::none && rhs.order != BlockOrder::none;
  return lhs.stamp.block() != rhs.stamp.block() && !are_ordered &&
         (is_plain_write || lhs.kind != rhs.kind);
}

std::optional<std::pair<BlockStamp, BlockStamp>> find_race(const BlockAccesses& accesses) {
  for (const BlockAccess* first = accesses.begin(); first != accesses.end(); ++first)
    for (const BlockAccess* second = first + 1; second != accesses.end(); ++second)
      if (is_race(*first, *second)) return std::pair(first->stamp, second->stamp);
  return std::nullopt;
}

}  // namespace

void LaunchShadow::report(Findings& findings) const {
  FoldedFindings folded;
  for (int64_t number = 0; number < static_cast<int64_t>(cells_.size()); ++number) {
    const bool has_changed =
        cells_[number].writers.first.exists() || cells_[number].updaters.first.exists();
    if (!has_changed && ordered_.empty()) continue;
    BlockAccesses accesses;
    append(cells_[number], BlockOrder::none, accesses);
    if (!ordered_.empty()) {
      append(ordered_[number].released, BlockOrder::released, accesses);
      append(ordered_[number].acquired, BlockOrder::acquired, accesses);
    }
    if (const auto race = find_race(accesses))
      folded.add(FindingKind::race, race->first.access(), race->second.access(),
                 [&] { return describe(number, race->first, race->second); });
  }
  folded.move_to(findings);
}

Finding LaunchShadow::describe(int64_t number, BlockStamp first, BlockStamp second) const {
  const Access& access = launch_.program.accesses[first.access()];
  const int argument = launch_.program.memories[access.memory].argument;
  const Origin& origin = origins_[argument];
  const int64_t size = size_of(launch_.program.kernel.arguments[argument]->type);
  Finding finding;
  finding.kind = FindingKind::race;
  finding.tensor = launch_.program.kernel.arguments[argument];
  finding.element = element_text(launch_, access, (number - origin.cell) * origin.granule / size);
  finding.detail = "nothing orders the blocks of a launch";
  for (const BlockStamp stamp : {first, second})
    finding.sites.push_back(
        site_of(launch_, launch_.program.accesses[stamp.access()], stamp.block(), stamp.lane()));
  finding.block = std::min(first.block(), second.block());
  finding.order = std::numeric_limits<int64_t>::max();  // behind those within the block
  return finding;
}

}  // namespace hone
