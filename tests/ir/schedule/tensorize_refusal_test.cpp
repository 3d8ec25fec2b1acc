// Nests that an instruction does not compute, and steps that would make such nests.
#include <gtest/gtest.h>

#include "fmt/format.h"
#include "tests/support/ir/steps.h"

namespace hone {
namespace tensorize_refusal_test {

Rewriting computes_by(const std::string& word = "mma_m16n8k16_bf16") {
  return [=](const Function& f) { return tensorize(f, axis(f, "i"), word).function; };
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from << " is not in\n" << text;
  return text.replace(at, from.size(), to);
}

constexpr const char* product = R"(func f(A: bf16[16, 16], B: bf16[16, 8], C: f32[16, 8]) {
  for i in 0..16 {
    for j in 0..8 {
      reduce k in 0..16 {
        C[i, j] += f32(A[i, k]) * f32(B[k, j])
      }
    }
  }
})";

/// The text with something else in the place of `from`.
std::string product_with(const std::string& from, const std::string& to) {
  return replaced(product, from, to);
}

std::string tensorized() { return product_with("0..16 {", "0..16 @mma_m16n8k16_bf16 {"); }

/// Expects this refusal of the loop i, which stands on top of the others; `note` may be empty.
void expect_refusal_of(const std::string& text, const std::string& problem,
                       const std::string& note = "", Location location = Location::current()) {
  const testing::ScopedTrace trace(location.file, location.line, "expect_refusal_of");
  try {
    computes_by()(parse_function(text));
    ADD_FAILURE() << "accepted:\n" << text;
  } catch (const ScheduleError& error) {
    const std::string message = error.what();
    EXPECT_EQ(message.substr(0, message.find('\n')), "error: tensorize: " + problem);
    const size_t at = message.find("\nnote: ");
    EXPECT_EQ(at == std::string::npos ? "" : message.substr(at + 7), note);
    EXPECT_NE(message.find("for i in"), std::string::npos) << message;
  }
}

TEST(TensorizeRefusals, OfANameThatNoInstructionHas) {
  expect_refusal(product, computes_by("mma"),
                 R"(error: tensorize: no instruction has the name 'mma'
note: there are mma_m16n8k8_f16, mma_m16n8k16_f16, mma_m16n8k8_bf16, mma_m16n8k16_bf16, mma_m16n8k4_tf32, mma_m16n8k8_tf32, mma_m16n8k32_e4m3, mma_m16n8k32_e5m2, mma_m16n8k16_s8, mma_m16n8k32_s8)");
}

TEST(TensorizeRefusals, OfANameThatIsLikeMany) {
  expect_refusal(product, computes_by("wgmma_m64n100k64_kn_bf16"),
                 R"(error: tensorize: no instruction has the name 'wgmma_m64n100k64_kn_bf16'
note: there are wgmma_m64n160k64_kn_bf16, wgmma_m64n160k64_kn_f16, wgmma_m64n16k64_kn_bf16, wgmma_m64n80k64_kn_bf16, wgmma_m64n112k64_kn_bf16, wgmma_m64n128k64_kn_bf16 and 306 others)");
}

/// A lane has four values of a column of B, and of a row two neighbours.
TEST(TensorizeRefusals, OfVectorsAlongWhatOtherLanesHave) {
  const auto text = [](const std::string& copy) {
    return product_with("  for i in 0..16 {",
                        "  alloc R: bf16[16, 8] @registers\n" + copy + "\n  for i in 0..16 {");
  };
  const std::string uses = "B[k, j]";
  expect_refusal_of(
      replaced(text("  copy R[0 .. +16, 0 .. +8] <- B[0 .. +16, 0 .. +8] @vector(4)"), uses,
               "R[k, j]"),
      "each thread has 1 neighbouring elements of R at a time, of 8, and 4 cannot move at once",
      "split the axis of the threads by the length of the vector first");
}

// ---- Loops --------------------------------------------------------------------------------------

