#include "runtime/sim/report.h"

#include <cassert>

#include "ir/core/counted.h"
#include "ir/core/layout.h"
#include "ir/interpret/interpreter.h"
#include "ir/opcodes/opcodes.h"
#include "ir/text/printer.h"

namespace hone {
namespace {

/// The nearest number where the sum is none.
int64_t index_of(const Worker& worker, const LaneIndex& index, int lane) {
  const int64_t uniform = *worker.at<int64_t>(index.uniform);
  if (index.is_uniform()) return uniform;
  int64_t sum = 0;
  if (!__builtin_add_overflow(worker.bases[index.base].values[lane], uniform, &sum)) return sum;
  return uniform > 0 ? INT64_MAX : INT64_MIN;
}

bool is_within(int64_t index, int64_t extent) { return 0 <= index && index < extent; }

/// The first of the neighbours from `index` on that is not in 0..extent; `index` where all are.
int64_t outermost(int64_t index, int64_t width, int64_t extent) {
  return index >= 0 && index < extent && width > extent - index ? extent : index;
}

/// The index of a lane, of a vector that leaves the tensor the one where it does.
std::vector<int64_t> index_of_lane(const Worker& worker, const Access& access, int lane) {
  if (access.indices.empty())
    return {outermost(index_of(worker, access.offset, lane), access.width,
                      worker.places[access.memory].elements)};
  const auto& extents = worker.program.memories[access.memory].extents;
  std::vector<int64_t> index;
  for (const LaneIndex& dimension : access.indices)
    index.push_back(index_of(worker, dimension, lane));
  if (access.box_alignment == 0)
    index.back() = outermost(index.back(), access.width, extents.back());
  return index;
}

bool is_within_bounds(const Worker& worker, const Access& access, int lane) {
  const int64_t elements = worker.places[access.memory].elements;
  if (access.box_alignment != 0)
    return is_within(outermost(index_of(worker, access.offset, lane), access.width, elements),
                     elements);
  const std::vector<int64_t> index = index_of_lane(worker, access, lane);
  if (access.indices.empty()) return is_within(index[0], elements);
  const auto& extents = worker.program.memories[access.memory].extents;
  for (size_t dim = 0; dim < extents.size(); ++dim)
    if (!is_within(index[dim], extents[dim])) return false;
  return true;
}

int first_lane_out_of_bounds(const Worker& worker, const Access& access) {
  int first = -1;
  worker.mask->for_each([&](int lane) {
    if (first < 0 && !is_within_bounds(worker, access, lane)) first = lane;
  });
  assert(first >= 0 && "no lane is out of bounds");
  return first;
}

/// The index of an element in a tensor of that shape, by the order of its dimensions; beyond the
/// end it is the slowest dimension that grows. Empty where a faster dimension is empty.
std::vector<int64_t> index_of_element(llvm::ArrayRef<int> order, llvm::ArrayRef<int64_t> shape,
                                      int64_t element) {
  std::vector<int64_t> index(shape.size());
  for (size_t position = shape.size(); position-- > 0;) {
    const size_t dim = order.empty() ? position : order[position];
    if (position > 0 && shape[dim] == 0) return {};
    index[dim] = position > 0 ? element % shape[dim] : element;
    if (position > 0) element /= shape[dim];
  }
  return index;
}

std::vector<int64_t> shape_of(const SimLaunch& launch, const Memory& memory) {
  if (memory.argument < 0) return {memory.extents.begin(), memory.extents.end()};
  std::vector<int64_t> shape;
  for (const Expr& extent : launch.program.kernel.arguments[memory.argument]->shape)
    shape.push_back(evaluate(extent, launch.sizes));
  return shape;
}

/// " (2 elements behind the end of shape [10, 100])"; nothing for a tensor of one dimension. An
/// address alone does not say which index led there.
std::string distance_from(const Worker& worker, const Memory& memory, int64_t element,
                          int64_t elements) {
  const TensorNode& tensor = *worker.program.kernel.arguments[memory.argument];
  if (tensor.rank() < 2) return "";
  const int64_t distance = element < 0 ? -element : element - elements + 1;
  return fmt::format(" ({} {} of shape [{}])", counted(distance, "element", "elements"),
                     element < 0 ? "before the beginning" : "behind the end",
                     fmt::join(shape_of(worker.launch, memory), ", "));
}

std::string what_is_out_of_bounds(const Worker& worker, const Access& access, int lane) {
  const Memory& memory = worker.program.memories[access.memory];
  const std::vector<int64_t> index = index_of_lane(worker, access, lane);
  const int64_t elements = worker.places[access.memory].elements;
  if (access.indices.empty())
    return fmt::format("{}: element {} is outside 0..{}{}", text_of(access), index[0], elements,
                       distance_from(worker, memory, index[0], elements));
  return fmt::format("{}: index [{}] is outside the shape [{}]", text_of(access),
                     fmt::join(index, ", "), fmt::join(memory.extents, ", "));
}

[[noreturn]] void report(FindingKind kind, const std::string& what, const std::string& where,
                         FindingSite site, TensorPtr tensor = nullptr) {
  Finding finding;
  finding.kind = kind;
  finding.tensor = std::move(tensor);
  finding.detail = what;
  const std::string statement = head_of(site.statement);
  finding.sites.push_back(std::move(site));
  throw SimFault(fmt::format("{}{}{}, in: {}", what, where.empty() ? "" : ", ", where, statement),
                 std::move(finding));
}

[[noreturn]] void report_access(const Worker& worker, FindingKind kind, const Access& access,
                                int lane, const std::string& what) {
  const int thread = worker.thread(lane);
  report(kind, what, in_thread(worker, thread),
         site_of(worker.launch, access, worker.block_number, thread),
         worker.program.memories[access.memory].tensor);
}

}  // namespace

std::string in_block(const Worker& worker) {
  return fmt::format("block {}", triple(worker.block_index));
}

std::string in_thread(const Worker& worker, int thread) {
  return fmt::format("block {}, thread {}",
                     triple(worker.launch.place_of(worker.block_number, thread)),
                     triple(worker.launch.thread_of(thread)));
}

std::string text_of(const Access& access) {
  std::string text = to_string(access.place);
  if (access.width > 1) text.insert(text.size() - 1, fmt::format(" .. +{}", access.width));
  return text;
}

/// The elements of an allocation are numbered in row-major order, whatever its layout.
std::string element_text(const SimLaunch& launch, const Access& access, int64_t element) {
  const Memory& memory = launch.program.memories[access.memory];
  if (launch.cluster() > 1 && memory.is_shared())
    element = (memory.tensor->is_in_parts ? memory.part_of(element) * memory.own_elements : 0) +
              element % memory.part_stride;
  llvm::SmallVector<int, 4> order;
  std::vector<int64_t> shape = shape_of(launch, memory);
  if (memory.argument >= 0 && !shape.empty()) {
    const TensorNode& tensor = *launch.program.kernel.arguments[memory.argument];
    order = storage_order(tensor);
    shape[fastest_dim(tensor)] = evaluate(row_pitch(tensor), launch.sizes);
  }
  return fmt::format("[{}]", fmt::join(index_of_element(order, shape, element), ", "));
}

namespace {

const char* verb_of(Access::Kind kind) {
  switch (kind) {
    case Access::Kind::read:
      return "reads";
    case Access::Kind::write:
      return "writes";
    case Access::Kind::update:
      return "updates";
  }
  llvm_unreachable("unknown kind of access");
}

}  // namespace

FindingSite site_of_thread(const Worker& worker, uint32_t statement, int thread) {
  return {worker.program.statements[statement], "", "",
          worker.launch.place_of(worker.block_number, thread), worker.launch.thread_of(thread)};
}

FindingSite site_of(const Worker& worker, uint32_t statement, int lane) {
  return site_of_thread(worker, statement, worker.thread(lane));
}

FindingSite site_of(const SimLaunch& launch, const Access& access, int64_t block, int thread) {
  return {launch.program.statements[access.statement], text_of(access), verb_of(access.kind),
          launch.place_of(block, thread), launch.thread_of(thread)};
}

Finding several_arrivals(const Worker& worker, const Access& access, int count) {
  Finding finding;
  finding.kind = FindingKind::invalid_operation;
  finding.tensor = worker.program.memories[access.memory].tensor;
  const int lane = worker.mask->first();
  const int64_t element = index_of(worker, access.offset, lane);
  finding.element = element_text(worker.launch, access, element);
  finding.detail = fmt::format("{} threads of a block arrive, and one is to count it in", count);
  finding.sites = {site_of(worker.launch, access, worker.block_number, worker.thread(lane))};
  return finding;
}

namespace {

Finding missing_arrival(const SimLaunch& launch, const Access& access, int64_t element,
                        int32_t count) {
  Finding finding;
  finding.kind = FindingKind::missing_arrival;
  finding.tensor = launch.program.memories[access.memory].tensor;
  finding.element = element_text(launch, access, element);
  finding.detail = fmt::format("the counter is {} in the end, and is to be 0", count);
  finding.sites = {site_of(launch, access, launch.blocks() - 1, 0)};
  finding.sites[0].access.clear();
  finding.block = launch.blocks();
  return finding;
}

}  // namespace

std::vector<Finding> missing_arrivals(const SimLaunch& launch) {
  std::vector<Finding> findings;
  for (const Access& access : launch.program.accesses) {
    const auto& memory = launch.program.memories[access.memory];
    const Stmt& statement = launch.program.statements[access.statement];
    if (!is<op::arrive>(statement) || memory.argument < 0) continue;
    const SimArgument& counter = launch.arguments[memory.argument];
    const auto* counts = static_cast<const int32_t*>(counter.data);
    for (int64_t n = 0; n < counter.elements; ++n)
      if (counts[n] != 0) findings.push_back(missing_arrival(launch, access, n, counts[n]));
    return findings;
  }
  return findings;
}

void report_lane(const Worker& worker, int lane, uint32_t statement, const std::string& what) {
  report(FindingKind::invalid_operation, what, in_thread(worker, worker.thread(lane)),
         site_of(worker, statement, lane));
}

void report_out_of_bounds(const Worker& worker, const Access& access) {
  const int lane = first_lane_out_of_bounds(worker, access);
  report_access(worker, FindingKind::out_of_bounds, access, lane,
                what_is_out_of_bounds(worker, access, lane));
}

void report_misaligned(const Worker& worker, const Access& access, int lane) {
  const TensorNode& tensor = *worker.program.memories[access.memory].tensor;
  const int64_t element = index_of(worker, access.offset, lane);
  const int64_t start = bytes_past_vector(worker, access, 0);
  const std::string where =
      start == 0 ? "no multiple" : fmt::format("which starts {} bytes behind a multiple", start);
  report_access(
      worker, FindingKind::misaligned_access, access, lane,
      fmt::format("{}: element {} lies at byte {} of {}, {} of the {} bytes of the access",
                  text_of(access), element, element * size_of(tensor.type), tensor.name, where,
                  alignment_in_bytes(access, size_of(tensor.type))));
}

void report_box(const Worker& worker, const Access& access, FindingKind kind, int lane,
                const std::string& what) {
  report_access(worker, kind, access, lane, fmt::format("{}: {}", text_of(access), what));
}

void report_out_of_steps(const Worker& worker, uint32_t statement) {
  report(FindingKind::run_away_loop,
         fmt::format("{} makes more than {} trips through loops", in_block(worker),
                     worker.launch.options.step_budget),
         "", site_of(worker, statement, 0));
}

}  // namespace hone
