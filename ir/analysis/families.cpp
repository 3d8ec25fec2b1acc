#include "ir/analysis/families.h"

#include <map>
#include <numeric>

#include "ir/traverse/equal.h"
#include "ir/traverse/order.h"
#include "ir/traverse/rewriter.h"
#include "ir/traverse/visit.h"
#include "llvm/ADT/Hashing.h"

namespace hone {
namespace {

/// Larger ones stay what they are: products of two differences fit.
constexpr int64_t largest_constant = int64_t{1} << 30;

/// Replaces the constants of index arithmetic, from left to right, but for divisors.
class ConstantRewriter : public Rewriter {
 public:
  ConstantRewriter(llvm::function_ref<Expr(int64_t)> constant,
                   llvm::function_ref<Expr(const AxisRef&)> axis)
      : constant_(constant), axis_(axis) {}

  using Rewriter::rewrite;
  Expr rewrite(const Expr& expr) override {
    if (expr.type() == DType::index)
      if (const auto value = as_int(expr);
          value && -largest_constant < *value && *value < largest_constant)
        return constant_(*value);
    if (const auto* reference = llvm::dyn_cast<AxisRef>(expr)) {
      const Expr other = axis_(*reference);
      return other.defined() ? other : expr;
    }
    const auto* binary = llvm::dyn_cast<Binary>(expr);
    if (binary && (binary->op == BinaryOp::div || binary->op == BinaryOp::mod))
      return Binary::make(binary->op, rewrite(binary->lhs), binary->rhs);
    return rewrite_operands(expr);
  }

 private:
  llvm::function_ref<Expr(int64_t)> constant_;
  llvm::function_ref<Expr(const AxisRef&)> axis_;
};

/// Beside the expressions, all that proofs look at.
llvm::SmallVector<uint64_t, 8> label_of(const MemoryAccess& access) {
  const auto* store = llvm::dyn_cast<Store>(access.statement);
  const OperatorNode* op = store && access.writes ? store->op.get() : nullptr;
  llvm::SmallVector<uint64_t, 8> label = {
      access.tensor->id,       op ? op->id : 0,
      uint64_t{access.writes}, static_cast<uint64_t>(access.update),
      access.inner.size(),     access.guards.size()};
  for (const TensorPtr& tensor : access.changing) label.push_back(tensor->id);
  return label;
}

}  // namespace

// ---- Lists of constants -------------------------------------------------------------------------

ConstantLists::Column::Column(int64_t first, size_t number) : first(first), leader(number) {}

bool ConstantLists::Column::extend(int64_t constant) {
  latest = constant - first;
  least = std::min(least, latest);
  most = std::max(most, latest);
  divisor = std::gcd(divisor, latest);
  if (step != 0 || latest == 0) return false;
  step = latest;
  return true;
}

void ConstantLists::add(llvm::ArrayRef<int64_t> constants) {
  if (columns_.empty()) {
    for (const int64_t constant : constants) columns_.emplace_back(constant, columns_.size());
    return;
  }
  std::optional<size_t> leader;  // of those that differ for the first time
  for (size_t n = 0; n < constants.size(); ++n)
    if (columns_[n].extend(constants[n])) columns_[n].leader = *(leader = leader.value_or(n));
  for (size_t n = 0; n < constants.size(); ++n)
    if (!is_in_step(columns_[n])) columns_[n].leader = n;
}

bool ConstantLists::is_in_step(const Column& column) const {
  const Column& leader = columns_[column.leader];
  return column.latest * leader.step == leader.latest * column.step;
}

llvm::SmallVector<Expr, 8> ConstantLists::over_axes(llvm::SmallVectorImpl<AxisRange>& axes) const {
  llvm::SmallVector<Expr, 8> values, leaders(columns_.size());
  for (const Column& column : columns_) {
    const Column& leader = columns_[column.leader];
    Expr& axis = leaders[column.leader];
    if (column.step != 0 && !axis.defined()) {
      axes.push_back({make_variable(), Expr((leader.most - leader.least) / leader.divisor + 1)});
      axis = AxisRef::make(axes.back().first);
    }
    values.push_back(column.step == 0 ? Expr(column.first) : column.in_step_with(leader, axis));
  }
  return values;
}

/// The leader's difference is `least + divisor * axis`, and this one is in proportion to it.
Expr ConstantLists::Column::in_step_with(const Column& leader_column, const Expr& axis) const {
  return axis * (leader_column.divisor * step / leader_column.step) +
         (first + leader_column.least * step / leader_column.step);
}

// ---- Families -----------------------------------------------------------------------------------

bool AccessFamilies::Skeleton::operator==(const Skeleton& other) const {
  const auto same = [](const Expr& left, const Expr& right) { return compare(left, right) == 0; };
  return label == other.label &&
         std::equal(exprs.begin(), exprs.end(), other.exprs.begin(), other.exprs.end(), same);
}

size_t AccessFamilies::SkeletonHash::operator()(const Skeleton& skeleton) const {
  llvm::hash_code result = llvm::hash_combine_range(skeleton.label.begin(), skeleton.label.end());
  for (const Expr& expr : skeleton.exprs) result = llvm::hash_combine(result, hash(expr));
  return result;
}

AccessFamilies::AccessFamilies(llvm::ArrayRef<MemoryAccess> accesses) {
  for (const MemoryAccess& access : accesses) add(access);
}

AccessFamilies::Added AccessFamilies::add(const MemoryAccess& access,
                                          llvm::ArrayRef<uint64_t> label) {
  llvm::SmallVector<int64_t, 8> constants;
  const auto [found, is_new] =
      numbers_.try_emplace(skeleton_of(access, label, constants), families_.size());
  if (is_new) families_.push_back({access, {}, {}, {}});
  Family& family = families_[found->second];
  family.constants.add(constants);
  family.members.push_back(family_of_.size());
  family_of_.push_back(found->second);
  return {found->second, family.distinct.insert({constants.begin(), constants.end()}).second};
}

AccessFamilies::Skeleton AccessFamilies::skeleton_of(const MemoryAccess& access,
                                                     llvm::ArrayRef<uint64_t> label,
                                                     llvm::SmallVectorImpl<int64_t>& constants) {
  Skeleton skeleton{label_of(access), {}};
  llvm::append_range(skeleton.label, label);
  for (const auto& [axis, extent] : access.inner) skeleton.exprs.push_back(extent);
  const auto take = [&](int64_t constant) {
    constants.push_back(constant);
    return stand_ins_[0];
  };
  while (stand_ins_.size() <= access.inner.size())
    stand_ins_.push_back(AxisRef::make(make_variable()));
  const auto by_place = [&](const AxisRef& reference) {
    const auto* found = llvm::find_if(
        access.inner, [&](const auto& range) { return range.first == reference.axis; });
    return found == access.inner.end() ? Expr() : stand_ins_[1 + (found - access.inner.begin())];
  };
  ConstantRewriter rewriter(take, by_place);
  for (const Expr& index : access.indices) skeleton.exprs.push_back(rewriter.rewrite(index));
  for (const Expr& guard : access.guards) skeleton.exprs.push_back(rewriter.rewrite(guard));
  return skeleton;
}

MemoryAccess AccessFamilies::whole(size_t number) const {
  const Family& family = families_[number];
  MemoryAccess whole = family.first;
  if (family.members.size() == 1) return whole;
  const auto values = family.constants.over_axes(whole.inner);
  const auto* next = values.begin();
  const auto put = [&](int64_t) { return *next++; };
  const auto keep = [](const AxisRef&) { return Expr(); };
  ConstantRewriter rewriter(put, keep);
  for (Expr& index : whole.indices) index = rewriter.rewrite(index);
  for (Expr& guard : whole.guards) guard = rewriter.rewrite(guard);
  return whole;
}

// ---- Pairs --------------------------------------------------------------------------------------

namespace {

/// Asks about two families, about an access and a family where that does not help, and then about
/// two accesses.
class HarmSearch {
 public:
  using Harmless = llvm::function_ref<bool(const MemoryAccess&, const MemoryAccess&)>;

