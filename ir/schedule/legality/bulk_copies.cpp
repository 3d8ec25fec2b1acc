#include "ir/schedule/legality/bulk_copies.h"

#include "fmt/format.h"
#include "ir/alignment.h"
#include "ir/analysis/bulk_tiles.h"
#include "ir/analysis/divisibility.h"
#include "ir/layout.h"
#include "ir/text/printer.h"

namespace hone {
namespace {

using Problem = std::optional<CopyProblem>;

constexpr const char* other_engine = "leave it asynchronous";

/// Of a copy with a constant box.
int64_t bytes_of_row(const Copy& copy) {
  const auto box = *box_of(copy);
  return box[fastest_dim(*copy.source.tensor)] * size_of(copy.source.tensor->type);
}

int64_t bytes_of_box(const Copy& copy) {
  const auto box = *box_of(copy);
  int64_t bytes = size_of(copy.source.tensor->type);
  for (const int64_t extent : box) bytes *= extent;
  return bytes;
}

Problem problem_of_maker(const Copy& copy) {
  if (copy.is_by_producers()) return std::nullopt;
  return CopyProblem{fmt::format("{} is copied by the threads that use it, and producers alone ask "
                                 "for bulk copies",
                                 copy.destination.tensor->name),
                     "specialize the loop first"};
}

Problem problem_of_type(const Copy& copy) {
  const DType type = copy.source.tensor->type;
  const int64_t bytes = size_of(type);
  if (bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8) return std::nullopt;
  return CopyProblem{
      fmt::format("elements of {} are {}, of {} bytes, and a bulk copy moves those of 1, 2, 4 or 8",
                  copy.destination.tensor->name, name(type).str(), bytes),
      other_engine};
}

Problem problem_of_source(const Copy& copy) {
  const TensorNode& from = *copy.source.tensor;
  if (from.rank() < 1 || from.rank() > most_bulk_rank)
    return CopyProblem{fmt::format("{} has {} dimensions, and a bulk copy takes a box of 1 to {}",
                                   from.name, from.rank(), most_bulk_rank),
                       other_engine};
  return std::nullopt;
}

/// The slots of a ring follow each other; a copy fills one.
Problem problem_of_destination(const Copy& copy) {
  const TensorNode& to = *copy.destination.tensor;
  for (size_t dim = 0; dim < to.rank(); ++dim) {
    const Range& range = copy.destination.ranges[dim];
    const bool is_slot = dim == 0 && range.is_point();
    const bool is_whole = range.is_point() ? is_int(to.shape[dim], 1) && is_int(range.offset, 0)
                                           : is_int(range.offset, 0) && range.stride == 1 &&
                                                 as_int(range.extent) == as_int(to.shape[dim]);
    if (!is_slot && !is_whole)
      return CopyProblem{fmt::format("the copy fills a part of a slot of {} in dimension {}, and a "
                                     "bulk copy fills all of it",
                                     to.name, dim),
                         "copy a whole tile"};
  }
  return std::nullopt;
}

Problem problem_of_box(const Copy& copy) {
  const TensorNode& from = *copy.source.tensor;
  for (const Range& range : copy.source.ranges) {
    if (range.is_point()) continue;
    const int64_t extent = *as_int(range.extent);  // that of the destination
    if (range.stride != 1)
      return CopyProblem{fmt::format("the copy takes elements that lie {} apart in {}, and a bulk "
                                     "copy takes neighbours",
                                     range.stride, from.name),
                         other_engine};
    if (extent > most_bulk_extent)
      return CopyProblem{
          fmt::format("the copy takes {} elements of {} along one dimension, and the "
                      "box of a bulk copy has {} at most",
                      extent, from.name, most_bulk_extent),
          "smaller tiles"};
  }
  const int64_t row = bytes_of_row(copy);
  if (row % bulk_row_bytes != 0)
    return CopyProblem{fmt::format("rows of the box of {} are {} bytes, and those of a bulk copy "
                                   "are multiples of {}",
                                   from.name, row, bulk_row_bytes),
                       "tiles that are longer where elements lie side by side"};
  return std::nullopt;
}

Problem problem_of_pitch(const Copy& copy, const Facts& facts) {
  const TensorNode& from = *copy.source.tensor;
  const int64_t elements = bulk_row_bytes / size_of(from.type);
  const Expr pitch = row_pitch(from);
  if (from.rank() < 2 || elements == 1 || divides(elements, pitch, facts)) return std::nullopt;
  return CopyProblem{
      fmt::format("rows of {} lie {} elements apart, and those of a bulk copy at multiples of {} "
                  "bytes",
                  from.name, pitch, bulk_row_bytes),
      as_int(pitch) ? other_engine : fmt::format("assume({} % {} == 0)", pitch, elements)};
}

std::string reason_of_layout(const Copy& copy) {
  const TensorNode& to = *copy.destination.tensor;
  if (to.layout.padding != 0 || to.layout.row_pitch.defined())
    return fmt::format("{} has a padding behind its rows", to.name);
  if (to.layout.swizzles.empty())
    return fmt::format("elements of {} lie in another order than in {}", to.name,
                       copy.source.tensor->name);
  return fmt::format("{} is swizzled otherwise", to.name);
}

std::string note_on_layout(const Copy& copy) {
  const int64_t swizzle = bulk_swizzle(bytes_of_row(copy));
  if (swizzle == 0) return "no layout of its own";
  return fmt::format("Layout().swizzle_bytes({}, {}), or no layout of its own", swizzle,
                     name(copy.source.tensor->type).str());
}

Problem problem_of_layout(const Copy& copy) {
  const auto swizzle = swizzle_of(copy);
  const TensorNode& to = *copy.destination.tensor;
  if (!swizzle)
    return CopyProblem{fmt::format("{}, and a bulk copy lays out rows as they come, or in the "
                                   "swizzle of as many bytes, 32, 64 or 128",
                                   reason_of_layout(copy)),
                       note_on_layout(copy)};
  const int64_t wanted = bulk_alignment(*swizzle);
  if (alignment_of(to) < wanted)
    return CopyProblem{fmt::format("{} starts at a multiple of {} bytes, and its bulk copy at one "
                                   "of {}",
                                   to.name, alignment_of(to), wanted),
                       fmt::format("align({}, {})", to.name, wanted)};
  const bool has_slots = copy.destination.ranges.front().is_point() && !is_int(to.shape[0], 1);
  const int64_t bytes = bytes_of_box(copy);
  if (has_slots && bytes % wanted != 0)
    return CopyProblem{
        fmt::format("slots of {} are {} bytes, and a bulk copy goes to a multiple of "
                    "{}",
                    to.name, bytes, wanted),
        "larger tiles"};
  return std::nullopt;
}

}  // namespace

std::optional<CopyProblem> problem_of_bulk(const Copy& copy, const Facts& facts) {
  if (auto problem = problem_of_maker(copy)) return problem;
  if (auto problem = problem_of_type(copy)) return problem;
  if (auto problem = problem_of_source(copy)) return problem;
  if (auto problem = problem_of_destination(copy)) return problem;
  if (auto problem = problem_of_box(copy)) return problem;
  if (auto problem = problem_of_pitch(copy, facts)) return problem;
  return problem_of_layout(copy);
}

}  // namespace hone
