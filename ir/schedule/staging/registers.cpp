#include "ir/schedule/staging/registers.h"

#include "fmt/format.h"
#include "fmt/ranges.h"
#include "ir/schedule/legality/budget.h"
#include "ir/target/gpu_limits.h"
#include "ir/text/printer.h"
#include "ir/threads/launch_shape.h"
#include "ir/threads/register_owners.h"
#include "ir/traverse/rewriter.h"
#include "ir/traverse/visit.h"

namespace hone {
namespace {

/// An index of a tile, as the loops around the tile see it.
struct TileIndex {
  const MemoryAccess& access;
  const TensorPtr& tile;
  Expr position;

  [[noreturn]] void refuse(const Preconditions& check, const std::string& why,
                           const std::string& note) const {
    check.refuse(access.statement.get(),
                 fmt::format("{} would be indexed by {}, {}: registers have no addresses",
                             tile->name, position, why),
                 note);
  }
};

/// The axes of an index, all of which must be those of loops inside.
AxisSet axes_of(const Preconditions& check, const Site& site, const TileIndex& index) {
  AxisSet axes;
  walk(index.position, [&](const Expr& part) {
    const auto* reference = llvm::dyn_cast<AxisRef>(part);
    const bool is_inside = reference && llvm::any_of(index.access.inner, [&](const auto& range) {
                             return range.first == reference->axis;
                           });
    if (is_inside) return axes.push_back(reference->axis);
    if (llvm::isa<AxisRef, ParamRef, Load>(part))
      index.refuse(
          check, fmt::format("which depends on {}", part),
          fmt::format("loops inside {} may index a tile, and constants", site.loop().axis->name));
  });
  return axes;
}

void check_unrollable(const Preconditions& check, const For& loop, const TileIndex& index) {
  const std::string& axis = loop.axis->name;
  const Binding& binding = loop.binding;
  if (binding.kind == Binding::Kind::unroll && binding.count != 0)
    index.refuse(check, fmt::format("and {} is unrolled by {}", axis, binding.count),
                 fmt::format("unroll {} in full", axis));
  if (!as_int(loop.extent))
    index.refuse(
        check,
        fmt::format("and {} has the extent {}, which is known at launch only", axis, loop.extent),
        "split off a constant number of iterations");
}

/// True of a loop that an instruction computes, alone or with those around it.
bool is_in_instruction(const For& loop, llvm::ArrayRef<const For*> loops) {
  return llvm::any_of(loops, [&](const For* nest) {
    return nest->binding.opcode && llvm::is_contained(loops_of(Stmt(nest)), &loop);
  });
}

}  // namespace

llvm::SmallVector<int64_t, 4> extents_per_thread(const TensorPtr& tile, const Stmt& body,
                                                 const Facts& facts) {
  llvm::SmallVector<int64_t, 4> extents;
  for (const Expr& extent : tile->shape) extents.push_back(*as_int(extent));
  for (const Dealing& dealing : register_owners(tile, body, facts).dealings)
    extents[dealing.dim] = dealing.per_thread(extents[dealing.dim]);
  return extents;
}

void check_register_count(const Preconditions& check, const Site& site, const TensorPtr& tensor,
                          llvm::ArrayRef<int64_t> extents) {
  const int64_t max_registers = widest_architecture().max_registers;
  int64_t registers = std::max<int64_t>(1, size_of(tensor->type) / 4);
  for (const int64_t extent : extents)
    registers = std::min(registers, max_registers + 1) * std::min(extent, max_registers + 1);
  if (registers > max_registers)
    check.refuse(
        site.statement.get(),
        fmt::format("the part of {} that one iteration of {} touches is [{}], and a "
                    "thread has at most {} registers",
                    tensor->name, site.loop().axis->name, fmt::join(extents, ", "), max_registers),
        fmt::format("{} an inner axis, or split into smaller tiles", check.placing()));
}

AxisSet indexing_axes(const Preconditions& check, const Site& site,
                      llvm::ArrayRef<MemoryAccess> accesses, const RegisterTile& registers) {
  const auto loops = loops_of(site.loop().body);
  const Box& box = registers.box;
  AxisSet result;
  for (const MemoryAccess& access : accesses) {
    if (access.tensor != registers.tensor) continue;
    Facts facts = site.facts();
    for (const auto& [axis, extent] : access.inner) facts.add_axis(axis, extent);
    for (size_t dim = 0; dim < box.extents.size(); ++dim) {
      if (box.extents[dim] == 1) continue;
      const Expr position = position_in_box(access.indices[dim], box, dim, facts);
      const TileIndex index{access, registers.tile, position};
      for (const AxisPtr& axis : axes_of(check, site, index)) {
        const For& loop =
            **llvm::find_if(loops, [&](const For* candidate) { return candidate->axis == axis; });
        if (is_thread_loop(loop) || is_in_instruction(loop, loops)) continue;
        check_unrollable(check, loop, index);
        if (!llvm::is_contained(result, axis)) result.push_back(axis);
      }
    }
  }
  return result;
}

Stmt unrolled_in_full(const Stmt& stmt, llvm::ArrayRef<AxisPtr> axes) {
  return transform_stmts(stmt, [&](const Stmt& nested) -> Stmt {
    const auto* loop = llvm::dyn_cast<For>(nested);
    if (!loop || !loop->binding.is_serial() || !llvm::is_contained(axes, loop->axis)) return {};
    return For::make(loop->axis, loop->extent, {Binding::Kind::unroll, 0, 0},
                     unrolled_in_full(loop->body, axes));
  });
}

void check_unrolled(const Preconditions& check, const Function& after,
                    llvm::ArrayRef<AxisPtr> axes) {
  for (const AxisPtr& axis : axes) {
    const auto site = find_site(after, axis.get());
    if (site) check_budget(check, *site, *as_int(site->loop().extent), &check.find(axis).loop());
  }
}

}  // namespace hone
