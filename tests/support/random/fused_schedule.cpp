#include "tests/support/random/nest_guide.h"

namespace hone {
namespace {

class FusedGuide : public NestGuide {
 public:
  FusedGuide(Random& random, const Function& function) : NestGuide(random, function) {}

  std::vector<Step> run() {
    const bool takes_spatial = !spatial_.empty() && (reductions_.size() < 2 || random_.chance(80));
    run_along(takes_spatial ? spatial_ : reductions_);
    split_reduction();
    order();
    const bool is_bound_first = random_.chance(60);
    if (is_bound_first) bind_axes();
    cache();
    if (!is_bound_first) bind_axes();
    finish_inner_loops();
    return std::move(steps_);
  }

 private:
  /// Fuses the axes, or the last two of them, and makes parts of the result: of blocks, of threads,
  /// and the elements of one thread.
  void run_along(Names& axes) {
    const size_t first = axes.size() > 2 && random_.chance(40) ? axes.size() - 2 : 0;
    std::string fused = axes[first];
    for (size_t n = first + 1; n < axes.size(); ++n) {
      add("fuse", {fused, axes[n]});
      fused += "_" + axes[n];
    }
    axes.truncate(first);
    outer_ = spatial_;
    is_reduced_ = &axes == &reductions_;
    if (random_.chance(30)) {
      split(fused, 16);
      outer_.push_back(fused + ".0");
      fused += ".1";
    }
    constexpr int64_t sizes[] = {4, 2, 3, 5, 8, 6};
    const int64_t size = random_.pick(sizes);
    if (random_.chance(12)) {
      Step& step = add("split_into", {fused});
      step.factors.push_back(size);
      step.tail = tail();
      outer_.push_back(fused + ".1");
      elements_ = {fused + ".0"};
      return;
    }
    split(fused, size);
    outer_.push_back(fused + ".0");
    elements_ = {fused + ".1"};
    if (size % 2 != 0 || !random_.chance(20)) return;
    split(fused + ".1", 2);
    elements_ = {fused + ".1.0", fused + ".1.1"};
  }

  void split(const std::string& axis, int64_t size) {
    Step& step = add("split", {axis});
    step.factors.push_back(size);
    step.tail = tail();
  }

  void split_reduction() {
    for (const std::string& axis : reductions_) {
      if (!random_.chance(50)) {
        steps_of_k_.push_back(axis);
        continue;
      }
      constexpr int64_t sizes[] = {2, 3, 4, 8};
      split(axis, random_.pick(sizes));
      steps_of_k_.append({axis + ".0", axis + ".1"});
    }
  }

  void order() {
    Names all = outer_;
    const bool is_inside = random_.chance(70);
    if (is_inside) all.append(steps_of_k_.begin(), steps_of_k_.end());
    all.append(elements_.begin(), elements_.end());
    if (!is_inside) all.append(steps_of_k_.begin(), steps_of_k_.end());
    if (all.size() > 1 && random_.chance(85)) add("reorder", all);
  }

  void bind_axes() {
    uint8_t next_block = 0;
    for (size_t n = 0; n < outer_.size(); ++n) {
      const bool is_last = n + 1 == outer_.size();
      const Kind kind = is_last && random_.chance(60) ? Kind::thread : Kind::block;
      if (is_reduced_ && is_last)
        combine(outer_[n], kind, 0);
      else
        bind(outer_[n], kind, kind == Kind::thread ? 0 : next_block++ % 3);
    }
  }

  void cache() {
    Names places = {outer_.back(), outer_.back(), outer_.back(), elements_.front()};
    places.append(steps_of_k_.begin(), steps_of_k_.end());
    const auto cache_at = [&](const TensorPtr& tensor, const std::string& place) {
      add(random_.chance(95) ? "cache_registers" : "cache_shared", tensor->name, {place}).count =
          random_.chance(90) ? 0 : random_width(random_);
    };
    if (result_ && random_.chance(85)) cache_at(result_, outer_.back());
    for (const TensorPtr& operand : operands_)
      if (random_.chance(50)) cache_at(operand, any_of(places));
    if (result_ && random_.chance(20)) cache_at(result_, any_of(places));
  }

  void finish_inner_loops() {
    if (random_.chance(20)) add("unroll", {elements_.back()});
    if (random_.chance(10)) add("vectorize", {elements_.back()});
    if (random_.chance(8)) add("write_out", {elements_.front()});
    if (!steps_of_k_.empty() && random_.chance(15)) add("unroll", {steps_of_k_.back()}).count = 2;
  }

  bool is_reduced_ = false;  ///< the run
  Names outer_, steps_of_k_, elements_;
};

}  // namespace

std::vector<Step> fused_schedule(Random& random, const Function& function) {
  return FusedGuide(random, function).run();
}

}  // namespace hone
