#include "fmt/format.h"
#include "ir/core/violation.h"
#include "ir/opcodes/opcodes.h"
#include "ir/target/box_limits.h"
#include "ir/text/printer.h"

namespace hone {

int64_t BoxMove::elements() const {
  int64_t product = 1;
  for (const int64_t extent : box()) product *= extent;
  return product;
}

int64_t BoxMove::bytes() const { return elements() * size_of(tile.tensor->type); }

llvm::ArrayRef<int64_t> BoxMove::box_and_swizzle() const {
  return llvm::ArrayRef<int64_t>(instr.constants).drop_front(blocks_of(instr) > 1 ? 1 : 0);
}

int64_t blocks_of(const Instr& instr) {
  const bool is_for_all =
      &instr.opcode == &op::multicast_bulk || &instr.opcode == &op::arrive_in_blocks;
  return is_for_all ? instr.constants.front() : 1;
}

std::optional<BoxMove> box_move(const Stmt& stmt) {
  const auto* instr = llvm::dyn_cast<Instr>(stmt);
  if (!instr) return std::nullopt;
  const auto kinds = instr->opcode.place_kinds();
  const auto place_of = [&](FormatPart::Kind kind) {
    return llvm::find(kinds, kind) - kinds.begin();
  };
  const auto memory = place_of(FormatPart::Kind::corner);
  if (memory == std::ssize(kinds)) return std::nullopt;
  return BoxMove{*instr, instr->places[place_of(FormatPart::Kind::element)], instr->places[memory]};
}

namespace {

// ---- Rules --------------------------------------------------------------------------------------

void check_expect(const Instr& expect) {
  check_phases(expect.places[0]);
  const int64_t bytes = expect.constants[0];
  require(bytes >= 1 && bytes <= most_phase_count,
          "{} expects {} bytes, and an mbarrier counts 1 to {}", expect.places[0].tensor->name,
          bytes, most_phase_count);
}

/// The phase that it counts in ends with the bytes.
llvm::SmallVector<Operand, 3> operands_of_expect(const Instr& expect) {
  const auto& [mbarriers, slot] = expect.places[0];
  return {{mbarriers, slot, Use::signals, Timeline::engine_in}};
}

void check_box(const BoxMove& move, const std::string& what) {
  const auto extents = move.box();
  const size_t coordinates = move.memory.indices.size();
  require(extents.size() == coordinates && !extents.empty() &&
              static_cast<int64_t>(extents.size()) <= most_box_rank,
          "{} has a box of {} dimensions, and {} coordinates; there are 1 to {}", what,
          extents.size(), coordinates, most_box_rank);
  for (const int64_t extent : extents)
    require(extent >= 1 && extent <= most_box_extent,
            "the box of {} has an extent of {}; there are 1 to {}", what, extent, most_box_extent);
  const int64_t swizzle = move.swizzle();
  require(swizzle == 0 || box_swizzle(swizzle) == swizzle,
          "{} has a swizzle of {} bytes; there are those of 32, 64 and 128", what, swizzle);
}

void check_move(const Instr& instr) {
  const BoxMove move = *box_move(Stmt(&instr));
  const bool fills = move.fills();
  if (fills) check_phases(instr.places[2]);
  const TensorNode &to = *instr.places[0].tensor, &from = *instr.places[1].tensor;
  const char* kind = fills ? "copy" : "store";
  const std::string what = fmt::format("a bulk {} to {}", kind, to.name);
  require(move.tile.tensor->scope == Scope::shared && move.memory.tensor->scope == Scope::global,
          "a bulk {} moves {} to {}, and not {}", kind, from.name, to.name,
          fills ? "global memory to shared memory" : "shared memory to global memory");
  require(to.type == from.type, "{} ({}) moves {}", what, name(to.type).str(),
          name(from.type).str());
  require(is_box_element(size_of(to.type)),
          "{} moves elements of {} bytes; there are those of 1, 2, 4 and 8", what,
          size_of(to.type));
  check_box(move, what);
}

void check_multicast(const Instr& instr) {
  check_cluster_blocks(instr);
  check_move(instr);
}

llvm::SmallVector<Operand, 3> operands_of_move(const Instr& instr) {
  const BoxMove move = *box_move(Stmt(&instr));
  const Timeline timeline = move.fills() ? Timeline::engine_in : Timeline::engine_out;
  const auto operand = [&](const ElementRef& place, Use use) {
    return Operand{place.tensor, place.indices, use, timeline, move.elements()};
  };
  Operand memory = operand(move.memory, move.fills() ? Use::reads : instr.opcode.uses[0]);
  memory.box.assign(move.box().begin(), move.box().end());
  if (!move.fills()) return {operand(move.tile, Use::reads), memory};
  Operand phase = operand(instr.places[2], Use::signals);
  phase.count = 1;
  return {memory, operand(move.tile, Use::writes), phase};
}

// ---- CUDA ---------------------------------------------------------------------------------------

constexpr const char* map_type = R"(
// A tensor as the copy engine knows it: cuTensorMapEncodeTiled makes it on the host.
struct alignas(64) TensorMap {
  unsigned char bytes[128];
};
)";

constexpr const char* expect = R"(
// Counts the thread in; the phase does not end before copies have brought `bytes` more.
static __device__ void expect_bytes(void* mbarrier, unsigned bytes) {
  const unsigned address = __cvta_generic_to_shared(mbarrier);
  asm volatile("{ .reg .b64 state; mbarrier.arrive.expect_tx.shared.b64 state, [%0], %1; }"
               :
               : "r"(address), "r"(bytes)
               : "memory");
}
)";

