#include "ir/analysis/accesses.h"

#include "fmt/format.h"
#include "ir/text/printer.h"
#include "ir/traverse/equal.h"
#include "ir/traverse/evaluation.h"
#include "ir/traverse/rewriter.h"
#include "ir/traverse/tensors.h"
#include "ir/traverse/visit.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace hone {
namespace {

class Collector {
 public:
  Accesses run(const Stmt& stmt) {
    visit_stmt(stmt);
    changing_.insert(local_.begin(), local_.end());
    for (const MemoryAccess& access : accesses_)
      if (access.writes) changing_.insert(access.tensor.get());
    for (MemoryAccess& access : accesses_) note_changing(access);
    return std::move(accesses_);
  }

 private:
  void visit_stmt(const Stmt& stmt) {
    if (const auto* loop = llvm::dyn_cast<For>(stmt)) {
      inner_.push_back({loop->axis, loop->extent});
      visit_stmt(loop->body);
      inner_.pop_back();
      return;
    }
    if (const auto* branch = llvm::dyn_cast<If>(stmt)) {
      visit_expr(stmt, branch->condition);
      guards_.push_back(branch->condition);
      visit_stmt(branch->body);
      guards_.pop_back();
      return;
    }
    if (const auto* let = llvm::dyn_cast<Let>(stmt)) {
      visit_expr(stmt, let->value);
      lets_.push_back({let->axis.get(), let->value});
      visit_stmt(let->body);
      lets_.pop_back();
      return;
    }
    if (const auto* alloc = llvm::dyn_cast<Alloc>(stmt)) local_.push_back(alloc->tensor.get());
    for_each_operand(
        stmt, [&](const Expr& expr) { visit_expr(stmt, expr); },
        [&](const Stmt& nested) { visit_stmt(nested); });
    if (const auto* copy = llvm::dyn_cast<Copy>(stmt)) return visit_copy(stmt, *copy);
    if (const auto* instr = llvm::dyn_cast<Instr>(stmt)) return visit_instr(stmt, *instr);
    if (const auto* store = llvm::dyn_cast<Store>(stmt))
      add({store->tensor, store->indices, true, store->update, stmt, inner_, guards_});
  }

  /// Parts that are evaluated only under a condition have it as a guard.
  void visit_expr(const Stmt& stmt, const Expr& expr) {
    if (!expr.get()->size.has_load) return;
    walk_evaluated(
        expr,
        [&](const Expr& part) {
          if (const auto* load = llvm::dyn_cast<Load>(part))
            add({load->tensor, load->indices, false, Update::set, stmt, inner_, guards_});
        },
        [&](const Expr& condition, llvm::function_ref<void()> rest) {
          guards_.push_back(condition);
          rest();
          guards_.pop_back();
        });
  }

  void visit_copy(const Stmt& stmt, const Copy& copy) {
    const auto add_side = [&](const Region& region, bool writes) {
      MemoryAccess access = region_access(stmt, region, writes);
      access.copy = &copy;
      add(std::move(access), copy.timeline());
    };
    add_side(copy.source, false);
    add_side(copy.destination, true);
  }

  /// Mbarriers, and what counts arrivals, are nobody else's business. A box may stick out of its
  /// tensor.
  void visit_instr(const Stmt& stmt, const Instr& instr) {
    for (const Operand& operand : instr.operands()) {
      const bool is_in_memory = operand.tensor->scope == Scope::global;
      if (operand.is_in_value || (is_in_memory && !operand.box.empty())) continue;
      if (operand.reads()) add(operand_access(stmt, operand, false), operand.timeline);
      if (operand.writes()) add(operand_access(stmt, operand, true), operand.timeline);
    }
  }

  MemoryAccess operand_access(const Stmt& stmt, const Operand& operand, bool writes) {
    if (operand.is_whole) return region_access(stmt, whole(operand.tensor), writes);
    if (!operand.box.empty()) return region_access(stmt, box_of(operand), writes);
    return {operand.tensor, operand.indices, writes, Update::set, stmt, inner_, guards_};
  }

  static Region box_of(const Operand& operand) {
    Region region{operand.tensor, {}};
    for (const auto& [index, extent] : llvm::zip(operand.indices, operand.box))
      region.ranges.push_back({index, extent == 1 ? Expr() : Expr(extent)});
    return region;
  }

  static Region whole(const TensorPtr& tensor) {
    Region region{tensor, {}};
    for (const Expr& extent : tensor->shape) region.ranges.push_back({0, extent});
    return region;
  }

