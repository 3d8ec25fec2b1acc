// Small programs, cut twice, with tiles of tiles and threads anywhere: a fixed selection of them.
// An accepted schedule is right, and reads and writes nothing that it should not.
#include <gtest/gtest.h>

#include "codegen/lower.h"
#include "dsl/schedule.h"
#include "ir/analysis/accesses.h"
#include "ir/analysis/site.h"
#include "tests/support/ir/run.h"
#include "tests/support/random/check_mode.h"
#include "tests/support/random/random_program.h"

namespace hone {
namespace guard_sweep_test {

/// A number, taken apart into choices.
class Choices {
 public:
  explicit Choices(size_t number) : rest_(number) {}

  size_t below(size_t count) {
    const size_t choice = rest_ % count;
    rest_ /= count;
    return choice;
  }
  template <class Range>
  const auto& pick(const Range& range) {
    return range[below(std::size(range))];
  }

 private:
  size_t rest_;
};

/// A program, and the axis that is to be cut.
struct Subject {
  Program program;
  Axis axis;
};

std::vector<Subject> all_subjects() {
  const Param N("N");
  const Axis i("i", N), row("i", 2), next("n", N);
  const ReduceAxis k("k", 3), all("k", N);
  const Tensor A("A", f32, {N, 3}), S("S", f32, {N}), T("T", f32, {N}), w("w", f32, {N}),
      B("B", f32, {2, N}), P("P", f32, {2}), V("V", f32, {N + 2}), u("u", f32, {3});
  return {{Program("sums", S(i) = sum(k, A(i, k))), i},
          {Program("largest", S(i) = max(k, A(i, k))), i},
          {Program("in_place", S(i) = S(i) * 2 + 1), i},
          {Program("windows", S(i) = sum(k, V(i + k) * u(k))), i},
          {Program("products", P(row) = sum(all, B(row, all) * w(all))), all},
          {Program("chosen", P(row) = sum(all, select(Expr(all) < row + 3, B(row, all), 0))), all},
          {Program("reversed", output(T(i) = w(i) * 2), S(next) = T(N - 1 - next) + w(next)), i}};
}

constexpr Tail tails[] = {Tail::guard, Tail::pad, Tail::peel};

void cut(Choices& choices, Schedule& s, const Axis& axis) {
  constexpr int64_t first[] = {2, 3, 4}, second[] = {2, 3, 4};
  const auto parts = s.split(axis, choices.pick(first), {.tail = choices.pick(tails)});
  const Axis& again = parts[choices.below(2)];
  s.split(again, choices.pick(second), {.tail = choices.pick(tails)});
}

/// Some of the loops become blocks and threads; those of reductions combine.
void bind_loops(Choices& choices, Schedule& s) {
  constexpr Combine::Method methods[] = {Combine::atomic, Combine::sequential};
  for (size_t n = 0; n < 2; ++n) {
    const auto loops = loops_of(s.function().body);
    const For& loop = *choices.pick(loops);
    const Combine combine =
        loop.is_reduction() ? Combine{choices.pick(methods)} : Combine{Combine::none};
    const Binding thread_n = n == 0 ? thread.x : thread.y;
    s.bind(Axis(loop.axis, loop.extent), choices.below(3) == 0 ? block.x : thread_n, combine);
  }
}

/// The part of a tensor, or of a tile, that a loop touches.
void cache(Choices& choices, Schedule& s) {
  const auto loops = loops_of(s.function().body);
  const For& loop = *choices.pick(loops);
  const Accesses accesses = collect_accesses(loop.body);
  const Tensor tensor(choices.pick(accesses).tensor);
  const Axis axis(loop.axis, loop.extent);
  if (choices.below(2) == 0)
    s.cache_registers(tensor, axis);
  else
    s.cache_shared(tensor, axis);
}

/// A program at a size, and what it leaves.
struct Meaning {
  Sizes sizes;
  Buffers before, after;
  llvm::StringSet<> unset;  ///< that the program sets in full
};

Meaning meaning_of(const Function& program, const Sizes& sizes) {
  Meaning run{sizes, random_buffers(program, sizes, 3), {}, {}};
  run.after = run.before;
  interpret(program, sizes, run.after);
  run.unset = written_in_full(program, sizes, run.before, run.after);
  return run;
}

/// The mistake of the kernels; empty where they are right.
std::string mistake_of(const Module& kernels, const Meaning& meaning) {
  Buffers results = meaning.before;
  const auto findings = check_kernels(kernels, meaning.sizes, meaning.unset, results);
  if (!findings.empty()) return texts_of(findings);
  for (const auto& [name, buffer] : meaning.after)
    if (values_of(results.find(name)->second) != values_of(buffer)) return name + " is wrong";
  return "";
}

/// The kernels of schedule `number` of the subject; nothing where a step of it is refused.
std::optional<Module> kernels_of(size_t number, const Subject& subject, Schedule& s) {
  Choices choices(number);
  try {
    cut(choices, s, subject.axis);
    const bool binds_first = choices.below(2) == 0;
    if (binds_first) bind_loops(choices, s);
    cache(choices, s);
    cache(choices, s);
    if (!binds_first) bind_loops(choices, s);
    return lower(s.function());
  } catch (const ScheduleError&) {
    return std::nullopt;
  }
}

TEST(Guards, AreRightInASelectionOfSmallSchedules) {
  constexpr size_t stride = 1000003, count = 1500;
  size_t accepted = 0;
  for (const Subject& subject : all_subjects()) {
    const Meaning meaning = meaning_of(subject.program.function(), {{"N", 7}});
    for (size_t n = 0; n < count; ++n) {
      Schedule s(subject.program);
      const auto kernels = kernels_of(n * stride, subject, s);
      if (!kernels) continue;
      ++accepted;
      EXPECT_EQ(mistake_of(*kernels, meaning), "") << s.trace_text() << to_string(s.function());
    }
  }
  EXPECT_GT(accepted, 1000U);
}

}  // namespace guard_sweep_test
}  // namespace hone
