#include "ir/text/printer.h"

#include <gtest/gtest.h>

#include <limits>

#include "ir/opcodes/opcodes.h"
#include "ir/text/parser.h"
#include "ir/traverse/equal.h"

namespace hone {
namespace printer_test {

Stmt seq() { return Seq::make({}); }

const AxisPtr i = make_axis("i", AxisKind::spatial);
const AxisPtr k = make_axis("k.0", AxisKind::reduction);
const ParamPtr M = make_param("M");
const Expr ei = AxisRef::make(i), ek = AxisRef::make(k), eM = ParamRef::make(M);
const TensorPtr A = make_tensor("A", f32, {eM, Expr(8)});
const TensorPtr s = make_tensor("s", f32, {}, Scope::registers);
const TensorPtr flag = make_tensor("flag", boolean, {}, Scope::registers);

Expr load(Expr row, Expr column) { return Load::make(A, {row, column}); }

TEST(PrintExpr, SpellsConstantsWithTheirType) {
  EXPECT_EQ(to_string(IntConst::make(32)), "32");
  EXPECT_EQ(to_string(IntConst::make(-1)), "-1");
  EXPECT_EQ(to_string(IntConst::make(3, i32)), "3i32");
  EXPECT_EQ(to_string(IntConst::make(7, u8)), "7u8");
  EXPECT_EQ(to_string(IntConst::make(std::numeric_limits<int64_t>::min(), i64)),
            "-9223372036854775808i64");
  EXPECT_EQ(to_string(IntConst::make(1, boolean)), "true");
  EXPECT_EQ(to_string(IntConst::make(0, boolean)), "false");
}

TEST(PrintExpr, SpellsFloatsWithTheFewestDigitsThatReadBack) {
  EXPECT_EQ(to_string(FloatConst::make(1)), "1.0");
  EXPECT_EQ(to_string(FloatConst::make(100)), "100.0");
  EXPECT_EQ(to_string(FloatConst::make(0.1)), "0.1");
  EXPECT_EQ(to_string(FloatConst::make(-0.0)), "-0.0");
  EXPECT_EQ(to_string(FloatConst::make(1.5e-10)), "1.5e-10");
  EXPECT_EQ(to_string(FloatConst::make(1e20)), "1e+20");
  EXPECT_EQ(to_string(FloatConst::make(16777217, f32)), "16777216.0");
  EXPECT_EQ(to_string(FloatConst::make(1 << 30)), "1073741824.0");
  EXPECT_EQ(to_string(FloatConst::make(65504, f16)), "65504.0f16");
  EXPECT_EQ(to_string(FloatConst::make(1, f64)), "1.0f64");
  EXPECT_EQ(to_string(FloatConst::make(0.1, f64)), "0.1f64");
  EXPECT_EQ(to_string(FloatConst::make(1.0 / 3, f64)), "0.3333333333333333f64");
  EXPECT_EQ(to_string(FloatConst::make(0.0999755859375, f16)), "0.1f16");
  EXPECT_EQ(to_string(FloatConst::make(0.5, bf16)), "0.5bf16");
}

TEST(PrintExpr, SpellsInfinityAndNaN) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(to_string(FloatConst::make(infinity)), "inf");
  EXPECT_EQ(to_string(FloatConst::make(-infinity)), "-inf");
  EXPECT_EQ(to_string(FloatConst::make(-infinity, f64)), "-inf_f64");
  EXPECT_EQ(to_string(FloatConst::make(std::numeric_limits<double>::quiet_NaN(), f16)), "nan_f16");
}

TEST(PrintExpr, SpellsEveryKindOfLeafAndCall) {
  EXPECT_EQ(to_string(ek), "k.0");
  EXPECT_EQ(to_string(eM), "M");
  EXPECT_EQ(to_string(ThreadIndex::make(IndexSpace::thread, 0)), "thread.x");
  EXPECT_EQ(to_string(ThreadIndex::make(IndexSpace::block, 2)), "block.z");
  EXPECT_EQ(to_string(load(ei, ek)), "A[i, k.0]");
  EXPECT_EQ(to_string(Load::make(s, {})), "s[]");
  EXPECT_EQ(to_string(min(ei, 3) + max(eM, 4)), "min(i, 3) + max(M, 4)");
  EXPECT_EQ(to_string(select(ei < eM, ei, 0)), "select(i < M, i, 0)");
  EXPECT_EQ(to_string(Cast::make(f16, load(0, 1))), "f16(A[0, 1])");
  EXPECT_EQ(to_string(Cast::make(DType::index, Cast::make(i32, ei))), "index(i32(i))");
  const Expr x = load(0, 0);
  EXPECT_EQ(to_string(Call::make(Intrinsic::fma, {x, x, Expr(1.0)})), "fma(A[0, 0], A[0, 0], 1.0)");
}

TEST(PrintExpr, WritesIndexProductsTight) {
  EXPECT_EQ(to_string(ei * 32 + ek), "i*32 + k.0");
  EXPECT_EQ(to_string((ei + 1) * 32), "(i + 1)*32");
  EXPECT_EQ(to_string((eM + 31) / 32), "(M + 31) / 32");
  EXPECT_EQ(to_string(ei * 4 / 3 % 2), "i*4 / 3 % 2");
  EXPECT_EQ(to_string(load(0, 0) * 2.0), "A[0, 0] * 2.0");
}

TEST(PrintExpr, KeepsAQuotientInParenthesesUnderATightProduct) {
  EXPECT_EQ(to_string(ei / 8 * 4 + ei % 8), "(i / 8)*4 + i % 8");
  EXPECT_EQ(to_string(load(0, 0) / 2.0 * 3.0), "A[0, 0] / 2.0 * 3.0");
}

TEST(PrintExpr, KeepsTheParenthesesThatMakeTheTree) {
  EXPECT_EQ(to_string(ei - (ek - 1)), "i - (k.0 - 1)");
  EXPECT_EQ(to_string(ei + (ek + 1)), "i + (k.0 + 1)");
  EXPECT_EQ(to_string(ei + ek + 1), "i + k.0 + 1");
  EXPECT_EQ(to_string(ei * (ek * 2)), "i*(k.0*2)");
  EXPECT_EQ(to_string(!(ei < eM && eM == 3)), "!(i < M && M == 3)");
  EXPECT_EQ(to_string((ei < eM || ei > 3) && !(eM != 2)), "(i < M || i > 3) && !(M != 2)");
  EXPECT_EQ(to_string(ei < eM || (ei >= 3 && ei <= 7)), "i < M || i >= 3 && i <= 7");
}

TEST(PrintExpr, PlacesExclusiveOrBetweenEqualityAndAnd) {
  EXPECT_EQ(to_string((ei ^ (eM + 1)) * 4), "(i ^ M + 1)*4");
  EXPECT_EQ(to_string(((ei ^ eM) ^ ek) == 3), "(i ^ M ^ k.0) == 3");
  EXPECT_EQ(to_string(ei ^ (eM ^ ek)), "i ^ (M ^ k.0)");
}

TEST(PrintExpr, TellsAMinusFromASign) {
  EXPECT_EQ(to_string(-ei), "-i");
  EXPECT_EQ(to_string(-Expr(1)), "-(1)");
  EXPECT_EQ(to_string(-IntConst::make(-1)), "-(-1)");
  EXPECT_EQ(to_string(-(-ei)), "-(-i)");
  EXPECT_EQ(to_string(ei - -ek), "i - -k.0");
  EXPECT_EQ(to_string(ei - IntConst::make(-1)), "i - -1");
  EXPECT_EQ(to_string(-(ei * 2)), "-(i*2)");
}

TEST(PrintStmt, SpellsLoopsWithTheirBinding) {
  using Kind = Binding::Kind;
  const auto loop = [](Binding binding) { return to_string(For::make(i, eM, binding, seq())); };
  EXPECT_EQ(loop({}), "for i in 0..M {\n}");
  EXPECT_EQ(loop({.kind = Kind::block, .dim = 1}), "for i in 0..M @block.y {\n}");
  EXPECT_EQ(loop({.kind = Kind::thread, .dim = 2}), "for i in 0..M @thread.z {\n}");
  EXPECT_EQ(loop({.kind = Kind::parallel}), "for i in 0..M @parallel {\n}");
  EXPECT_EQ(loop({.kind = Kind::unroll}), "for i in 0..M @unroll {\n}");
  EXPECT_EQ(loop({.kind = Kind::vectorize}), "for i in 0..M @vectorize {\n}");
  EXPECT_EQ(to_string(For::make(k, 8, {.kind = Kind::unroll, .count = 4}, seq())),
            "reduce k.0 in 0..8 @unroll(4) {\n}");
}

TEST(PrintStmt, SpellsEveryUpdate) {
  const auto store = [](Update update) { return to_string(Store::make(s, {}, update, 1.0)); };
  EXPECT_EQ(store(Update::set), "s[] = 1.0");
  EXPECT_EQ(store(Update::add), "s[] += 1.0");
  EXPECT_EQ(store(Update::mul), "s[] *= 1.0");
  EXPECT_EQ(store(Update::min), "s[] min= 1.0");
  EXPECT_EQ(store(Update::max), "s[] max= 1.0");
  EXPECT_EQ(to_string(Store::make(flag, {}, Update::logical_and, ei < eM)), "flag[] and= i < M");
  EXPECT_EQ(to_string(Store::make(flag, {}, Update::logical_or, true)), "flag[] or= true");
}

TEST(PrintStmt, LetsAnAllocAndALetScopeOverTheRestOfTheBlock) {
  const TensorPtr T = make_tensor("T", f32, {eM, Expr(8)}, Scope::shared, Layout::order({1, 0}));
  const Stmt body = Alloc::make(
      T, Let::make(i, ThreadIndex::make(IndexSpace::thread, 0) * 2,
                   Seq::make({make_barrier(), Store::make(T, {ei, Expr(0)}, Update::set, 0)})));
  EXPECT_EQ(to_string(If::make(eM > 3, body)), R"(if (M > 3) {
  alloc T: f32[M, 8] @order(1, 0) @shared
  let i = thread.x*2
  barrier
  T[i, 0] = 0.0
})");
}

