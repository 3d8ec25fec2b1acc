#include "ir/schedule/legality/bulk_copies.h"

#include "fmt/format.h"
#include "ir/algebra/simplify.h"
#include "ir/analysis/accesses.h"
#include "ir/analysis/divisibility.h"
#include "ir/core/layout.h"
#include "ir/memory/boxes.h"
#include "ir/target/alignment.h"
#include "ir/target/gpu_limits.h"
#include "ir/text/printer.h"
#include "ir/threads/thread_nest.h"
#include "ir/traverse/visit.h"
#include "llvm/Support/MathExtras.h"

namespace hone {
namespace {

using BulkProblem = std::optional<CopyProblem>;

/// The note where the engine cannot do it.
const char* other_engine(const Copy& copy) {
  return is_box_store(copy) ? "leave it to the threads" : "leave it asynchronous";
}

/// Of a copy with a constant box.
int64_t bytes_of_row(const Copy& copy) {
  const auto box = *box_of(copy);
  const TensorNode& memory = *global_side(copy).tensor;
  return box[fastest_dim(memory)] * size_of(memory.type);
}

BulkProblem problem_of_execution(const Copy& copy) {
  if (copy.is_by_producers() || is_box_store(copy)) return std::nullopt;
  return CopyProblem{fmt::format("{} is copied by the threads that use it, and producers alone ask "
                                 "for bulk copies",
                                 copy.destination.tensor->name),
                     "specialize the loop first"};
}

BulkProblem problem_of_type(const Copy& copy) {
  const DType type = copy.source.tensor->type;
  const int64_t bytes = size_of(type);
  if (is_box_element(bytes)) return std::nullopt;
  return CopyProblem{
      fmt::format("elements of {} are {}, of {} bytes, and a bulk copy moves those of 1, 2, 4 or 8",
                  copy.destination.tensor->name, name(type).str(), bytes),
      other_engine(copy)};
}

BulkProblem problem_of_rank(const Copy& copy) {
  const TensorNode& memory = *global_side(copy).tensor;
  if (memory.rank() < 1 || memory.rank() > most_box_rank)
    return CopyProblem{fmt::format("{} has {} dimensions, and a bulk copy takes a box of 1 to {}",
                                   memory.name, memory.rank(), most_box_rank),
                       other_engine(copy)};
  return std::nullopt;
}

/// A copy moves one of equal parts in each dimension, such as a slot of a ring.
BulkProblem problem_of_tile(const Copy& copy, const Facts& facts) {
  const Region& tile = tile_side(copy);
  const auto is_one_of_equal_parts = [&](const Range& range, const Expr& shape) {
    const auto extent = as_int(range.extent), all = as_int(shape);
    return range.stride == 1 && extent && all && *all % *extent == 0 &&
           divides(*extent, range.offset, facts);
  };
  for (size_t dim = 0; dim < tile.ranges.size(); ++dim) {
    const Range& range = tile.ranges[dim];
    const Expr& shape = tile.tensor->shape[dim];
    const bool is_slot = dim == 0 && range.is_point();
    const bool is_part = range.is_point() ? is_int(shape, 1) && is_int(range.offset, 0)
                                          : is_one_of_equal_parts(range, shape);
    if (is_slot || is_part) continue;
    const bool takes = is_box_store(copy);
    return CopyProblem{
        fmt::format("the copy {0} a part of {1}{2} in dimension {3}, and a bulk copy "
                    "{0} all of it, or one of equal parts",
                    takes ? "takes" : "fills", takes ? "" : "a slot of ", tile.tensor->name, dim),
        "copy a whole tile"};
  }
  return std::nullopt;
}

BulkProblem problem_of_box(const Copy& copy) {
  const std::string& memory = global_side(copy).tensor->name;
  const char* verb = is_box_store(copy) ? "writes" : "takes";
  const auto box = *box_of(copy);
  for (const auto& [range, extent] : llvm::zip(global_side(copy).ranges, box)) {
    if (range.is_point()) continue;
    if (range.stride != 1)
      return CopyProblem{fmt::format("the copy {0} elements that lie {1} apart in {2}, and a bulk "
                                     "copy {0} neighbours",
                                     verb, range.stride, memory),
                         other_engine(copy)};
    if (extent > most_box_extent)
      return CopyProblem{fmt::format("the copy {} {} elements of {} along one dimension, and the "
                                     "box of a bulk copy has {} at most",
                                     verb, extent, memory, most_box_extent),
                         "smaller tiles"};
  }
  const int64_t row = bytes_of_row(copy);
  if (row % box_row_bytes != 0)
    return CopyProblem{fmt::format("rows of the box of {} are {} bytes, and those of a bulk copy "
                                   "are multiples of {}",
                                   memory, row, box_row_bytes),
                       "tiles that are longer where elements lie side by side"};
  return std::nullopt;
}

/// Elements of 16 bytes.
int64_t elements_of_piece(const TensorNode& memory) { return box_row_bytes / size_of(memory.type); }

/// The note on rows at other distances than those of whole pieces.
std::string way_to_pitch(const Copy& copy, const Expr& pitch) {
  const TensorNode& memory = *global_side(copy).tensor;
  const int64_t piece = elements_of_piece(memory);
  const auto distance = as_int(pitch);
  if (!distance) return fmt::format("assume({} % {} == 0)", pitch, piece);
  if (is_box_store(copy)) return other_engine(copy);
  return fmt::format("{}, or cache_global({}, Layout().pitch({})) first", other_engine(copy),
                     memory.name, llvm::alignTo(static_cast<uint64_t>(*distance), piece));
}

BulkProblem problem_of_pitch(const Copy& copy, const Facts& facts) {
  const TensorNode& memory = *global_side(copy).tensor;
  const int64_t elements = elements_of_piece(memory);
  const Expr pitch = row_pitch(memory);
  if (memory.rank() < 2 || elements == 1 || divides(elements, pitch, facts)) return std::nullopt;
  return CopyProblem{
      fmt::format("rows of {} lie {} elements apart, and those of a bulk copy at multiples of {} "
                  "bytes",
                  memory.name, pitch, box_row_bytes),
      way_to_pitch(copy, pitch)};
}

BulkProblem problem_of_column(const Copy& copy, const Facts& facts) {
  const TensorNode& memory = *global_side(copy).tensor;
  const Expr& column = global_side(copy).ranges[fastest_dim(memory)].offset;
  const int64_t elements = elements_of_piece(memory);
  if (divides(elements, column, facts)) return std::nullopt;
  return CopyProblem{
      fmt::format("the box of {} starts at element {} of its rows, and that of a bulk copy at a "
                  "multiple of {} bytes, {} elements",
                  memory.name, column, box_row_bytes, elements),
      fmt::format("{}, a wider tile whose first column is such a multiple, or a layout of {} in "
                  "which elements of another dimension lie side by side",
                  other_engine(copy), memory.name)};
}

/// The engine reads from before a tensor, and does not write there.
BulkProblem problem_of_start(const Copy& copy, const Facts& facts) {
  if (!is_box_store(copy)) return std::nullopt;
  const Region& to = global_side(copy);
  for (size_t dim = 0; dim < to.ranges.size(); ++dim) {
    const Expr& first = to.ranges[dim].offset;
    if (proves(first >= 0, facts)) continue;
    return CopyProblem{fmt::format("the box of {} starts at {} in dimension {}, which may be "
                                   "negative, and a bulk copy to memory starts at 0 or behind",
                                   to.tensor->name, first, dim),
                       other_engine(copy)};
  }
  return std::nullopt;
}

/// The engine must not write behind the end of a row.
BulkProblem problem_of_row_end(const Copy& copy, const Facts& facts) {
  const TensorNode& memory = *global_side(copy).tensor;
  const Expr& row = memory.shape[fastest_dim(memory)];
  const int64_t elements = elements_of_piece(memory);
  if (!is_box_store(copy) || divides(elements, row, facts)) return std::nullopt;
  return CopyProblem{
      fmt::format("rows of {} have {} elements, and a bulk copy to memory writes whole pieces of "
                  "{} bytes, {} elements",
                  memory.name, row, box_row_bytes, elements),
      as_int(row) ? other_engine(copy) : fmt::format("assume({} % {} == 0)", row, elements)};
}

std::string reason_of_layout(const Copy& copy) {
  const TensorNode& to = *tile_side(copy).tensor;
  if (to.layout.padding != 0 || to.layout.row_pitch.defined())
    return fmt::format("{} has a padding behind its rows", to.name);
  if (to.layout.swizzles.empty())
    return fmt::format("elements of {} lie in another order than in {}", to.name,
                       global_side(copy).tensor->name);
  return fmt::format("{} is swizzled otherwise", to.name);
}

std::string note_on_layout(const Copy& copy) {
  const int64_t swizzle = box_swizzle(bytes_of_row(copy));
  if (swizzle == 0) return "no layout of its own";
  return fmt::format("Layout().swizzle_bytes({}, {}), or no layout of its own", swizzle,
                     name(copy.source.tensor->type).str());
}

/// Null where the tile is one box.
const char* name_of_boxes(const Copy& copy) {
  const Region& tile = tile_side(copy);
  if (boxes_of(copy).size() > 1) return "panels";
  if (tile.ranges.front().is_point() && !is_int(tile.tensor->shape[0], 1)) return "slots";
  for (const auto& [range, all] : llvm::zip(tile.ranges, tile.tensor->shape))
    if (!range.is_point() && as_int(range.extent) != as_int(all)) return "parts";
  return nullptr;
}

BulkProblem problem_of_layout(const Copy& copy) {
  const auto swizzle = swizzle_of(copy);
  const TensorNode& to = *tile_side(copy).tensor;
  if (!swizzle)
    return CopyProblem{fmt::format("{}, and a bulk copy lays out rows as they come, or in the "
                                   "swizzle of as many bytes, 32, 64 or 128",
                                   reason_of_layout(copy)),
                       note_on_layout(copy)};
  const int64_t wanted = box_alignment(*swizzle);
  if (alignment_of(to) < wanted)
    return CopyProblem{fmt::format("{} starts at a multiple of {} bytes, and its bulk copy at one "
                                   "of {}",
                                   to.name, alignment_of(to), wanted),
                       fmt::format("align({}, {})", to.name, wanted)};
  const int64_t distance = distance_of_boxes(copy);
  if (distance % wanted != 0)
    return CopyProblem{
        fmt::format("{} of {} lie {} bytes apart, and a bulk copy goes to a multiple of {}",
                    name_of_boxes(copy), to.name, distance, wanted),
        "larger tiles"};
  return std::nullopt;
}

}  // namespace

std::optional<CopyProblem> problem_of_bulk(const Copy& copy, const Facts& facts) {
  if (auto problem = problem_of_execution(copy)) return problem;
  if (auto problem = problem_of_type(copy)) return problem;
  if (auto problem = problem_of_rank(copy)) return problem;
  if (auto problem = problem_of_tile(copy, facts)) return problem;
  if (auto problem = problem_of_box(copy)) return problem;
  if (auto problem = problem_of_pitch(copy, facts)) return problem;
  if (auto problem = problem_of_column(copy, facts)) return problem;
  if (auto problem = problem_of_start(copy, facts)) return problem;
  if (auto problem = problem_of_row_end(copy, facts)) return problem;
  return problem_of_layout(copy);
}

namespace {

/// The threads that make a copy of the nest, and those that loops around it tell apart, which have
/// copies of their own.
class StorePlace {
 public:
  StorePlace(const Stmt& nest, const Copy& copy) : space_(nest), nest_(space_), copy_(copy) {
    look(nest);
  }