  HarmSearch(llvm::ArrayRef<MemoryAccess> lhs, llvm::ArrayRef<MemoryAccess> rhs,
             Harmless is_harmless)
      : lhs_(lhs),
        rhs_(rhs),
        is_one_list_(lhs.data() == rhs.data()),
        is_harmless_(is_harmless),
        left_(lhs),
        right_(rhs) {
    for (size_t family = 0; family < left_.size(); ++family)
      left_wholes_.push_back(left_.whole(family));
    for (size_t family = 0; family < right_.size(); ++family)
      right_wholes_.push_back(right_.whole(family));
  }

  std::optional<AccessPair> run() {
    for (size_t n = 0; n < lhs_.size(); ++n)
      for (const size_t suspect : suspects_of(n))
        if (!is_harmless_(lhs_[n], rhs_[suspect])) return AccessPair(n, suspect);
    return std::nullopt;
  }

 private:
  /// The accesses of `rhs` that may be harmful beside access `n` of `lhs`, in order.
  llvm::SmallVector<size_t, 8> suspects_of(size_t n) {
    const size_t first = is_one_list_ ? n : 0, family = left_.family_of(n);
    llvm::SmallVector<size_t, 8> suspects;
    for (size_t other = 0; other < right_.size(); ++other) {
      const auto members = right_.members(other);
      if (members.back() < first || are_harmless(family, other)) continue;
      if (members.size() > 1 && is_harmless_(lhs_[n], right_wholes_[other])) continue;
      suspects.append(llvm::lower_bound(members, first), members.end());
    }
    llvm::sort(suspects);
    return suspects;
  }

  /// Of families of more than one access.
  bool are_harmless(size_t left, size_t right) {
    if (is_one_list_ && right < left) std::swap(left, right);
    if (left_.members(left).size() == 1) return false;
    const auto [known, is_new] = known_.try_emplace({left, right}, false);
    if (is_new) known->second = is_harmless_(left_wholes_[left], right_wholes_[right]);
    return known->second;
  }

  llvm::ArrayRef<MemoryAccess> lhs_, rhs_;
  bool is_one_list_;
  Harmless is_harmless_;
  AccessFamilies left_, right_;
  std::vector<MemoryAccess> left_wholes_, right_wholes_;
  std::map<AccessPair, bool> known_;
};

/// Asks about two accesses, each pair of them.
std::optional<AccessPair> find_one_by_one(llvm::ArrayRef<MemoryAccess> lhs,
                                          llvm::ArrayRef<MemoryAccess> rhs,
                                          HarmSearch::Harmless is_harmless) {
  for (size_t n = 0; n < lhs.size(); ++n)
    for (size_t other = lhs.data() == rhs.data() ? n : 0; other < rhs.size(); ++other)
      if (!is_harmless(lhs[n], rhs[other])) return AccessPair(n, other);
  return std::nullopt;
}

}  // namespace

std::optional<AccessPair> find_harm(
    llvm::ArrayRef<MemoryAccess> lhs, llvm::ArrayRef<MemoryAccess> rhs,
    llvm::function_ref<bool(const MemoryAccess&, const MemoryAccess&)> is_harmless) {
  constexpr size_t few = 8;
  if (lhs.size() <= few && rhs.size() <= few) return find_one_by_one(lhs, rhs, is_harmless);
  return HarmSearch(lhs, rhs, is_harmless).run();
}

}  // namespace hone
