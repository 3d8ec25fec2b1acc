#include "ir/schedule/legality/dependences.h"

#include "fmt/format.h"
#include "ir/algebra/polynomial.h"
#include "ir/analysis/dependence.h"
#include "ir/analysis/enumeration.h"
#include "ir/analysis/families.h"
#include "ir/schedule/legality/regrouping.h"
#include "ir/traverse/rewriter.h"
#include "ir/traverse/visit.h"

namespace hone {
namespace {

// ---- Two accesses -------------------------------------------------------------------------------

bool has_axis(llvm::ArrayRef<AxisRange> ranges, const Expr& expr) {
  return llvm::any_of(ranges,
                      [&](const AxisRange& range) { return mentions(expr, range.first.get()); });
}

/// c*axis + rest, where the rest is the same in all iterations of the loops inside the access.
std::optional<Polynomial::Linear> linear(const MemoryAccess& access, size_t dim,
                                         const AxisNode* axis) {
  const Polynomial index = Polynomial::of(access.indices[dim]);
  const auto linear = index.linear_in(axis);
  if (!linear || has_axis(access.inner, linear->rest.to_expr())) return std::nullopt;
  return linear;
}

/// The number of iterations after which `rhs` touches what `lhs` touches, which may be negative;
/// nothing if that is not one number.
std::optional<int64_t> distance_between(const MemoryAccess& lhs, const MemoryAccess& rhs,
                                        const AxisNode* axis) {
  if (!lhs.changing.empty() || !rhs.changing.empty()) return std::nullopt;
  for (size_t dim = 0; dim < lhs.indices.size(); ++dim) {
    const auto left = linear(lhs, dim, axis), right = linear(rhs, dim, axis);
    if (!left || !right || !(left->coefficient == right->coefficient)) continue;
    const auto step = left->coefficient.constant(), apart = (left->rest - right->rest).constant();
    if (step && apart && *step != 0 && *apart % *step == 0) return *apart / *step;
  }
  return std::nullopt;
}

/// True if `rhs`, so many iterations later and in the same iterations of the loops inside, touches
/// the element that `lhs` touches.
bool meet(const MemoryAccess& lhs, const MemoryAccess& rhs, const AxisPtr& axis, int64_t distance) {
  if (!lhs.guards.empty() || !rhs.guards.empty()) return false;
  if (!lhs.changing.empty() || !rhs.changing.empty()) return false;
  for (size_t dim = 0; dim < lhs.indices.size(); ++dim) {
    const Expr later =
        substitute(rhs.indices[dim], axis.get(), AxisRef::make(axis) + Expr(distance));
    if (!(Polynomial::of(lhs.indices[dim]) - Polynomial::of(later)).is_zero()) return false;
  }
  return true;
}

DependenceKind kind_of(const MemoryAccess& earlier, const MemoryAccess& later) {
  if (!later.writes) return DependenceKind::flow;
  if (!earlier.writes) return DependenceKind::anti;
  return commute(earlier, later) ? DependenceKind::reduction : DependenceKind::output;
}

// ---- One loop -----------------------------------------------------------------------------------

class LoopAnalysis {
 public:
  LoopAnalysis(const Site& site, LoopDependences& result)
      : loop_(site.loop()), facts_(site.facts()), result_(result) {}

  void run() {
    const Accesses accesses = collect_accesses(loop_.body);
    const AccessFamilies families(accesses);
    std::vector<MemoryAccess> wholes;
    for (size_t n = 0; n < families.size(); ++n) wholes.push_back(families.whole(n));
    for (size_t first = 0; first < wholes.size(); ++first)
      for (size_t second = first; second < wholes.size(); ++second)
        add_pair(wholes[first], wholes[second]);
    add_regroupings(accesses);
  }

 private:
  void add_pair(const MemoryAccess& lhs, const MemoryAccess& rhs) {
    const For* loops[] = {&loop_};
    if (!conflict(lhs, rhs) || unseparated(loops, lhs, rhs, facts_).empty() ||
        enumeration_separates(loop_.axis, loop_.extent, lhs, rhs))
      return;
    if (const auto distance = distance_between(lhs, rhs, loop_.axis.get()))
      return *distance >= 0 ? add(lhs, rhs, *distance) : add(rhs, lhs, -*distance);
    add(lhs, rhs, std::nullopt);
    if (kind_of(lhs, rhs) != kind_of(rhs, lhs)) add(rhs, lhs, std::nullopt);
  }