  /// The elements of a region, as an access under one more loop per range.
  MemoryAccess region_access(const Stmt& stmt, const Region& region, bool writes) {
    MemoryAccess access{region.tensor, {}, writes, Update::set, stmt, inner_, guards_};
    for (const Range& range : region.ranges) {
      if (range.is_point()) {
        access.indices.push_back(range.offset);
        continue;
      }
      const AxisPtr axis = make_variable();
      access.inner.push_back({axis, range.extent});
      access.indices.push_back(range.at(AxisRef::make(axis)));
    }
    return access;
  }

  void note_changing(MemoryAccess& access) const {
    const auto look_at = [&](const Expr& part) {
      const auto* load = llvm::dyn_cast<Load>(part);
      if (load && changing_.contains(load->tensor.get()) &&
          !llvm::is_contained(access.changing, load->tensor))
        access.changing.push_back(load->tensor);
    };
    for (const Expr& index : access.indices) walk(index, look_at);
    for (const Expr& guard : access.guards) walk(guard, look_at);
  }

  void add(MemoryAccess access, Timeline timeline = Timeline::thread) {
    if (llvm::is_contained(local_, access.tensor.get())) return;
    access.timeline = timeline;
    for (const auto& [axis, value] : llvm::reverse(lets_)) {
      for (Expr& index : access.indices) index = substitute(index, axis, value);
      for (Expr& guard : access.guards) guard = substitute(guard, axis, value);
    }
    accesses_.push_back(std::move(access));
  }

  Accesses accesses_;
  llvm::SmallVector<AxisRange, 4> inner_;
  llvm::SmallVector<Expr, 2> guards_;
  llvm::SmallVector<std::pair<const AxisNode*, Expr>, 2> lets_;
  llvm::SmallVector<const TensorNode*, 4> local_;
  llvm::SmallPtrSet<const TensorNode*, 8> changing_;  ///< tensors that the statement changes
};

OperatorPtr operator_of(const MemoryAccess& update) {
  return llvm::cast<Store>(update.statement)->op;
}

}  // namespace

std::string MemoryAccess::text() const {
  std::string list;
  const auto append = [&](const std::string& index) { list += (list.empty() ? "" : ", ") + index; };
  if (copy) {
    for (const Range& range : (writes ? copy->destination : copy->source).ranges)
      append(range.is_point()
                 ? to_string(range.offset)
                 : fmt::format("{} .. +{}{}", range.offset, range.extent,
                               range.stride == 1 ? "" : fmt::format(" by {}", range.stride)));
  } else {
    for (const Expr& index : indices) append(to_string(index));
  }
  return fmt::format("{}[{}]", tensor->name, list);
}

Accesses collect_accesses(const Stmt& stmt) { return Collector().run(stmt); }

size_t count_accesses(const Stmt& stmt, const TensorPtr& tensor) {
  return llvm::count_if(collect_accesses(stmt),
                        [&](const MemoryAccess& access) { return access.tensor == tensor; });
}

bool touches(const Stmt& stmt, const TensorPtr& tensor) { return count_accesses(stmt, tensor) > 0; }

bool writes(const Stmt& stmt, const TensorPtr& tensor) {
  bool found = false;
  walk(stmt, [&](const Stmt& part) {
    for_each_tensor(part, [&](const TensorPtr& named, TensorUse how) {
      found |= named == tensor && how == TensorUse::writes;
    });
  });
  return found;
}

bool reads(const Expr& expr, const TensorPtr& tensor) {
  if (!expr.get()->size.has_load) return false;
  return any_of(expr, [&](const Expr& part) {
    const auto* load = llvm::dyn_cast<Load>(part);
    return load && load->tensor == tensor;
  });
}

bool conflict(const MemoryAccess& lhs, const MemoryAccess& rhs) {
  return lhs.tensor == rhs.tensor && (lhs.writes || rhs.writes);
}

const MemoryAccess* find_change(const Expr& value, llvm::ArrayRef<MemoryAccess> accesses) {
  const MemoryAccess* found = nullptr;
  walk(value, [&](const Expr& part) {
    const auto* load = llvm::dyn_cast<Load>(part);
    if (!load || found) return;
    for (const MemoryAccess& access : accesses)
      if (!found && access.writes && access.tensor == load->tensor) found = &access;
  });
  return found;
}

bool commute(const MemoryAccess& lhs, const MemoryAccess& rhs) {
  if (!lhs.writes || !rhs.writes || lhs.update != rhs.update || lhs.update == Update::set)
    return false;
  return lhs.update != Update::custom || equal(*operator_of(lhs), *operator_of(rhs));
}

}  // namespace hone
