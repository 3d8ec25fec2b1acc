#include "runtime/sim/bulk_copies.h"

#include <bit>
#include <cstring>

#include "runtime/sim/access.h"
#include "runtime/sim/bulk_boxes.h"

namespace hone {
namespace {

/// A box, and the number of its bytes that lie within the ends of the tensor.
struct ReadBox {
  std::vector<std::byte> bytes;
  int64_t inside = 0;
};

/// With zeros where it lies outside.
ReadBox read_box(const BulkTensor& tensor, const TensorMap& map,
                 llvm::ArrayRef<int64_t> coordinates) {
  int64_t size = size_of(map.type);
  for (const int64_t extent : map.box) size *= extent;
  ReadBox box{std::vector<std::byte>(size, std::byte{0})};
  for_each_chunk(tensor, map, coordinates, [&](const BoxChunk& chunk) {
    std::memcpy(box.bytes.data() + chunk.in_tile, tensor.data + chunk.in_memory, chunk.bytes);
    box.inside += chunk.bytes;
  });
  return box;
}

/// The copy of one lane, which is the use's.
void start(Worker& worker, const BulkDetail& bulk, const BulkTensor& source, const Address& to,
           const MbarrierUse& use) {
  const int lane = use.first_lane + std::countr_zero(use.lanes);
  const Access& memory = worker.program.accesses[bulk.source];
  ReadBox box = read_box(source, bulk.map, open_box(worker, bulk, memory, lane));
  find_mbarrier(worker, use);
  AskedCopy asked;
  asked.mbarrier = use.mbarrier;
  asked.bytes = std::move(box.bytes);
  asked.copy.thread = worker.thread(lane);
  asked.copy.access = bulk.target;
  asked.copy.element = to.element(lane);
  asked.copy.target = to.data + asked.copy.element * size_of(bulk.map.type);
  if (worker.observer) {
    worker.observer->move_bulk(bulk, {box.inside, static_cast<int64_t>(asked.bytes.size())});
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
  const BulkDetail& bulk = worker.program.bulk_moves[instruction.detail];
  const Access& target = worker.program.accesses[bulk.target];
  const BulkTensor source(worker, bulk.map);
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