TEST(PrintStmt, SpellsTheRegionsOfACopy) {
  const Region tile{A, {{ei * 8, 8}, {Expr(3), Expr()}}};
  EXPECT_EQ(to_string(Copy::make(tile, {A, {{Expr(0), 8}, {ei, Expr()}}})),
            "copy A[i*8 .. +8, 3] <- A[0 .. +8, i]");
  EXPECT_EQ(to_string(Copy::make({s, {}}, {s, {}})), "copy s[] <- s[]");
  EXPECT_EQ(to_string(Copy::make({A, {{ei, eM + 1}, {0, eM * 2}}}, tile)),
            "copy A[i .. +(M + 1), 0 .. +M*2] <- A[i*8 .. +8, 3]");
}

TEST(PrintStmt, SpellsWhatACopyPromises) {
  const Region row{A, {{ei, Expr()}, {Expr(0), 8}}};
  const auto copy = [&](const CopyOptions& options) {
    return to_string(Copy::make(row, row, options));
  };
  const std::string regions = "copy A[i, 0 .. +8] <- A[i, 0 .. +8]";
  EXPECT_EQ(copy({.fill = 0.0}), regions);
  EXPECT_EQ(copy({.fill = -1.0}), regions + " fill -1.0");
  EXPECT_EQ(copy({.vector = 4}), regions + " @vector(4)");
  EXPECT_EQ(copy({.fill = 1.0, .vector = 1}), regions + " fill 1.0 @vector(1)");
}

