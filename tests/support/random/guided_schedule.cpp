#include "tests/support/random/guided_schedule.h"

#include "fmt/ranges.h"
#include "ir/text/printer.h"
#include "ir/traverse/visit.h"
#include "tests/support/random/nest_guide.h"

namespace hone {
namespace {

class Guide : public NestGuide {
 public:
  Guide(Random& random, const Function& function)
      : NestGuide(random, function), is_for_vectors_(random.chance(45)) {}

  std::vector<Step> run() {
    if (spatial_.empty() || (!reductions_.empty() && random_.chance(25))) {
      share_reduction();
      return std::move(steps_);
    }
    promise();
    tile_spatial_axes();
    tile_reduction();
    order();
    bind_axes();
    cache_result();
    for (const TensorPtr& operand : operands_) cache_operand(operand);
    finish_inner_loops();
    return std::move(steps_);
  }

 private:
  int64_t size_of_tile() {
    if (is_for_vectors_) return random_.chance(50) ? 8 : 4;
    constexpr int64_t sizes[] = {4, 8, 2, 16, 3, 5};
    return sizes[random_.weighted({36, 34, 10, 10, 5, 5})];
  }

  int64_t size_of_thread_tile() {
    if (is_for_vectors_) return random_.chance(60) ? 4 : 2;
    constexpr int64_t sizes[] = {2, 4, 1, 3, 8};
    return sizes[random_.weighted({36, 36, 12, 6, 10})];
  }

  void tile(const Names& axes, llvm::ArrayRef<int64_t> sizes) {
    Step& step = add("tile", axes);
    step.factors.append(sizes.begin(), sizes.end());
    step.tail = tail();
  }

  /// Whole vectors, of sizes and of rows.
  void promise() {
    for (const ParamPtr& param : function_.params)
      if (random_.chance(is_for_vectors_ ? 95 : 40))
        add("assume", {}).factors.push_back(ParamRef::make(param) % 4 == 0);
    for (const TensorPtr& argument : function_.arguments)
      if (random_.chance(is_for_vectors_ ? 95 : 30)) {
        Step& step = add("assume_aligned", argument->name, {});
        step.count = std::min<int64_t>(16, 4 * size_of(argument->type));
      }
  }

  // ---- Tiles ----

  /// The one or two innermost axes become blocks and threads; those around, blocks.
  void tile_spatial_axes() {
    const size_t count = std::min<size_t>(spatial_.size(), random_.chance(85) ? 2 : 1);
    const Names tiled(spatial_.end() - count, spatial_.end());
    outer_.assign(spatial_.begin(), spatial_.end() - count);
    llvm::SmallVector<int64_t, 2> sizes, thread_sizes;
    for (size_t n = 0; n < count; ++n) {
      sizes.push_back(size_of_tile());
      thread_sizes.push_back(size_of_thread_tile());
    }
    tile(tiled, sizes);
    const bool has_thread_tiles = random_.chance(is_for_vectors_ ? 85 : 50);
    Names inner;
    for (const std::string& axis : tiled) {
      blocks_.push_back(axis + ".0");
      inner.push_back(axis + ".1");
    }
    threads_ = inner;
    if (!has_thread_tiles) return;
    tile(inner, thread_sizes);
    threads_.clear();
    for (const std::string& axis : inner) {
      threads_.push_back(axis + ".0");
      elements_.push_back(axis + ".1");
    }
  }

  void tile_reduction() {
    if (reductions_.empty()) return;
    const std::string& axis = reductions_[0];
    if (reductions_.size() > 1 || random_.chance(20)) {
      steps_of_k_ = {reductions_.begin(), reductions_.end()};
      return;
    }
    Step& step = add("split", {axis});
    step.factors.push_back(size_of_tile());
    step.tail = tail();
    steps_of_k_ = {axis + ".0", axis + ".1"};
  }

  void order() {
    Names all = outer_;
    for (const Names* names : {&blocks_, &threads_, &steps_of_k_, &elements_})
      all.append(names->begin(), names->end());
    if (all.size() > 1 && random_.chance(85)) add("reorder", all);
  }

  void bind_axes() {
    if (threads_.size() == 2 && random_.chance(30)) {
      add("fuse", threads_);
      threads_ = {threads_[0] + "_" + threads_[1]};
    }
    const bool swaps = random_.chance(15);
    for (size_t n = 0; n < outer_.size() && n < 1; ++n) bind(outer_[n], Kind::block, 2);
    for (size_t n = 0; n < blocks_.size(); ++n)
      bind(blocks_[n], Kind::block, static_cast<uint8_t>(blocks_.size() - 1 - n));
    for (size_t n = 0; n < threads_.size(); ++n)
      bind(threads_[n], Kind::thread, static_cast<uint8_t>(swaps ? n : threads_.size() - 1 - n));
  }

