#include "runtime/sim/bulk_copies.h"

#include <bit>
#include <cstring>

#include "fmt/format.h"
#include "ir/analysis/bulk_tiles.h"
#include "ir/analysis/warp_access.h"
#include "ir/interpret/interpreter.h"
#include "runtime/sim/report.h"

namespace hone {
namespace {

/// The source of bulk copies, in numbers.
struct Source {
  const std::byte* data = nullptr;
  llvm::SmallVector<int64_t, 5> extents, strides;  ///< elements, and bytes, the fastest first

  Source(const Worker& worker, const TensorMap& map)
      : data(worker.places[map.operand].data), strides{size_of(map.type)} {
    for (const Expr& extent : map.extents) extents.push_back(evaluate(extent, worker.launch.sizes));
    for (const Expr& stride : map.strides) strides.push_back(evaluate(stride, worker.launch.sizes));
  }

  /// The reason that the engine takes no box of it; empty where it does.
  std::string problem() const {
    for (const int64_t stride : llvm::ArrayRef<int64_t>(strides).drop_front())
      if (stride % bulk_row_bytes != 0)
        return fmt::format("rows lie {} bytes apart, no multiple of {}", stride, bulk_row_bytes);
    return "";
  }
};

/// Reads a box, row by row.
class BoxReader {
 public:
  BoxReader(const Source& source, const TensorMap& map, llvm::ArrayRef<int64_t> coordinates)
      : source_(source), map_(map), coordinates_(coordinates), at_(map.box.size(), 0) {}

  std::vector<std::byte> read() {
    int64_t elements = 1;
    for (const int64_t extent : map_.box) elements *= extent;
    std::vector<std::byte> box(elements * size_of(map_.type), std::byte{0});
    const int64_t row_bytes = map_.box.front() * size_of(map_.type);
    std::vector<std::byte> row(row_bytes);
    int64_t offset = 0;
    do {
      read_row(row);
      place(row, offset, box);
      offset += row_bytes;
    } while (advance());
    return box;
  }

  int64_t bytes() const { return bytes_; }

 private:
  /// Zeros where it lies outside.
  void read_row(std::vector<std::byte>& row) {
    std::fill(row.begin(), row.end(), std::byte{0});
    int64_t start = 0;
    for (size_t dim = 1; dim < at_.size(); ++dim) {
      const int64_t index = coordinates_[dim] + at_[dim];
      if (index < 0 || index >= source_.extents[dim]) return;
      start += index * source_.strides[dim];
    }
    const int64_t first = std::max<int64_t>(coordinates_[0], 0);
    const int64_t end = std::min(coordinates_[0] + map_.box[0], source_.extents[0]);
    if (first >= end) return;
    const int64_t size = source_.strides[0], bytes = (end - first) * size;
    std::memcpy(row.data() + (first - coordinates_[0]) * size, source_.data + start + first * size,
                bytes);
    bytes_ += bytes;
  }

  /// In the box, 16 bytes at a time.
  void place(const std::vector<std::byte>& row, int64_t offset, std::vector<std::byte>& box) const {
    const auto size = static_cast<int64_t>(row.size());
    for (int64_t at = 0; at < size; at += bulk_row_bytes)
      std::memcpy(box.data() + bulk_place(offset + at, map_.swizzle), row.data() + at,
                  std::min(bulk_row_bytes, size - at));
  }

  bool advance() {
    for (size_t dim = 1; dim < at_.size(); ++dim) {
      if (++at_[dim] < map_.box[dim]) return true;
      at_[dim] = 0;
    }
    return false;
  }

  const Source& source_;
  const TensorMap& map_;
  llvm::ArrayRef<int64_t> coordinates_;
  llvm::SmallVector<int64_t, 5> at_;
  int64_t bytes_ = 0;
};

/// The copy of one lane, which is the use's.
void start(Worker& worker, const BulkDetail& bulk, const Source& source, const Address& to,
           const MbarrierUse& use) {
  const int lane = use.first_lane + std::countr_zero(use.lanes);
  llvm::SmallVector<int64_t, 5> coordinates;
  for (const Slot slot : bulk.coordinates) coordinates.push_back(worker.at<int64_t>(slot)[lane]);
  BoxReader reader(source, bulk.map, coordinates);
  find_mbarrier(worker, use);
  AskedCopy asked;
  asked.mbarrier = use.mbarrier;
  asked.bytes = reader.read();
  asked.copy.thread = worker.thread(lane);
  asked.copy.access = bulk.target;
  asked.copy.element = to.element(lane);
  asked.copy.target = to.data + asked.copy.element * size_of(bulk.map.type);
  if (worker.observer) {
    worker.observer->read_bulk(bulk, reader.bytes());
    asked.time = worker.observer->arrive_at_mbarrier(worker, use);
  }
  worker.mbarriers.asked.push_back(std::move(asked));
}

}  // namespace

void bring_copy(Worker& worker, size_t number) {
  std::vector<AskedCopy>& all = worker.mbarriers.asked;
  const auto chosen = all.begin() + static_cast<std::ptrdiff_t>(number);
  const uint32_t at = chosen->mbarrier;
  Mbarrier& mbarrier = worker.mbarriers.of_block[at];
  mbarrier.missing_bytes -= static_cast<int64_t>(chosen->bytes.size());
  mbarrier.brought.push_back(std::move(*chosen));
  all.erase(chosen);
  end_phase_if_complete(worker, at);
}

void start_bulk(Worker& worker, const Instruction& instruction) {
  const BulkDetail& bulk = worker.program.bulk_copies[instruction.detail];
  const Access& target = worker.program.accesses[bulk.target];
  const Source source(worker, bulk.map);
  if (const std::string problem = source.problem(); !problem.empty())
    report_lane(worker, worker.mask->first(), target.statement,
                fmt::format("{} is no source of bulk copies: {}",
                            worker.program.memories[bulk.map.operand].tensor->name, problem));
  if (worker.observer) worker.observer->start_bulk(worker, bulk);
  const Address to = open_access(worker, target);
  for_mbarrier_uses(worker, worker.program.mbarrier_uses[bulk.mbarrier_use],
                    [&](const MbarrierUse& use) {
                      for (uint32_t left = use.lanes; left != 0; left &= left - 1) {
                        MbarrierUse one = use;
                        one.lanes = left & -left;
                        start(worker, bulk, source, to, one);
                      }
                    });
}

}  // namespace hone
