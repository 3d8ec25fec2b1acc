#include <algorithm>

#include "tests/support/random/nest_guide.h"

namespace hone {
namespace {

/// The place where the iterations of an axis run.
enum class Place : uint8_t { blocks, threads, one_thread };

struct PlacedAxis {
  std::string name;
  bool is_reduction;
  Place place;
};

class CombinedGuide : public NestGuide {
 public:
  CombinedGuide(Random& random, const Function& function)
      : NestGuide(random, function), is_atomic_(random.chance(scatters_ ? 70 : 25)) {}

  std::vector<Step> run() {
    for (const std::string& axis : spatial_) place_parts(axis, false);
    for (const std::string& axis : reductions_) place_parts(axis, true);
    shuffle();
    order();
    if (result_) cache(result_->name, 20);
    for (const PlacedAxis& axis : axes_) bind_to_place(axis);
    if (result_) cache(result_->name, is_atomic_ ? 50 : 30);
    for (const TensorPtr& operand : operands_) cache(operand->name, 15);
    if (result_) cache(result_->name, 10);
    return std::move(steps_);
  }

 private:
  /// The axis, its two parts, or its parts as one axis again.
  void place_parts(const std::string& axis, bool is_reduction) {
    const size_t form = random_.weighted({45, 35, 20});
    if (form == 0) return place(axis, is_reduction);
    constexpr int64_t sizes[] = {2, 3, 4, 8, 5, 16, 32};
    Step& split = add("split", {axis});
    split.factors.push_back(random_.pick(sizes));
    split.tail = tail();
    const std::string outer = axis + ".0", inner = axis + ".1";
    if (form == 2) {
      add("fuse", {outer, inner});
      return place(outer + "_" + inner, is_reduction);
    }
    place(outer, is_reduction);
    place(inner, is_reduction);
  }

  void place(const std::string& axis, bool is_reduction) {
    const auto where = static_cast<Place>(is_reduction ? random_.weighted({25, 50, 25})
                                                       : random_.weighted({35, 35, 30}));
    axes_.push_back({axis, is_reduction, where});
  }

  /// Mostly blocks outside of threads.
  void shuffle() {
    for (size_t n = axes_.size(); n-- > 1;)
      std::swap(axes_[n], axes_[n - random_.below(static_cast<uint32_t>(n + 1))]);
    if (random_.chance(85))
      std::stable_sort(axes_.begin(), axes_.end(),
                       [](const PlacedAxis& lhs, const PlacedAxis& rhs) {
                         return (lhs.place == Place::blocks) > (rhs.place == Place::blocks);
                       });
  }

  void order() {
    Names names;
    for (const PlacedAxis& axis : axes_) names.push_back(axis.name);
    if (names.size() > 1) add("reorder", names);
  }

  void bind_to_place(const PlacedAxis& axis) {
    if (axis.place == Place::one_thread) return;
    const Kind kind = axis.place == Place::blocks ? Kind::block : Kind::thread;
    uint8_t& next = axis.place == Place::blocks ? next_block_ : next_thread_;
    const bool repeats = random_.chance(Extra::indices, 12);
    const auto dim = static_cast<uint8_t>(repeats ? random_.below(3) : next++ % 3);
    if (axis.is_reduction) {
      combine(axis.name, kind, dim);
      if (is_atomic_) steps_.back().binding.combine = {Combine::atomic};
      return;
    }
    bind(axis.name, kind, dim);
  }

  void cache(const std::string& tensor, uint32_t percent) {
    if (!random_.chance(percent)) return;
    const PlacedAxis& axis = random_.pick(axes_);
    add(random_.chance(65) ? "cache_registers" : "cache_shared", tensor, {axis.name});
  }

  const bool is_atomic_;  ///< all reductions
  std::vector<PlacedAxis> axes_;
  uint8_t next_block_ = 0, next_thread_ = 0;
};

}  // namespace

std::vector<Step> combined_schedule(Random& random, const Function& function) {
  return CombinedGuide(random, function).run();
}

}  // namespace hone
