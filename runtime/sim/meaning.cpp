#include "runtime/sim/meaning.h"

#include <cstring>

#include "ir/interpret/interpreter.h"
#include "runtime/sim/report.h"

namespace hone {
namespace {

/// The place of an element in a buffer, in elements.
int64_t offset_of(const Buffer& buffer, llvm::ArrayRef<int64_t> indices) {
  int64_t offset = 0;
  for (const auto& [extent, index] : llvm::zip(buffer.shape, indices))
    offset = offset * extent + index;
  return offset;
}

template <DType type>
void gather(const Worker& worker, Slot from, int first, const FragmentSpread& spread, int value,
            Buffer& to) {
  const auto* lanes = worker.at<Lane<type>>(from) + first;
  for (int lane = 0; lane < warp_lanes; ++lane) {
    const Stored<type> element = encode<type>(lanes[lane]);
    std::memcpy(to.bytes.data() + offset_of(to, spread.element(lane, value)) * sizeof element,
                &element, sizeof element);
  }
}

template <DType type>
void scatter(const Worker& worker, Slot to, int first, const FragmentSpread& spread, int value,
             const Buffer& from) {
  auto* lanes = worker.at<Lane<type>>(to) + first;
  for (int lane = 0; lane < warp_lanes; ++lane) {
    Stored<type> element;
    std::memcpy(&element,
                from.bytes.data() + offset_of(from, spread.element(lane, value)) * sizeof element,
                sizeof element);
    lanes[lane] = decode<type>(element);
  }
}

using Gather = decltype(&gather<DType::f32>);
using Scatter = decltype(&scatter<DType::f32>);

Gather gather_of(DType type) {
  return with_type(type, []<DType t>() -> Gather { return gather<t>; });
}
Scatter scatter_of(DType type) {
  return with_type(type, []<DType t>() -> Scatter { return scatter<t>; });
}

Buffer buffer_of(const TensorNode& tensor) {
  std::vector<int64_t> shape;
  for (const Expr& extent : tensor.shape) shape.push_back(*as_int(extent));
  return Buffer(tensor.type, shape);
}

/// All lanes of a warp issue the instruction, or none.
bool is_issued(const Worker& worker, int first, uint32_t statement) {
  int lanes = 0;
  for (int lane = first; lane < std::min(first + warp_lanes, worker.lanes); ++lane)
    lanes += worker.mask->has(lane) ? 1 : 0;
  if (lanes != 0 && lanes != warp_lanes)
    report_lane(
        worker, worker.mask->first(), statement,
        fmt::format("a warp issues it together, and {} of its {} lanes do", lanes, warp_lanes));
  return lanes != 0;
}

void run_for_warp(const Worker& worker, const MeaningDetail& detail, int first) {
  const auto& spreads = detail.opcode->rules.spreads;
  const auto& arguments = detail.function.arguments;
  Buffers buffers;
  for (size_t n = 0; n < arguments.size(); ++n) {
    Buffer& buffer = buffers[arguments[n]->name] = buffer_of(*arguments[n]);
    for (size_t value = 0; value < detail.before[n].size(); ++value)
      gather_of(buffer.type)(worker, detail.before[n][value], first, spreads[n],
                             static_cast<int>(value), buffer);
  }
  interpret(detail.function, {}, buffers);
  for (size_t n = 0; n < arguments.size(); ++n)
    for (size_t value = 0; value < detail.after[n].size(); ++value)
      scatter_of(arguments[n]->type)(worker, detail.after[n][value], first, spreads[n],
                                     static_cast<int>(value), buffers.at(arguments[n]->name));
}

}  // namespace

void run_meaning(Worker& worker, const Instruction& instruction) {
  const MeaningDetail& detail = worker.program.meanings[instruction.detail];
  for (int first = 0; first < worker.lanes; first += warp_lanes)
    if (is_issued(worker, first, detail.statement)) run_for_warp(worker, detail, first);
}

}  // namespace hone