  void add(const MemoryAccess& earlier, const MemoryAccess& later,
           std::optional<int64_t> distance) {
    const auto extent = as_int(loop_.extent);
    if (distance && (*distance == 0 || (extent && *distance >= *extent))) return;
    CarriedDependence found = {kind_of(earlier, later),
                               later.tensor,
                               earlier.text(),
                               later.text(),
                               distance,
                               meet(earlier, later, loop_.axis, distance.value_or(1))};
    for (CarriedDependence& other : result_.carried) {
      if (other.kind != found.kind || other.tensor != found.tensor ||
          other.distance != found.distance)
        continue;
      if (found.is_certain && !other.is_certain) other = found;
      return;
    }
    result_.carried.push_back(std::move(found));
  }

  /// Of the tensors that iterations update, as far as there are any.
  void add_regroupings(llvm::ArrayRef<MemoryAccess> accesses) {
    for (const CarriedDependence& one : result_.carried) {
      const bool is_update = one.kind == DependenceKind::reduction ||
                             (loop_.is_reduction() && one.kind == DependenceKind::flow);
      const bool is_known = llvm::any_of(
          result_.regroupings, [&](const auto& known) { return known.first == one.tensor->name; });
      if (is_update && !is_known)
        result_.regroupings.push_back(
            {one.tensor->name, regrouping_of(one.tensor, accesses, result_.carried)});
    }
  }

  const For& loop_;
  const Facts facts_;
  LoopDependences& result_;
};

// ---- One nest -----------------------------------------------------------------------------------

/// The statements of the body, below what is allocated for all of them.
void append_nests(const Stmt& stmt, std::vector<Stmt>& nests) {
  if (const auto* seq = llvm::dyn_cast<Seq>(stmt)) {
    for (const Stmt& part : seq->stmts) append_nests(part, nests);
  } else if (const auto* alloc = llvm::dyn_cast<Alloc>(stmt)) {
    append_nests(alloc->body, nests);
  } else {
    nests.push_back(stmt);
  }
}

void add_once(llvm::SmallVectorImpl<std::string>& names, const std::string& name) {
  if (!llvm::is_contained(names, name)) names.push_back(name);
}

NestDependences analyse(const Function& function, const Stmt& nest,
                        llvm::ArrayRef<NestDependences> before) {
  NestDependences result;
  result.nest = nest;
  const Accesses accesses = collect_accesses(nest);
  for (const MemoryAccess& access : accesses)
    if (access.writes) add_once(result.writes, access.tensor->name);
  for (const MemoryAccess& access : accesses)
    if (!llvm::is_contained(result.writes, access.tensor->name))
      add_once(result.only_reads, access.tensor->name);
  for (const std::string& name : result.only_reads)
    if (llvm::any_of(before,
                     [&](const auto& nest) { return llvm::is_contained(nest.writes, name); }))
      result.waits_for.push_back(name);
  for (const For* loop : loops_of(nest)) {
    const Site site = *find_site(function, loop->axis.get());
    LoopDependences one;
    one.loop = loop;
    one.depth = site.enclosing_loops().size();
    LoopAnalysis(site, one).run();
    result.loops.push_back(std::move(one));
  }
  return result;
}

}  // namespace

const char* to_string(DependenceKind kind) {
  switch (kind) {
    case DependenceKind::flow:
      return "flow";
    case DependenceKind::anti:
      return "anti";
    case DependenceKind::output:
      return "output";
    case DependenceKind::reduction:
      return "reduction";
  }
  llvm_unreachable("unknown kind");
}

std::vector<NestDependences> dependences_of(const Function& function) {
  std::vector<Stmt> nests;
  append_nests(function.body, nests);
  std::vector<NestDependences> results;
  results.reserve(nests.size());
  for (const Stmt& nest : nests) results.push_back(analyse(function, nest, results));
  return results;
}

}  // namespace hone
