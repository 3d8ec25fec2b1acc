#include "ir/analysis/register_owners.h"

#include "fmt/format.h"
#include "ir/algebra/polynomial.h"
#include "ir/algebra/simplify.h"
#include "ir/visit.h"

namespace hone {
namespace {

bool is_thread_loop(const For& loop) { return loop.binding.kind == Binding::Kind::thread; }

/// An access with the thread loops around it.
struct Touch {
  MemoryAccess access;
  llvm::SmallVector<const For*, 3> threads;

  const For* loop_of(uint8_t thread_dim) const {
    for (const For* loop : llvm::reverse(threads))
      if (loop->binding.dim == thread_dim) return loop;
    return nullptr;
  }
};

class Owners {
 public:
  Owners(const TensorPtr& tensor, const Facts& known) : tensor_(tensor), known_(known) {}

  RegisterOwners run(const Stmt& body) {
    collect(body);
    RegisterOwners owners;
    for (uint8_t dim = 0; dim < 3 && owners.conflict.empty(); ++dim) decide(dim, owners);
    return owners;
  }

 private:
  void collect(const Stmt& stmt) {
    const auto* loop = llvm::dyn_cast<For>(stmt);
    if (loop && is_thread_loop(*loop)) threads_.push_back(loop);
    if (llvm::isa<For, Seq, If, Let, Alloc>(stmt))
      for_each_operand(
          stmt, [](const Expr&) {}, [&](const Stmt& nested) { collect_under(stmt, nested); });
    else
      collect_from(stmt);
    if (loop && is_thread_loop(*loop)) threads_.pop_back();
  }

  void collect_under(const Stmt& around, const Stmt& stmt) {
    around_.push_back(around);
    collect(stmt);
    around_.pop_back();
  }

  /// The accesses of one statement, as they are seen with all loops and lets around them.
  void collect_from(const Stmt& stmt) {
    if (llvm::isa<Copy>(stmt) && threads_.empty()) return;
    Stmt whole = stmt;
    for (const Stmt& around : llvm::reverse(around_)) whole = with_body(around, whole);
    for (MemoryAccess& access : collect_accesses(whole))
      if (access.tensor == tensor_) touches_.push_back({std::move(access), threads_});
  }

  static Stmt with_body(const Stmt& around, const Stmt& body) {
    if (const auto* loop = llvm::dyn_cast<For>(around)) return loop->with_body(body);
    if (const auto* branch = llvm::dyn_cast<If>(around)) return If::make(branch->condition, body);
    if (const auto* let = llvm::dyn_cast<Let>(around))
      return Let::make(let->axis, let->value, body);
    return body;
  }

  void decide(uint8_t thread_dim, RegisterOwners& owners) const {
    const Touch* dealt = nullptr;
    for (const Touch& touch : touches_)
      if (!dealt && mentions_thread(touch, thread_dim)) dealt = &touch;
    if (!dealt) return;
    const auto dealing = dealing_of(*dealt, thread_dim);
    for (const Touch& touch : touches_)
      if (!dealing || dealing_of(touch, thread_dim) != dealing) {
        owners.conflict = fmt::format("{} and {} are not elements of the same thread in thread.{}",
                                      dealt->access.text(), touch.access.text(), "xyz"[thread_dim]);
        return;
      }
    for (const Dealing& other : owners.dealings)
      if (other.dim == dealing->dim)
        owners.conflict =
            fmt::format("{} goes round thread.{} and thread.{} along one dimension",
                        dealt->access.text(), "xyz"[other.thread_dim], "xyz"[thread_dim]);
    owners.dealings.push_back(*dealing);
  }

  static bool mentions_thread(const Touch& touch, uint8_t thread_dim) {
    const For* loop = touch.loop_of(thread_dim);
    return loop && llvm::any_of(touch.access.indices, [&](const Expr& index) {
             return mentions(index, loop->axis.get());
           });
  }

  /// Nothing where the elements are not those of one thread of the loop.
  std::optional<Dealing> dealing_of(const Touch& touch, uint8_t thread_dim) const {
    const For* loop = touch.loop_of(thread_dim);
    const auto threads = loop ? as_int(loop->extent) : std::nullopt;
    if (!threads) return std::nullopt;
    Facts facts = known_;
    for (const auto& [axis, extent] : touch.access.inner) facts.add_axis(axis, extent);
    std::optional<Dealing> found;
    for (unsigned dim = 0; dim < touch.access.indices.size(); ++dim) {
      const Expr& index = touch.access.indices[dim];
      if (!mentions(index, loop->axis.get())) continue;
      const auto linear = Polynomial::of(index).linear_in(loop->axis.get());
      const auto run = linear ? linear->coefficient.constant() : std::nullopt;
      if (found || !run || *run < 1) return std::nullopt;
      found = Dealing{dim, *run, *threads, thread_dim};
      if (!is_same(found->owner(index), AxisRef::make(loop->axis), facts)) return std::nullopt;
    }
    return found;
  }

  static bool is_same(const Expr& lhs, const Expr& rhs, const Facts& facts) {
    const Polynomial difference =
        Polynomial::of(simplify(lhs, facts)) - Polynomial::of(simplify(rhs, facts));
    return proves_non_negative(difference, facts) &&
           proves_non_negative(Polynomial() - difference, facts);
  }

  const TensorPtr& tensor_;
  const Facts& known_;
  llvm::SmallVector<Stmt, 8> around_;
  llvm::SmallVector<const For*, 3> threads_;
  llvm::SmallVector<Touch, 8> touches_;
};

}  // namespace

RegisterOwners register_owners(const TensorPtr& tensor, const Stmt& body, const Facts& known) {
  return Owners(tensor, known).run(body);
}

}  // namespace hone
