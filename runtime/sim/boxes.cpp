#include "runtime/sim/boxes.h"

#include "fmt/format.h"
#include "ir/interpret/interpreter.h"
#include "ir/memory/boxes.h"
#include "runtime/sim/report.h"

namespace hone {
namespace {

/// A tensor that boxes are of, in numbers.
struct BoxTensor {
  std::byte* data = nullptr;
  llvm::SmallVector<int64_t, 5> extents, strides;  ///< elements, and bytes, the fastest first

  BoxTensor(const Worker& worker, const TensorMap& map)
      : data(worker.places[map.operand].data), strides{size_of(map.type)} {
    for (const Expr& extent : map.extents) extents.push_back(evaluate(extent, worker.launch.sizes));
    for (const Expr& stride : map.strides) strides.push_back(evaluate(stride, worker.launch.sizes));
  }
};

/// Goes through the rows of a box. The coordinates are from the fastest dimension on.
class BoxRows {
 public:
  BoxRows(const BoxTensor& tensor, const TensorMap& map, llvm::ArrayRef<int64_t> coordinates)
      : tensor_(tensor), map_(map), coordinates_(coordinates), at_(map.box.size(), 0) {}

  void for_each_chunk(llvm::function_ref<void(const BoxChunk&)> use) {
    int64_t offset = 0;
    do {
      use_row(offset, use);
      offset += map_.box.front() * tensor_.strides.front();
    } while (advance());
  }

 private:
  /// The row that lies so many bytes from the start of the box, as far as it is inside.
  void use_row(int64_t offset, llvm::function_ref<void(const BoxChunk&)> use) const {
    int64_t start = 0;
    for (size_t dim = 1; dim < at_.size(); ++dim) {
      const int64_t index = coordinates_[dim] + at_[dim];
      if (index < 0 || index >= tensor_.extents[dim]) return;
      start += index * tensor_.strides[dim];
    }
    const int64_t size = tensor_.strides[0];
    const int64_t first = std::max<int64_t>(coordinates_[0], 0);
    const int64_t end = std::min(coordinates_[0] + map_.box[0], tensor_.extents[0]);
    const int64_t past = offset + (end - coordinates_[0]) * size;
    start += first * size;
    for (int64_t at = offset + (first - coordinates_[0]) * size; at < past;) {
      const int64_t bytes = std::min(box_row_bytes - at % box_row_bytes, past - at);
      use({swizzled_place(at, map_.swizzle), start, bytes, tensor_.data + start});
      at += bytes;
      start += bytes;
    }
  }

  bool advance() {
    for (size_t dim = 1; dim < at_.size(); ++dim) {
      if (++at_[dim] < map_.box[dim]) return true;
      at_[dim] = 0;
    }
    return false;
  }

  const BoxTensor& tensor_;
  const TensorMap& map_;
  llvm::ArrayRef<int64_t> coordinates_;
  llvm::SmallVector<int64_t, 5> at_;
};

}  // namespace

void for_each_chunk(const Worker& worker, const AsyncOperation& operation,
                    llvm::function_ref<void(const BoxChunk&)> use) {
  const TensorMap& map = *operation.detail->box;
  const BoxTensor tensor(worker, map);
  BoxRows(tensor, map, operation.coordinates).for_each_chunk(use);
}

namespace {

void check_column(const Worker& worker, const Access& memory, int64_t column, int lane) {
  if (column % box_row_bytes == 0) return;
  report_box(worker, memory, FindingKind::misaligned_access, lane,
             fmt::format("the box starts at byte {} of its rows, and the engine takes those at "
                         "multiples of {}",
                         column, box_row_bytes));
}

/// A copy has zeros from before a tensor; a store ends the kernel.
void check_start(const Worker& worker, const Access& memory, llvm::ArrayRef<int64_t> coordinates,
                 int lane) {
  const auto* before = llvm::find_if(coordinates, [](int64_t first) { return first < 0; });
  if (memory.kind == Access::Kind::read || before == coordinates.end()) return;
  report_box(worker, memory, FindingKind::out_of_bounds, lane,
             fmt::format("the box starts at {} along a dimension, and the engine writes those that "
                         "start at 0 or behind",
                         *before));
}

/// A store writes whole pieces, to the end of a row and beyond.
void check_row_end(const Worker& worker, const Access& memory, int64_t end_of_box, int64_t row,
                   int lane) {
  const int64_t beyond = row % box_row_bytes;
  if (memory.kind == Access::Kind::read || beyond == 0 || end_of_box <= row) return;
  report_box(worker, memory, FindingKind::out_of_bounds, lane,
             fmt::format("rows end at byte {}, and the engine writes {} bytes more, as it writes "
                         "pieces of {}",
                         row, box_row_bytes - beyond, box_row_bytes));
}

}  // namespace

llvm::SmallVector<int64_t, 0> open_box(const Worker& worker, const AsyncDetail& detail, int lane) {
  llvm::SmallVector<int64_t, 0> coordinates;
  for (const Slot slot : detail.coordinates) coordinates.push_back(worker.at<int64_t>(slot)[lane]);
  const TensorMap& map = *detail.box;
  const Access& memory = worker.program.accesses[detail.memory];
  const int64_t size = size_of(map.type), column = coordinates.front() * size;
  check_column(worker, memory, column, lane);
  check_start(worker, memory, coordinates, lane);
  check_row_end(worker, memory, column + map.box.front() * size,
                evaluate(map.extents.front(), worker.launch.sizes) * size, lane);
  return coordinates;
}

}  // namespace hone
