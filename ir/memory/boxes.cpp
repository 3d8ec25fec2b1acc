#include "ir/memory/boxes.h"

#include <numeric>

#include "ir/memory/storage_map.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

namespace hone {
namespace {

/// Chunks change places, in another way from one line to the next.
constexpr int64_t chunk_bytes = box_row_bytes, line_bytes = box_tile_bytes;

/// Parts of the rows of a tile that lie one behind the other.
struct Panels {
  int memory_dim = 0, tile_dim = 0;  ///< along which rows are cut
  int64_t count = 1, columns = 0;
};

/// As the fastest digit of the tile's layout says.
Panels panels_of(const Copy& copy) {
  const TensorNode &tile = *tile_side(copy).tensor, &memory = *global_side(copy).tensor;
  const auto tile_dims = tile_side(copy).dims(), dims = global_side(copy).dims();
  Panels panels;
  if (memory.rank() == 0) return panels;
  panels.memory_dim = fastest_dim(memory);
  const auto* found = llvm::find(dims, panels.memory_dim);
  if (found == dims.end() || dims.size() != tile_dims.size()) return panels;
  panels.tile_dim = tile_dims[found - dims.begin()];
  const auto digits = storage_digits(tile);
  const auto row = as_int(tile_side(copy).ranges[panels.tile_dim].extent);
  const IndexDigit& fastest = digits.back();
  if (!row || fastest.dim != panels.tile_dim || fastest.stride != 1 || fastest.count == 0 ||
      *row % fastest.count != 0)
    return panels;
  panels.columns = fastest.count;
  panels.count = *row / fastest.count;
  return panels;
}

/// The elements of a tile, box by box, in the order in which the engine moves them.
class BoxWalk {
 public:
  explicit BoxWalk(const Copy& copy) : map_(*tile_side(copy).tensor) {
    const TensorNode& tile = *tile_side(copy).tensor;
    element_bytes_ = size_of(tile.type);
    indices_.assign(tile.rank(), 0);
    add_boxes(copy);
    add_box(copy);
  }

  /// True if each of them lies where the engine puts it.
  bool fits(int64_t swizzle) {
    std::fill(indices_.begin(), indices_.end(), 0);
    return is_linear_over_bits() ? fits_by_bits(swizzle) : fits_by_runs(longest_run(), swizzle);
  }

  /// The greatest number of bytes of which all boxes start at multiples; 0 for a single box.
  int64_t distance(int64_t swizzle) {
    std::fill(indices_.begin(), indices_.end(), 0);
    int64_t distance = 0;
    do distance = std::gcd(distance, swizzled_place(place(), swizzle));
    while (advance(first_in_box_));
    return distance;
  }

 private:
  /// From the first element of a box to that of the next: slots, equal parts, panels.
  void add_boxes(const Copy& copy) {
    const Region& side = tile_side(copy);
    for (size_t dim = 0; dim < side.ranges.size(); ++dim) {
      const Range& range = side.ranges[dim];
      if (range.is_point() && dim != 0) continue;
      const int64_t all = *as_int(side.tensor->shape[dim]);
      const int64_t part = range.is_point() ? 1 : *as_int(range.extent);
      if (part < all) order_.push_back({static_cast<int>(dim), all / part, part});
    }
    const Panels panels = panels_of(copy);
    if (panels.count > 1) order_.push_back({panels.tile_dim, panels.count, panels.columns});
    first_in_box_ = order_.size();
  }

  void add_box(const Copy& copy) {
    const auto tile_dims = tile_side(copy).dims(), dims = global_side(copy).dims();
    const Panels panels = panels_of(copy);
    for (const int dim : storage_order(*global_side(copy).tensor)) {
      const auto* found = llvm::find(dims, dim);
      if (found == dims.end()) continue;
      const int along = tile_dims[found - dims.begin()];
      const bool is_cut = panels.count > 1 && along == panels.tile_dim;
      const int64_t extent =
          is_cut ? panels.columns : *as_int(tile_side(copy).ranges[along].extent);
      order_.push_back({along, extent, 1});
      elements_ *= extent;
    }
  }

  /// True if both places of an element are those of the bits of its indices, each alone, put
  /// together by xor.
  bool is_linear_over_bits() const {
    return map_.is_linear_over_bits() &&
           llvm::all_of(llvm::drop_begin(order_),
                        [](const Step& step) { return llvm::isPowerOf2_64(step.extent); });
  }

