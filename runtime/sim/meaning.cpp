#include "runtime/sim/meaning.h"

#include <cstring>

#include "ir/interpret/interpreter.h"
#include "ir/target/gpu_limits.h"
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
            int threads, Buffer& to) {
  const auto* lanes = worker.at<Lane<type>>(from) + first;
  for (int lane = 0; lane < threads; ++lane) {
    const Stored<type> element = encode<type>(lanes[lane]);
    std::memcpy(to.bytes.data() + offset_of(to, spread.element(lane, value)) * sizeof element,
                &element, sizeof element);
  }
}

template <DType type>
void scatter(const Worker& worker, Slot to, int first, const FragmentSpread& spread, int value,
             int threads, const Buffer& from) {
  auto* lanes = worker.at<Lane<type>>(to) + first;
  for (int lane = 0; lane < threads; ++lane) {
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

/// The lanes of a warp, or of a warpgroup, that are in the group that runs.
struct Part {
  int first = 0, end = 0;
  bool is_whole = true;  ///< all lanes are, or none is active
};

llvm::SmallVector<Part, 4> parts_of(const Worker& worker, int threads) {
  llvm::SmallVector<Part, 4> parts;
  const int in_block = worker.launch.block_lanes();
  for (int first = 0; first < worker.lanes; first = parts.back().end) {
    const int thread = worker.thread(first), block = thread / in_block * in_block;
    const int start = block + (thread - block) / threads * threads;
    const int past = std::min(start + threads, block + in_block);
    const int end = std::min(past - worker.first_lane, worker.lanes);
    const bool is_all = thread == start && worker.first_lane + end == past;
    parts.push_back({first, end, is_all || worker.mask->count(first, end) == 0});
  }
  return parts;
}

/// All lanes of a warp, or of a warpgroup, issue the instruction, or none.
bool is_issued(const Worker& worker, const Part& part, int threads, uint32_t statement) {
  const int lanes = worker.mask->count(part.first, part.end);
  if (lanes != 0 && lanes != threads)
    report_lane(worker, worker.mask->first(), statement,
                fmt::format("a {} issues it together, and {} of its {} lanes do",
                            threads == warp_lanes ? "warp" : "warpgroup", lanes, threads));
  return lanes != 0;
}

/// The values of a plan's arguments, by the numbers of their elements.
template <DType type>
class PlanValues {
  using T = Lane<type>;

 public:
  PlanValues(const Worker& worker, const MeaningDetail& detail, int first)
      : worker_(worker), detail_(detail), first_(first) {
    for (size_t n = 0; n < values_.size() && n < detail.before.size(); ++n) {
      values_[n].resize(detail.plan->elements[n].size());
      move_lanes(n, detail.before[n], [&](T& lane, T& element) { element = lane; });
    }
  }

  void run() {
    const auto& [to, lhs, rhs] = values_;
    if (detail_.plan->kind == MeaningPlan::Kind::moves)
      for (const MeaningPlan::Step& step : detail_.plan->steps) values_[0][step.to] = lhs[step.lhs];
    else
      for (const MeaningPlan::Step& step : detail_.plan->steps)
        values_[0][step.to] = sum(to[step.to], lhs[step.lhs], rhs[step.rhs]);
    for (size_t n = 0; n < detail_.after.size(); ++n)
      move_lanes(n, detail_.after[n], [&](T& lane, T& element) { lane = element; });
  }

 private:
  /// Integers wrap around.
  static T sum(T to, T lhs, T rhs) {
    if constexpr (std::is_integral_v<T>) {
      using U = std::make_unsigned_t<T>;
      return static_cast<T>(static_cast<U>(to) + static_cast<U>(lhs) * static_cast<U>(rhs));
    } else {
      return narrow<type>(to + lhs * rhs);
    }
  }

  template <class Move>
  void move_lanes(size_t argument, llvm::ArrayRef<Slot> slots, Move move) {
    const uint32_t* number = detail_.plan->elements[argument].data();
    for (const Slot slot : slots) {
      T* lanes = worker_.at<T>(slot) + first_;
      for (int lane = 0; lane < detail_.opcode->rules.threads; ++lane)
        move(lanes[lane], values_[argument][*number++]);
    }
  }

  const Worker& worker_;
  const MeaningDetail& detail_;
  int first_;
  std::array<std::vector<T>, 3> values_;
};

/// Returns false where there is no plan for lanes of one type.
bool run_plan(const Worker& worker, const MeaningDetail& detail, int first) {
  if (detail.plan->kind == MeaningPlan::Kind::none) return false;
  return with_type(detail.function.arguments[0]->type, [&]<DType to>() {
    using T = Lane<to>;
    const auto has_lanes = [&](const TensorPtr& tensor) {
      return with_type(tensor->type, []<DType type>() { return std::is_same_v<Lane<type>, T>; });
    };
    if constexpr (std::is_arithmetic_v<T> && !std::is_same_v<T, bool>) {
      if (!llvm::all_of(detail.function.arguments, has_lanes)) return false;
      PlanValues<to>(worker, detail, first).run();
      return true;
    }
    return false;
  });
}

void run_together(const Worker& worker, const MeaningDetail& detail, int first) {
  if (run_plan(worker, detail, first)) return;
  const auto& spreads = detail.opcode->rules.spreads;
  const auto& arguments = detail.function.arguments;
  Buffers buffers;
  for (size_t n = 0; n < arguments.size(); ++n) {
    Buffer& buffer = buffers[arguments[n]->name] = buffer_of(*arguments[n]);
    for (size_t value = 0; value < detail.before[n].size(); ++value)
      gather_of(buffer.type)(worker, detail.before[n][value], first, spreads[n],
                             static_cast<int>(value), detail.opcode->rules.threads, buffer);
  }
  interpret(detail.function, {}, buffers);
  for (size_t n = 0; n < arguments.size(); ++n)
    for (size_t value = 0; value < detail.after[n].size(); ++value)
      scatter_of(arguments[n]->type)(worker, detail.after[n][value], first, spreads[n],
                                     static_cast<int>(value), detail.opcode->rules.threads,
                                     buffers.at(arguments[n]->name));
}

}  // namespace

void gather_warpgroups(Worker& worker, const Instruction& instruction) {
  const auto parts = parts_of(worker, warpgroup_size);
  if (llvm::all_of(parts, [](const Part& part) { return part.is_whole; })) return;
  llvm::SmallVector<int, 8> starts;
  for (const Part& part : llvm::drop_begin(parts)) starts.push_back(part.first);
  if (starts.empty()) return worker.gather(instruction);
  worker.next = &instruction;
  worker.part(starts);
}

void run_meaning(Worker& worker, const Instruction& instruction) {
  const MeaningDetail& detail = worker.program.meanings[instruction.detail];
  const int threads = detail.opcode->rules.threads;
  for (const Part& part : parts_of(worker, threads))
    if (is_issued(worker, part, threads, detail.statement))
      run_together(worker, detail, part.first);
}

}  // namespace hone
