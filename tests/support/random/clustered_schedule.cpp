#include "tests/support/random/nest_guide.h"

namespace hone {
namespace {

class ClusteredGuide : public NestGuide {
 public:
  ClusteredGuide(Random& random, const Function& function) : NestGuide(random, function) {}

  std::vector<Step> run() {
    const bool sums = !reductions_.empty() && random_.chance(80);
    if (!sums && spatial_.empty()) return {};
    Names& axes = sums ? reductions_ : spatial_;
    cluster_ = axes.back();
    axes.pop_back();
    deal_out();
    order();
    for (size_t n = 0; n < spatial_.size() && n < 3; ++n)
      bind(spatial_[spatial_.size() - 1 - n], Kind::block, static_cast<uint8_t>(n));
    bind_cluster(sums);
    if (sums)
      combine(threads_, Kind::thread, 0);
    else
      bind(threads_, Kind::thread, 0);
    if (result_ && random_.chance(60))
      add("cache_registers", result_->name, {any_of(random_.chance(50) ? order_ : inside_)});
    for (const TensorPtr& operand : operands_)
      if (random_.chance(25)) add("cache_registers", operand->name, {any_of(order_)});
    return std::move(steps_);
  }

 private:
  /// Parts for the blocks of a cluster, and those for their threads.
  void deal_out() {
    Step& parts = add(random_.chance(75) ? "split_into" : "split", {cluster_});
    parts.factors.push_back(random_.between(2, 5));
    parts.tail = tail();
    constexpr int64_t counts[] = {32, 32, 64, 96, 16};
    Step& threads = add("split", {cluster_ + ".1"});
    threads.factors.push_back(random_.pick(counts));
    threads.tail = tail();
    threads_ = cluster_ + ".1.1";
    inside_ = {threads_, cluster_ + ".1.0"};
    cluster_ += ".0";
    if (random_.chance(30)) std::swap(inside_[0], inside_[1]);
  }

  void order() {
    order_ = spatial_;
    order_.push_back(cluster_);
    order_.append(inside_);
    order_.append(reductions_);
    add("reorder", order_);
  }

  void bind_cluster(bool sums) {
    Binding& binding = add("bind", {cluster_}).binding;
    binding = {Kind::thread, cluster_dim, 0};
    if (sums && !random_.chance(4))
      binding.combine = CombineLevels{{CombineUnit::cluster, CombineMeans::exchange}};
  }

  std::string cluster_, threads_;
  Names inside_, order_;
};

}  // namespace

std::vector<Step> clustered_schedule(Random& random, const Function& function) {
  return ClusteredGuide(random, function).run();
}

}  // namespace hone