  // ---- Reductions over threads and blocks ----

  /// Threads share the reduction of an element, and blocks may.
  void share_reduction() {
    constexpr int64_t sizes[] = {1, 2, 3, 4, 5, 8, 16, 32, 48};
    std::string axis = reductions_[0];
    Names order;
    const bool by_blocks = random_.chance(40);
    if (by_blocks) {
      add("split", {axis}).factors.push_back(size_of_tile());
      order.push_back(axis + ".0");
      axis += ".1";
    }
    add("split", {axis}).factors.push_back(sizes[random_.below(std::size(sizes))]);
    order.append(spatial_);
    order.append({axis + ".1", axis + ".0"});
    order.append(reductions_.begin() + 1, reductions_.end());
    add("reorder", order);
    if (by_blocks) combine(order.front(), Kind::block, 1);
    share_spatial_axes();
    if (result_ && !spatial_.empty() && random_.chance(30))
      add("cache_registers", result_->name, {spatial_.back()});
    share_threads(axis + ".1");
  }

  /// The threads of an axis combine, or those of its two parts one after the other.
  void share_threads(const std::string& axis) {
    if (!random_.chance(Extra::combines, 30)) return combine(axis, Kind::thread, 0);
    constexpr Combine trees[] = {
        {Combine::sequential}, {Combine::interleaved_modulo}, {Combine::interleaved_strided}};
    add("split", {axis}).factors.push_back(size_of_tile());
    combine(axis + ".1", Kind::thread, 0);
    combine(axis + ".0", Kind::thread, 2);
    if (random_.chance(80)) steps_.back().binding.combine = random_.pick(trees);
  }

  /// Rows of a block lie above one another.
  void share_spatial_axes() {
    if (spatial_.empty()) return;
    if (!random_.chance(40)) return bind(spatial_[0], Kind::block, 0);
    Step& step = add("split", {spatial_.back()});
    step.factors.push_back(size_of_tile());
    step.tail = tail();
    const std::string rows = spatial_.back() + ".1";
    spatial_.back() += ".0";
    bind(spatial_[0], Kind::block, 0);
    bind(rows, Kind::thread, 1);
    spatial_.push_back(rows);
  }

  // ---- Memory ----

  /// The axis at which a tile of an operand lives: mostly one step of the reduction.
  std::string place_of_tile() {
    Names others = blocks_;
    others.append(threads_);
    if (steps_of_k_.empty()) return random_.chance(75) ? blocks_.back() : any_of(others);
    if (random_.chance(75)) return steps_of_k_.front();
    others.append(steps_of_k_);
    return any_of(others);
  }

  void cache_result() {
    if (!result_) return;
    if (random_.chance(Extra::parts, 20)) return stage_in_parts();
    if (random_.chance(reductions_.empty() ? 20 : 75)) {
      add("cache_registers", result_->name, {threads_.back()}).count = random_width(random_);
      if (random_.chance(15)) copy_as_loops(result_->name + ".reg", Direction::write_back);
      return;
    }
    if (!random_.chance(40)) return;
    add("cache_shared", result_->name, {any_of(blocks_)}).count = random_width(random_);
    if (random_.chance(40)) copy_as_loops(result_->name + ".shared", Direction::write_back);
  }

  /// In a tile of the block, each part of which goes back from where it is set; in registers
  /// before that.
  void stage_in_parts() {
    Names loops = threads_;
    loops.append(elements_.begin(), elements_.end());
    const std::string tile = result_->name + ".shared";
    add("cache_shared", result_->name, {blocks_.back()}).count = random_width(random_);
    if (random_.chance(50)) add("cache_registers", tile, {threads_.back()});
    add("write_back_at", tile, {any_of(loops)});
  }

  /// One of each element that is read: A[i, k] and A[j, k].
  std::vector<llvm::SmallVector<Expr, 4>> elements_of(const TensorPtr& operand) const {
    std::vector<llvm::SmallVector<Expr, 4>> elements;
    for (const MemoryAccess& access : collect_accesses(function_.body)) {
      if (access.tensor != operand) continue;
      const auto element = declared_element(access);
      const auto is_same = [&](llvm::ArrayRef<Expr> other) {
        return fmt::format("{}", fmt::join(other, ",")) ==
               fmt::format("{}", fmt::join(element, ","));
      };
      if (llvm::none_of(elements, is_same)) elements.push_back(element);
    }
    return elements;
  }

  /// Tiles of an operand: one, or one for each element that is read.
  void cache_operand(const TensorPtr& operand) {
    if (!random_.chance(75)) return;
    const auto elements = elements_of(operand);
    const std::string place = place_of_tile();
    if (elements.size() < 2 || !random_.chance(Extra::elements, 85))
      return cache_elements(operand, {}, place, operand->name + ".shared");
    for (size_t n = 0; n < elements.size(); ++n)
      cache_elements(operand, elements[n], place,
                     operand->name + ".shared" + (n == 0 ? "" : fmt::format("_{}", n + 1)));
  }

