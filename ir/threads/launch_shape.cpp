#include "ir/threads/launch_shape.h"

#include "ir/threads/instruction_nest.h"
#include "ir/traverse/equal.h"
#include "ir/traverse/visit.h"

namespace hone {
namespace {

using Kind = Binding::Kind;

/// The larger one; without a max where one of two constants or of two equal sizes says it.
Expr larger(const Expr& lhs, const Expr& rhs) {
  const auto known = as_int(lhs), other = as_int(rhs);
  if (known && other) return std::max(*known, *other);
  return equal(lhs, rhs) ? lhs : max(lhs, rhs);
}

/// Iterations, or threads up to the end of a digit.
Expr needed(const For& loop) {
  return loop.binding.digit.is_whole() ? loop.extent : Expr(loop.binding.digit.end());
}

/// x, y and z; of threads, blocks of a cluster too.
constexpr size_t dims = cluster_dim + 1;

/// A loop that runs once inside another one of its index needs no thread of its own.
void add_extents(const Stmt& stmt, Kind kind, std::array<bool, dims> around,
                 std::array<Expr, dims>& extents) {
  if (const auto* loop = llvm::dyn_cast<For>(stmt); loop && loop->binding.kind == kind) {
    const unsigned dim = loop->binding.dim;
    Expr& extent = extents[dim];
    if (!around[dim] || !is_int(loop->extent, 1))
      extent = extent.defined() ? larger(extent, needed(*loop)) : needed(*loop);
    around[dim] = around[dim] || loop->binding.digit.is_whole();
  }
  if (const Opcode* opcode = opcode_with_lanes(stmt); opcode && kind == Kind::thread)
    extents[0] = extents[0].defined() ? larger(extents[0], lanes_of(*opcode).digit.end())
                                      : Expr(lanes_of(*opcode).digit.end());
  for_each_operand(
      stmt, [](const Expr&) {},
      [&](const Stmt& nested) { add_extents(nested, kind, around, extents); });
}

std::array<Expr, dims> extents_of(const Stmt& body, Kind kind) {
  std::array<Expr, dims> extents;
  add_extents(body, kind, {}, extents);
  for (Expr& extent : extents)
    if (!extent.defined()) extent = 1;
  return extents;
}

/// True if loops over threads of the dimension enclose every statement that writes.
bool encloses_all(const Stmt& stmt, unsigned dim) {
  const auto* loop = llvm::dyn_cast<For>(stmt);
  if (loop && is_thread_loop(*loop) && loop->binding.dim == dim) return true;
  bool all = !llvm::isa<Store, Copy>(stmt);
  for_each_operand(
      stmt, [](const Expr&) {},
      [&](const Stmt& nested) { all = all && encloses_all(nested, dim); });
  return all;
}

}  // namespace

bool has_thread_loops(const Stmt& stmt) {
  return any_of(stmt, [](const Stmt& part) {
    const auto* loop = llvm::dyn_cast<For>(part);
    const Opcode* opcode = opcode_with_lanes(part);
    return (loop && is_thread_loop(*loop)) || (opcode && is_of_lanes(*opcode));
  });
}

std::array<Expr, 3> grid_of(const Stmt& body) {
  const auto [x, y, z, none] = extents_of(body, Kind::block);
  return {x, y, z};
}

int64_t cluster_of(const Stmt& body) {
  return as_int(extents_of(body, Kind::thread)[cluster_dim]).value_or(1);
}

std::array<Expr, 3> block_of(const Stmt& body) {
  const auto [x, y, z, cluster] = extents_of(body, Kind::thread);
  std::array<Expr, 3> threads = {x, y, z};
  for (unsigned dim = 0; dim < 3; ++dim)
    if (!as_int(threads[dim]) && !encloses_all(body, dim)) threads[dim] = larger(threads[dim], 1);
  return threads;
}

static int64_t resident(const For& loop) { return loop.binding.attributes.number(attr::resident); }

const For* loop_with_bounds(const Stmt& body) {
  const For* most = nullptr;
  walk(body, [&](const Stmt& stmt) {
    const auto* loop = llvm::dyn_cast<For>(stmt);
    if (loop && resident(*loop) > (most ? resident(*most) : 0)) most = loop;
  });
  return most;
}

int64_t resident_blocks(const Stmt& body) {
  const For* loop = loop_with_bounds(body);
  return loop ? resident(*loop) : 0;
}

llvm::SmallVector<const For*, 4> thread_loops(llvm::ArrayRef<Stmt> stmts) {
  llvm::SmallVector<const For*, 4> loops;
  for (const Stmt& stmt : stmts)
    if (const auto* loop = llvm::dyn_cast<For>(stmt); loop && is_loop_in_block(*loop))
      loops.push_back(loop);
  return loops;
}

bool differs_between_threads(const Expr& value, llvm::ArrayRef<Stmt> around) {
  const auto decides = [&](const AxisPtr& axis) {
    return llvm::any_of(around, [&](const Stmt& stmt) {
      const auto* loop = llvm::dyn_cast<For>(stmt);
      const auto* let = llvm::dyn_cast<Let>(stmt);
      return (loop && loop->axis == axis && is_thread_loop(*loop)) ||
             (let && let->axis == axis && differs_between_threads(let->value, around));
    });
  };
  return any_of(value, [&](const Expr& part) {
    const auto* load = llvm::dyn_cast<Load>(part);
    const auto* reference = llvm::dyn_cast<AxisRef>(part);
    return (load && load->tensor->scope == Scope::registers) ||
           (reference && decides(reference->axis));
  });
}

}  // namespace hone
