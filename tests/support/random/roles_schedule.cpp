#include "tests/support/random/nest_guide.h"

namespace hone {
namespace {

class RolesGuide : public NestGuide {
 public:
  RolesGuide(Random& random, const Function& function) : NestGuide(random, function) {}

  std::vector<Step> run() {
    if (reductions_.empty()) return {};
    if (random_.has(Extra::engines))
      for (const TensorPtr& argument : function_.arguments)
        if (random_.chance(90)) add("assume_aligned", argument->name, {}).count = 16;
    tile();
    fills_ahead_ = inner_step_ != outer_step_ && random_.chance(50);
    bind_axes();
    if (result_) stage_result();
    for (const TensorPtr& operand : operands_) stage(operand);
    if (fills_ahead_ || random_.chance(20)) add("pipeline", {inner_step_}).count = 2;
    if (random_.chance(20)) add("unroll", {inner_step_});
    specialize();
    if (is_staged_ && random_.chance(Extra::parts, 80))
      add("write_back_at", result_->name + ".shared", {warps_.empty() ? threads_ : warps_});
    for (const TensorPtr& operand : operands_) ask_engine(operand);
    if (is_staged_) ask_engine(result_);
    return std::move(steps_);
  }

 private:
  /// Whole warps along the last axis, or along all of a block that computes one element.
  void tile() {
    if (!spatial_.empty()) {
      Step& step = add("split", {spatial_.back()});
      step.factors.push_back(random_.chance(70) ? 32 : 64);
      step.tail = tail();
      threads_ = spatial_.back() + ".1";
      spatial_.back() += ".0";
    }
    outer_step_ = inner_step_ = reductions_.front();
    if (random_.chance(90)) {
      Step& step = add("split", {outer_step_});
      const int64_t unit = random_.has(Extra::engines) && random_.chance(70) ? 16 : 4;
      step.factors.push_back(random_.chance(60) ? unit * random_.between(1, 16 / unit)
                                                : random_.between(2, 6));
      step.tail = tail();
      inner_step_ = outer_step_ + ".1";
      outer_step_ += ".0";
    }
    Names order = spatial_;
    if (!threads_.empty()) order.push_back(threads_);
    order.push_back(outer_step_);
    order.append(reductions_.begin() + 1, reductions_.end());
    if (inner_step_ != outer_step_) order.push_back(inner_step_);
    if (order.size() > 1) add("reorder", order);
  }

  /// A loop that is left alone runs the steps again and again.
  void bind_axes() {
    for (size_t n = 0; n < spatial_.size() && n < 3; ++n)
      if (random_.chance(75))
        bind(spatial_[spatial_.size() - 1 - n], Kind::block, static_cast<uint8_t>(n));
    if (!threads_.empty()) bind_threads();
  }

  /// A loop over the warps tells those apart that write back a part each.
  void bind_threads() {
    if (!random_.chance(Extra::parts, 40)) return bind(threads_, Kind::thread, 0);
    add("split", {threads_}).factors.push_back(32);
    warps_ = threads_ + ".0";
    threads_ += ".1";
    add("bind", {warps_, threads_}).binding = thread_x;
  }

  /// In registers, which may go by way of a tile of the block.
  void stage_result() {
    std::string tensor = result_->name;
    if (!spatial_.empty() && random_.chance(30)) {
      add("cache_shared", tensor, {spatial_.back()});
      tensor += ".shared";
      is_staged_ = true;
    }
    if (random_.chance(85)) add("cache_registers", tensor, {threads_});
  }

  void stage(const TensorPtr& operand) {
    if (random_.chance(5)) return;
    const bool for_engines = random_.has(Extra::engines);
    add("cache_shared", operand->name, {outer_step_}).count =
        !for_engines && random_.chance(20) ? 4 : 0;
    const std::string tile = operand->name + ".shared";
    if (random_.chance(for_engines ? 5 : 15))
      add("layout", tile, {}).layout = random_layout(random_, operand->rank());
    if (random_.chance(Extra::engines, 25))
      add("layout", tile, {}).layout =
          Layout().swizzle_bytes(int64_t{32} << random_.below(3), operand->type);
    if (random_.chance(95)) add("copy_async", tile, {});
    if (random_.chance(fills_ahead_ ? 95 : 40))
      add("cache_registers", tile,
          {!fills_ahead_ && random_.chance(60) ? outer_step_ : inner_step_});
  }

  void specialize() {
    Step& step = add("specialize", {outer_step_});
    step.count = random_.between(fills_ahead_ ? 2 : 1, 4);
    step.binding.roles.producer_warps = random_.between(1, 3);
    if (!random_.chance(fills_ahead_ ? 90 : 40)) return;
    add("prefetch", {outer_step_}).count = random_.chance(50) ? random_.between(1, 3) : 0;
  }

  /// Rows at multiples of 16 bytes are what it lacks most.
  void ask_engine(const TensorPtr& operand) {
    if (!random_.chance(random_.has(Extra::engines) ? 85 : 40)) return;
    if (!random_.has(Extra::engines) && random_.chance(90))
      add("assume_aligned", operand->name, {}).count = 16;
    add("copy_bulk", operand->name + ".shared", {});
  }

  std::string threads_, warps_, outer_step_, inner_step_;
  bool is_staged_ = false;    ///< the result, in a tile of the block
  bool fills_ahead_ = false;  ///< registers, at the start of the outer step
};

}  // namespace

std::vector<Step> roles_schedule(Random& random, const Function& function) {
  return RolesGuide(random, function).run();
}

}  // namespace hone
