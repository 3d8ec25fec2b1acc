#include "dsl/schedule.h"

#include <utility>

#include "ir/algebra/polynomial.h"
#include "ir/algebra/simplify.h"
#include "ir/core/error.h"
#include "ir/schedule/legality/preconditions.h"
#include "ir/traverse/visit.h"
#include "llvm/ADT/ScopeExit.h"

namespace hone {
namespace {

llvm::SmallVector<AxisPtr, 4> nodes_of(llvm::ArrayRef<Axis> axes) {
  llvm::SmallVector<AxisPtr, 4> nodes;
  for (const Axis& axis : axes) nodes.push_back(axis.node());
  return nodes;
}

/// A program has no loop for an axis of the extent 0.
void check_has_loop(llvm::StringRef primitive, const Axis& axis, Location location) {
  if (!is_int(simplify(axis.extent()), 0)) return;
  throw ScheduleError(
      primitive.str(),
      fmt::format("{} has the extent 0, so that there is no loop of it", axis.name()),
      "the extent of a Param may be 0 at launch, and its loop can be scheduled")
      .at(location);
}

Step make_step(const Primitive& primitive, llvm::ArrayRef<Axis> axes, Location location,
               int64_t count = 0) {
  for (const Axis& axis : axes) check_has_loop(primitive.name, axis, location);
  Step step(primitive);
  step.axes = nodes_of(axes);
  step.count = count;
  return step;
}

Step step_in(const Primitive& primitive, const Axis& outer, std::initializer_list<Axis> inner,
             Location location) {
  llvm::SmallVector<Axis, 4> axes = {outer};
  llvm::append_range(axes, inner);
  return make_step(primitive, axes, location);
}

llvm::SmallVector<std::string, 4> strings(llvm::ArrayRef<const char*> names) {
  llvm::SmallVector<std::string, 4> strings;
  for (const char* name : names) strings.push_back(name ? name : "");
  return strings;
}

/// A step copies the function several times, and needs no history.
Rewrite apply_without_history(Function& function, const Step& step) {
  auto history = std::exchange(function.history, {});
  const auto give_back = llvm::make_scope_exit([&] { function.history = std::move(history); });
  return apply(function, step);
}

}  // namespace

Schedule::Schedule(const Program& program)
    : function_(program.function()), printer_(program.function()) {
  llvm::append_range(tensors_, function_.arguments);
  walk(function_.body, [&](const Stmt& stmt) {
    if (const auto* alloc = llvm::dyn_cast<Alloc>(stmt)) tensors_.push_back(alloc->tensor);
  });
}

Rewrite Schedule::apply(const Step& step, Location location) {
  try {
    check_live(step);
    Rewrite result = apply_without_history(function_, step);
    trace_.push_back({step, location, printer_.print(step, result), result.tensor, function_.body});
    trace_.back().step.made = result.axes;
    result.function.history = std::move(function_.history);
    function_ = result.function;
    function_.history.push_back(trace_.back().text);
    return result;
  } catch (ScheduleError& error) {
    error.at(location);
    throw;
  }
}

std::vector<Axis> Schedule::handles(llvm::ArrayRef<AxisPtr> axes) const {
  std::vector<Axis> result;
  for (const AxisPtr& axis : axes)
    result.emplace_back(axis, find_site(function_, axis.get())->loop().extent);
  return result;
}

std::array<Axis, 2> Schedule::split(const Axis& axis, const Expr& factor, SplitOptions options,
                                    Location location) {
  return split_axis(split_primitive, axis, factor, options, location);
}

std::array<Axis, 2> Schedule::split_into(const Axis& axis, const Expr& parts, SplitOptions options,
                                         Location location) {
  return split_axis(split_into_primitive, axis, parts, options, location);
}

std::array<Axis, 2> Schedule::split_axis(const Primitive& primitive, const Axis& axis,
                                         const Expr& count, const SplitOptions& options,
                                         Location location) {
  Step step = make_step(primitive, axis, location);
  step.factors.push_back(count);
  step.tail = options.tail;
  step.names = strings(options.names);
  return to_array<2>(handles(apply(step, location).axes));
}

void Schedule::all_or_none(llvm::function_ref<void()> steps) {
  const Schedule before = *this;
  try {
    steps();
  } catch (...) {
    *this = before;
    throw;
  }
}

std::vector<Axis> Schedule::tile_axes(llvm::ArrayRef<Axis> axes, llvm::ArrayRef<Expr> factors,
                                      const TileOptions& options, Location location) {
  Step step = make_step(tile_primitive, axes, location);
  step.factors.append(factors.begin(), factors.end());
  step.tail = options.tail;
  step.names = strings(options.names);
  return handles(apply(step, location).axes);
}

Axis Schedule::fuse(const Axis& outer, const Axis& inner, const FuseOptions& options,
                    Location location) {
  Step step = make_step(fuse_primitive, {outer, inner}, location);
  step.names = strings(options.name);
  return handles(apply(step, location).axes).front();
}

void Schedule::reorder(std::initializer_list<Axis> axes, Location location) {
  apply(make_step(reorder_primitive, llvm::ArrayRef<Axis>(axes.begin(), axes.size()), location),
        location);
}

std::vector<Axis> Schedule::fission(const Axis& axis, Location location) {
  return handles(apply(make_step(fission_primitive, axis, location), location).axes);
}

void Schedule::merge(const Axis& first, const Axis& second, Location location) {
  apply(make_step(merge_primitive, {first, second}, location), location);
}

void Schedule::bind(const Axis& axis, Binding binding, Location location) {
  bind(axis, binding, Combine(), location);
}

void Schedule::bind(std::initializer_list<Axis> axes, Binding binding, const Combine& combine,
                    Location location) {
  bind_by_levels(axes, binding, combine, location);
}

void Schedule::bind(const Axis& axis, Binding binding, const Combine& combine, Location location) {
  bind_by_levels({axis}, binding, combine, location);
}

void Schedule::bind_by_levels(std::initializer_list<Axis> axes, Binding binding,
                              const CombineLevels& levels, Location location) {
  Step step = make_step(bind_primitive, llvm::ArrayRef<Axis>(axes.begin(), axes.size()), location);
  step.binding = binding;
  step.binding.combine = levels;
  apply(step, location);
}

void Schedule::unroll(const Axis& axis, int64_t count, Location location) {
  apply(make_step(unroll_primitive, axis, location, count), location);
}

void Schedule::serpentine(const Axis& outer, std::initializer_list<Axis> inner, Location location) {
  apply(step_in(serpentine_primitive, outer, inner, location), location);
}

void Schedule::defer(const Axis& into, std::initializer_list<Axis> loops, Location location) {
  apply(step_in(defer_primitive, into, loops, location), location);
}

void Schedule::keep_order(const Axis& axis, Location location) {
  apply(make_step(keep_order_primitive, axis, location), location);
}

void Schedule::tensorize(const Axis& axis, llvm::StringRef instruction, Location location) {
  Step step = make_step(tensorize_primitive, axis, location);
  step.name = instruction.str();
  apply(step, location);
}

void Schedule::tensorize(const Tensor& tile, llvm::StringRef instruction, Location location) {
  Step step = tensor_step(tensorize_primitive, tile, {}, location);
  step.name = instruction.str();
  apply(step, location);
}

std::vector<Axis> Schedule::spread(std::initializer_list<Axis> axes, llvm::StringRef instruction,
                                   const NamesOfAxes& names, Location location) {
  Step step =
      make_step(spread_primitive, llvm::ArrayRef<Axis>(axes.begin(), axes.size()), location);
  step.name = instruction.str();
  step.names = strings(names.names);
  return handles(apply(step, location).axes);
}

void Schedule::copy_async(const Tensor& tile, Location location) {
  apply(tensor_step(copy_async_primitive, tile, {}, location), location);
}

void Schedule::pipeline(const Axis& axis, int64_t stages, Location location) {
  apply(make_step(pipeline_primitive, axis, location, stages), location);
}

void Schedule::specialize(const Axis& axis, int64_t stages, const WarpRoles& roles,
                          CopyEngine engine, Location location) {
  Step step = make_step(specialize_primitive, axis, location);
  step.count = stages;
  step.binding.roles = roles;
  step.engine = engine;
  apply(step, location);
}

void Schedule::prefetch(const Axis& axis, int64_t tests_ahead, Location location) {
  apply(make_step(prefetch_primitive, axis, location, tests_ahead), location);
}

void Schedule::write_back_at(const Tensor& tile, const Axis& axis, Location location) {
  apply(tensor_step(write_back_at_primitive, tile, axis, location), location);
}

void Schedule::copy_bulk(const Tensor& tile, Location location) {
  apply(tensor_step(copy_bulk_primitive, tile, {}, location), location);
}

void Schedule::multicast(const Tensor& tile, int64_t blocks, Location location) {
  apply(tensor_step(multicast_primitive, tile, {}, location, blocks), location);
}

Axis Schedule::rename(const Axis& axis, llvm::StringRef name, Location location) {
  Step step = make_step(rename_primitive, axis, location);
  step.name = name.str();
  return handles(apply(step, location).axes).front();
}

void Schedule::launch_bounds(const Axis& axis, int64_t blocks, Location location) {
  apply(make_step(launch_bounds_primitive, axis, location, blocks), location);
}

void Schedule::launch_early(Location location) {
  apply(make_step(launch_early_primitive, {}, location), location);
}

void Schedule::write_out(const Axis& axis, Location location) {
  apply(make_step(write_out_primitive, axis, location), location);
}

void Schedule::vectorize(const Axis& axis, Location location) {
  apply(make_step(vectorize_primitive, axis, location), location);
}

/// Tensors are known by name: a step that changes a tile's layout makes another node.
Step Schedule::tensor_step(const Primitive& primitive, const Tensor& tensor,
                           llvm::ArrayRef<Axis> axes, Location location, int64_t count) const {
  check_own(primitive.name, tensor.node(), location);
  Step step = make_step(primitive, axes, location);
  const TensorPtr known = find_tensor(function_, tensor.name());
  step.tensor = known ? known : tensor.node();
  step.count = count;
  return step;
}

RFactor Schedule::rfactor(const Tensor& tensor, const Axis& axis, const NamesOfAxes& names,
                          Location location) {
  Step step = tensor_step(rfactor_primitive, tensor, axis, location);
  step.names = strings(names.names);
  const Rewrite result = apply(step, location);
  const std::vector<Axis> axes = handles(result.axes);
  return {Tensor(result.tensor), axes[0], axes[1]};
}

Tensor Schedule::reduce_at(const Tensor& tensor, const Axis& axis, Location location) {
  return Tensor(apply(tensor_step(reduce_at_primitive, tensor, axis, location), location).tensor);
}

Cache Schedule::cache(const Primitive& primitive, const Tensor& tensor, const Axis& axis,
                      const CacheOptions& options, Location location) {
  Step step = tensor_step(primitive, tensor, axis, location, options.vectorize);
  step.layout = options.layout;
  step.element = options.element;
  return {Tensor(apply(step, location).tensor)};
}

Cache Schedule::cache_registers(const Tensor& tensor, const Axis& axis, CacheOptions options,
                                Location location) {
  return cache(cache_registers_primitive, tensor, axis, options, location);
}

Cache Schedule::cache_shared(const Tensor& tensor, const Axis& axis, CacheOptions options,
                             Location location) {
  return cache(cache_shared_primitive, tensor, axis, options, location);
}

Cache Schedule::cache_registers(const Element& element, const Axis& axis, CacheOptions options,
                                Location location) {
  llvm::append_range(options.element, element.indices());
  return cache(cache_registers_primitive, Tensor(element.tensor()), axis, options, location);
}

Cache Schedule::cache_shared(const Element& element, const Axis& axis, CacheOptions options,
                             Location location) {
  llvm::append_range(options.element, element.indices());
  return cache(cache_shared_primitive, Tensor(element.tensor()), axis, options, location);
}

GlobalCache Schedule::cache_global(const Tensor& tensor, const Layout& layout, Location location) {
  Step step = tensor_step(cache_global_primitive, tensor, {}, location);
  step.layout = layout;
  const Rewrite result = apply(step, location);
  return {Tensor(result.tensor), handles(result.axes)};
}

std::vector<Axis> Schedule::copy_loops(const Tensor& tile, Direction direction,
                                       const NamesOfAxes& names, Location location) {
  Step step = tensor_step(copy_loops_primitive, tile, {}, location);
  step.direction = direction;
  step.names = strings(names.names);
  return handles(apply(step, location).axes);
}

void Schedule::layout(const Tensor& tile, const Layout& layout, Location location) {
  Step step = tensor_step(layout_primitive, tile, {}, location);
  step.layout = layout;
  apply(step, location);
}

Layout Schedule::swizzle(const Tensor& tile, Location location) {
  const Schedule before = *this;
  const Layout layout =
      apply(tensor_step(swizzle_primitive, tile, {}, location), location).tensor->layout;
  *this = before;
  this->layout(tile, layout, location);
  return layout;
}

void Schedule::align(const Tensor& tile, int64_t bytes, Location location) {
  apply(tensor_step(align_primitive, tile, {}, location, bytes), location);
}

Tensor Schedule::compute_at(const Tensor& tensor, const Axis& axis, ComputeAtOptions options,
                            Location location) {
  Step step = tensor_step(compute_at_primitive, tensor, axis, location);
  step.scope = options.scope;
  return Tensor(apply(step, location).tensor);
}

void Schedule::inline_tensor(const Tensor& tensor, Location location) {
  apply(tensor_step(inline_tensor_primitive, tensor, {}, location), location);
}

void Schedule::fuse_epilogue(const Tensor& tensor, Location location) {
  apply(tensor_step(fuse_epilogue_primitive, tensor, {}, location), location);
}

}  // namespace hone