  bool fits_by_bits(int64_t swizzle) {
    int64_t element = 1;
    for (size_t n = order_.size(); n-- > 0;) {
      const auto& [dim, extent, stride] = order_[n];
      for (int64_t bit = 1; bit < extent; bit *= 2) {
        indices_[dim] = bit * stride;
        const bool fits = n < first_in_box_
                              ? swizzled_place(place(), swizzle) % (elements_ * element_bytes_) == 0
                              : fits_at(0, bit * element, swizzle);
        if (!fits) return false;
      }
      indices_[dim] = 0;
      element *= extent;
    }
    return true;
  }

  /// Elements along the fastest steps, from this one on. Where both places of the first one are
  /// known, those of the others follow from the bits of their indices.
  struct Run {
    size_t first;
    int64_t elements;
  };

  /// True if nothing that stays during a run has a bit that its elements have, too, and the fastest
  /// digits, which have room for a run, are made of bits. An element whose place is right lies in
  /// that room: it has moved no other digit.
  bool is_run(const Run& run) const {
    const auto is_apart = [&](const Step& slow, const Step& fast) {
      return slow.dim != fast.dim || slow.stride % (fast.stride * fast.extent) == 0;
    };
    const llvm::ArrayRef<Step> steps = order_, fast = steps.drop_front(run.first);
    return llvm::all_of(fast,
                        [&](const Step& one) {
                          return llvm::isPowerOf2_64(one.extent) &&
                                 llvm::all_of(steps.take_front(run.first), [&](const Step& slow) {
                                   return is_apart(slow, one);
                                 });
                        }) &&
           map_.is_linear_over_bits(map_.first_digit_of(run.elements));
  }

  Run longest_run() const {
    Run longest = {order_.size(), 1};
    for (size_t first = order_.size(); first-- > first_in_box_;) {
      const Run run = {first, longest.elements * order_[first].extent};
      if (!is_run(run)) break;
      longest = run;
    }
    return longest;
  }

  bool fits_by_runs(const Run& run, int64_t swizzle) {
    int64_t element = 0, start = 0;
    do {
      if (element % elements_ == 0) start = swizzled_place(place(), swizzle);
      if (start % (run.elements * element_bytes_) != 0) {  // its bits are not those of an index
        std::fill(indices_.begin(), indices_.end(), 0);
        return fits_by_runs({order_.size(), 1}, swizzle);
      }
      if (!run_fits(run, start, element % elements_, swizzle)) return false;
      element += run.elements;
    } while (advance(run.first));
    return true;
  }

  /// True if the elements of a run do, which begins with this one.
  bool run_fits(const Run& run, int64_t start, int64_t element, int64_t swizzle) {
    if (!fits_at(start, element, swizzle)) return false;
    int64_t next = 1;
    for (size_t n = order_.size(); n-- > run.first;) {
      const auto& [dim, extent, stride] = order_[n];
      const int64_t index = indices_[dim];
      for (int64_t bit = 1; bit < extent; bit *= 2) {
        indices_[dim] = index + bit * stride;
        if (!fits_at(start, element + bit * next, swizzle)) return false;
      }
      indices_[dim] = index;
      next *= extent;
    }
    return true;
  }

  /// Of the element at the current indices.
  int64_t place() const { return map_.offset(indices_) * element_bytes_; }

  /// Of that element, of a box that starts so many bytes from the start of the tile.
  bool fits_at(int64_t start, int64_t element, int64_t swizzle) const {
    return place() == swizzled_place(start + element * element_bytes_, swizzle);
  }

  /// To the next element, or the next box: by the slowest of the indices.
  bool advance(size_t slowest) {
    const auto steps = llvm::ArrayRef<Step>(order_).take_front(slowest);
    for (const auto& [dim, extent, stride] : llvm::reverse(steps)) {
      const int64_t step = indices_[dim] / stride % extent;
      if (step + 1 < extent) {
        indices_[dim] += stride;
        return true;
      }
      indices_[dim] -= step * stride;
    }
    return false;
  }