  void cache_elements(const TensorPtr& operand, const llvm::SmallVector<Expr, 4>& element,
                      const std::string& place, const std::string& shared) {
    Step& step = add("cache_shared", operand->name, {place});
    step.element = element;
    step.count = random_width(random_);
    if (random_.chance(20)) step.layout = random_layout(random_, operand->rank());
    if (random_.chance(25))
      add("layout", shared, {}).layout = random_layout(random_, operand->rank());
    if (random_.chance(35)) copy_as_loops(shared, Direction::fill);
    if (steps_of_k_.empty() || !random_.chance(45)) return;
    add("cache_registers", shared, {steps_of_k_.back()}).count = random_width(random_);
  }

  /// The loops of a copy, dealt out by hand.
  void copy_as_loops(const std::string& tile_name, Direction direction) {
    add("copy_loops", tile_name, {}).direction = direction;
    const std::string row = tile_name + ".0", column = tile_name + ".1";
    switch (random_.weighted({15, 25, 30, 15, 15})) {
      case 0:
        return;
      case 1:
        bind(row, Kind::thread, 1);
        return bind(column, Kind::thread, 0);
      case 2:
        add("split", {column}).factors.push_back(random_.chance(70) ? 4 : 2);
        add("vectorize", {column + ".1"});
        bind(row, Kind::thread, threads_.size() == 1 ? 0 : 1);
        return bind(column + ".0", Kind::thread, 0);
      case 3:
        add("fuse", {row, column});
        add("split", {row + "_" + column}).factors.push_back(size_of_tile());
        return bind(row + "_" + column + ".1", Kind::thread, 0);
      default:
        if (random_.chance(50)) add("reorder", {column, row});
        bind(row, Kind::thread, 0);
        add("vectorize", {column});
    }
  }

  void finish_inner_loops() {
    if (!elements_.empty() && random_.chance(is_for_vectors_ ? 75 : 20))
      add("vectorize", {elements_.back()});
    if (!steps_of_k_.empty() && random_.chance(40))
      add("unroll", {steps_of_k_.back()}).count = random_.chance(60) ? 0 : random_.between(2, 4);
    if (random_.chance(6))
      add("write_out", {steps_of_k_.empty() ? any_of(blocks_) : steps_of_k_.back()});
    if (!elements_.empty() && random_.chance(25)) add("unroll", {elements_.front()});
  }

  const bool is_for_vectors_;  ///< sizes and promises are such that there may be some
  Names outer_, blocks_, threads_, steps_of_k_, elements_;
};

/// By warps or by warpgroups.
auto schedule_of_products(Random& random) {
  const uint32_t groups = random.has(Extra::warpgroups) ? 95 : random.has(Extra::warps) ? 3 : 30;
  return random.chance(groups) ? warpgroup_schedule : tensor_schedule;
}

auto schedule_of_clusters(Random& random) {
  return random.chance(50) ? clustered_schedule : shared_parts_schedule;
}

}  // namespace

std::vector<Step> guided_schedule(Random& random, const Function& function) {
  if (loops_of(function.body).empty()) return {};
  if (random.is_for_products() || random.chance(Extra::tensors, 80)) {
    auto steps = schedule_of_products(random)(random, function);
    if (!steps.empty()) return steps;
  }
  const bool stores_matrices =
      random.chance(Extra::matrices, 95) || random.chance(Extra::tensors, 30);
  if (stores_matrices) {
    auto steps = matrix_store_schedule(random, function);
    if (!steps.empty()) return steps;
  }
  if (random.chance(Extra::engines, 80)) {
    const bool in_clusters = random.chance(Extra::clusters, 15);
    auto steps = (in_clusters ? schedule_of_clusters(random) : roles_schedule)(random, function);
    if (!steps.empty()) return steps;
  }
  if (random.chance(Extra::combines, 30)) return combined_schedule(random, function);
  if (random.chance(Extra::fusions, 15)) return fused_schedule(random, function);
  if (random.chance(Extra::roles, 35)) return roles_schedule(random, function);
  if (random.chance(Extra::clusters, 30)) {
    auto steps = schedule_of_clusters(random)(random, function);
    if (!steps.empty()) return steps;
  }
  return Guide(random, function).run();
}

bool has_names(const Step& step, const Function& function) {
  const auto loops = loops_of(function.body);
  const bool has_axes = llvm::all_of(step.axes, [&](const AxisPtr& axis) {
    return llvm::any_of(loops, [&](const For* loop) { return loop->axis->name == axis->name; });
  });
  return has_axes && (!step.tensor || find_tensor(function, step.tensor->name));
}

}  // namespace hone
