// Random programs under random schedules: whatever is accepted computes what the program computes.
//
// HONE_RANDOM_PROGRAMS=5000 HONE_RANDOM_SEED=7 runs more and others.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codegen/lower.h"
#include "codegen/parse_kernel.h"
#include "fmt/format.h"
#include "ir/analysis/accesses.h"
#include "ir/analysis/site.h"
#include "ir/interpret/interpreter.h"
#include "ir/interpret/promised_sizes.h"
#include "ir/opcodes/opcodes.h"
#include "ir/text/parser.h"
#include "ir/traverse/rewriter.h"
#include "ir/traverse/visit.h"
#include "tests/support/codegen/barriers.h"
#include "tests/support/codegen/races.h"
#include "tests/support/ir/garbage.h"
#include "tests/support/ir/run.h"
#include "tests/support/random/campaign.h"
#include "tests/support/random/check_mode.h"
#include "tests/support/random/reference.h"

namespace hone {
namespace random_schedule_test {

TEST(RandomSchedules, KeepTheMeaningOfRandomPrograms) {
  const CampaignResult result = run_campaign(campaign_from_environment());
  fmt::print("{}", result.statistics());
  for (const std::string& failure : result.failures) ADD_FAILURE() << failure;
}

TEST(RandomSchedules, OneCaseDoesNotDependOnTheOthers) {
  const CaseReport alone = run_case({3, 41, {}, {}});
  const CaseReport again = run_case({3, 41, {}, {}});
  EXPECT_EQ(alone.choices, again.choices);
  EXPECT_EQ(alone.source, again.source);
  EXPECT_NE(alone.choices, run_case({3, 42, {}, {}, false}).choices);
  EXPECT_NE(alone.choices, run_case({4, 41, {}, {}, false}).choices);
}

TEST(RandomSchedules, TheHeapHasNoPartInACase) {
  for (uint64_t number = 0; number < 20; ++number) {
    const CaseReport alone = run_case({12, number, {}, {}});
    const Garbage garbage(static_cast<unsigned>(number));
    const CaseReport again = run_case({12, number, {}, {}});
    EXPECT_EQ(alone.choices, again.choices);
    EXPECT_EQ(alone.counts, again.counts);  // also of refusals
    EXPECT_EQ(alone.source, again.source);
  }
}

TEST(RandomSchedules, ACaseIsReplayedFromItsChoicesAndSteps) {
  const CaseReport drawn = run_case({3, 41, {}, {}});
  const CaseReport replayed = run_case({3, 41, drawn.choices, drawn.steps, false});
  EXPECT_EQ(replayed.check, "");
  EXPECT_EQ(replayed.source, drawn.source);
}

/// Traces are read as steps, whatever axes are called and whichever step has named them.
TEST(RandomSchedules, TheTextOfATraceMakesTheSchedule) {
  int steps_with_names = 0;
  for (uint64_t number = 0; number < 150; ++number) {
    RandomCase random_case{9, number, {}, {}};
    random_case.extras = Extras("all");
    const auto [program, schedule] = replay(random_case, run_case(random_case));
    const std::string text = schedule.trace_text();
    Schedule read(*program.program);
    read.replay(text, "steps");
    EXPECT_EQ(to_string(read.function()), to_string(schedule.function())) << text;
    EXPECT_EQ(read.trace_text(), text);
    for (const TraceEntry& entry : schedule.trace()) steps_with_names += !entry.step.names.empty();
  }
  EXPECT_GT(steps_with_names, 30);
}

/// Runs the case, and takes it as a failure that a step of `primitive` was accepted.
CaseReport fails_after(const char* primitive, const RandomCase& random_case) {
  CaseReport report = run_case(random_case);
  for (const Step& step : report.steps)
    if (step.primitive->name == primitive) report.check = "planted";
  return report;
}

/// The first number of the seed whose schedule has at least `steps` steps and fails as planted.
RandomCase long_failing_case(const RunCase& run, size_t steps) {
  RandomCase random_case{5, 0, {}, {}, false};
  for (;; ++random_case.number) {
    const CaseReport report = run(random_case);
    if (report.has_failed() && report.steps.size() >= steps) return random_case;
  }
}

TEST(RandomSchedules, AFailureShrinksToTheStepThatMattersAndPrintsAsCpp) {
  const RunCase run = [](const RandomCase& random_case) {
    return fails_after("split_into", random_case);
  };
  const RandomCase failing = long_failing_case(run, 6);
  const Shrunk shrunk = shrink(failing, run(failing), run);
  ASSERT_EQ(shrunk.report.steps.size(), 1u);
  EXPECT_EQ(shrunk.report.check, "planted");
  EXPECT_THAT(
      reproducer(shrunk.smallest, shrunk.report),
      testing::ContainsRegex("\n    C\\(.*\\) = .*\\);\n"
                             "Schedule s\\(program\\);\n"
                             "auto \\[\\w*_0, \\w*_1\\] = s.split_into\\(.*, [12]\\);\n// "));
}

// ---- What is planted is found -------------------------------------------------------------------

/// A campaign of so many programs that finds, and shows once, a wrong rewrite behind each step.
CampaignResult campaign_with(Function (*planted)(const Function&), uint64_t count) {
  Campaign campaign{
      .seed = 2, .count = count, .host_share = 0, .nvrtc_share = 0, .most_failures = 1};
  campaign.plant = planted;
  campaign.extras = Extras("all,-tensors");  // compile refuses instructions of changed loops
  CampaignResult result = run_campaign(campaign);
  EXPECT_EQ(result.failures.size(), 1u);
  result.failures.resize(1);
  return result;
}

/// A wrong rewrite: loops of a function with a tile in shared memory lose their last iteration.
Function forget_last_iterations(const Function& function) {
  const bool has_tile = find_stmt(function.body, [](const Stmt& stmt) {
    const auto* alloc = llvm::dyn_cast<Alloc>(stmt);
    return alloc && alloc->tensor->scope == Scope::shared;
  });
  if (!has_tile) return function;
  Function result = function;
  result.body = transform_stmts(function.body, [](const Stmt& stmt) {
    const auto* loop = llvm::dyn_cast<For>(stmt);
    const int64_t extent = loop ? as_int(loop->extent).value_or(0) : 0;
    return extent > 1 ? For::make(loop->axis, extent - 1, loop->binding, loop->body) : Stmt();
  });
  return result;
}

/// A wrong merge: the second of two loops that become one runs ahead of the first.
Function merge_in_the_other_order(const Function& function) {
  const auto is_merge = [](const std::string& step) {
    return llvm::StringRef(step).contains("s.merge(");
  };
  if (llvm::none_of(function.history, is_merge)) return function;
  Function result = function;
  result.body = transform_stmts(function.body, [](const Stmt& stmt) {
    const auto* loop = llvm::dyn_cast<For>(stmt);
    const auto* seq = loop ? llvm::dyn_cast<Seq>(loop->body) : nullptr;
    if (!seq || seq->stmts.size() != 2) return Stmt();
    return loop->with_body(Seq::make({seq->stmts[1], seq->stmts[0]}));
  });
  return result;
}

TEST(RandomSchedules, FindAWrongMerge) {
  const CampaignResult result = campaign_with(merge_in_the_other_order, 400);
  EXPECT_THAT(result.failures[0], testing::HasSubstr("s.merge("));
}

/// Behind a step the interpreter runs at some of the sizes, and the kernel at all of them behind
/// the last one.
TEST(RandomSchedules, FindAWrongRewriteAndShowTheStepThatMakesIt) {
  const CampaignResult result = campaign_with(forget_last_iterations, 30);
  EXPECT_THAT(result.failures[0],
              testing::ContainsRegex(
                  "^(interpreter|simulated device) \\(HONE_RANDOM_SEED=2 HONE_RANDOM_FIRST="));
  EXPECT_THAT(result.failures[0],
              testing::ContainsRegex("Schedule s\\(program\\);\n.*s.(cache_shared|compute_at)"));
  EXPECT_GT(result.counts.at("failed: interpreter"), 1);
}

/// A wrong rewrite: registers start from 0 where they should have what is in the tensor that they
/// are written back to.
Function forget_old_values(const Function& function) {
  Function result = function;
  result.body = transform_stmts(function.body, [&](const Stmt& stmt) -> Stmt {
    const auto* store = llvm::dyn_cast<Store>(stmt);
    const auto* load = store ? llvm::dyn_cast<Load>(store->value) : nullptr;
    if (!load || is_tuple(load->type) || store->tensor->scope != Scope::registers) return {};
    return writes(function.body, load->tensor)
               ? store->with(store->tensor, store->indices, cast(load->type, 0))
               : Stmt();
  });
  return result;
}

TEST(RandomSchedules, FindThatOldValuesAreForgotten) {
  const CampaignResult result = campaign_with(forget_old_values, 120);
  EXPECT_THAT(result.failures[0], testing::ContainsRegex("s.(cache_registers|compute_at)"));
}

Function abort_at_tiles(const Function& function) {
  if (forget_last_iterations(function).body.same_as(function.body)) return function;
  std::abort();
}

TEST(RandomSchedules, ACrashIsThatOfItsCaseAndTheOthersGoOn) {
  Campaign campaign{.seed = 2, .count = 30, .host_share = 0, .nvrtc_share = 0, .most_failures = 0};
  campaign.plant = abort_at_tiles;
  const CampaignResult result = run_campaign(campaign);
  const int crashes = result.counts.at("failed: crash");
  EXPECT_GT(crashes, 1);
  EXPECT_GT(result.counts.at("ran simulated"), 20 - crashes);
  for (const uint64_t number : result.examples.at("failed: crash")) {
    RandomCase alone{2, number, {}, {}};
    alone.extras = campaign.extras;
    alone.plant = abort_at_tiles;
    const CaseReport report = run_case(alone);
    EXPECT_EQ(report.check, "crash") << number;
    EXPECT_EQ(report.message, "ended by signal 6") << number;
  }
}

// ---- The reference ------------------------------------------------------------------------------

/// The reference's result of a program whose result is C, from counting buffers.
Values computed(llvm::ArrayRef<Definition> definitions, Buffers buffers) {
  compute(definitions, {}, buffers);
  return values_of(buffers.at("C"));
}

TEST(RandomSchedules, TheReferenceComputesByTheDefinitions) {
  Axis i("i", 2);
  ReduceAxis k("k", 3);
  Tensor A("A", f32, {2, 3}, Layout::column_major()), at("at", i32, {3}), C("C", f32, {2});
  // Columns of A: 1 2, 3 4, 5 6.
  EXPECT_EQ(computed({C(i) = 2.0 * sum(k, A(i, k))},
                     {{"A", counting(f32, {2, 3})}, {"C", counting(f32, {2})}}),
            (Values{18, 24}));
  EXPECT_EQ(computed({C(at(k)) = max(k, A(1, k))}, {{"A", counting(f32, {2, 3})},
                                                    {"at", vector_of({1, 0, 1}, i32)},
                                                    {"C", counting(f32, {2})}}),
            (Values{4, 6}));
  const Buffers buffers = {{"A", counting(f32, {2, 3})}, {"C", counting(f32, {2})}};
  EXPECT_EQ(computed({C(i) += sum(k, A(i, k))}, buffers), (Values{10, 14}));
  EXPECT_EQ(computed({C(i) = max(C(i), max(k, A(1 - i, k) - 4))}, buffers), (Values{2, 2}));
  EXPECT_EQ(computed({C(i) *= A(i, 1), C(i) = 100.0 - C(i)}, buffers), (Values{97, 92}));
}

TEST(RandomSchedules, TheReferenceComputesExactly) {
  Axis i("i", 2);
  Tensor C("C", i32, {2}), D("C", f16, {2});
  const Buffers integers = {{"C", counting(i32, {2})}}, halves = {{"C", counting(f16, {2})}};
  EXPECT_EQ(computed({C(i) = cast(i32, (i * 3037000500 * 3037000499 + 7) % 1000)}, integers),
            (Values{7, 507}));
  EXPECT_EQ(computed({C(i) = cast(i32, i + 2147483647)}, integers),
            (Values{2147483647, -2147483648}));
  EXPECT_EQ(computed({D(i) = cast(f16, i + 2048) + cast(f16, i)}, halves), (Values{2048, 2048}));
  EXPECT_EQ(message_of<ReferenceError>([&] {
              computed({C(i) = cast(i32, (i * 3037000500 * 3037000500) % 10)}, integers);
            }),
            "an index is beyond 64 bits");
  EXPECT_EQ(message_of<ReferenceError>([&] { computed({C(i) = C(C(i) + 1)}, integers); }),
            "index 0 of C is 2, outside 0..2");
}

// ---- Check mode ---------------------------------------------------------------------------------

/// Findings in a kernel of `body` with A to read and C, of 4 elements each, that nothing has
/// written.
std::vector<Finding> findings_in(const std::string& body) {
  Module module;
  module.kernels.push_back(parse_kernel(fmt::format(
      "kernel p(A: f32[4], C: f32[4]) grid(1, 1, 1) block(1, 1, 1) @index32 {{ {} }}", body)));
  module.arguments = module.kernels[0].arguments;
  Buffers buffers;
  for (const TensorPtr& tensor : module.arguments)
    buffers.emplace(tensor->name, buffer_for(*tensor, {}));
  llvm::StringSet<> unwritten;
  unwritten.insert("C");
  return check_kernels(module, {}, unwritten, buffers);
}

TEST(RandomSchedules, MayMoveUnwrittenElementsButNotComputeWithThem) {
  const std::string tile = "alloc R: f32[4] @registers for i in 0..4 { ";
  EXPECT_EQ(texts_of(findings_in(tile + "R[i] = select(i < 3, C[i], 0.0) C[i] = A[i] }")), "");
  EXPECT_EQ(texts_of(findings_in(tile + "R[i] = C[i] C[i] = R[i] }")), "");
  for (const char* use : {"C[i] += A[i] }", "R[i] = C[i] + 1.0 }", "C[i] = max(C[i], A[i]) }",
                          "R[i] = C[i] C[3 - i] = R[i] }"})
    EXPECT_EQ(findings_in(tile + use).size(), 1u) << use;
}

/// A tile that is larger than the part of a program that fills it takes old elements, and gives
/// them back.
TEST(RandomSchedules, MayTakeUnwrittenElementsInTiles) {
  const Axis i("i", 21), r("r", 5);
  const Tensor A("A", f32, {5, 21}), Y("Y", f32, {5, 21}), Z("Z", f32, {5, 21});
  const Program program("p", Y(r, i) = A(r, i) * 2.0, Z(r, i) = Y(r, i) + 1.0);
  for (const bool is_shared : {false, true}) {
    Schedule s(program);
    const auto cache = [&](const Tensor& tensor, const Axis& axis) {
      is_shared ? s.cache_shared(tensor, axis) : s.cache_registers(tensor, axis);
    };
    auto [i0, i1] = s.split(s.axis(Y, i), 2);
    auto [i10, i11] = s.split(i1, 8);
    cache(Y, i10);
    auto [r0, r1] = s.split_into(s.axis(Z, r), 2);
    auto [r10, r11] = s.split(r1, 4);
    cache(Z, r10);
    Buffers buffers;
    for (const TensorPtr& tensor : program.function().arguments)
      buffers.emplace(tensor->name, buffer_for(*tensor, {}));
    llvm::StringSet<> outputs;
    outputs.insert("Y");
    outputs.insert("Z");
    EXPECT_EQ(texts_of(check_kernels(lower(s.function()), {}, outputs, buffers)), "")
        << to_string(s.function());
  }
}

TEST(RandomSchedules, KnowWhatAProgramWritesInFull) {
  const Function function = parse_function(
      "func p(A: f32[4], C: f32[4], D: f32[4], E: f32[4]) { for i in 0..4 { C[i] = A[i] "
      "if (i < 3) { D[i] = A[i] } E[i] += A[i] } }");
  const Buffers before = random_buffers(function, {}, 7);
  Buffers after = before;
  interpret(function, {}, after);
  const llvm::StringSet<> names = written_in_full(function, {}, before, after);
  EXPECT_TRUE(names.contains("C"));
  EXPECT_EQ(names.size(), 1u);
}

struct Agreement {
  int races = 0, harmless = 0;  ///< barriers whose loss is a race, and those where it is none
};

bool is_race(const Finding& finding) {
  return finding.kind == FindingKind::race || finding.kind == FindingKind::same_value_race ||
         finding.kind == FindingKind::divergent_barrier;
}

/// True if check mode finds a race, with warps in that order.
bool has_race(const Module& module, const Sizes& sizes, const Buffers& inputs, uint64_t order) {
  Buffers buffers = inputs;
  return llvm::any_of(check_kernels(module, sizes, {}, buffers, order), is_race);
}

bool has_arrival(const KernelFunction& kernel) { return any_of(kernel.body, is<op::arrive>); }

/// Drops each barrier of the module's kernels, for the sizes, and compares what check mode says of
/// what is left with a walk over the accesses of all threads, whatever the order of the warps.
void drop_barriers(const Module& module, const Sizes& sizes, const Buffers& inputs,
                   Agreement& agreement) {
  EXPECT_FALSE(has_race(module, sizes, inputs, 1)) << to_string(module.kernels.front());
  for (size_t number = 0; number < module.kernels.size(); ++number)
    for (int n = 0; n < count_barriers(module.kernels[number]); ++n) {
      Module mutant = module;
      mutant.kernels[number] = without_barrier(module.kernels[number], n);
      Buffers buffers = inputs;
      const auto findings = check_kernels(mutant, sizes, {}, buffers);
      const auto race = find_race(mutant.kernels[number], sizes);
      // The walk does not know that a block publishes what it wrote before it arrives.
      if (!race && has_arrival(mutant.kernels[number])) continue;
      for (const uint64_t order : {1, 2})
        EXPECT_EQ(has_race(mutant, sizes, inputs, order), race.has_value())
            << "in order " << order << "\n"
            << to_string(mutant.kernels[number]);
      ASSERT_EQ(llvm::any_of(findings, is_race), race.has_value())
          << "without barrier " << n << "\n"
          << race.value_or("no race") << "\n"
          << texts_of(findings) << to_string(mutant.kernels[number]);
      ++(race ? agreement.races : agreement.harmless);
    }
}

/// The same for the kernels of a case, with the sizes that they take.
void drop_barriers(const RandomCase& random_case, Agreement& agreement) {
  const CaseReport report = run_case(random_case);
  if (report.has_failed() || report.counts.count("with barriers") == 0) return;
  const auto [program, schedule] = replay(random_case, report);
  SCOPED_TRACE(fmt::format("seed {}, number {}", random_case.seed, random_case.number));
  for (const Sizes& sizes : program.sizes) {
    if (!keeps_promises(schedule.function(), sizes)) continue;
    drop_barriers(lower(schedule), sizes,
                  random_buffers(program.function(), sizes, random_case.seed), agreement);
  }
}

TEST(RandomSchedules, CheckModeFindsTheRacesOfDroppedBarriers) {
  Agreement agreement;
  for (uint64_t number = 0; number < 20; ++number)
    drop_barriers({6, number, {}, {}, false}, agreement);
  fmt::print("{} barriers dropped make a race, {} do not\n", agreement.races, agreement.harmless);
  EXPECT_GT(agreement.races, 10);
}

}  // namespace random_schedule_test
}  // namespace hone
