#include "ir/opcodes/opcodes.h"
#include "tests/support/mutants/changes.h"

namespace hone {
namespace {

Stmt by_one_lane(const Stmt& stmt) {
  return If::make(ThreadIndex::make(IndexSpace::thread, 0) % 32 == 0, stmt);
}

Stmt dropped(const Instr&) { return nothing(); }

void add_initialisations(const Collector& add) {
  constexpr auto is_init = is<op::init_mbarrier>;
  add.each(is_init, "mbarrier not initialised", dropped);
  const std::pair<const char*, int64_t> wrong_counts[] = {{"a count one more", 1},
                                                          {"a count one less", -1},
                                                          {"a count of a warp more", 32},
                                                          {"a count of a warp less", -32}};
  for (const auto& [kind, by] : wrong_counts)
    add.each(is_init, kind, [by = by](const Instr& init) -> Stmt {
      const int64_t count = init.constants[0] + by;
      return count > 0 ? init.with_constants(count) : Stmt();
    });
  add.each<If>("mbarriers initialised by all", [](const If& guard) {
    return any_of(guard.body, is<op::init_mbarrier>) ? guard.body : Stmt();
  });
}

void add_arrivals(const Collector& add) {
  constexpr auto is_arrival = is<op::arrive_mbarrier>;
  add.each(is_arrival, "arrival dropped", dropped);
  add.each(is_arrival, "arrival twice", [](const Instr& arrive) {
    return Seq::make({Stmt(&arrive), Stmt(&arrive)});
  });
  for (const int64_t after_copies : {0, 1})
    add.each(is_arrival, after_copies == 0 ? "arrival before copies" : "arrival after copies",
             [&](const Instr& arrive) {
               return arrive.constants[0] == after_copies ? Stmt()
                                                          : arrive.with_constants(after_copies);
             });
  add.each(is_arrival, "arrival of one lane",
           [](const Instr& arrive) { return by_one_lane(Stmt(&arrive)); });
  add.each<If>("arrival of every lane", [](const If& guard) {
    return is<op::arrive_mbarrier>(guard.body) ? guard.body : Stmt();
  });
}

void add_waits(const Collector& add) {
  constexpr auto is_wait = is<op::wait_mbarrier>;
  add.each(is_wait, "wait dropped", dropped);
  add.each(is_wait, "the other parity",
           [](const Instr& wait) { return wait.with(wait.places, 1 - wait.values[0]); });
  for (const int64_t parity : {0, 1})
    add.each(is_wait, parity == 0 ? "always parity 0" : "always parity 1",
             [&](const Instr& wait) { return wait.with(wait.places, Expr(parity)); });
  add.each(is_wait, "wait of one lane", [](const Instr& wait) { return by_one_lane(Stmt(&wait)); });
}

void add_expected_bytes(const Collector& add) {
  constexpr auto is_expectation = is<op::expect_bytes>;
  add.each(is_expectation, "expectation dropped", dropped);
  add.each(is_expectation, "expectation twice", [](const Instr& expect) {
    return Seq::make({Stmt(&expect), Stmt(&expect)});
  });
  for (const int64_t bytes : {16, -16})
    add.each(
        is_expectation, bytes > 0 ? "more bytes expected" : "fewer bytes expected",
        [&](const Instr& expect) { return expect.with_constants(expect.constants[0] + bytes); });
  add.each(is_expectation, "arrival without bytes", [](const Instr& expect) {
    return Instr::make(op::arrive_mbarrier, expect.places, {}, {0});
  });
}

/// The mbarriers that the kernel allocates.
std::vector<TensorPtr> mbarriers_of(const KernelFunction& kernel) {
  std::vector<TensorPtr> all;
  walk(kernel.body, [&](const Stmt& stmt) {
    const Instr* init = as(stmt, op::init_mbarrier);
    if (init && !llvm::is_contained(all, init->places[0].tensor))
      all.push_back(init->places[0].tensor);
  });
  return all;
}

/// An arrival or a wait at the mbarrier of another name: at full for empty.
void add_exchanged(const Collector& add, const KernelFunction& kernel) {
  const std::vector<TensorPtr> all = mbarriers_of(kernel);
  for (const TensorPtr& other : all) {
    const auto at_other = [&](const Instr& instr) {
      llvm::SmallVector<ElementRef, 3> places = instr.places;
      places.back().tensor = other;
      return instr.with(places, instr.values);
    };
    add.each(is<op::arrive_mbarrier>, "arrival at another one", at_other);
    add.each(is<op::wait_mbarrier>, "wait for another one", at_other);
    add.each(is<op::expect_bytes>, "bytes expected at another one", at_other);
    add.each(is<op::copy_bulk>, "bytes counted at another one", at_other);
  }
}

}  // namespace

void add_mbarrier_mistakes(std::vector<SeededMistake>& mistakes, const KernelFunction& kernel) {
  const Collector add(mistakes, kernel, SeededMistake::About::order);
  add_initialisations(add);
  add_arrivals(add);
  add_waits(add);
  add_expected_bytes(add);
  add_exchanged(add, kernel);
}

}  // namespace hone
