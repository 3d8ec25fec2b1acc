#include "tests/support/random/nest_guide.h"

namespace hone {
namespace {

/// Sums in parts, which the blocks of a cluster compute, and leave in their shared memory.
class SharedPartsGuide : public NestGuide {
 public:
  SharedPartsGuide(Random& random, const Function& function) : NestGuide(random, function) {}

  std::vector<Step> run() {
    if (!result_ || reductions_.empty() || spatial_.empty()) return {};
    const std::string k = reductions_.back(), part = k + ".0", partial = result_->name + ".rf";
    Step& parts = add("split_into", {k});
    parts.factors.push_back(random_.between(1, 6));
    parts.tail = tail();
    add("rfactor", result_->name, {part});
    cluster(part);
    for (const std::string& axis : spatial_)
      split(axis, axis == spatial_.back() ? 32 : size_of_tile(), tail());
    order();
    for (size_t n = 0; n < spatial_.size() && n < 3; ++n)
      bind(spatial_[spatial_.size() - 1 - n] + ".0", Kind::block, static_cast<uint8_t>(n));
    add("compute_at", partial, {spatial_.back() + ".0"}).scope = Scope::shared;
    cache(partial, part, k + ".1");
    share();
    return std::move(steps_);
  }

 private:
  int64_t size_of_tile() {
    constexpr int64_t sizes[] = {2, 3, 4, 8};
    return random_.pick(sizes);
  }

  void cluster(const std::string& axis) { bind(axis, Kind::thread, cluster_dim); }

  void order() {
    Names order;
    for (const char* level : {".0", ".1"})
      for (const std::string& axis : spatial_) order.push_back(axis + level);
    add("reorder", order);
  }

  void cache(const std::string& partial, const std::string& part, const std::string& step) {
    if (random_.chance(40)) add("cache_registers", partial, {random_.chance(60) ? part : step});
    for (const TensorPtr& operand : operands_)
      if (random_.chance(40))
        add("cache_shared", operand->name, {random_.chance(50) ? part : step});
    if (random_.chance(20)) add("layout", partial, {}).layout.padding = random_.between(1, 3);
  }

  /// Threads, and blocks of the cluster, for what adds up the parts.
  void share() {
    for (size_t n = 0; n < spatial_.size() && n < 3; ++n) {
      const auto dim = static_cast<uint8_t>(n);
      const std::string own = spatial_[spatial_.size() - 1 - n];
      bind(own + ".rf", Kind::thread, dim);
      if (n == 0 && random_.chance(50)) {
        split(own + ".1", random_.chance(70) ? 16 : random_.between(7, 20));
        cluster(own + ".1.0");
        bind(own + ".1.1", Kind::thread, dim);
      } else {
        bind(own + ".1", Kind::thread, dim);
      }
    }
  }
};

}  // namespace

std::vector<Step> shared_parts_schedule(Random& random, const Function& function) {
  return SharedPartsGuide(random, function).run();
}

}  // namespace hone