TEST(PrintStmt, SpellsTheStrideOfARange) {
  const Region every_third{A, {{ei, eM + 1, 3}, {Expr(0), 8, 1}}};
  EXPECT_EQ(to_string(Copy::make(every_third, every_third)),
            "copy A[i .. +(M + 1) by 3, 0 .. +8] <- A[i .. +(M + 1) by 3, 0 .. +8]");
}

TEST(PrintStmt, SpellsLayoutsAndAddresses) {
  const auto alloc = [](const Layout& layout, int64_t address) {
    return to_string(
        Alloc::make(make_tensor("T", f32, {8, 16}, Scope::shared, layout, address), seq()));
  };
  EXPECT_EQ(alloc({}, 0), "alloc T: f32[8, 16] @shared(0)");
  EXPECT_EQ(alloc(Layout().pad(4), 1024), "alloc T: f32[8, 16] @pad(4) @shared(1024)");
  EXPECT_EQ(alloc(Layout::order({1, 0}).pitch(12).swizzle({2, 4, 8}), -1),
            "alloc T: f32[8, 16] @order(1, 0) @pitch(12) @swizzle(2, 4, 8) @shared");
}

TEST(PrintStmt, IndentsByTheLevel) {
  const Stmt loop = For::make(i, 4, {}, Store::make(s, {}, Update::set, 1.0));
  EXPECT_EQ(to_string(loop, 2), "    for i in 0..4 {\n      s[] = 1.0\n    }");
}

