#include <map>

#include "ir/traverse/rename.h"
#include "tests/support/mutants/changes.h"

namespace hone {
namespace {

/// Tensors with slots by trips, as in S[k % 3, ...], and how many they have.
using Rings = std::map<std::string, int64_t>;

std::optional<int64_t> modulus(const Expr& slot) {
  const auto* digit = llvm::dyn_cast<Binary>(slot);
  return digit && digit->op == BinaryOp::mod ? as_int(digit->rhs) : std::nullopt;
}

std::vector<const AxisNode*> loops_of(const KernelFunction& kernel) {
  std::vector<const AxisNode*> loops;
  walk(kernel.body, [&](const Stmt& stmt) {
    if (const auto* loop = llvm::dyn_cast<For>(stmt)) loops.push_back(loop->axis.get());
  });
  return loops;
}

/// The first index of an element of the tensor.
struct Access {
  TensorPtr tensor;
  Expr slot;
};

std::vector<Access> accesses_of(const Stmt& stmt) {
  std::vector<Access> accesses;
  const auto add = [&](const TensorPtr& tensor, llvm::ArrayRef<Expr> indices) {
    if (!indices.empty() && tensor->scope != Scope::global)
      accesses.push_back({tensor, indices.front()});
  };
  walk(stmt, [&](const Stmt& part) {
    if (const auto* store = llvm::dyn_cast<Store>(part)) add(store->tensor, store->indices);
    if (const auto* copy = llvm::dyn_cast<Copy>(part))
      for (const Region& side : {copy->destination, copy->source})
        if (!side.ranges.empty()) add(side.tensor, {side.ranges.front().offset});
    if (const auto* instr = llvm::dyn_cast<Instr>(part))
      for (const ElementRef& place : instr->places) add(place.tensor, place.indices);
  });
  walk_exprs(stmt, [&](const Expr& part) {
    if (const auto* load = llvm::dyn_cast<Load>(part)) add(load->tensor, load->indices);
  });
  return accesses;
}

Rings rings_of(const KernelFunction& kernel) {
  const std::vector<const AxisNode*> loops = loops_of(kernel);
  Rings rings;
  for (const Access& access : accesses_of(kernel.body)) {
    const auto slots = modulus(access.slot);
    const bool is_by_trips =
        llvm::any_of(loops, [&](const AxisNode* axis) { return names(access.slot, axis); });
    if (slots && is_by_trips) rings[access.tensor->name] = *slots;
  }
  return rings;
}

// ---- Slots --------------------------------------------------------------------------------------

/// One access to a ring goes to another slot.
class SlotMistake : public Mutation {
 public:
  using Change = Expr (*)(const Expr& slot, int64_t slots);
  SlotMistake(size_t number, std::pair<const Rings*, Change> rings_and_change)
      : Mutation(number), rings_(*rings_and_change.first), change_(rings_and_change.second) {}

  Expr rewrite(const Expr& expr) override {
    const auto* load = llvm::dyn_cast<Load>(expr);
    if (!load || !is_wanted(load->tensor)) return rewrite_operands(expr);
    describe(to_string(expr));
    return Load::make(load->tensor, changed(load->tensor, load->indices));
  }

  Stmt rewrite(const Stmt& stmt) override {
    if (const auto* copy = llvm::dyn_cast<Copy>(stmt)) return of_copy(*copy);
    if (const auto* instr = llvm::dyn_cast<Instr>(stmt)) return of_instr(stmt, *instr);
    const auto* store = llvm::dyn_cast<Store>(stmt);
    if (!store || !is_wanted(store->tensor)) return rewrite_operands(stmt);
    describe(head(stmt));
    return store->with(store->tensor, changed(store->tensor, store->indices), store->value);
  }

 private:
  bool is_wanted(const TensorPtr& tensor) { return rings_.count(tensor->name) != 0 && is_here(); }

  llvm::SmallVector<Expr, 4> changed(const TensorPtr& tensor, llvm::ArrayRef<Expr> indices) const {
    llvm::SmallVector<Expr, 4> result(indices.begin(), indices.end());
    result.front() = change_(result.front(), rings_.at(tensor->name));
    return result;
  }

  Stmt of_copy(const Copy& copy) {
    Region sides[] = {copy.destination, copy.source};
    for (Region& side : sides) {
      if (!is_wanted(side.tensor)) continue;
      describe(head(Stmt(&copy)));
      side.ranges.front().offset = changed(side.tensor, {side.ranges.front().offset}).front();
    }
    return copy.with_regions(sides[0], sides[1]);
  }

