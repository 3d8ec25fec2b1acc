#include "tests/support/mutants/changes.h"

namespace hone {
namespace {

Stmt by_one_lane(const Stmt& stmt) {
  return If::make(ThreadIndex::make(IndexSpace::thread, 0) % 32 == 0, stmt);
}

void add_initialisations(const Collector& add) {
  add.each<InitMbarrier>("mbarrier not initialised", [](const InitMbarrier&) { return nothing(); });
  const std::pair<const char*, int64_t> wrong_counts[] = {{"a count one more", 1},
                                                          {"a count one less", -1},
                                                          {"a count of a warp more", 32},
                                                          {"a count of a warp less", -32}};
  for (const auto& [kind, by] : wrong_counts)
    add.each<InitMbarrier>(kind, [by = by](const InitMbarrier& init) -> Stmt {
      const int64_t count = init.count + by;
      return count > 0 ? InitMbarrier::make(init.mbarriers, init.slot, count) : Stmt();
    });
  add.each<If>("mbarriers initialised by all", [](const If& guard) {
    const bool initialises =
        any_of(guard.body, [](const Stmt& stmt) { return llvm::isa<InitMbarrier>(stmt); });
    return initialises ? guard.body : Stmt();
  });
}

void add_arrivals(const Collector& add) {
  using Node = ArriveMbarrier;
  add.each<Node>("arrival dropped", [](const Node&) { return nothing(); });
  add.each<Node>("arrival twice", [](const Node& arrive) {
    const Stmt again = ArriveMbarrier::make(arrive.mbarriers, arrive.slot, arrive.after_copies);
    return Seq::make({again, again});
  });
  add.each<Node>("arrival before copies", [](const Node& arrive) {
    return arrive.after_copies ? ArriveMbarrier::make(arrive.mbarriers, arrive.slot) : Stmt();
  });
  add.each<Node>("arrival after copies", [](const Node& arrive) {
    return arrive.after_copies ? Stmt() : ArriveMbarrier::make(arrive.mbarriers, arrive.slot, true);
  });
  add.each<Node>("arrival of one lane", [](const Node& arrive) {
    return by_one_lane(ArriveMbarrier::make(arrive.mbarriers, arrive.slot, arrive.after_copies));
  });
  add.each<If>("arrival of every lane", [](const If& guard) {
    return llvm::isa<ArriveMbarrier>(guard.body) ? guard.body : Stmt();
  });
}

void add_waits(const Collector& add) {
  using Node = WaitMbarrier;
  const auto with_parity = [](const Node& wait, const Expr& parity) {
    return WaitMbarrier::make(wait.mbarriers, wait.slot, parity);
  };
  add.each<Node>("wait dropped", [](const Node&) { return nothing(); });
  add.each<Node>("the other parity",
                 [&](const Node& wait) { return with_parity(wait, 1 - wait.parity); });
  for (const int64_t parity : {0, 1})
    add.each<Node>(parity == 0 ? "always parity 0" : "always parity 1",
                   [&](const Node& wait) { return with_parity(wait, parity); });
  add.each<Node>("wait of one lane",
                 [&](const Node& wait) { return by_one_lane(with_parity(wait, wait.parity)); });
}

/// The mbarriers that the kernel allocates.
std::vector<TensorPtr> mbarriers_of(const KernelFunction& kernel) {
  std::vector<TensorPtr> all;
  walk(kernel.body, [&](const Stmt& stmt) {
    const auto* init = llvm::dyn_cast<InitMbarrier>(stmt);
    if (init && !llvm::is_contained(all, init->mbarriers)) all.push_back(init->mbarriers);
  });
  return all;
}

/// An arrival or a wait at the mbarrier of another name: at full for empty.
void add_exchanged(const Collector& add, const KernelFunction& kernel) {
  const std::vector<TensorPtr> all = mbarriers_of(kernel);
  for (const TensorPtr& other : all) {
    add.each<ArriveMbarrier>("arrival at another one", [&](const ArriveMbarrier& arrive) {
      return ArriveMbarrier::make(other, arrive.slot, arrive.after_copies);
    });
    add.each<WaitMbarrier>("wait for another one", [&](const WaitMbarrier& wait) {
      return WaitMbarrier::make(other, wait.slot, wait.parity);
    });
  }
}

}  // namespace

void add_mbarrier_mistakes(std::vector<SeededMistake>& mistakes, const KernelFunction& kernel) {
  const Collector add(mistakes, kernel, SeededMistake::About::order);
  add_initialisations(add);
  add_arrivals(add);
  add_waits(add);
  add_exchanged(add, kernel);
}

}  // namespace hone