constexpr const char* commit_of_stores = R"(
// The stores that this thread has asked for since its last group are the next one.
static __device__ void commit_stores() {
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}
)";

constexpr const char* wait_read = R"(
// Waits until the copy engine has read all that the stores of this thread take, but for its last
// `pending` groups.
template <int pending>
static __device__ void wait_stores() {
  asm volatile("cp.async.bulk.wait_group.read %0;" : : "n"(pending) : "memory");
}
)";

constexpr const char* wait_written = R"(
// Waits until the copy engine has written all stores of this thread but its last `pending` groups.
template <int pending>
static __device__ void wait_stores_written() {
  asm volatile("cp.async.bulk.wait_group %0;" : : "n"(pending) : "memory");
}
)";

constexpr const char* fence = R"(
// Shows the copy engine and tensor cores what the thread has written to shared memory before.
static __device__ void fence_engine() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}
)";

/// `text` with each "#" as the number of a dimension, for each of so many.
std::string per_dim(size_t rank, const std::string& text, size_t first = 0) {
  std::string result;
  for (size_t dim = 0; dim < rank; ++dim) {
    std::string part = text;
    part.replace(part.find('#'), 1, std::to_string(first + dim));
    result += (dim == 0 ? "" : ", ") + part;
  }
  return result;
}

std::string copy_function(size_t rank) {
  return fmt::format(
      R"(
// Asks the copy engine for the box of `map` at these coordinates, the fastest first. It counts the
// bytes at the mbarrier.
static __device__ void copy_bulk_{0}d(void* to, const TensorMap* map, {1}, void* mbarrier) {{
  const unsigned address = __cvta_generic_to_shared(to);
  const unsigned full = __cvta_generic_to_shared(mbarrier);
  asm volatile("cp.async.bulk.tensor.{0}d.shared::cta.global.mbarrier::complete_tx::bytes "
               "[%0], [%1, {{{2}}}], [%{3}];"
               :
               : "r"(address), "l"(map), {4}, "r"(full)
               : "memory");
}}
)",
      rank, per_dim(rank, "int c#"), per_dim(rank, "%#", 2), rank + 2, per_dim(rank, "\"r\"(c#)"));
}

std::string multicast_function(size_t rank) {
  return fmt::format(
      R"(
// The same for the blocks of the cluster whose bits are set: to this place, and for this mbarrier,
// in each of them.
static __device__ void multicast_bulk_{0}d(void* to, const TensorMap* map, {1}, void* mbarrier,
                                      unsigned short blocks) {{
  const unsigned address = __cvta_generic_to_shared(to);
  const unsigned full = __cvta_generic_to_shared(mbarrier);
  asm volatile("cp.async.bulk.tensor.{0}d.shared::cluster.global.mbarrier::complete_tx::bytes"
               ".multicast::cluster [%0], [%1, {{{2}}}], [%{3}], %{4};"
               :
               : "r"(address), "l"(map), {5}, "r"(full), "h"(blocks)
               : "memory");
}}
)",
      rank, per_dim(rank, "int c#"), per_dim(rank, "%#", 2), rank + 2, rank + 3,
      per_dim(rank, "\"r\"(c#)"));
}

std::string store_function(size_t rank) {
  return fmt::format(
      R"(
// Asks the copy engine to write the box of `map` at these coordinates, the fastest first.
static __device__ void store_bulk_{0}d(const TensorMap* map, {1}, const void* from) {{
  const unsigned address = __cvta_generic_to_shared(from);
  asm volatile("cp.async.bulk.tensor.{0}d.global.shared::cta.bulk_group [%0, {{{2}}}], [%{3}];"
               :
               : "l"(map), {4}, "r"(address)
               : "memory");
}}
)",
      rank, per_dim(rank, "int c#"), per_dim(rank, "%#", 1), rank + 1, per_dim(rank, "\"r\"(c#)"));
}