  /// Loops tell apart warps at most.
  bool is_of_whole_warps() const {
    const auto row = as_int(space_.block()[0]);
    const ThreadDigits apart = space_.used().without(free_);
    for (size_t n = 0; n < space_.digits().size(); ++n) {
      const Binding& digit = space_.digits()[n].binding;
      const bool is_of_warps =
          digit.dim == 0 ? digit.digit.stride % warp_size == 0 : row && *row % warp_size == 0;
      if (apart.contains(n) && (digit.is_cluster() || !is_of_warps)) return false;
    }
    return true;
  }

 private:
  void look(const Stmt& stmt) {
    if (stmt.get() == &copy_) free_ = nest_.free_threads(copy_);
    nest_.enter(stmt);
    for_each_operand(
        stmt, [](const Expr&) {}, [&](const Stmt& nested) { look(nested); });
    nest_.leave(stmt);
  }

  const ThreadSpace space_;
  ThreadNest nest_;
  const Copy& copy_;
  ThreadDigits free_;
};

/// Waits of theirs keep bulk copies in order.
bool is_used_by_threads(const Stmt& nest, const TensorPtr& tensor) {
  return llvm::any_of(collect_accesses(nest), [&](const MemoryAccess& access) {
    return access.tensor == tensor && !(access.copy && is_box_store(*access.copy));
  });
}

bool is_filled_while_others_run(const Stmt& nest, const TensorPtr& tile) {
  return any_of(nest, [&](const Stmt& stmt) {
    const auto* copy = llvm::dyn_cast<Copy>(stmt);
    return copy && copy->uses_engine() && copy->destination.tensor == tile;
  });
}

}  // namespace

std::optional<CopyProblem> problem_of_bulk_store(const Copy& copy, const Stmt& nest,
                                                 const Facts& facts, bool may_alias) {
  const std::string &to = copy.destination.tensor->name, &tile = copy.source.tensor->name;
  if (copy.destination.tensor->scope != Scope::global)
    return CopyProblem{
        fmt::format("{} is copied to {}, and a bulk copy of it goes to global memory", tile, to),
        "cache_shared of an output makes such a copy"};
  if (may_alias)
    return CopyProblem{
        fmt::format("{} is written while others may read it, as arguments may overlap", to),
        other_engine(copy)};
  if (is_used_by_threads(nest, copy.destination.tensor))
    return CopyProblem{fmt::format("{} is used elsewhere in the kernel, which has no order with a "
                                   "bulk copy to it",
                                   to),
                       other_engine(copy)};
  if (is_filled_while_others_run(nest, copy.source.tensor))
    return CopyProblem{fmt::format("{} is filled by copies that go on while threads do something "
                                   "else, and a bulk copy of it would not wait for these",
                                   tile),
                       "fill it with loads and stores"};
  if (!StorePlace(nest, copy).is_of_whole_warps())
    return CopyProblem{
        fmt::format("threads have copies of {} of their own, and a bulk copy is one of "
                    "whole warps",
                    tile),
        "cache_shared at a loop around all threads"};
  return problem_of_bulk(copy, facts);
}

}  // namespace hone
