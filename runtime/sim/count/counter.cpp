#include "runtime/sim/count/counter.h"

#include <algorithm>
#include <bit>

#include "ir/traverse/equal.h"
#include "ir/traverse/visit.h"
#include "runtime/sim/boxes.h"

namespace hone {
namespace {

// ---- The instructions ---------------------------------------------------------------------------

CountingObserver& observer_of(const Worker& worker) {
  return static_cast<CountingObserver&>(*worker.observer);
}

void count_access(Worker& worker, const Instruction& instruction) {
  observer_of(worker).count_access(worker, instruction.detail);
}

void count_branch(Worker& worker, const Instruction& instruction) {
  observer_of(worker).count_branch(worker, instruction.detail,
                                   worker.at<uint8_t>(instruction.operands[0]));
}

void count_statement(Worker& worker, const Instruction& instruction) {
  observer_of(worker).count_statement(worker, instruction.detail);
}

void count_shuffle(Worker& worker, const Instruction&) {
  observer_of(worker).count_shuffle(worker);
}

void count_barrier(Worker& worker, const Instruction&) { observer_of(worker).count_barrier(); }

// ---- What is counted ----------------------------------------------------------------------------

AccessClass class_of(const Access& access, const TensorNode& tensor) {
  const bool is_in_shared = tensor.scope == Scope::shared;
  switch (access.kind) {
    case Access::Kind::read:
      return is_in_shared ? AccessClass::shared_load : AccessClass::global_load;
    case Access::Kind::write:
      return is_in_shared ? AccessClass::shared_store : AccessClass::global_store;
    case Access::Kind::update:
      return is_in_shared ? AccessClass::shared_atomic : AccessClass::global_atomic;
  }
  llvm_unreachable("unknown kind of access");
}

bool contains(const Expr& expr, const Expr& part) {
  return any_of(expr, [&](const Expr& candidate) { return equal(candidate, part); });
}

/// True if `part` is in an operand of `expr` that not all lanes may need.
bool may_skip(const Expr& expr, const Expr& part) {
  if (const auto* choice = llvm::dyn_cast<Select>(expr))
    return may_skip(choice->condition, part) || contains(choice->if_true, part) ||
           contains(choice->if_false, part);
  const auto* binary = llvm::dyn_cast<Binary>(expr);
  if (binary && is_logical(binary->op))
    return may_skip(binary->lhs, part) || contains(binary->rhs, part);
  bool found = false;
  for_each_operand(expr, [&](const Expr& operand) { found = found || may_skip(operand, part); });
  return found;
}

/// True if an earlier access of the statement has read the same for the same lanes.
bool repeats(const Access& access, const Access& earlier, const SimProgram& program) {
  if (access.kind != Access::Kind::read || earlier.kind != Access::Kind::read) return false;
  if (access.statement != earlier.statement || !equal(access.place, earlier.place)) return false;
  const auto* store = llvm::dyn_cast<Store>(program.statements[access.statement]);
  return store && !may_skip(store->value, access.place);
}

/// The accesses that the program has the instruction `watch` for, in the order of the kernel's
/// text.
std::vector<uint32_t> watched_accesses(const SimProgram& program, Instruction::Execute watch) {
  std::vector<uint32_t> watched;
  for (const Code& code : program.codes)
    for (const Instruction& instruction : code)
      if (instruction.execute == watch) watched.push_back(instruction.detail);
  llvm::sort(watched);
  return watched;
}

/// In how many ways an element may lie in the unit that memory is divided into.
uint32_t places_of(const CountedAccess& access) {
  const int unit = is_shared(access.access_class) ? 4 : sector_bytes;
  return std::max(1, unit / access.element_bytes);
}

CountedAccess describe(const SimProgram& program, const Access& access) {
  const TensorNode& tensor = *program.memories[access.memory].tensor;
  CountedAccess counted;
  counted.access_class = class_of(access, tensor);
  counted.element_bytes = static_cast<int>(size_of(tensor.type));
  counted.width_bytes = static_cast<int>(access.width) * counted.element_bytes;
  counted.own_lanes = access.own_lanes;
  counted.address = std::max<int64_t>(tensor.address, 0);
  counted.places = places_of(counted);
  return counted;
}

// ---- Lane by lane -------------------------------------------------------------------------------

uint32_t active_lanes(const Worker& worker, int first) {
  const int lanes = std::min(warp_lanes, worker.lanes - first);
  if (worker.mask->is_full()) return ~uint32_t{0} >> (warp_lanes - lanes);
  uint32_t active = 0;
  for (int lane = 0; lane < lanes; ++lane)
    active |= uint32_t{worker.mask->has(first + lane)} << lane;
  return active;
}

/// The cost of an access for all warps.
MemoryCounts counts_of(const Worker& worker, const CountedAccess& access, const int64_t* offsets,
                       int64_t uniform) {
  MemoryCounts counts;
  for_each_request(worker, access, offsets, uniform, [&](const WarpAccess& request, int) {
    counts += counts_of(request, access.access_class);
  });
  return counts;
}

}  // namespace

void for_each_request(const Worker& worker, const CountedAccess& access, const int64_t* offsets,
                      int64_t uniform, llvm::function_ref<void(const WarpAccess&, int)> use) {
  WarpAccess warp;
  warp.width = std::min(access.width_bytes, widest_access);
  warp.addresses.fill(access.address + uniform * access.element_bytes);
  for (int first = 0; first < worker.lanes; first += warp_lanes) {
    warp.active = active_lanes(worker, first) & access.own_lanes;
    if (warp.active == 0) continue;
    for (uint32_t left = offsets ? warp.active : 0; left != 0; left &= left - 1) {
      const int lane = std::countr_zero(left);
      warp.addresses[lane] =
          access.address + (offsets[first + lane] + uniform) * access.element_bytes;
    }
    for (int moved = 0; moved < access.width_bytes; moved += warp.width) {
      use(warp, first);
      for (int64_t& address : warp.addresses) address += warp.width;
    }
    if (!offsets) warp.addresses.fill(access.address + uniform * access.element_bytes);
  }
}

MemoryCounts counts_of(const WarpAccess& request, AccessClass access_class) {
  MemoryCounts counts;
  counts.requests = 1;
  counts.bytes = int64_t{std::popcount(request.active)} * request.width;
  if (!is_atomic(access_class)) counts.data_bytes = count_data_bytes(request);
  if (!is_shared(access_class)) {
    counts.sectors = count_sectors(request);
    counts.lines = count_lines(request);
    return counts;
  }
  if (access_class == AccessClass::shared_atomic) return counts;  // as many as it takes
  const Wavefronts wavefronts = count_wavefronts(request);
  counts.wavefronts = wavefronts.actual;
  counts.ideal_wavefronts = wavefronts.ideal;
  return counts;
}

// ---- Tables -------------------------------------------------------------------------------------

Instrumentation counting() {
  Instrumentation counting;
  counting.access = count_access;
  counting.branch = count_branch;
  counting.statement = count_statement;
  counting.barrier = count_barrier;
  counting.shuffle = count_shuffle;
  return counting;
}

CountedProgram::CountedProgram(const SimProgram& program) : CountedProgram(program, count_access) {
  add_boxes();
}

CountedProgram::CountedProgram(const SimProgram& program, Instruction::Execute watch)
    : program(program), accesses(program.accesses.size()) {
  llvm::SmallVector<uint32_t, 16> counted;
  for (const uint32_t number : watched_accesses(program, watch)) {
    const Access& access = program.accesses[number];
    if (llvm::any_of(counted, [&](uint32_t earlier) {
          return repeats(access, program.accesses[earlier], program);
        }))
      continue;
    counted.push_back(number);
    accesses[number] = describe(program, access);
    accesses[number].first_cost = costs;
    costs += accesses[number].places;
  }
}

/// Those to boxes have no lanes to look at.
void CountedProgram::add_boxes() {
  for (const AsyncDetail& detail : program.operations)
    if (detail.box)
      for (const uint32_t number : {detail.shared, detail.memory})
        accesses[number] = describe(program, program.accesses[number]);
}

BlockCounts::BlockCounts(const SimProgram& program)
    : accesses(program.accesses.size()),
      branches(program.statements.size()),
      runs(program.statements.size()) {}

BlockCounts& BlockCounts::operator+=(const BlockCounts& other) {
  for (size_t access = 0; access < accesses.size(); ++access)
    accesses[access] += other.accesses[access];
  for (size_t statement = 0; statement < runs.size(); ++statement) {
    branches[statement] += other.branches[statement];
    runs[statement] += other.runs[statement];
  }
  shuffles += other.shuffles;
  barriers += other.barriers;
  return *this;
}

// ---- Counting -----------------------------------------------------------------------------------

void CountingObserver::count_access(const Worker& worker, uint32_t number) {
  const CountedAccess& access = counted_.accesses[number];
  if (access.places == 0) return;
  const LaneIndex& offset = counted_.program.accesses[number].offset;
  const Base* base = offset.is_uniform() ? nullptr : &worker.bases[offset.base];
  const uint64_t version = base ? base->version : 0;
  const int64_t place = *worker.at<int64_t>(offset.uniform) & (access.places - 1);
  Cost& cost = costs_[access.first_cost + place];
  if (cost.mask_stamp != worker.mask->stamp() || cost.base_version != version) {
    cost.counts = counts_of(worker, access, base ? base->values : nullptr, place);
    cost.mask_stamp = worker.mask->stamp();
    cost.base_version = version;
  }
  counts_.accesses[number] += cost.counts;
}

/// The copy engine passes by the units that requests, sectors and wavefronts are counted in. It
/// writes all of a tile, and moves what lies within the ends of the tensor.
void CountingObserver::start_operation(Worker& worker, const AsyncOperation& operation) {
  const AsyncDetail& detail = *operation.detail;
  if (!detail.box) return;
  MemoryCounts memory, tile;
  for_each_chunk(worker, operation, [&](const BoxChunk& chunk) { memory.bytes += chunk.bytes; });
  tile.bytes = detail.fills ? detail.bytes : memory.bytes;
  for (MemoryCounts* counts : {&memory, &tile}) counts->engine_bytes = counts->bytes;
  counts_.accesses[detail.memory] += memory;
  counts_.accesses[detail.shared] += tile;
}

void CountingObserver::count_branch(const Worker& worker, uint32_t statement,
                                    const uint8_t* condition) {
  BranchCounts& counts = counts_.branches[statement];
  for (int first = 0; first < worker.lanes; first += warp_lanes) {
    const uint32_t active = active_lanes(worker, first);
    uint32_t taken = 0;
    for (uint32_t left = active; left != 0; left &= left - 1) {
      const int lane = std::countr_zero(left);
      taken |= uint32_t{condition[first + lane]} << lane;
    }
    counts.warps += active != 0;
    counts.divergent += taken != 0 && taken != active;
  }
}

void CountingObserver::count_statement(const Worker& worker, uint32_t statement) {
  counts_.runs[statement] += active_warps(worker);
}

WarpCounts CountingObserver::active_warps(const Worker& worker) {
  if (active_stamp_ == worker.mask->stamp()) return active_;
  active_stamp_ = worker.mask->stamp();
  active_ = {0, worker.mask->count()};
  for (int first = 0; first < worker.lanes; first += warp_lanes)
    active_.warps += active_lanes(worker, first) != 0;
  return active_;
}

}  // namespace hone
