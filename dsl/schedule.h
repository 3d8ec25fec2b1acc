// The way in which a program is computed: each method rewrites it at once, or throws ScheduleError
// and leaves the schedule as it was. `fmt::print("{}\n", s)` shows the current loop nest.
#pragma once

#include <array>
#include <concepts>
#include <vector>

#include "dsl/program.h"
#include "dsl/schedule_options.h"
#include "ir/analysis/sum_order.h"
#include "ir/core/error.h"
#include "ir/schedule/legality/dimensions.h"
#include "ir/schedule/text/step_printer.h"
#include "ir/text/printer.h"

namespace hone {

struct DimensionNames {
  Binding x, y, z;
};

/// Blocks of a grid: block.x, block.y, block.z; or block_x, block_y, block_z.
inline constexpr DimensionNames block = {block_x, block_y, block_z};
/// Threads of a block: thread.x, thread.y, thread.z; or thread_x, thread_y, thread_z, which no
/// `using namespace std` confuses with std::thread.
inline constexpr DimensionNames thread = {thread_x, thread_y, thread_z};
/// Blocks of a cluster: cluster.x; or cluster_x.
struct ClusterNames {
  Binding x;
};
inline constexpr ClusterNames cluster = {cluster_x};
/// Cores of the host.
inline constexpr Binding parallel = dimension(Binding::Kind::parallel, 0);

/// One step of a trace: what was called, from where, and the C++ that calls it.
struct TraceEntry {
  Step step;
  Location location;
  std::string text;
  TensorPtr tensor = nullptr;  ///< made by a cache step, or the new one of a layout step
  Stmt before = {};            ///< the program that it was applied to
};

struct StepCall;

class Schedule {
 public:
  Schedule(const Program& program);

  /// i -> i.0*factor + i.1; remaining iterations become a guard, a peeled loop, or a refusal.
  std::array<Axis, 2> split(const Axis& axis, const Expr& factor, SplitOptions options = {},
                            Location location = Location::current());

  /// As split, with the number of outer iterations given: i -> i.0*ceil(extent / parts) + i.1.
  std::array<Axis, 2> split_into(const Axis& axis, const Expr& parts, SplitOptions options = {},
                                 Location location = Location::current());

  /// Splits each axis and orders the outer parts before the inner ones.
  template <size_t n>
  std::array<Axis, 2 * n> tile(const Axis (&axes)[n], const Expr (&factors)[n],
                               const TileOptions& options = {},
                               Location location = Location::current()) {
    return to_array<2 * n>(tile_axes(axes, factors, options, location));
  }

  /// Two nested loops become one.
  Axis fuse(const Axis& outer, const Axis& inner, const FuseOptions& options = {},
            Location location = Location::current());

  /// Nested loops in the given order. A reduction lifted over a spatial axis leaves the
  /// initialisation in a nest of its own.
  void reorder(std::initializer_list<Axis> axes, Location location = Location::current());

  /// One loop per statement of the body.
  std::vector<Axis> fission(const Axis& axis, Location location = Location::current());

  /// Two loops that follow each other become one: the second runs on the first one's axis.
  void merge(const Axis& first, const Axis& second, Location location = Location::current());

  /// Iterations run on block.x, block.y, block.z, thread.x, thread.y, thread.z, lane, warp,
  /// warpgroup, or parallel.
  void bind(const Axis& axis, Binding binding, Location location = Location::current());

  /// Several axes are the digits of one number, the slowest first:
  ///
  ///   s.bind({y, x}, lane);      // y = lane / 8, x = lane % 8, where x has 8 iterations
  ///
  /// The reduction axes among them combine.
  void bind(std::initializer_list<Axis> axes, Binding binding, const Combine& combine = {},
            Location location = Location::current());
  void bind(std::initializer_list<Axis> axes, Binding binding, Combine::Method method,
            Location location = Location::current()) {
    bind(axes, binding, Combine{method}, location);
  }

  /// The same for a reduction axis, whose iterations combine their results. Floats are added up in
  /// another order.
  ///
  ///   s.bind(k, thread.x, Combine::shuffle);
  ///   s.bind(k, thread.x, {.method = Combine::sequential, .unrolled = true});
  void bind(const Axis& axis, Binding binding, const Combine& combine,
            Location location = Location::current());
  void bind(const Axis& axis, Binding binding, Combine::Method method,
            Location location = Location::current()) {
    bind(axis, binding, Combine{method}, location);
  }

  /// The levels one by one, from the inside out, where they have no short name:
  ///
  ///   s.bind(k, thread.x, CombineLevels{{CombineUnit::lanes, CombineMeans::shuffle},
  ///                                     {CombineUnit::warps, CombineMeans::sequential}});
  template <std::same_as<CombineLevels> Levels>
  void bind(const Axis& axis, Binding binding, const Levels& levels,
            Location location = Location::current()) {
    bind_by_levels({axis}, binding, levels, location);
  }
  template <std::same_as<CombineLevels> Levels>
  void bind(std::initializer_list<Axis> axes, Binding binding, const Levels& levels,
            Location location = Location::current()) {
    bind_by_levels(axes, binding, levels, location);
  }