CudaSpelling spelling_of_expect(const Instr& instr) {
  return {fmt::format("expect_bytes(&{{0}}, {});", instr.constants[0]), {{1, expect}}};
}

CudaSpelling spelling_of_fence(const Instr&) { return {"fence_engine();", {{2, fence}}}; }

CudaSpelling spelling_of_store_commit(const Instr&) {
  return {"commit_stores();", {{30, commit_of_stores}}};
}

CudaSpelling spelling_of_store_wait(const Instr& wait) {
  return {fmt::format("wait_stores<{}>();", wait.constants[0]), {{31, wait_read}}};
}

CudaSpelling spelling_of_full_wait(const Instr& wait) {
  return {fmt::format("wait_stores_written<{}>();", wait.constants[0]), {{32, wait_written}}};
}

CudaSpelling spelling_of_bulk_copy(const Instr& copy) {
  const size_t rank = copy.places[1].indices.size();
  return {fmt::format("copy_bulk_{}d(&{{0}}, &{{map}},| {{coordinates}}, &{{2}});", rank),
          {{0, map_type}, {static_cast<int>(10 + rank), copy_function(rank)}}};
}

CudaSpelling spelling_of_multicast(const Instr& copy) {
  const size_t rank = copy.places[1].indices.size();
  const int64_t blocks = (int64_t{1} << blocks_of(copy)) - 1;
  return {fmt::format("multicast_bulk_{}d(&{{0}}, &{{map}},| {{coordinates}}, &{{2}}, {});", rank,
                      blocks),
          {{0, map_type}, {static_cast<int>(15 + rank), multicast_function(rank)}}};
}

CudaSpelling spelling_of_bulk_store(const Instr& store) {
  const size_t rank = store.places[0].indices.size();
  return {fmt::format("store_bulk_{}d(&{{map}},| {{coordinates}}, &{{1}});", rank),
          {{0, map_type}, {static_cast<int>(20 + rank), store_function(rank)}}};
}

}  // namespace

namespace op {

const Opcode expect_bytes(
    "expect_bytes {slot:a tensor of mbarriers} of {integer:how many bytes a phase brings}",
    {Use::signals},
    {.check = check_expect, .operands = operands_of_expect, .spelling = spelling_of_expect});
const Opcode copy_bulk("copy_bulk {element} <- {corner} of {box} full {slot:a tensor of mbarriers}",
                       {Use::writes, Use::reads, Use::signals},
                       {.check = check_move,
                        .operands = operands_of_move,
                        .spelling = spelling_of_bulk_copy,
                        .least_capability = 90,
                        .work = "moves whole tiles by the copy engine"});
const Opcode multicast_bulk(
    "multicast_bulk in {integer:how many blocks} blocks {element} <- {corner} of {box} full "
    "{slot:a tensor of mbarriers}",
    {Use::writes, Use::reads, Use::signals},
    {.check = check_multicast,
     .operands = operands_of_move,
     .spelling = spelling_of_multicast,
     .least_capability = 90,
     .is_of_one_architecture = true,
     .work = "moves whole tiles by the copy engine"});
const Opcode store_bulk("store_bulk {corner} <- {element} of {box}", {Use::writes, Use::reads},
                        {.check = check_move,
                         .operands = operands_of_move,
                         .spelling = spelling_of_bulk_store,
                         .least_capability = 90,
                         .work = "moves whole tiles by the copy engine"});
const Opcode commit_stores("commit_stores", {},
                           {.spelling = spelling_of_store_commit,
                            .is_for_all = true,
                            .groups = {Groups::Part::commits, Timeline::engine_out}});
const Opcode wait_stores("wait_stores {integer:the groups that may be pending}", {},
                         {.spelling = spelling_of_store_wait,
                          .is_for_all = true,
                          .groups = {Groups::Part::awaits_reads, Timeline::engine_out}});
const Opcode wait_stores_written("wait_stores_written {integer:the groups that may be pending}", {},
                                 {.spelling = spelling_of_full_wait,
                                  .is_for_all = true,
                                  .groups = {Groups::Part::awaits, Timeline::engine_out}});
const Opcode fence_engine("fence_engine", {}, {.spelling = spelling_of_fence, .is_for_all = true});

}  // namespace op
}  // namespace hone