  Stmt of_instr(const Stmt& stmt, const Instr& instr) {
    llvm::SmallVector<ElementRef, 3> places = instr.places;
    for (ElementRef& place : places) {
      if (!is_wanted(place.tensor)) continue;
      describe(head(stmt));
      place.indices = changed(place.tensor, place.indices);
      return instr.with(places, instr.values);
    }
    return rewrite_operands(stmt);
  }

  const Rings& rings_;
  Change change_;
};

Expr next_slot(const Expr& slot, int64_t slots) { return (slot + 1) % slots; }
Expr last_slot(const Expr& slot, int64_t slots) { return (slot + (slots - 1)) % slots; }
Expr first_slot(const Expr&, int64_t) { return 0; }
/// As in k % 2 for k % 3.
Expr of_a_shorter_ring(const Expr& slot, int64_t slots) {
  return modulus(slot) ? llvm::cast<Binary>(slot)->lhs % (slots - 1) : slot;
}
Expr of_a_longer_ring(const Expr& slot, int64_t slots) {
  return modulus(slot) ? llvm::cast<Binary>(slot)->lhs % (slots + 1) : slot + 1;
}

void add_slots(std::vector<SeededMistake>& mistakes, const KernelFunction& kernel) {
  const Rings rings = rings_of(kernel);
  const std::pair<const char*, SlotMistake::Change> kinds[] = {
      {"the next slot", next_slot},
      {"the slot before", last_slot},
      {"always the first slot", first_slot},
      {"slot of a shorter ring", of_a_shorter_ring},
      {"slot of a longer ring", of_a_longer_ring},
  };
  for (const auto& [kind, change] : kinds)
    add_each<SlotMistake>(mistakes, kernel, kind, SeededMistake::About::values,
                          std::pair(&rings, change));
}

// ---- Memory -------------------------------------------------------------------------------------

std::vector<TensorPtr> shared_tensors(const KernelFunction& kernel) {
  std::vector<TensorPtr> tensors;
  walk(kernel.body, [&](const Stmt& stmt) {
    const auto* alloc = llvm::dyn_cast<Alloc>(stmt);
    if (alloc && alloc->tensor->scope == Scope::shared) tensors.push_back(alloc->tensor);
  });
  return tensors;
}

Stmt at_address(const Alloc& alloc, int64_t address) {
  const auto moved = llvm::makeIntrusiveRefCnt<TensorNode>(*alloc.tensor);
  moved->address = address;
  return Alloc::make(moved, replace_tensor(alloc.body, alloc.tensor.get(), moved));
}

/// A tile whose swizzle goes by the address.
void add_addresses(const Collector& add) {
  add.each<Alloc>("tile at another address", [](const Alloc& alloc) -> Stmt {
    const bool has_place = alloc.tensor->scope == Scope::shared && alloc.tensor->alignment >= 1024;
    return has_place ? at_address(alloc, alloc.tensor->address + 512) : Stmt();
  });
}

/// Two pipelines in one buffer: a ring begins where another one does, or in its last slot.
void add_shared_buffers(const Collector& add, const KernelFunction& kernel, const Rings& rings) {
  for (const TensorPtr& other : shared_tensors(kernel))
    add.each<Alloc>("two rings in one buffer", [&](const Alloc& alloc) -> Stmt {
      const bool are_rings = rings.count(alloc.tensor->name) != 0 && rings.count(other->name) != 0;
      const bool is_tile = alloc.tensor->type != i64 && other->type != i64;
      if (!are_rings || !is_tile || other->address >= alloc.tensor->address) return {};
      return at_address(alloc, other->address);
    });
  add.each<Alloc>("rings that overlap", [&](const Alloc& alloc) -> Stmt {
    const bool is_tile = rings.count(alloc.tensor->name) != 0 && alloc.tensor->type != i64;
    if (!is_tile || alloc.tensor->address < 16) return {};
    return at_address(alloc, alloc.tensor->address - 16);
  });
}

void add_short_rings(const Collector& add, const Rings& rings) {
  add.each<Alloc>("ring one slot shorter", [&](const Alloc& alloc) -> Stmt {
    const auto ring = rings.find(alloc.tensor->name);
    if (ring == rings.end()) return {};
    const auto shorter = llvm::makeIntrusiveRefCnt<TensorNode>(*alloc.tensor);
    shorter->shape.front() = ring->second - 1;
    return Alloc::make(shorter, replace_tensor(alloc.body, alloc.tensor.get(), shorter));
  });
}

}  // namespace

void add_ring_mistakes(std::vector<SeededMistake>& mistakes, const KernelFunction& kernel) {
  add_slots(mistakes, kernel);
  const Rings rings = rings_of(kernel);
  const Collector add(mistakes, kernel, SeededMistake::About::values);
  add_addresses(add);
  add_shared_buffers(add, kernel, rings);
  add_short_rings(add, rings);
}

}  // namespace hone