TEST(PrintFunction, ListsParamsOnlyWhereThereAreAny) {
  Function function;
  function.name = "nothing";
  function.body = seq();
  EXPECT_EQ(to_string(function), "func nothing() {\n}");
  function.params = {M, make_param("N")};
  function.arguments = {A, make_tensor("B", f16, {eM, eM}, Scope::global, Layout::order({1, 0}))};
  function.may_alias = true;
  EXPECT_EQ(to_string(function),
            "func nothing[M, N](A: f32[M, 8], B: f16[M, M] @order(1, 0)) @may_alias {\n}");
  function.assumptions = {eM % 4 == 0, eM > 3};
  EXPECT_EQ(to_string(function),
            "func nothing[M, N](A: f32[M, 8], B: f16[M, M] @order(1, 0)) @may_alias "
            "where M % 4 == 0, M > 3 {\n}");
}

TEST(PrintFunction, FormatsThroughFmt) {
  EXPECT_EQ(fmt::format("{}; {}", ei + 1, Stmt(make_barrier())), "i + 1; barrier");
  EXPECT_EQ(fmt::format("{:>6}", ei + 1), " i + 1");
}

constexpr const char* nest = R"(func f[K](C: f32[128], A: f32[128, 100]) {
  for i in 0..128 {
    if (i < 100) {
      alloc T: f32[] @registers
      reduce k in 0..100 @unroll {
        C[i] += A[i, k]
        T[] = 1.0
        T[] = 2.0
        T[] = 3.0
      }
    }
  }
})";

/// The first statement of `kind`, in the order of the text.
const StmtNode* find(const Stmt& stmt, StmtKind kind) {
  const StmtNode* found = stmt.kind() == kind ? stmt.get() : nullptr;
  if (const auto* loop = llvm::dyn_cast<For>(stmt); loop && !found) return find(loop->body, kind);
  if (const auto* branch = llvm::dyn_cast<If>(stmt); branch && !found)
    return find(branch->body, kind);
  if (const auto* alloc = llvm::dyn_cast<Alloc>(stmt); alloc && !found)
    return find(alloc->body, kind);
  if (const auto* all = llvm::dyn_cast<Seq>(stmt); all && !found) return find(all->stmts[0], kind);
  return found;
}

TEST(Excerpt, ShowsTheNestAroundALoopAndTwoLinesInside) {
  const Function function = parse_function(nest);
  const auto* branch = llvm::cast<If>(find(function.body, StmtKind::If));
  const StmtNode* reduction = find(branch->body, StmtKind::For);
  EXPECT_EQ(excerpt(function, reduction), R"(  for i in 0..128 {
    if (i < 100) {
      reduce k in 0..100 @unroll {   <-- here
        C[i] += A[i, k]
        T[] = 1.0)");
}

TEST(Excerpt, MarksTheOutermostLoopWithTheLinesBelowIt) {
  const Function function = parse_function(nest);
  EXPECT_EQ(excerpt(function, function.body.get()), R"(  for i in 0..128 {                  <-- here
    if (i < 100) {
      alloc T: f32[] @registers)");
}

TEST(Excerpt, MarksALineAlone) {
  const Function function = parse_function(nest);
  EXPECT_EQ(excerpt(function, find(function.body, StmtKind::Store)), R"(  for i in 0..128 {
    if (i < 100) {
      reduce k in 0..100 @unroll {
        C[i] += A[i, k]              <-- here)");
}

TEST(Excerpt, KeepsTwoBlanksBeforeTheMarkOfALongLine) {
  const Function function = parse_function(
      "func f(A: f32[8]) { for a_long_name_of_an_axis in 0..8 @block.x { A[0] = 1.0 } }");
  EXPECT_EQ(excerpt(function, function.body.get()),
            "  for a_long_name_of_an_axis in 0..8 @block.x {  <-- here\n    A[0] = 1.0");
}

TEST(Excerpt, LeavesOutClosingBraces) {
  const Function function = parse_function(
      "func f(A: f32[8]) { for i in 0..8 { for j in 0..8 { A[i] = 1.0 } A[i] = 2.0 } }");
  EXPECT_EQ(excerpt(function, llvm::cast<For>(function.body)->body.get()), R"(  for i in 0..8 {
    for j in 0..8 {                  <-- here
      A[i] = 1.0
    A[i] = 2.0)");
}

TEST(Excerpt, IsEmptyForAStatementThatIsNotInTheFunction) {
  EXPECT_EQ(excerpt(parse_function(nest), make_barrier().get()), "");
}

}  // namespace printer_test
}  // namespace hone
