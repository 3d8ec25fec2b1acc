#include "gtest/gtest.h"
#include "ir/schedule/text/step_printer.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"
#include "tests/support/ir/expect_rewrite.h"
#include "tests/support/ir/run.h"

namespace hone {
namespace step_test {

constexpr const char* matmul = R"(func f[M, N, K](A: f32[M, K], B: f32[K, N], C: f32[M, N]) {
  for i in 0..M {
    for j in 0..N {
      C[i, j] = 0.0
      reduce k in 0..K { C[i, j] += A[i, k] * B[k, j] }
    }
  }
})";

/// A program under schedule, and the C++ text of its steps.
class Steps {
 public:
  explicit Steps(llvm::StringRef text) : function(parse_function(text)), printer_(function) {}

  Step step(llvm::StringRef primitive, std::initializer_list<llvm::StringRef> names) const {
    Step result(find_primitive(primitive));
    result.axes = axes(function, names);
    return result;
  }

  /// The text of the step, which is applied.
  std::string print(const Step& step) {
    const Rewrite result = apply(function, step);
    const std::string text = printer_.print(step, result);
    function = result.function;
    return text;
  }

  Function function;

 private:
  StepPrinter printer_;
};

TEST(StepPrinter, Split) {
  Steps steps(matmul);
  Step split = steps.step("split", {"i"});
  split.factors = {Expr(4)};
  EXPECT_EQ(steps.print(split), "auto [i_0, i_1] = s.split(i, 4);");
  Step again = steps.step("split", {"i.1"});
  again.factors = {Expr(2)};
  again.tail = Tail::exact;
  EXPECT_EQ(steps.print(again), "auto [i_1_0, i_1_1] = s.split(i_1, 2, {.tail = Tail::exact});");
}

TEST(StepPrinter, NamesOfTheAxesThatAStepMakes) {
  Steps steps(matmul);
  Step split = steps.step("split", {"i"});
  split.factors = {Expr(4)};
  split.names = {"", "row"};
  EXPECT_EQ(steps.print(split), "auto [i_0, row] = s.split(i, 4, {.names = {nullptr, \"row\"}});");
  Step fuse = steps.step("fuse", {"i.0", "row"});
  fuse.names = {"all"};
  EXPECT_EQ(steps.print(fuse), "Axis all = s.fuse(i_0, row, {.name = \"all\"});");
  Step none = steps.step("split_into", {"k"});
  none.factors = {Expr(4)};
  none.names = {"", ""};
  EXPECT_EQ(steps.print(none), "auto [k_0, k_1] = s.split_into(k, 4);");
}

TEST(StepPrinter, SplitByAParam) {
  Steps steps(matmul);
  Step split = steps.step("split", {"i"});
  split.factors = {ParamRef::make(make_param("T")) * 2};
  EXPECT_EQ(steps.print(split), "auto [i_0, i_1] = s.split(i, T*2);");
}

TEST(StepPrinter, SplitIntoAndPeel) {
  Steps steps(matmul);
  Step split = steps.step("split_into", {"k"});
  split.factors = {Expr(4)};
  split.tail = Tail::peel;
  EXPECT_EQ(steps.print(split), "auto [k_0, k_1] = s.split_into(k, 4, {.tail = Tail::peel});");
  Step unroll = steps.step("unroll", {"k.tail"});
  unroll.count = 3;
  EXPECT_EQ(steps.print(unroll), "s.unroll(s.axis(\"k.tail\"), 3);");
}

TEST(StepPrinter, RFactor) {
  Steps steps(matmul);
  Step split = steps.step("split", {"k"});
  split.factors = {Expr(4)};
  steps.print(split);
  Step factor = steps.step("rfactor", {"k.0"});
  factor.tensor = tensor(steps.function, "C");
  EXPECT_EQ(steps.print(factor), "auto [C_rf, k_0_2, k_0_C] = s.rfactor(C, k_0);");
  EXPECT_EQ(steps.print(steps.step("fuse", {"k.0", "i.rf"})),
            "Axis k_0_i_rf = s.fuse(k_0_2, s.axis(\"i.rf\"));");
}

TEST(StepPrinter, Tile) {
  Steps steps(matmul);
  Step tile = steps.step("tile", {"i", "j"});
  tile.factors = {Expr(4), Expr(8)};
  EXPECT_EQ(steps.print(tile), "auto [i_0, j_0, i_1, j_1] = s.tile({i, j}, {4, 8});");
}

TEST(StepPrinter, Fuse) {
  Steps steps(matmul);
  EXPECT_EQ(steps.print(steps.step("fuse", {"i", "j"})), "Axis i_j = s.fuse(i, j);");
}

