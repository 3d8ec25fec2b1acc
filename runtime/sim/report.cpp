#include "runtime/sim/report.h"

#include <cassert>

#include "ir/interpreter.h"
#include "ir/printer.h"

namespace hone {
namespace {

std::string triple(const std::array<int64_t, 3>& xyz) {
  return fmt::format("({}, {}, {})", xyz[0], xyz[1], xyz[2]);
}

/// The statement, or the line that opens it: "for k in 0..K".
std::string head_of(const Worker& worker, uint32_t statement) {
  const std::string text = to_string(worker.program.statements[statement]);
  llvm::StringRef line = llvm::StringRef(text).split('\n').first.rtrim();
  line.consume_back("{");
  return line.rtrim().str();
}

std::string in_block(const Worker& worker) {
  return fmt::format("block {}", triple(worker.block_index));
}

std::string in_thread(const Worker& worker, int lane) {
  const auto [x, y, z] = worker.launch.block;
  return fmt::format("{}, thread {}", in_block(worker),
                     triple({lane % x, lane / x % y, lane / (x * y)}));
}

int64_t index_of(const Worker& worker, const LaneIndex& index, int lane) {
  const int64_t uniform = *worker.at<int64_t>(index.uniform);
  return index.is_uniform() ? uniform : worker.bases[index.base].values[lane] + uniform;
}

bool is_within(int64_t index, int64_t extent) { return 0 <= index && index < extent; }

/// The first of the neighbours from `index` on that is not in 0..extent; `index` where all are.
int64_t outermost(int64_t index, int64_t width, int64_t extent) {
  return index >= 0 && index < extent && index + width > extent ? extent : index;
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
  index.back() = outermost(index.back(), access.width, extents.back());
  return index;
}

bool is_within_bounds(const Worker& worker, const Access& access, int lane) {
  const std::vector<int64_t> index = index_of_lane(worker, access, lane);
  if (access.indices.empty()) return is_within(index[0], worker.places[access.memory].elements);
  const auto& extents = worker.program.memories[access.memory].extents;
  for (size_t dim = 0; dim < extents.size(); ++dim)
    if (!is_within(index[dim], extents[dim])) return false;
  return true;
}

/// As in the kernel's text: "A[i]", of a vector "A[i .. +4]".
std::string text_of(const Access& access) {
  std::string text = to_string(access.place);
  if (access.width > 1) text.insert(text.size() - 1, fmt::format(" .. +{}", access.width));
  return text;
}

int first_lane_out_of_bounds(const Worker& worker, const Access& access) {
  int first = -1;
  worker.mask->for_each([&](int lane) {
    if (first < 0 && !is_within_bounds(worker, access, lane)) first = lane;
  });
  assert(first >= 0 && "no lane is out of bounds");
  return first;
}

/// The index of an element in a tensor of that shape, by the order of its layout; beyond the end it
/// is the slowest dimension that grows. Empty where a faster dimension is empty.
std::vector<int64_t> index_of_element(const TensorNode& tensor, llvm::ArrayRef<int64_t> shape,
                                      int64_t element) {
  std::vector<int64_t> index(shape.size());
  for (size_t position = shape.size(); position-- > 0;) {
    const size_t dim = tensor.layout.dims.empty() ? position : tensor.layout.dims[position];
    if (position > 0 && shape[dim] == 0) return {};
    index[dim] = position > 0 ? element % shape[dim] : element;
    if (position > 0) element /= shape[dim];
  }
  return index;
}

/// " (index [10, 24] of shape [10, 100])"; nothing for a tensor of one dimension.
std::string index_in_argument(const Worker& worker, const Memory& memory, int64_t element) {
  const TensorNode& tensor = *worker.program.kernel.arguments[memory.argument];
  if (tensor.rank() < 2 || element < 0) return "";
  std::vector<int64_t> shape;
  for (const Expr& extent : tensor.shape) shape.push_back(evaluate(extent, worker.launch.sizes));
  const std::vector<int64_t> index = index_of_element(tensor, shape, element);
  if (index.empty()) return fmt::format(" (of shape [{}])", fmt::join(shape, ", "));
  return fmt::format(" (index [{}] of shape [{}])", fmt::join(index, ", "), fmt::join(shape, ", "));
}

std::string what_is_out_of_bounds(const Worker& worker, const Access& access, int lane) {
  const Memory& memory = worker.program.memories[access.memory];
  const std::vector<int64_t> index = index_of_lane(worker, access, lane);
  if (access.indices.empty())
    return fmt::format("{}: element {} is outside 0..{}{}", text_of(access), index[0],
                       worker.places[access.memory].elements,
                       index_in_argument(worker, memory, index[0]));
  return fmt::format("{}: index [{}] is outside the shape [{}]", text_of(access),
                     fmt::join(index, ", "), fmt::join(memory.extents, ", "));
}

}  // namespace

void report_lane(const Worker& worker, int lane, uint32_t statement, const std::string& what) {
  throw SimError("{}, {}, in: {}", what, in_thread(worker, lane), head_of(worker, statement));
}

void report_out_of_bounds(const Worker& worker, const Access& access) {
  const int lane = first_lane_out_of_bounds(worker, access);
  report_lane(worker, lane, access.statement, what_is_out_of_bounds(worker, access, lane));
}

void report_misaligned(const Worker& worker, const Access& access, int lane) {
  const TensorNode& tensor = *worker.program.memories[access.memory].tensor;
  const int64_t element = index_of(worker, access.offset, lane);
  const int64_t start = bytes_past_vector(worker, access, 0);
  const std::string where =
      start == 0 ? "no multiple" : fmt::format("which starts {} bytes behind a multiple", start);
  report_lane(worker, lane, access.statement,
              fmt::format("{}: element {} lies at byte {} of {}, {} of the {} bytes of the access",
                          text_of(access), element, element * size_of(tensor.type), tensor.name,
                          where, access.width * size_of(tensor.type)));
}

void report_divergent_barrier(const Worker& worker, uint32_t statement) {
  int missing = 0;
  while (worker.mask->has(missing)) ++missing;
  throw SimError("barrier in divergent code: {} of {} threads reach it, {} does not, in: {}",
                 worker.mask->count(), worker.lanes, in_thread(worker, missing),
                 head_of(worker, statement));
}

void report_out_of_steps(const Worker& worker, uint32_t statement) {
  throw SimError("{} makes more than {} trips through loops, in: {}", in_block(worker),
                 worker.launch.options.step_budget, head_of(worker, statement));
}

}  // namespace hone
