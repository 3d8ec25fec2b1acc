// swizzle(A.shared): elements of a shared tensor change places so that the accesses to it have the
// fewest bank conflicts.
//
//   alloc A.shared: f32[32, 32] @shared        =>   alloc A.shared: f32[32, 32] @swizzle(1, 32, 1)
//   for w in 0..32 @thread.y {                        @shared
//     for l in 0..32 @thread.x {
//       C[w, l] = A.shared[l, w] } }
//
// The wavefronts of each candidate are computed: indices run for all threads of one block, and
// copies as lowering would make them.
//
// Preserves: everything; reads and writes name elements by their indices, whatever the layout.

#include "fmt/format.h"
#include "ir/copies/copies.h"
#include "ir/memory/conflict_free.h"
#include "ir/schedule/arguments.h"
#include "ir/schedule/legality/preconditions.h"
#include "ir/text/printer.h"
#include "ir/threads/thread_space.h"
#include "ir/traverse/visit.h"

namespace hone {
namespace {

/// Accesses of a block, and different ones of warps, that are compared.
constexpr int64_t most_accesses = 1 << 14;
constexpr size_t most_requests = 1 << 11;

/// The nest that `tensor` is allocated in.
Stmt nest_of(const Stmt& body, const TensorPtr& tensor) {
  if (const auto* alloc = llvm::dyn_cast<Alloc>(body); alloc && alloc->tensor != tensor)
    if (alloc->tensor->scope == Scope::global) return nest_of(alloc->body, tensor);
  const auto* seq = llvm::dyn_cast<Seq>(body);
  if (!seq) return body;
  const auto* nest = llvm::find_if(
      seq->stmts, [&](const Stmt& stmt) { return find_alloc(stmt, tensor) != nullptr; });
  return nest_of(*nest, tensor);
}

std::optional<BlockOfThreads> block_of_threads(const Stmt& nest) {
  BlockOfThreads block;
  for (const auto& [count, extent] : llvm::zip(block.extents, block_of(nest))) {
    if (!as_int(extent)) return std::nullopt;
    count = *as_int(extent);
  }
  return block;
}

/// True where `stmt` has a copy between the tensor and registers that threads share out among them.
bool shares_out_registers(const Stmt& stmt, const TensorPtr& tensor, const ThreadSpace& space,
                          ThreadDigits covered) {
  if (const auto* loop = llvm::dyn_cast<For>(stmt)) covered = covered.with(space.digits_of(*loop));
  const auto* copy = llvm::dyn_cast<Copy>(stmt);
  if (copy && (copy->destination.tensor == tensor || copy->source.tensor == tensor))
    return (copy->destination.tensor->scope == Scope::registers ||
            copy->source.tensor->scope == Scope::registers) &&
           !space.used().without(covered).empty();
  bool found = false;
  for_each_operand(
      stmt, [](const Expr&) {},
      [&](const Stmt& nested) {
        found = found || shares_out_registers(nested, tensor, space, covered);
      });
  return found;
}

/// The accesses to one tensor of a function, under its layouts.
class Traffics {
 public:
  Traffics(const Function& function, const TensorPtr& tensor)
      : function_(function), tensor_(tensor) {}

  /// Of the last one.
  AccessWalk walk() const { return walk_; }

  const WarpTraffic* of(int64_t run, const Layout& layout) {
    const auto [known, is_new] = traffics_.try_emplace(run);
    if (is_new) known->second = of(layout);
    return known->second ? &*known->second : nullptr;
  }

  /// Nothing where a vector that is promised would break.
  std::optional<WarpTraffic> of(const Layout& layout) {
    try {
      const Rewrite laid_out = set_layout(function_, tensor_, layout);
      return traffic(laid_out.function, laid_out.tensor);
    } catch (const ScheduleError&) {
      return std::nullopt;
    }
  }