  /// An index that goes on by `stride`.
  struct Step {
    int dim;
    int64_t extent, stride;
  };
  const StorageMap map_;
  llvm::SmallVector<Step, 6> order_;  ///< the slowest first
  size_t first_in_box_ = 0;
  int64_t elements_ = 1;  ///< of a box
  llvm::SmallVector<int64_t, 6> indices_;
  int64_t element_bytes_ = 0;
};

}  // namespace

int64_t box_alignment(int64_t swizzle) { return swizzle == 0 ? line_bytes : swizzle * 8; }

int64_t swizzled_place(int64_t offset, int64_t swizzle) {
  if (swizzle == 0) return offset;
  return offset ^ offset / line_bytes % (swizzle / chunk_bytes) * chunk_bytes;
}

bool is_box_store(const Copy& copy) { return copy.timeline() == Timeline::engine_out; }

const Region& tile_side(const Copy& copy) {
  return copy.destination.tensor->scope == Scope::shared ? copy.destination : copy.source;
}

const Region& global_side(const Copy& copy) {
  return copy.destination.tensor->scope == Scope::shared ? copy.source : copy.destination;
}

std::optional<llvm::SmallVector<int64_t, 5>> box_of(const Copy& copy) {
  llvm::SmallVector<int64_t, 5> box;
  for (const Range& range : global_side(copy).ranges) {
    const auto extent = range.is_point() ? std::optional<int64_t>(1) : as_int(range.extent);
    if (!extent) return std::nullopt;
    box.push_back(*extent);
  }
  if (const Panels panels = panels_of(copy); panels.count > 1)
    box[panels.memory_dim] = panels.columns;
  return box;
}

llvm::SmallVector<BoxCorners, 4> boxes_of(const Copy& copy) {
  const Panels panels = panels_of(copy);
  llvm::SmallVector<BoxCorners, 4> boxes;
  for (int64_t n = 0; n < panels.count; ++n) {
    boxes.push_back({tile_side(copy).first(), global_side(copy).first()});
    if (n == 0) continue;
    Expr &column = boxes.back().tile[panels.tile_dim],
         &place = boxes.back().memory[panels.memory_dim];
    column = column + n * panels.columns;
    place = place + n * panels.columns;
  }
  return boxes;
}

std::optional<int64_t> swizzle_of(const Copy& copy) {
  BoxWalk walk(copy);
  if (walk.fits(0)) return 0;
  const auto box = *box_of(copy);
  const TensorNode& memory = *global_side(copy).tensor;
  const int64_t row = box[fastest_dim(memory)];
  const int64_t swizzle = box_swizzle(row * size_of(memory.type));
  return swizzle != 0 && walk.fits(swizzle) ? std::optional(swizzle) : std::nullopt;
}

Stmt share_of(const Copy& copy, int dim, int64_t blocks, const Expr& number) {
  const auto with_part = [&](const Region& side) {
    Region part = side;
    Range& range = part.ranges[side.dims()[dim]];
    const int64_t extent = *as_int(range.extent) / blocks;
    range.extent = extent;
    range.offset = range.offset + number * extent;
    return part;
  };
  return copy.with_regions(with_part(copy.destination), with_part(copy.source));
}

std::optional<int> dim_to_share(const Copy& copy, int64_t blocks) {
  const auto swizzle = swizzle_of(copy);
  const int64_t row = (*box_of(copy))[fastest_dim(*global_side(copy).tensor)];
  std::optional<int> best;
  size_t fewest = 0;
  const auto extents = tile_side(copy).extents();
  for (size_t dim = 0; dim < extents.size(); ++dim) {
    const auto extent = as_int(extents[dim]);
    if (!extent || *extent % blocks != 0) continue;
    const Stmt share = share_of(copy, static_cast<int>(dim), blocks, 0);
    const auto& part = *llvm::cast<Copy>(share);
    const bool fits = (*box_of(part))[fastest_dim(*global_side(part).tensor)] == row &&
                      swizzle_of(part) == swizzle &&
                      distance_of_boxes(part) % box_alignment(*swizzle) == 0;
    const size_t boxes = boxes_of(part).size();
    if (!fits || (best && boxes >= fewest)) continue;
    best = static_cast<int>(dim);
    fewest = boxes;
  }
  return best;
}

int64_t distance_of_boxes(const Copy& copy) { return BoxWalk(copy).distance(*swizzle_of(copy)); }

int64_t alignment_for_boxes(const Copy& copy) {
  const Region& tile = tile_side(copy);
  const TensorNode& ring = *tile.tensor;
  const bool is_empty = tile.ranges.empty() || global_side(copy).ranges.empty();
  const bool has_slots = !is_empty && tile.ranges.front().is_point();
  const bool is_box = !is_empty && box_of(copy) &&
                      tile.extents().size() + static_cast<size_t>(has_slots) == ring.rank();
  const auto swizzle = is_box ? swizzle_of(copy) : std::nullopt;
  return std::max(ring.alignment, box_alignment(swizzle.value_or(0)));
}

llvm::SmallVector<int64_t, 6> box_constants(const Copy& copy) {
  const auto box = *box_of(copy);
  llvm::SmallVector<int64_t, 6> constants(box.begin(), box.end());
  constants.push_back(*swizzle_of(copy));
  return constants;
}

}  // namespace hone