TEST(StepPrinter, ReorderAndWhatItDistributes) {
  Steps steps(matmul);
  EXPECT_EQ(steps.print(steps.step("reorder", {"k", "j"})), "s.reorder({k, j});");
  Step bind = steps.step("bind", {"j.init"});
  bind.binding = {Binding::Kind::thread, 0, 0};
  EXPECT_EQ(steps.print(bind), "s.bind(s.axis(\"j.init\"), thread.x);");
}

TEST(StepPrinter, Fission) {
  Steps steps(matmul);
  EXPECT_EQ(steps.print(steps.step("fission", {"j"})), "s.fission(j);");
  Step unroll = steps.step("unroll", {"j.1"});
  unroll.count = 2;
  EXPECT_EQ(steps.print(unroll), "s.unroll(s.axis(\"j.1\"), 2);");
}

TEST(StepPrinter, Pipeline) {
  Steps steps(
      "func f(A: f32[4, 8], C: f32[8]) { for k in 0..4 { alloc T: f32[8] @shared "
      "copy T[0 .. +8] <- A[k, 0 .. +8] for i in 0..8 { C[i] += T[i] } } }");
  Step pipeline = steps.step("pipeline", {"k"});
  pipeline.count = 3;
  EXPECT_EQ(steps.print(pipeline), "s.pipeline(k, 3);");
}

TEST(StepPrinter, Specialize) {
  Steps steps(
      "func f(A: f32[4, 8], C: f32[32]) { for t in 0..32 @thread.x { for k in 0..4 { "
      "alloc T: f32[8] @shared copy T[0 .. +8] <- A[k, 0 .. +8] @async C[t] += T[t % 8] } } }");
  Step specialize = steps.step("specialize", {"k"});
  specialize.count = 3;
  specialize.binding.roles.producer_warps = 2;
  EXPECT_EQ(steps.print(specialize), "s.specialize(k, 3, {.producer_warps = 2});");
}

TEST(StepPrinter, SpecializeWithRegisters) {
  Steps steps(
      "func f(A: f32[4, 8], C: f32[256]) { for t in 0..256 @thread.x { for k in 0..4 { "
      "alloc T: f32[8] @shared copy T[0 .. +8] <- A[k, 0 .. +8] @async C[t] += T[t % 8] } } }");
  Step specialize = steps.step("specialize", {"k"});
  specialize.count = 2;
  specialize.binding.roles = {4, 40, 232};
  EXPECT_EQ(steps.print(specialize),
            "s.specialize(k, 2, {.producer_warps = 4, .producer_registers = 40, "
            ".consumer_registers = 232});");
}

TEST(StepPrinter, SpecializeWithProductsInFlight) {
  Steps steps(
      "func f(A: f32[4, 8], C: f32[256]) { for t in 0..256 @thread.x { for k in 0..4 { "
      "alloc T: f32[8] @shared copy T[0 .. +8] <- A[k, 0 .. +8] @async C[t] += T[t % 8] } } }");
  Step specialize = steps.step("specialize", {"k"});
  specialize.count = 2;
  specialize.binding.roles = {.producer_warps = 1, .in_flight = 1};
  EXPECT_EQ(steps.print(specialize), "s.specialize(k, 2, {.producer_warps = 1, .in_flight = 1});");
}

TEST(StepPrinter, CopyBulk) {
  Steps steps(
      "func f(A: f32[4, 32], C: f32[32]) { for t in 0..32 @thread.x { alloc T: f32[2, 32] @shared "
      "for k in 0..4 @roles(1) { copy T[k % 2, 0 .. +32] <- A[k, 0 .. +32] @async @by(producers) "
      "C[t] += T[k % 2, t] } } }");
  Step copies = steps.step("copy_bulk", {});
  copies.tensor = tensor(steps.function, "T");
  EXPECT_EQ(steps.print(copies), "s.copy_bulk(s.tensor(\"T\"));");
}

TEST(StepPrinter, WriteBackAt) {
  Steps steps(
      "func f(A: f32[8], C: f32[8]) { alloc T: f32[8] @shared for i in 0..8 { T[i] = A[i] } "
      "copy C[0 .. +8] <- T[0 .. +8] }");
  Step parts = steps.step("write_back_at", {"i"});
  parts.tensor = tensor(steps.function, "T");
  EXPECT_EQ(steps.print(parts), "s.write_back_at(s.tensor(\"T\"), i);");
}

TEST(StepPrinter, CopyAsync) {
  Steps steps(
      "func f(A: f32[8], C: f32[8]) { alloc T: f32[8] @shared copy T[0 .. +8] <- A[0 .. +8] "
      "for i in 0..8 { C[i] = T[i] } }");
  Step copies = steps.step("copy_async", {});
  copies.tensor = tensor(steps.function, "T");
  EXPECT_EQ(steps.print(copies), "s.copy_async(s.tensor(\"T\"));");
}