TEST(TensorizeRefusals, OfALoopThatIsBound) {
  expect_refusal(product_with("0..16 {", "0..16 @thread.y {"), computes_by(),
                 R"(error: tensorize: i is bound to thread.y already
  for i in 0..16 @thread.y {         <-- here
    for j in 0..8 {
      reduce k in 0..16 {
note: tensorize it before binding it)");
}

TEST(TensorizeRefusals, OfALoopThatIsUnrolledInPart) {
  expect_refusal(product_with("0..16 {", "0..16 @unroll(2) {"), computes_by(),
                 R"(error: tensorize: i is unrolled already
  for i in 0..16 @unroll(2) {        <-- here
    for j in 0..8 {
      reduce k in 0..16 {
note: tensorize it before unrolling it)");
}

TEST(TensorizeRefusals, OfASecondTime) {
  expect_refusal(tensorized(), computes_by("mma_m16n8k16_f16"),
                 R"(error: tensorize: mma_m16n8k16_bf16 computes i already
  for i in 0..16 @mma_m16n8k16_bf16 {  <-- here
    for j in 0..8 {
      reduce k in 0..16 {)");
}

TEST(TensorizeRefusals, OfAnotherExtent) {
  expect_refusal(product, computes_by("mma_m16n8k8_bf16"),
                 R"(error: tensorize: k has 16 iterations, where mma_m16n8k8_bf16 has 8
  for i in 0..16 {                   <-- here
    for j in 0..8 {
      reduce k in 0..16 {
note: split(k, 8), and reorder)");
}

TEST(TensorizeRefusals, OfAnExtentThatIsKnownAtLaunchOnly) {
  expect_refusal(R"(func f[N](A: bf16[N, 16], B: bf16[16, 8], C: f32[N, 8]) {
    for i in 0..N { for j in 0..8 { reduce k in 0..16 {
      C[i, j] += f32(A[i, k]) * f32(B[k, j]) } } } })",
                 computes_by(),
                 R"(error: tensorize: i has N iterations, where mma_m16n8k16_bf16 has 16
  for i in 0..N {                    <-- here
    for j in 0..8 {
      reduce k in 0..16 {
note: split(i, 16), and reorder)");
}

TEST(TensorizeRefusals, OfLoopsOfAnotherKind) {
  const std::string note = "the loops of the nest stand in the order of the instruction's";
  expect_refusal_of(product_with("for j", "reduce j"),
                    "j is a reduction, where mma_m16n8k16_bf16 has a spatial loop", note);
  expect_refusal_of(product_with("reduce k", "for k"),
                    "k is a spatial loop, where mma_m16n8k16_bf16 has a reduction", note);
}

TEST(TensorizeRefusals, OfInnerLoopsThatAreBound) {
  const std::string rule =
      ", and the inner loops of mma_m16n8k16_bf16 are serial or unrolled in "
      "full";
  for (const char* binding : {"@lane", "@thread.y", "@unroll(2)", "@vectorize"})
    expect_refusal_of(product_with("0..8 {", fmt::format("0..8 {} {{", binding)),
                      fmt::format("j has the binding {}{}", binding, rule));
}

TEST(TensorizeRefusals, OfOtherStatementsWhereALoopIsWanted) {
  const std::string note = "reorder the loops of the instruction to the inside, one in the other";
  const auto expect = [&](const char* first, const char* description) {
    expect_refusal_of(
        product_with("0..8 {", fmt::format("0..8 {{ {}", first)),
        fmt::format("mma_m16n8k16_bf16 has a reduction of 16 at this place, and the nest has {}",
                    description),
        note);
  };
  expect("C[i, j] = 0.0", "several statements");
  expect("let x = i*8", "a let, x");
  expect("alloc T: f32[] @registers", "a tile, T");
  expect_refusal_of(product_with("0..8 {", "0..8 { if (j < 7) {") + "}",
                    "mma_m16n8k16_bf16 has a reduction of 16 at this place, and the nest has a "
                    "guard",
                    note);
  expect_refusal_of("func f(C: f32[16]) { for i in 0..16 { C[i] = 1.0 } }",
                    "mma_m16n8k16_bf16 has a spatial loop of 8 at this place, and the nest has one "
                    "statement",
                    note);
}

// ---- The statement ------------------------------------------------------------------------------

TEST(TensorizeRefusals, OfOtherThanOneStatement) {
  const auto expect = [&](const std::string& text, const char* description) {
    expect_refusal_of(text, fmt::format("mma_m16n8k16_bf16 computes one statement, and the nest "
                                        "has {}",
                                        description));
  };
  expect(product_with("k in 0..16 {", "k in 0..16 { C[i, j] += 1.0"), "several statements");
  expect(product_with("k in 0..16 {", "k in 0..16 { for l in 0..2 {") + "}", "a loop more, l");
  expect(product_with("k in 0..16 {", "k in 0..16 { let x = i*8"), "a let, x");
  expect(
      product_with("C[i, j] += f32(A[i, k]) * f32(B[k, j])", "copy C[i, j .. +1] <- C[i, j .. +1]"),
      "a copy");
}

TEST(TensorizeRefusals, OfAnotherUpdateOrValue) {
  const auto expect = [](const char* from, const char* to, const char* statement) {
    expect_refusal_of(product_with(from, to),
                      fmt::format("mma_m16n8k16_bf16 computes C[i, j] += f32(A[i, k]) * f32(B[k, "
                                  "j]), and the nest computes {}",
                                  statement));
  };
  expect("+=", "=", "C[i, j] = f32(A[i, k]) * f32(B[k, j])");
  expect("+=", "max=", "C[i, j] max= f32(A[i, k]) * f32(B[k, j])");
  expect(") * f32", ") + f32", "C[i, j] += f32(A[i, k]) + f32(B[k, j])");
  expect("f32(A[i, k])", "2.0", "C[i, j] += 2.0 * f32(B[k, j])");
  expect("f32(A[i, k])", "f32(A[i, k]) * f32(A[i, k])",
         "C[i, j] += f32(A[i, k]) * f32(A[i, k]) * f32(B[k, j])");
  expect("f32(A[i, k]) * f32(B[k, j])", "f32(A[i, k] * B[k, j])",
         "C[i, j] += f32(A[i, k] * B[k, j])");
}

TEST(TensorizeRefusals, OfElementsOfAnotherType) {
  expect_refusal(product, computes_by("mma_m16n8k16_f16"),
                 R"(error: tensorize: A is bf16, where mma_m16n8k16_f16 takes f16
  for i in 0..16 {                   <-- here
    for j in 0..8 {
      reduce k in 0..16 {)");
  expect_refusal(product, computes_by("mma_m16n8k16_s8"),
                 R"(error: tensorize: C is f32, where mma_m16n8k16_s8 takes i32
  for i in 0..16 {                   <-- here
    for j in 0..8 {
      reduce k in 0..16 {)");
  expect_refusal_of(product_with("B: bf16", "B: f16"),
                    "B is f16, where mma_m16n8k16_bf16 takes bf16");
  expect_refusal_of(R"(func f(A: f32[16, 16], B: f32[16, 8], C: f32[16, 8]) {
    for i in 0..16 { for j in 0..8 { reduce k in 0..16 { C[i, j] += A[i, k] * B[k, j] } } } })",
                    "A is f32, where mma_m16n8k16_bf16 takes bf16");
}

// ---- Indices ------------------------------------------------------------------------------------

constexpr const char* order_note =
    "the last dimensions of the tensor stand in the order of the instruction's";

TEST(TensorizeRefusals, OfIndicesThatAreNotByTheAxis) {
  for (const char* index : {"k*2", "15 - k", "j", "k / 2", "3"})
    expect_refusal_of(product_with("A[i, k]", fmt::format("A[i, {}]", index)),
                      fmt::format("the index {} of A is not k plus an offset, as "
                                  "mma_m16n8k16_bf16 takes it",
                                  index),
                      order_note);
}

TEST(TensorizeRefusals, OfIndicesInAnotherOrder) {
  expect_refusal(
      product_with("A[i, k]", "A[k, i]"), computes_by(),
      R"(error: tensorize: the index k of A is not i plus an offset, as mma_m16n8k16_bf16 takes it
  for i in 0..16 {                   <-- here
    for j in 0..8 {
      reduce k in 0..16 {
note: the last dimensions of the tensor stand in the order of the instruction's)");
  expect_refusal_of(product_with("C[i, j]", "C[j, i]"),
                    "the index j of C is not i plus an offset, as mma_m16n8k16_bf16 takes it",
                    order_note);
}

TEST(TensorizeRefusals, OfIndicesByMoreThanTheAxis) {
  expect_refusal_of(product_with("A[i, k]", "A[i, k + j]"),
                    "the index k + j of A depends on j, which mma_m16n8k16_bf16 has in another "
                    "dimension or not at all",
                    order_note);
  expect_refusal_of(
      replaced(product_with("A[i, k]", "A[i, i, k]"), "A: bf16[16, 16]", "A: bf16[16, 16, 16]"),
      "the index i of A depends on i, which mma_m16n8k16_bf16 has in another "
      "dimension or not at all",
      order_note);
}

TEST(TensorizeRefusals, OfTensorsWithFewerDimensions) {
  expect_refusal_of(
      replaced(product_with("B[k, j]", "B[k*8 + j]"), "B: bf16[16, 8]", "B: bf16[128]"),
      "B has 1 dimension, where mma_m16n8k16_bf16 takes 2");
}

// ---- Later steps --------------------------------------------------------------------------------

Rewriting unrolls(const std::string& name, int count) {
  return [=](const Function& f) { return unroll(f, axis(f, name), count).function; };
}

TEST(TensorizeRefusals, OfStepsThatTakeTheLoop) {
  expect_refusal(tensorized(), splits("i", 4),
                 R"(error: split: i is computed by mma_m16n8k16_bf16 already
  for i in 0..16 @mma_m16n8k16_bf16 {  <-- here
    for j in 0..8 {
      reduce k in 0..16 {
note: split it before tensorising it)");
  expect_refusal(tensorized(), unrolls("i", 0),
                 R"(error: unroll: i is computed by mma_m16n8k16_bf16 already
  for i in 0..16 @mma_m16n8k16_bf16 {  <-- here
    for j in 0..8 {
      reduce k in 0..16 {
note: a loop is bound, unrolled or vectorised once)");
}

TEST(TensorizeRefusals, OfSplittingAnInnerLoop) {
  expect_refusal(tensorized(), splits("j", 4),
                 R"(error: split: j.0 has 2 iterations, where mma_m16n8k16_bf16 has 8
  for i in 0..16 @mma_m16n8k16_bf16 {
    for j in 0..8 {                  <-- here
      reduce k in 0..16 {
        C[i, j] += f32(A[i, k]) * f32(B[k, j])
note: split(j.0, 8), and reorder)");
}

TEST(TensorizeRefusals, OfReorderingTheNest) {
  expect_refusal(tensorized(), reorders({"k", "j"}),
                 R"(error: reorder: k is a reduction, where mma_m16n8k16_bf16 has a spatial loop
  for i in 0..16 @mma_m16n8k16_bf16 {
    for j in 0..8 {                  <-- here
      reduce k in 0..16 {
        C[i, j] += f32(A[i, k]) * f32(B[k, j])
note: the loops of the nest stand in the order of the instruction's)");
}

TEST(TensorizeRefusals, OfUnrollingAnInnerLoopInPart) {
  expect_refusal(
      tensorized(), unrolls("k", 2),
      R"(error: unroll: k has the binding @unroll(2), and the inner loops of mma_m16n8k16_bf16 are serial or unrolled in full
  for i in 0..16 @mma_m16n8k16_bf16 {
    for j in 0..8 {
      reduce k in 0..16 {            <-- here
        C[i, j] += f32(A[i, k]) * f32(B[k, j]))");
  EXPECT_NO_THROW(unrolls("k", 0)(parse_function(tensorized())));
}

TEST(TensorizeRefusals, OfBindingAnInnerLoop) {
  expect_refusal(
      tensorized(), [](const Function& f) { return bound(f, "j", lane); },
      R"(error: bind: j has the binding @lane, and the inner loops of mma_m16n8k16_bf16 are serial or unrolled in full
  for i in 0..16 @mma_m16n8k16_bf16 {
    for j in 0..8 {                  <-- here
      reduce k in 0..16 {
        C[i, j] += f32(A[i, k]) * f32(B[k, j]))");
}

TEST(TensorizeRefusals, OfWritingOutAnInnerLoop) {
  expect_refusal(
      tensorized(), [](const Function& f) { return write_out(f, axis(f, "j")).function; },
      R"(error: write_out: mma_m16n8k16_bf16 has a spatial loop of 8 at this place, and the nest has several statements
  for i in 0..16 @mma_m16n8k16_bf16 {
    for j in 0..8 {                  <-- here
      reduce k in 0..16 {
        C[i, j] += f32(A[i, k]) * f32(B[k, j])
note: reorder the loops of the instruction to the inside, one in the other)");
}

TEST(TensorizeRefusals, OfTilesInTheNest) {
  expect_refusal(
      tensorized(), [](const Function& f) { return in_registers(f, "A", "i"); },
      R"(error: cache_registers: mma_m16n8k16_bf16 has a spatial loop of 8 at this place, and the nest has a tile, A.reg
  for i in 0..16 @mma_m16n8k16_bf16 {  <-- here
    for j in 0..8 {
      reduce k in 0..16 {
note: reorder the loops of the instruction to the inside, one in the other)");
}

TEST(TensorizeRefusals, OfTurningAnInnerLoop) {
  expect_refusal(
      tensorized(),
      [](const Function& f) { return serpentine(f, axis(f, "i"), {axis(f, "j")}).function; },
      R"(error: serpentine: mma_m16n8k16_bf16 has a reduction of 16 at this place, and the nest has a let, j.turn
  for i in 0..16 @mma_m16n8k16_bf16 {  <-- here
    for j in 0..8 {
      reduce k in 0..16 {
note: reorder the loops of the instruction to the inside, one in the other)");
}

TEST(TensorizeRefusals, OfPartialResultsOfTheNest) {
  expect_refusal(
      tensorized(), factors("C", "k"),
      R"(error: rfactor: mma_m16n8k16_bf16 computes C[i, j] += f32(A[i, k]) * f32(B[k, j]), and the nest computes C[i, j] += C.rf[k.C, i, j]
  for i in 0..16 @mma_m16n8k16_bf16 {
    for j in 0..8 {
      reduce k in 0..16 {            <-- here
        C[i, j] += f32(A[i, k]) * f32(B[k, j]))");
}

// ---- Threads ------------------------------------------------------------------------------------

TEST(TensorizeRefusals, OfLoopsOverLanesAroundTheNest) {
  const auto text = [](const char* binding) {
    return fmt::format(R"(func f(A: bf16[4, 16, 16], B: bf16[16, 8], C: f32[4, 16, 8]) {{
  for l in 0..4 {} {{ for i in 0..16 {{ for j in 0..8 {{ reduce k in 0..16 {{
    C[l, i, j] += f32(A[l, i, k]) * f32(B[k, j]) }} }} }} }} }})",
                       binding);
  };
  for (const char* unit : {"lane", "lane(8)", "thread.x"})
    expect_refusal(
        text(fmt::format("@{}", unit).c_str()), computes_by(),
        fmt::format(
            R"(error: tensorize: l is bound to {0}, and all lanes of a warp run mma_m16n8k16_bf16 together
  for l in 0..4 @{0} {{
    for i in 0..16 {{                 <-- here
      for j in 0..8 {{
        reduce k in 0..16 {{
note: bind the loops around it to warps)",
            unit));
  for (const char* unit : {"@warp", "@warpgroup", "@thread.y", "@block.x"})
    EXPECT_NO_THROW(computes_by()(parse_function(text(unit)))) << unit;
}

/// A loop over t stands beside the nest.
std::string beside(const std::string& extent, const std::string& binding,
                   const std::string& instruction) {
  return fmt::format(R"(func f[N](A: bf16[16, 16], B: bf16[16, 8], C: f32[16, 8], D: f32[{0}]) {{
  for b in 0..1 @block.x {{
    for t in 0..{0}{1} {{
      D[t] = 1.0
    }}
    for i in 0..16{2} {{
      for j in 0..8 {{
        reduce k in 0..16 {{
          C[i, j] += f32(A[i, k]) * f32(B[k, j])
        }}
      }}
    }}
  }}
}})",
                     extent, binding, instruction);
}

TEST(TensorizeRefusals, OfLaterLoopsWhoseBlocksAreNotWholeWarps) {
  expect_refusal(
      beside("48", "", " @mma_m16n8k16_bf16"),
      [](const Function& f) { return bound(f, "t", thread_x); },
      R"(error: bind: a block would have 48 threads in thread.x, and mma_m16n8k16_bf16 takes whole warps
  for b in 0..1 @block.x {
    for t in 0..48 {                 <-- here
      D[t] = 1.0
note: 48 is no multiple of 32)");
}

TEST(TensorizeRefusals, OfBlocksThatAreNotWholeWarps) {
  expect_refusal(
      beside("48", " @thread.x", ""), computes_by(),
      R"(error: tensorize: a block would have 48 threads in thread.x, and mma_m16n8k16_bf16 takes whole warps
  for b in 0..1 @block.x {
    for i in 0..16 {                 <-- here
      for j in 0..8 {
        reduce k in 0..16 {
note: 48 is no multiple of 32)");
  expect_refusal(
      beside("N", " @thread.x", ""), computes_by(),
      R"(error: tensorize: a block would have max(max(N, 32), 1) threads in thread.x, and mma_m16n8k16_bf16 takes whole warps
  for b in 0..1 @block.x {
    for i in 0..16 {                 <-- here
      for j in 0..8 {
        reduce k in 0..16 {
note: split off a constant number of iterations)");
  for (const char* extent : {"1", "16", "32", "96"})
    EXPECT_NO_THROW(computes_by()(parse_function(beside(extent, " @thread.x", "")))) << extent;
}

// ---- Registers ----------------------------------------------------------------------------------

constexpr const char* sums = R"(func f(A: bf16[16, 16], B: bf16[16, 8], C: f32[16, 8]) {
  alloc R: f32[16, 8] @registers
  for a in 0..16 { for b in 0..8 { R[a, b] = 0.0 } }
  for i in 0..16 { for j in 0..8 { reduce k in 0..16 {
    R[i, j] += f32(A[i, k]) * f32(B[k, j]) } } }
  copy C[0 .. +16, 0 .. +8] <- R[0 .. +16, 0 .. +8]
})";

constexpr const char* owner_note =
    "R lives outside of the loops of threads, each of which has its own elements of it; threads "
    "exchange values in shared memory";

TEST(TensorizeRefusals, OfRegistersThatLanesShareOtherwise) {
  expect_refusal_of(sums,
                    "R[lane / 4 + value / 2*8, lane % 4*2 + value % 2] and R[a, b] are not "
                    "elements of the same thread in lane",
                    owner_note);
}

TEST(TensorizeRefusals, OfTilesOffTheGridOfTheLanes) {
  expect_refusal_of(
      replaced(replaced(sums, "R[i, j]", "R[i + 1, j]"), "R: f32[16, 8]", "R: f32[17, 8]"),
      "R[lane / 4 + value / 2*8 + 1, lane % 4*2 + value % 2] and R[a, b] are not "
      "elements of the same thread in lane",
      owner_note);
}

TEST(TensorizeRefusals, OfValuesThatAnInstructionTakesInAnotherOrder) {
  expect_refusal_of(R"(func f(A: bf16[16, 16], B: bf16[16, 16], C: f32[16, 8], D: f32[16, 8]) {
  alloc R: bf16[16, 16] @registers
  copy R[0 .. +16, 0 .. +16] <- B[0 .. +16, 0 .. +16]
  for i in 0..16 { for j in 0..8 { reduce k in 0..16 {
    C[i, j] += f32(A[i, k]) * f32(R[k, j]) } } }
  for a in 0..16 @mma_m16n8k8_bf16 { for b in 0..8 { reduce c in 0..8 {
    D[a, b] += f32(A[a, c]) * f32(R[c, b]) } } }
})",
                    "two instructions take the values of R in different orders", owner_note);
}

TEST(TensorizeRefusals, OfRowsThatATableNamesOneByOne) {
  const std::string with_table = product_with("C: f32", "G: i32[16], C: f32");
  expect_refusal_of(
      replaced(with_table, "B[k, j]", "B[index(G[k]), j]"),
      "the index index(G[k]) of B is not k plus an offset, as mma_m16n8k16_bf16 takes it",
      "the last dimensions of the tensor stand in the order of the instruction's");
}

}  // namespace tensorize_refusal_test
}  // namespace hone