  /// Unrolls the generated loop, in full or `count` times.
  void unroll(const Axis& axis, int64_t count = 0, Location location = Location::current());

  /// A multiprocessor holds at least so many blocks of the kernel that the axis, bound to blocks,
  /// is of: the compiler gives its threads no more registers than that allows.
  void launch_bounds(const Axis& axis, int64_t blocks, Location location = Location::current());

  /// Each kernel of the program starts as the last blocks of the one before it end, the first one
  /// as those of the launch before do; it waits for that one's writes where it comes to global
  /// memory first. From sm_90 on.
  void launch_early(Location location = Location::current());

  /// Demands of further steps that they keep the order of sums, or what decides about it: one that
  /// does not is refused.
  void require(Numbers numbers, Location location = Location::current());

  /// The iterations of the loop as statements of their own.
  void write_out(const Axis& axis, Location location = Location::current());

  /// The iterations of the loop are one access of 2, 4, 8 or 16 bytes.
  void vectorize(const Axis& axis, Location location = Location::current());

  Axis rename(const Axis& axis, llvm::StringRef name, Location location = Location::current());

  /// The iterations of a reduction axis of the tensor have partial results of their own, in a nest
  /// before, and the tensor is reduced from those. The rounding of floats changes.
  ///
  ///   auto [partial_sums, k, k_total] = s.rfactor(S, k_0);
  RFactor rfactor(const Tensor& tensor, const Axis& axis, const NamesOfAxes& names = {},
                  Location location = Location::current());

  /// Each iteration of a reduction axis of the tensor reduces its values to a partial result, and
  /// combines it with the result at its end. Factors of a sum that stay the same meanwhile multiply
  /// the partial sum instead of each value. The rounding of floats changes. Returns the partial
  /// results, which are indexed as the tensor.
  Tensor reduce_at(const Tensor& tensor, const Axis& axis, Location location = Location::current());

  /// The part of the tensor that one iteration of the axis touches lives in registers meanwhile.
  Cache cache_registers(const Tensor& tensor, const Axis& axis, CacheOptions options = {},
                        Location location = Location::current());

  /// The part of the tensor that one iteration of the axis touches, over all threads of the block,
  /// lives in shared memory meanwhile.
  Cache cache_shared(const Tensor& tensor, const Axis& axis, CacheOptions options = {},
                     Location location = Location::current());

  /// The program reads a copy of an argument, whose rows may lie at another pitch or in another
  /// order; a nest of its own makes it first, whose axes are to be bound:
  ///
  ///   auto [copy, axes] = s.cache_global(A, Layout().pitch((K + 7) / 8 * 8));
  GlobalCache cache_global(const Tensor& tensor, const Layout& layout = {},
                           Location location = Location::current());

  /// The same of some of the accesses to a tensor that is only read: those that run over the same
  /// axes as the element, or over axes that these were turned into. Each has a tile of its own:
  ///
  ///   C(i, j) = sum(k, A(i, k) * A(j, k))
  ///   s.cache_shared(A(i, k), ko);
  ///   s.cache_shared(A(j, k), ko);
  Cache cache_registers(const Element& element, const Axis& axis, CacheOptions options = {},
                        Location location = Location::current());
  Cache cache_shared(const Element& element, const Axis& axis, CacheOptions options = {},
                     Location location = Location::current());

  /// The inner loops run backwards in every second iteration of the outer one: what an iteration of
  /// that ends with, the next one begins with. Throws ScheduleError where iterations of an inner
  /// loop depend on each other.
  void serpentine(const Axis& outer, std::initializer_list<Axis> inner,
                  Location location = Location::current());

  /// The loops, in one another, behind `into` in the body of another loop, run in the next
  /// iteration of that one, one of their iterations in each of `into`: the stores of a tile among
  /// the products of the next. What they read is there for all iterations. `into` has as many
  /// iterations at least.
  void defer(const Axis& into, std::initializer_list<Axis> loops,
             Location location = Location::current());

  /// Sums of products in registers, and loads from shared memory to registers, reach the machine
  /// code in the order of the text: that of the loop's iterations, which is unrolled in full.
  void keep_order(const Axis& axis, Location location = Location::current());