TEST(StepPrinter, UnrollInFull) {
  Steps steps("func f(C: f32[8]) { for i in 0..8 { C[i] = 1.0 } }");
  EXPECT_EQ(steps.print(steps.step("unroll", {"i"})), "s.unroll(i);");
}

TEST(StepPrinter, Rename) {
  Steps steps(matmul);
  Step rename = steps.step("rename", {"i"});
  rename.name = "row";
  EXPECT_EQ(steps.print(rename), "Axis row = s.rename(i, \"row\");");
  Step bind = steps.step("bind", {"row"});
  bind.binding = {Binding::Kind::parallel, 0, 0};
  EXPECT_EQ(steps.print(bind), "s.bind(row, parallel);");
}

TEST(StepPrinter, OptionsOfATile) {
  Steps steps(R"(func f(B: f32[8, 8], C: f32[8, 8]) {
    for i in 0..8 {
      for j in 0..8 {
        C[i, j] = 0.0
        reduce k in 0..8 { C[i, j] += B[k, j] }
      }
    }
  })");
  Step cache = steps.step("cache_shared", {"i"});
  cache.tensor = tensor(steps.function, "B");
  cache.layout = Layout::column_major().pad(1);
  const AxisPtr k = make_axis("k", AxisKind::spatial), j = make_axis("j", AxisKind::spatial);
  cache.element = {AxisRef::make(k), AxisRef::make(j)};
  EXPECT_EQ(steps.print(cache),
            "auto B_shared = s.cache_shared(B(k, j), i, {.layout = "
            "Layout::order({1, 0}).pad(1)});");
  Step layout = steps.step("layout", {});
  layout.tensor = tensor(steps.function, "B.shared");
  EXPECT_EQ(steps.print(layout), "s.layout(B_shared, Layout());");
  Step copy = steps.step("copy_loops", {});
  copy.tensor = tensor(steps.function, "B.shared");
  EXPECT_EQ(steps.print(copy), "auto [B_shared_0, B_shared_1] = s.copy_loops(B_shared);");
}

TEST(StepPrinter, HowAReductionIsCombined) {
  Steps steps("func f(A: f32[8], S: f32[]) { S[] = 0.0 reduce k in 0..8 { S[] += A[k] } }");
  Step bind = steps.step("bind", {"k"});
  bind.binding = {Binding::Kind::thread, 0, 0, {Combine::sequential, true, false}};
  EXPECT_EQ(steps.print(bind),
            "s.bind(k, thread.x, {.method = Combine::sequential, .unrolled = true});");
}

TEST(StepPrinter, LevelsOfAReduction) {
  Steps steps("func f(A: f32[8], S: f32[]) { S[] = 0.0 reduce k in 0..8 { S[] += A[k] } }");
  Step bind = steps.step("bind", {"k"});
  bind.binding = {Binding::Kind::thread, 0, 0};
  bind.binding.combine = {{CombineUnit::lanes, CombineMeans::shuffle},
                          {CombineUnit::warps, CombineMeans::sequential, true}};
  EXPECT_EQ(steps.print(bind),
            "s.bind(k, thread.x, CombineLevels{{CombineUnit::lanes, CombineMeans::shuffle}, "
            "{CombineUnit::warps, CombineMeans::sequential, true}});");
}

TEST(StepPrinter, MayAlias) {
  Steps steps(matmul);
  EXPECT_EQ(steps.print(steps.step("may_alias", {})), "s.may_alias();");
}

TEST(StepPrinter, LaunchBounds) {
  Steps steps("func f(C: f32[8]) { for i in 0..8 @block.x { C[i] = 1.0 } }");
  Step step = steps.step("launch_bounds", {"i"});
  step.count = 2;
  EXPECT_EQ(steps.print(step), "s.launch_bounds(i, 2);");
}

TEST(StepPrinter, CacheRegisters) {
  Steps steps(matmul);
  Step cache = steps.step("cache_registers", {"j"});
  cache.tensor = tensor(steps.function, "C");
  EXPECT_EQ(steps.print(cache), "s.cache_registers(C, j);");
}