 private:
  WarpTraffic traffic(const Function& function, const TensorPtr& tensor) {
    const Stmt nest = nest_of(function.body, tensor);
    const ThreadSpace space(nest);
    const auto block = block_of_threads(nest);
    WarpTraffic traffic;
    walk_ = AccessWalk::with_unknown_indices;
    if (!block || shares_out_registers(nest, tensor, space, {})) return traffic;
    const auto add = [&](const SharedAccess& access) {
      if (access.tensor == tensor) traffic.add(access);
    };
    walk_ = for_each_shared_access(with_copies_made(function, nest), *block, add, most_accesses);
    if (traffic.requests() > most_requests) walk_ = AccessWalk::cut_off;
    return traffic;
  }

  const Function& function_;
  const TensorPtr& tensor_;
  std::map<int64_t, std::optional<WarpTraffic>> traffics_;
  AccessWalk walk_ = AccessWalk::whole;
};

void check_digits(const Preconditions& check, const Alloc* alloc) {
  const TensorNode& tensor = *alloc->tensor;
  if (storage_digits(tensor).size() < 2)
    check.refuse(
        alloc,
        fmt::format("{} has one dimension, and elements of it change places from row to row",
                    tensor.name),
        "take its index apart: Layout::order({IndexDigit(0) / 32, IndexDigit(0) % 32})");
  if (bank_swizzles(tensor).empty())
    check.refuse(
        alloc,
        fmt::format("rows of {} are {} elements long: no power of two of chunks can change "
                    "places in them",
                    tensor.name, storage_shape(tensor).back()),
        "a padding takes any length: Layout().pad(1)");
}

/// The tensor is in shared memory, and its elements can change places.
const Alloc* check_tile(const Preconditions& check, const Function& function,
                        const TensorPtr& tensor) {
  const Alloc* alloc = find_alloc(function.body, tensor);
  if (!alloc || tensor->scope != Scope::shared)
    check.refuse(alloc,
                 fmt::format("{} is not in shared memory, which alone has banks", tensor->name),
                 "cache_shared makes a tile of it");
  check_digits(check, alloc);
  return alloc;
}

/// The wavefronts that a swizzle has to beat.
int64_t check_conflicts(const Preconditions& check, const Alloc* alloc, Traffics& traffics) {
  const TensorNode& tensor = *alloc->tensor;
  const auto now = traffics.of(tensor.layout);
  if (traffics.walk() == AccessWalk::cut_off)
    check.refuse(
        alloc,
        fmt::format("the threads of a block access {} in more ways than are compared", tensor.name),
        "choose a layout: Layout().pad(1)");
  if (traffics.walk() == AccessWalk::with_unknown_indices)
    check.refuse(alloc,
                 fmt::format("it is not known before a launch which thread accesses which "
                             "elements of {}",
                             tensor.name),
                 "blocks of a constant size, and copies inside of thread loops, are known");
  if (!now || now->empty())
    check.refuse(alloc, fmt::format("no threads access {}", tensor.name),
                 "bind the loops that do to threads first");
  const BankCounts counts = now->counts(tensor);
  if (counts.conflicts() == 0)
    check.refuse(alloc, fmt::format("the accesses to {} have no bank conflicts: {} wavefronts a "
                                    "block are as few as there can be",
                                    tensor.name, counts.wavefronts));
  return counts.wavefronts;
}

}  // namespace

Rewrite swizzle(const Function& function, const TensorPtr& tensor) {
  // Preconditions
  const Preconditions check("swizzle", function, tensor);
  const Alloc* alloc = check_tile(check, function, tensor);
  Traffics traffics(function, tensor);
  const int64_t now = check_conflicts(check, alloc, traffics);
  const SwizzledLayout best = fewest_conflicts(
      *tensor, [&](int64_t run, const Layout& layout) { return traffics.of(run, layout); });
  if (best.counts.wavefronts >= now)
    check.refuse(
        alloc,
        fmt::format("no swizzle of {} takes fewer than the {} wavefronts that a block takes "
                    "now, of which {} are conflicts",
                    tensor->name, now, best.counts.conflicts()),
        "a padding may: Layout().pad(1)");

  // Rewrite and postcondition: those of a layout
  return set_layout(function, tensor, best.layout);
}

const Primitive swizzle_primitive = {
    .name = "swizzle",
    .arguments = {argument::tensor},
    .apply = [](const Function& f, const Step& s) { return swizzle(f, s.tensor); },
};

}  // namespace hone