  /// One instruction of a warp computes the loop and those in it: they are what it means. Their
  /// tensors are in registers, or in shared memory where the instruction takes that:
  ///
  ///   s.tensorize(i, "mma_m16n8k16_bf16");      // i of 16, j of 8, k of 16
  void tensorize(const Axis& axis, llvm::StringRef instruction,
                 Location location = Location::current());
  /// An instruction moves the tiles of the copy that fills a tensor: ldmatrix, from shared memory
  /// to registers, and stmatrix, back.
  void tensorize(const Tensor& tile, llvm::StringRef instruction,
                 Location location = Location::current());

  /// Nested loops over the elements of an instruction's result, an axis for each dimension, go over
  /// lanes and their values as the instruction has spread these: the loops that set the sums of a
  /// product, and those that take them. Returns the loops, from the outermost on:
  ///
  ///   s.spread({s.axis("row.init"), s.axis("column.init")}, "mma_m16n8k16_bf16");
  std::vector<Axis> spread(std::initializer_list<Axis> axes, llvm::StringRef instruction,
                           const NamesOfAxes& names = {}, Location location = Location::current());

  /// The copy that fills a tile, or writes it back, as loops to be scheduled: one axis per
  /// dimension of the tile. A copy that is left alone is spread over all threads of the block.
  std::vector<Axis> copy_loops(const Tensor& tile, Direction direction = Direction::fill,
                               const NamesOfAxes& names = {},
                               Location location = Location::current());
  std::vector<Axis> copy_loops(const Tensor& tile, const NamesOfAxes& names,
                               Location location = Location::current()) {
    return copy_loops(tile, Direction::fill, names, location);
  }

  /// The copies that fill a tile in shared memory are asynchronous, by cp.async: the threads that
  /// start them go on, and wait before the tile is used. Throws ScheduleError where an element, or
  /// a promised vector, has other than 4, 8 or 16 bytes.
  void copy_async(const Tensor& tile, Location location = Location::current());

  /// The tiles that copies fill at the start of the loop are filled `stages` - 1 iterations ahead
  /// of their use: each becomes a ring of so many. With one stage, registers are filled for the
  /// next iteration where this one has used them for the last time.
  void pipeline(const Axis& axis, int64_t stages, Location location = Location::current());

  /// Warps of their own, the producers, make the asynchronous copies that fill tiles at the start
  /// of the loop, up to `stages` iterations ahead of the other warps. These may take registers from
  /// them: 24 to 256 for each thread, a multiple of 8.
  void specialize(const Axis& axis, int64_t stages, const WarpRoles& roles = {.producer_warps = 4},
                  Location location = Location::current()) {
    specialize(axis, stages, roles, CopyEngine::async, location);
  }
  /// The same; with CopyEngine::boxes, the copy engine makes all copies to shared memory at the
  /// start of the loop that are not asynchronous, as those of copy_bulk.
  void specialize(const Axis& axis, int64_t stages, const WarpRoles& roles, CopyEngine engine,
                  Location location = Location::current());

  /// The consumers of a loop with producers fill registers, which they do from its rings at the
  /// start of an iteration, during the iteration before: as soon as these are free, and the slot
  /// is full. They may ask for that `tests_ahead` iterations of the loop inside before, and then
  /// wait only if the slot was not full yet.
  void prefetch(const Axis& axis, int64_t tests_ahead = 0, Location location = Location::current());

  /// Each iteration of the axis writes back the part of a shared tile that it sets, where all of
  /// the tile was written back at once. In a loop over threads, those of an iteration make the
  /// copy, and wait for each other alone: warps and warpgroups go their own ways.
  void write_back_at(const Tensor& tile, const Axis& axis, Location location = Location::current());

  /// The copy engine of the GPU makes the producers' copies of a tile, behind specialize: one lane
  /// asks for a whole tile, and zeros come from beyond the ends. The rows of the source lie at
  /// multiples of 16 bytes, what is copied of each starts at one, and the tile is as it comes, or
  /// in Layout::swizzle_bytes. A tile that is copied back, and not filled from memory, goes back in
  /// bulk: one thread of the block asks for that.
  void copy_bulk(const Tensor& tile, Location location = Location::current());

  /// So many blocks with consecutive block.x form a cluster, and fill a tile for each other: each
  /// has the copy engine bring its share of the box to all of them. They have to want the same
  /// elements of it, in the same iterations. Behind specialize with CopyEngine::boxes, or
  /// copy_bulk.
  void multicast(const Tensor& tile, int64_t blocks, Location location = Location::current());

  /// Sets the places of the elements of a tile: order, padding, swizzle.
  void layout(const Tensor& tile, const Layout& layout, Location location = Location::current());

  /// Computes a swizzle for a tile, by which the accesses to it have the fewest bank conflicts, and
  /// lays the tile out so: that is the step of the trace. Returns the layout.
  Layout swizzle(const Tensor& tile, Location location = Location::current());

  /// A tile in shared memory starts at a multiple of so many bytes: a power of two, up to 1024.
  void align(const Tensor& tile, int64_t bytes, Location location = Location::current());