TEST(StepPrinter, GivesEachAxisItsOwnVariable) {
  Steps steps("func f(C: f32[8, 8]) { for i in 0..8 { for i_0 in 0..8 { C[i, i_0] = 1.0 } } }");
  Step split = steps.step("split", {"i"});
  split.factors = {Expr(4)};
  EXPECT_EQ(steps.print(split), "auto [i_0_2, i_1] = s.split(i, 4);");
  Step again = steps.step("split", {"i.0"});
  again.factors = {Expr(2)};
  again.names = {"thread", "i"};
  EXPECT_EQ(steps.print(again),
            "auto [thread_2, i_2] = s.split(i_0_2, 2, {.names = {\"thread\", \"i\"}});");
  Step rename = steps.step("rename", {"i.1"});
  rename.name = "s";
  EXPECT_EQ(steps.print(rename), "Axis s_2 = s.rename(i_1, \"s\");");
}

TEST(StepPrinter, LooksUpWhatNoVariableIsCalled) {
  Steps steps("func f(while: f32[8], s: f32[8]) { for int in 0..8 { s[int] = while[int] } }");
  Step split = steps.step("split", {"int"});
  split.factors = {Expr(4)};
  EXPECT_EQ(steps.print(split), "auto [int_0, int_1] = s.split(s.axis(\"int\"), 4);");
  Step rename = steps.step("rename", {"int.1"});
  rename.name = "for";
  EXPECT_EQ(steps.print(rename), "Axis for_2 = s.rename(int_1, \"for\");");
  for (const char* name : {"s", "while"}) {
    Step cache = steps.step("cache_registers", {"int.0"});
    cache.tensor = tensor(steps.function, name);
    EXPECT_EQ(steps.print(cache), fmt::format("s.cache_registers(s.tensor(\"{}\"), int_0);", name));
  }
}

TEST(StepPrinter, NoAxisTakesTheVariableOfATensorOrAParam) {
  Steps steps("func f[i_1](i_0: f32[8]) { for i in 0..8 { i_0[i] = 1.0 } }");
  Step split = steps.step("split", {"i"});
  split.factors = {Expr(4)};
  EXPECT_EQ(steps.print(split), "auto [i_0_2, i_1_2] = s.split(i, 4);");
}

TEST(Primitive, IsFoundByItsName) {
#define HONE_PRIMITIVE(word)               \
  EXPECT_EQ(word##_primitive.name, #word); \
  EXPECT_EQ(&find_primitive(#word), &word##_primitive);
  HONE_PRIMITIVES(HONE_PRIMITIVE)
#undef HONE_PRIMITIVE
}

TEST(Primitive, RefusesAnUnknownName) {
  EXPECT_EQ(message_of<ScheduleError>([] { find_primitive("fold"); }),
            "error: fold: there is no primitive of that name");
}

TEST(Primitive, RefusesAStepThatLacksOperands) {
  const Steps steps(matmul);
  const auto refused = [&](const Step& step) {
    return message_of<ScheduleError>([&] { apply(steps.function, step); });
  };
  EXPECT_EQ(refused(steps.step("fuse", {"i"})),
            "error: fuse: a step with 1 axes and 0 factors, and it takes 2 and 0");
  EXPECT_EQ(refused(steps.step("split", {"i"})),
            "error: split: a step with 1 axes and 0 factors, and it takes 1 and 1");
  EXPECT_EQ(refused(steps.step("assume", {})),
            "error: assume: a step with 0 axes and 0 factors, and it takes 0 and 1");
}

TEST(Step, ReplaysInAnotherCopyOfTheProgram) {
  Steps steps(matmul);
  const Function other = parse_function(matmul);
  Step split = steps.step("split", {"i"});
  split.factors = {ParamRef::make(steps.function.params[1])};
  const Function replayed = apply(other, rebased(split, other)).function;
  EXPECT_EQ(to_string(replayed), to_string(apply(steps.function, split).function));
  Step cache = steps.step("cache_registers", {"j"});
  cache.tensor = tensor(steps.function, "C");
  EXPECT_EQ(to_string(apply(other, rebased(cache, other)).function),
            to_string(apply(steps.function, cache).function));
}

TEST(Step, RefusesAnAxisThatTheOtherProgramLacks) {
  const Steps steps(matmul);
  const Function other = parse_function("func g(C: f32[8]) { for i in 0..8 { C[i] = 1.0 } }");
  EXPECT_EQ(message_of<ScheduleError>([&] { rebased(steps.step("unroll", {"k"}), other); }),
            "error: unroll: g has no axis k\nnote: its axes are i");
}

TEST(Step, RefusesATensorThatTheOtherProgramLacks) {
  const Steps steps(matmul);
  const Function other = parse_function("func g(C: f32[8]) { for i in 0..8 { C[i] = 1.0 } }");
  Step cache = steps.step("cache_registers", {"i"});
  cache.tensor = tensor(steps.function, "A");
  EXPECT_EQ(message_of<ScheduleError>([&] { rebased(cache, other); }),
            "error: cache_registers: g has no tensor A");
}

}  // namespace step_test
}  // namespace hone
