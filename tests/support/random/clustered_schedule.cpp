#include "ir/analysis/accesses.h"
#include "ir/analysis/nests.h"
#include "ir/traverse/visit.h"
#include "tests/support/random/nest_guide.h"

namespace hone {
namespace {

class ClusteredGuide : public NestGuide {
 public:
  ClusteredGuide(Random& random, const Function& function) : NestGuide(random, function) {}

  std::vector<Step> run() {
    if (!spatial_.empty() && random_.chance(60)) compute_operand();
    const bool sums = !reductions_.empty() && random_.chance(80);
    if (!sums && spatial_.empty()) return {};
    Names& axes = sums ? reductions_ : spatial_;
    cluster_ = axes.back();
    axes.pop_back();
    deal_out();
    share_others();
    order();
    for (size_t n = 0; n < spatial_.size() && n < 3; ++n)
      bind(spatial_[spatial_.size() - 1 - n], Kind::block, static_cast<uint8_t>(n));
    bind_parts(cluster_, threads_, sums);
    for (const Parts& other : others_) bind_parts(other.blocks, other.threads, other.is_reduction);
    if (result_ && random_.chance(60))
      add("cache_registers", result_->name, {any_of(random_.chance(50) ? order_ : inside_)});
    for (const TensorPtr& operand : operands_)
      if (random_.chance(25)) add("cache_registers", operand->name, {any_of(order_)});
    return std::move(steps_);
  }

 private:
  /// Parts of an axis beside the first one, for a number of blocks of their own.
  struct Parts {
    std::string blocks, threads;
    bool is_reduction;
  };

  /// The nest computes a temporary that it reads, and has the reduction axes of that, too.
  void compute_operand() {
    llvm::SmallVector<TensorPtr, 2> temporaries;
    const auto nests = nests_of(function_.body, &temporaries);
    for (const TensorPtr& operand : operands_) {
      if (!llvm::is_contained(temporaries, operand)) continue;
      add("compute_at", operand->name, {spatial_.front()});
      for (const Stmt& nest : nests)
        if (writes(nest, operand))
          for (const For* loop : loops_of(nest))
            if (loop->is_reduction()) inner_.push_back(loop->axis->name);
    }
  }

  static bool writes(const Stmt& nest, const TensorPtr& tensor) {
    return llvm::any_of(collect_accesses(nest), [&](const MemoryAccess& access) {
      return access.writes && access.tensor == tensor;
    });
  }

  /// Other axes of the nest, which stand beside the first one or not.
  void share_others() {
    if (spatial_.size() > 1 && random_.chance(70)) {
      share(spatial_.back(), false);
      spatial_.pop_back();
    }
    for (const std::string& axis : inner_)
      if (random_.chance(80)) share(axis, true);
  }

  void share(const std::string& axis, bool is_reduction) {
    add("split_into", {axis}).factors.push_back(random_.between(1, 8));
    add("split", {axis + ".1"}).factors.push_back(32);
    others_.push_back({axis + ".0", axis + ".1.1", is_reduction});
  }

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

  /// Axes around what is computed for them stay there.
  void order() {
    if (inner_.empty()) order_ = spatial_;
    order_.push_back(cluster_);
    order_.append(inside_);
    order_.append(reductions_);
    add("reorder", order_);
  }

  void bind_parts(const std::string& blocks, const std::string& threads, bool sums) {
    Binding& binding = add("bind", {blocks}).binding;
    binding = {Kind::thread, cluster_dim, 0};
    if (sums && !random_.chance(4))
      binding.combine = CombineLevels{{CombineUnit::cluster, CombineMeans::exchange}};
    if (sums)
      combine(threads, Kind::thread, 0);
    else
      bind(threads, Kind::thread, 0);
  }

  std::string cluster_, threads_;
  Names inside_, order_, inner_;
  std::vector<Parts> others_;
};

}  // namespace

std::vector<Step> clustered_schedule(Random& random, const Function& function) {
  return ClusteredGuide(random, function).run();
}

}  // namespace hone
