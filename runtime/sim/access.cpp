#include "runtime/sim/access.h"

#include <algorithm>

#include "runtime/sim/report.h"

namespace hone {
namespace {

/// Shorter rows are not worth the detour.
constexpr int shortest_row = 4;

/// Values of inactive lanes are arbitrary, so sums may wrap around.
int64_t wrapping_sum(int64_t lhs, int64_t rhs) {
  return static_cast<int64_t>(static_cast<uint64_t>(lhs) + static_cast<uint64_t>(rhs));
}

bool is_row(const int64_t* values, Rows rows) {
  for (int lane = 1; lane < rows.length; ++lane)
    if (wrapping_sum(values[lane - 1], rows.step) != values[lane]) return false;
  return true;
}

Rows find_rows(const int64_t* values, int lanes) {
  if (lanes < shortest_row) return {};
  Rows rows = {2, values[0] == values[1] ? 0 : 1};
  if (!is_row(values, rows)) return {};
  while (rows.length < lanes && is_row(values + rows.length - 1, {2, rows.step})) ++rows.length;
  if (rows.length < shortest_row || lanes % rows.length != 0) return {};
  for (int start = 0; start < lanes; start += rows.length)
    if (!is_row(values + start, rows)) return {};
  return rows;
}

Span span_of(const int64_t* values, const Mask& mask) {
  Span span;
  mask.for_each([&](int lane) {
    span.least = std::min(span.least, values[lane]);
    span.greatest = std::max(span.greatest, values[lane]);
  });
  return span;
}

bool is_within(Span span, int64_t offset, int64_t extent) {
  int64_t least = 0, greatest = 0;
  return !__builtin_add_overflow(span.least, offset, &least) &&
         !__builtin_add_overflow(span.greatest, offset, &greatest) && least >= 0 &&
         greatest < extent;
}

/// True if the index of every active lane is in 0..extent. Looks at single lanes only if that is
/// not true for all lanes, active or not.
bool is_within(Worker& worker, const LaneIndex& index, int64_t extent) {
  const int64_t uniform = *worker.at<int64_t>(index.uniform);
  if (index.is_uniform()) return is_within({0, 0}, uniform, extent);
  Base& base = worker.bases[index.base];
  if (is_within(base.all, uniform, extent)) return true;
  if (base.stamp != worker.mask->stamp()) {
    base.active = span_of(base.values, *worker.mask);
    base.stamp = worker.mask->stamp();
  }
  return is_within(base.active, uniform, extent);
}

bool is_within_bounds(Worker& worker, const Access& access) {
  const Memory& memory = worker.program.memories[access.memory];
  const int64_t beyond = access.width - 1;
  if (access.indices.empty() || access.box_alignment != 0)
    return is_within(worker, access.offset, worker.places[access.memory].elements - beyond);
  for (size_t dim = 0; dim < access.indices.size(); ++dim) {
    const bool is_row = dim + 1 == access.indices.size();
    if (!is_within(worker, access.indices[dim], memory.extents[dim] - (is_row ? beyond : 0)))
      return false;
  }
  return true;
}

/// Of an instruction that has the shared memory of its own block alone: of engines, and of barriers
/// with phases.
bool is_of_own_block(const Worker& worker, const Access& access) {
  const Memory& memory = worker.program.memories[access.memory];
  return worker.launch.cluster() > 1 && memory.is_shared() && !access.is_in_all_blocks &&
         (access.is_async || access.box_alignment != 0 || memory.first_barrier);
}

void check_own_block(const Worker& worker, const Access& access, const Address& address) {
  const Memory& memory = worker.program.memories[access.memory];
  worker.mask->for_each([&](int lane) {
    const int64_t block = memory.part_of(address.element(lane));
    const int64_t own = worker.thread(lane) / worker.launch.block_lanes();
    if (block != own)
      report_box(worker, access, FindingKind::invalid_operation, lane,
                 fmt::format("the element lies in block {} of the cluster, and engines and "
                             "mbarriers have those of their own block, {}",
                             block, own));
  });
}

}  // namespace

Address open_access(Worker& worker, const Access& access) {
  if (worker.launch.options.check_bounds && !is_within_bounds(worker, access))
    report_out_of_bounds(worker, access);
  const LaneIndex& offset = access.offset;
  const Address address = {offset.is_uniform() ? nullptr : &worker.bases[offset.base],
                           *worker.at<int64_t>(offset.uniform), worker.places[access.memory].data};
  if (is_of_own_block(worker, access)) check_own_block(worker, access, address);
  if (worker.launch.options.check_bounds && access.width > 1)
    worker.mask->for_each([&](int lane) {
      if (bytes_past_vector(worker, access, address.element(lane)) != 0)
        report_misaligned(worker, access, lane);
    });
  return address;
}

int64_t alignment_in_bytes(const Access& access, int64_t element_bytes) {
  return access.box_alignment != 0 ? access.box_alignment : access.width * element_bytes;
}

int64_t bytes_past_vector(const Worker& worker, const Access& access, int64_t element) {
  const int64_t bytes = size_of(worker.program.memories[access.memory].tensor->type);
  const auto start = reinterpret_cast<uintptr_t>(worker.places[access.memory].data);
  return (start + element * bytes) % alignment_in_bytes(access, bytes);
}

void summarise_base(Worker& worker, const Instruction& instruction) {
  summarise(worker.bases[instruction.detail], worker.masks.front());
}

void summarise(Base& base, const Mask& all_lanes) {
  base.all = span_of(base.values, all_lanes);
  base.rows = find_rows(base.values, all_lanes.lanes());
  base.stamp = 0;
  ++base.version;
}

}  // namespace hone