  /// The part of a temporary that one iteration of the axis reads is computed at its start, in
  /// registers or in shared memory: {.scope = Scope::shared}. The tile keeps the temporary's name.
  Tensor compute_at(const Tensor& tensor, const Axis& axis, ComputeAtOptions options = {},
                    Location location = Location::current());

  /// The definition of an element of a temporary stands where the element was read.
  void inline_tensor(const Tensor& tensor, Location location = Location::current());

  /// D(i, j) = f(C(i, j)), where C is a temporary that is reduced, becomes one nest with it: a
  /// reduction into D, and f as its epilogue.
  void fuse_epilogue(const Tensor& tensor, Location location = Location::current());

  /// Callers promise a condition on the sizes, which launches check.
  void assume(const Expr& condition, Location location = Location::current());

  /// Callers promise that the rows of an argument start at multiples of `bytes`.
  void assume_aligned(const Tensor& tensor, int64_t bytes, Location location = Location::current());

  /// Two arguments may be one array: pointers of the generated kernel carry no __restrict__. A run
  /// takes that where each element is read before it is written, by the iteration that writes it.
  void may_alias(Location location = Location::current());

  /// The loop with this name. Throws ScheduleError, which lists those that there are.
  Axis axis(llvm::StringRef name, Location location = Location::current()) const;
  /// The argument or the tile with this name. Throws ScheduleError where there is none.
  Tensor tensor(llvm::StringRef name, Location location = Location::current()) const;
  /// The loop of `axis` in the nest that defines `tensor`, or the only one that descends from it
  /// and indexes its elements, as in the nests of rfactor. Throws ScheduleError where there
  /// is none, or where there are several.
  Axis axis(const Tensor& tensor, const Axis& axis, Location location = Location::current()) const;

  /// The program of the moment, with the definitions and the trace as its history.
  const Function& function() const { return function_; }
  operator const Function&() const { return function_; }
  /// The order of each sum as the loops have it now, with to_string.
  std::vector<SumOrder> numbers() const { return sum_orders(function_); }

  llvm::ArrayRef<TraceEntry> trace() const { return trace_; }
  /// The trace as C++ text, one call a line.
  std::string trace_text() const;
  /// Applies the steps of another schedule's trace, looking names up in this one; all or none.
  void replay(llvm::ArrayRef<TraceEntry> trace, Location location = Location::current());
  /// Applies the steps of a text, one call a line, as `trace_text` has them; all or none. `file` is
  /// where it is from, for errors, and lives as long as the schedule. Returns what the last step
  /// made. Throws ParseError and ScheduleError. See ir/schedule/text/step_reader.h.
  Rewrite replay(llvm::StringRef text, const char* file);
  /// Applies one step.
  Rewrite apply(const Step& step, Location location = Location::current());

 private:
  std::array<Axis, 2> split_axis(const Primitive& primitive, const Axis& axis, const Expr& count,
                                 const SplitOptions& options, Location location);
  std::vector<Axis> tile_axes(llvm::ArrayRef<Axis> axes, llvm::ArrayRef<Expr> factors,
                              const TileOptions& options, Location location);
  Rewrite apply_call(const StepCall& call, const char* file);
  std::vector<Axis> handles(llvm::ArrayRef<AxisPtr> axes) const;
  void bind_by_levels(std::initializer_list<Axis> axes, Binding binding,
                      const CombineLevels& levels, Location location);
  Step tensor_step(const Primitive& primitive, const Tensor& tensor, llvm::ArrayRef<Axis> axes,
                   Location location, int64_t count = 0) const;
  Cache cache(const Primitive& primitive, const Tensor& tensor, const Axis& axis,
              const CacheOptions& options, Location location);
  void check_live(const Step& step) const;
  void check_own(const Step& step, const AxisPtr& axis) const;
  void check_own(llvm::StringRef primitive, const TensorPtr& tensor, Location location) const;
  /// Runs several steps as one: where one is refused, the schedule is as it was before the first.
  void all_or_none(llvm::function_ref<void()> steps);

  template <size_t n>
  static std::array<Axis, n> to_array(const std::vector<Axis>& axes) {
    return [&]<size_t... index>(std::index_sequence<index...>) {
      return std::array<Axis, n>{axes[index]...};
    }
    (std::make_index_sequence<n>());
  }

  Function function_;
  llvm::SmallVector<TensorPtr, 4> tensors_;  ///< of the program
  StepPrinter printer_;
  std::vector<TraceEntry> trace_;
};

}  // namespace hone

template <>
struct fmt::formatter<hone::Schedule> : fmt::formatter<std::string> {
  auto format(const hone::Schedule& schedule, fmt::format_context& context) const {
    return formatter<std::string>::format(hone::to_string(schedule.function()), context);
  }
};
