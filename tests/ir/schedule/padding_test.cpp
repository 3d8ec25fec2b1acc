// Guards that zeros in the padding of tiles make superfluous, and those that they do not.
#include "gtest/gtest.h"
#include "tests/support/ir/steps.h"

namespace hone {
namespace padding_test {

std::string type_of(const std::string& update) { return update == "or=" ? "bool" : "f32"; }

/// C[0] `update` `value` under a guard, where `value` reads A[k.0*8 + k.1].
std::string reduction(const std::string& update, const std::string& value,
                      const std::string& guard = "k.0*8 + k.1 < N") {
  return "func f[N](A: " + type_of(update) + "[N], C: " + type_of(update) + R"([1]) {
    reduce k.0 in 0..(N + 7) / 8 { reduce k.1 in 0..8 {
      if ()" +
         guard + ") { C[0] " + update + " " + value + " } } } }";
}

/// The same with A in shared memory: `value` reads `tile`, of which `base` is the first element.
std::string staged(const std::string& update, const std::string& value, const std::string& guard,
                   const std::string& base = "k.0*8") {
  return "func f[N](A: " + type_of(update) + "[N], C: " + type_of(update) + R"([1]) {
    reduce k.0 in 0..(N + 7) / 8 {
      alloc A.shared: )" +
         type_of(update) + R"([8] @shared
      copy A.shared[0 .. +8] <- A[)" +
         base + R"( .. +8]
      reduce k.1 in 0..8 { )" +
         (guard.empty() ? "" : "if (" + guard + ") {") + " C[0] " + update + " " + value +
         (guard.empty() ? "" : "}") + " } } }";
}

TEST(Padding, OfASumNeedsNoGuard) {
  expect_rewrite(reduction("+=", "A[k.0*8 + k.1]"), stages("A", "k.0"),
                 staged("+=", "A.shared[k.1]", ""));
  expect_rewrite(reduction("+=", "A[k.0*8 + k.1] * 3.0"), stages("A", "k.0"),
                 staged("+=", "A.shared[k.1] * 3.0", ""));
  expect_rewrite(reduction("or=", "A[k.0*8 + k.1]"), stages("A", "k.0"),
                 staged("or=", "A.shared[k.1]", ""));
}

/// Without u < 2 two threads would write C.shared[2], which the copy back clips away.
TEST(Padding, KeepsAGuardThatKeepsThreadsApart) {
  const auto check = [](const std::string& loop, const char* guard, const char* end) {
    expect_rewrite("func f(A: f32[6], C: f32[2]) { for i in 0..1 { " + loop +
                       "for u in 0..4 { if (i*4 + t*2 + u < 2) { if (u < 2) { "
                       "C[i*4 + t*2 + u] = A[t*2 + u] } } } } } }",
                   stages("C", "i"),
                   "func f(A: f32[6], C: f32[2]) { for i in 0..1 { alloc C.shared: f32[6] @shared "
                   "copy C.shared[0 .. +6] <- C[i*4 .. +6] " +
                       loop + "for u in 0..4 { " + guard + " C.shared[t*2 + u] = A[t*2 + u] " +
                       end + " } } copy C[i*4 .. +6] <- C.shared[0 .. +6] } }");
  };
  check("for t in 0..2 @thread.x { ", "if (u < 2) {", "}");
  check("for t in 0..2 { ", "", "");
}

/// Of several threads, each would write all of the tile.
TEST(Padding, OfOneThreadNeedsNoGuard) {
  expect_rewrite(R"(func f[N](A: f32[N + 4], C: f32[N]) {
    for i in 0..(N + 3) / 4 { for t in 0..1 @thread.x { for u in 0..4 {
      if (i*4 + u < N) { C[i*4 + u] = A[i*4 + u] } } } } })",
                 stages("C", "i"), R"(func f[N](A: f32[N + 4], C: f32[N]) {
  for i in 0..(N + 3) / 4 {
    alloc C.shared: f32[4] @shared
    copy C.shared[0 .. +4] <- C[i*4 .. +4]
    for t in 0..1 @thread.x {
      for u in 0..4 {
        C.shared[u] = A[i*4 + u]
      }
    }
    copy C[i*4 .. +4] <- C.shared[0 .. +4]
  }
})");
}

/// Without u < 2 a thread would read T[2] while another one writes it.
TEST(Padding, KeepsAGuardOfWhatOtherThreadsWrite) {
  const std::string inside = "if (u < 2) {";
  const auto check = [&](const std::string& loop, const std::string& body) {
    const auto text = [&](const std::string& inner, const std::string& store) {
      return "func f(C: f32[6]) { alloc T: f32[6] @shared for s in 0..6 { T[s] = 1.0 } " + loop +
             "for u in 0..4 { " + inner + " } } for s_2 in 0..6 { " + store + " } }";
    };
    expect_rewrite(
        text(inside + "alloc R: f32[] @registers R[] = T[t*2 + u] R[] = R[] + 2.0 "
                      "T[t*2 + u] = R[] }",
             "C[s_2] = T[s_2]"),
        [](const Function& f) { return in_registers(f, "C", "s_2"); },
        text(body, "alloc C.reg: f32[] @registers C.reg[] = T[s_2] C[s_2] = C.reg[]"));
  };
  const std::string read = "alloc R: f32[] @registers R[] = T[t*2 + u] R[] = R[] + 2.0 ";
  const std::string write = "T[t*2 + u] = R[] }";
  check("for t in 0..2 @thread.x { ", inside + read + write);
  check("for t in 0..2 { ", read + inside + write);
}

/// T[i*2 + 2] is the first element of the next i, which sets it later.
TEST(Padding, KeepsAGuardThatChoosesElementsThatAreSetLater) {
  const auto text = [](const std::string& start, const std::string& element,
                       const std::string& body, const std::string& end) {
    return "func f(A: f32[5, 4], T: f32[4]) { for i in 0..2 { " + start +
           "for u in 0..3 { if (u < 2) { " + element + " = 0.0 } reduce k in 0..4 { " + body +
           " } } " + end + " } }";
  };
  const std::string sum =
      "alloc T.reg: f32[] @registers T.reg[] = T.shared[u] "
      "T.reg[] += A[i*2 + u, k] ";
  expect_rewrite(
      text("", "T[i*2 + u]", "if (u < 2) { T[i*2 + u] += A[i*2 + u, k] }", ""),
      [](const Function& f) { return in_shared(in_registers(f, "T", "k"), "T", "i"); },
      text("alloc T.shared: f32[3] @shared copy T.shared[0 .. +3] <- T[i*2 .. +3] ", "T.shared[u]",
           "if (u < 2) { " + sum + "T.shared[u] = T.reg[] }",
           "copy T[i*2 .. +3] <- T.shared[0 .. +3]"));
}

/// One element at a time, which a store fills.
TEST(Padding, KeepsAGuardOfOneElementThatIsSetLater) {
  const auto text = [](const std::string& start, const std::string& element,
                       const std::string& body, const std::string& end) {
    return "func f(A: f32[4, 4], T: f32[4]) { for i in 0..2 { for u in 0..3 { "
           "if (i*2 + u < 4) { " +
           start + "if (u < 2) { " + element + " = 0.0 } reduce k in 0..4 { if (u < 2) { " + body +
           " } } " + end + " } } } }";
  };
  expect_rewrite(
      text("", "T[i*2 + u]", "T[i*2 + u] += A[i*2 + u, k]", ""),
      [](const Function& f) { return in_registers(in_registers(f, "T", "k"), "T", "u"); },
      text("alloc T.reg_2: f32[] @registers T.reg_2[] = T[i*2 + u] ", "T.reg_2[]",
           "alloc T.reg: f32[] @registers T.reg[] = T.reg_2[] T.reg[] += A[i*2 + u, k] "
           "T.reg_2[] = T.reg[]",
           "T[i*2 + u] = T.reg_2[]"));
}

/// Beyond the end of T a tile holds the fill of its copy, which a sum may take along.
TEST(Padding, OfACopyNeedsNoGuardWhereItIsRead) {
  const auto text = [](const std::string& start, const std::string& body, const std::string& end) {
    return "func f[M](A: f32[64, 4], T: f32[M]) { for z in 0..M { T[z] = 1.0 } for i in 0..16 { " +
           start + "for u in 0..4 { reduce k in 0..4 { " + body + " } } " + end + " } }";
  };
  expect_rewrite(
      text("", "if (i*4 + u < M) { T[i*4 + u] += A[i*4 + u, k] }", ""),
      [](const Function& f) { return in_shared(in_registers(f, "T", "k"), "T", "i"); },
      text("alloc T.shared: f32[4] @shared copy T.shared[0 .. +4] <- T[i*4 .. +4] ",
           "alloc T.reg: f32[] @registers T.reg[] = T.shared[u] T.reg[] += A[i*4 + u, k] "
           "T.shared[u] = T.reg[]",
           "copy T[i*4 .. +4] <- T.shared[0 .. +4]"));
}

/// U[4] is never written: an element in registers that is a move of it has no value either.
TEST(Padding, KeepsAGuardThatChoosesElementsWithAValue) {
  const auto text = [](const std::string& move, const std::string& value) {
    return "func f(D: f32[4], C: f32[4]) { alloc U: f32[5] @shared "
           "for j in 0..5 { if (j < 4) { U[j] = D[j] } } "
           "for i in 0..5 { " +
           move +
           "alloc C.shared: f32[1] @shared if (i < 4) { "
           "for o in 0..1 { C.shared[o] = " +
           value +
           " * 2.0 } } copy C[i .. +1] <- "
           "C.shared[0 .. +1] } }";
  };
  expect_rewrite(
      text("", "U[i]"), [](const Function& f) { return in_registers(f, "U", "i"); },
      text("alloc U.reg: f32[] @registers U.reg[] = U[i] ", "U.reg[]"));
}

/// T[1] is never written, and only a tile that is written as a whole may be read there.
TEST(Padding, KeepsAGuardThatChoosesElementsOfATileThatAreSet) {
  const auto check = [](const std::string& sets, bool is_kept) {
    const std::string start = is_kept ? "if (i < 1) { " : "", end = is_kept ? "" : "if (i < 1) { ";
    expect_rewrite(
        "func f(A: f32[1], C: f32[1]) { alloc T: f32[2] @shared " + sets +
            " for i in 0..2 { if (i < 1) { C[i] = 0.0 reduce k in 0..1 { C[i] += T[i] } } } }",
        [](const Function& f) { return in_registers(f, "C", "i"); },
        "func f(A: f32[1], C: f32[1]) { alloc T: f32[2] @shared " + sets + " for i in 0..2 { " +
            start + "alloc C.reg: f32[] @registers C.reg[] = 0.0 reduce k in 0..1 { " +
            "C.reg[] += T[i] } " + end + " C[i] = C.reg[] } } }");
  };
  check("T[0] = A[0]", true);
  check("T[0] = A[0] T[1] = 2.0", false);
  check("for t in 0..2 { T[t] = A[0] }", false);
  check("for t in 0..2 { T[t / 2] = A[0] }", true);
}

/// Vectors of one element stand under one condition.
TEST(Padding, KeepsAGuardThatAVectorNeeds) {
  expect_rewrite(
      "func f(B: f32[4], C: f32[4]) { for k in 0..2 { for i in 0..1 { for v in 0..4 @vectorize { "
      "if (k < 1) { C[v] = 0.0 } if (k < 1) { C[v] += B[v] } } } } }",
      stages("C", "i"),
      "func f(B: f32[4], C: f32[4]) { for k in 0..2 { for i in 0..1 { alloc C.shared: f32[4] "
      "@shared "
      "copy C.shared[0 .. +4] <- C[0 .. +4] for v in 0..4 @vectorize { "
      "if (k < 1) { C.shared[v] = 0.0 } if (k < 1) { C.shared[v] += B[v] } } "
      "copy C[0 .. +4] <- C.shared[0 .. +4] } } }");
}

/// Beyond the end the tile of A holds nothing, which the sum of it would read.
TEST(Padding, KeepsAGuardThatATileInsideIsFilledUnder) {
  expect_rewrite(
      "func f(A: f32[2], B: f32[1], C: f32[1]) { for i in 0..4 { if (i < 1) { "
      "alloc C.reg: f32[] @registers C.reg[] = 0.0 "
      "reduce k in 0..4 { if (k < 1) { C.reg[] += A[i + k] * B[k] } } C[i] = C.reg[] } } }",
      stages("A", "k"),
      "func f(A: f32[2], B: f32[1], C: f32[1]) { for i in 0..4 { if (i < 1) { "
      "alloc C.reg: f32[] @registers C.reg[] = 0.0 "
      "reduce k in 0..4 { alloc A.shared: f32[] @shared if (i + k < 2) { A.shared[] = A[i + k] } "
      "if (k < 1) { C.reg[] += A.shared[] * B[k] } } C[i] = C.reg[] } } }");
}

TEST(Padding, OfAnythingElseKeepsTheGuard) {
  for (const char* update : {"max=", "min=", "*="})
    expect_rewrite(reduction(update, "A[k.0*8 + k.1]"), stages("A", "k.0"),
                   staged(update, "A.shared[k.1]", "k.0*8 + k.1 < N"));
  for (const char* value :
       {"exp({})", "{} + 1.0", "1.0 / {}", "{} / {}", "select({} > 0.0, 0.0, 1.0)"})
    expect_rewrite(
        reduction("+=", fmt::format(fmt::runtime(value), "A[k.0*8 + k.1]", "A[k.0*8 + k.1]")),
        stages("A", "k.0"),
        staged("+=", fmt::format(fmt::runtime(value), "A.shared[k.1]", "A.shared[k.1]"),
               "k.0*8 + k.1 < N"));
}

/// C has elements beyond N, which the program leaves alone.
TEST(Padding, KeepsAGuardThatChoosesElementsOfAnArgument) {
  const auto text = [](const std::string& copy, const std::string& value) {
    return "func f[N](A: f32[N], C: f32[N + 8]) {\n"
           "  for i.0 in 0..(N + 7) / 8 { " +
           copy + "for i.1 in 0..8 { if (i.0*8 + i.1 < N) { C[i.0*8 + i.1] += " + value +
           " } } } }";
  };
  expect_rewrite(text("", "A[i.0*8 + i.1]"), stages("A", "i.0"),
                 text("alloc A.shared: f32[8] @shared copy A.shared[0 .. +8] <- A[i.0*8 .. +8] ",
                      "A.shared[i.1]"));
}

/// The tile takes elements beyond N and gives them back: absmax would make -2 of them 2, a sum 0 of
/// -0, and nobody may have set them.
TEST(Padding, KeepsAGuardThatChoosesElementsOfATile) {
  const auto text = [](const char* update, const char* copy, const char* guard, const char* value) {
    return fmt::format(
        "operator absmax(x: f32, y: f32) = max(max(x[], -x[]), max(y[], -y[])) identity 0.0\n"
        "func f[N](A: f32[N], C: f32[N + 8]) {{ for i.0 in 0..(N + 7) / 8 {{ "
        "alloc C.reg: f32[8] @registers copy C.reg[0 .. +8] <- C[i.0*8 .. +8] {} "
        "for i.1 in 0..8 @unroll {{ {} C.reg[i.1] {} {} }} {} "
        "copy C[i.0*8 .. +8] <- C.reg[0 .. +8] }} }}",
        copy, *guard ? fmt::format("if ({}) {{", guard) : "", update, value, *guard ? "}" : "");
  };
  const char* copy = "alloc A.shared: f32[8] @shared copy A.shared[0 .. +8] <- A[i.0*8 .. +8]";
  const char* guard = "i.0*8 + i.1 < N";
  expect_rewrite(text("+=", "", guard, "A[i.0*8 + i.1]"), stages("A", "i.0"),
                 text("+=", copy, guard, "A.shared[i.1]"));
  expect_rewrite(text("absmax=", "", guard, "A[i.0*8 + i.1]"), stages("A", "i.0"),
                 text("absmax=", copy, guard, "A.shared[i.1]"));
}

/// Beyond the end the index of D would be the quotient of a negative number.
TEST(Padding, KeepsAGuardWithoutWhichAnIndexHasNoValue) {
  const auto text = [](const char* copy, const char* value) {
    return fmt::format(
        "func f(A: f32[6], D: f32[2], C: f32[1]) {{ reduce k.0 in 0..2 {{ {} "
        "reduce k.1 in 0..4 {{ if (k.0*4 + k.1 < 6) {{ "
        "C[0] += {} * select(D[(5 - k.0*4 - k.1) / 3] > 0.0, 1.0, 2.0) }} }} }} }}",
        copy, value);
  };
  expect_rewrite(text("", "A[k.0*4 + k.1]"), stages("A", "k.0"),
                 text("alloc A.shared: f32[4] @shared copy A.shared[0 .. +4] <- A[k.0*4 .. +4]",
                      "A.shared[k.1]"));
}

/// Elements beyond the two of an iteration are the next one's.
TEST(Padding, KeepsAGuardThatChoosesElementsToRead) {
  const auto text = [](const std::string& body) {
    return "func f[N](A: f32[N], C: f32[N]) { for i.0 in 0..(N + 1) / 2 { for i.1 in 0..8 { "
           "if (i.0*2 + i.1 < N) { if (i.1 < 2) { " +
           body + " } } } } }";
  };
  expect_rewrite(
      text("C[i.0*2 + i.1] += A[i.0*2 + i.1]"),
      [](const Function& f) { return in_registers(f, "C", "i.1"); },
      text("alloc C.reg: f32[] @registers C.reg[] = C[i.0*2 + i.1] "
           "C.reg[] += A[i.0*2 + i.1] C[i.0*2 + i.1] = C.reg[]"));
}

TEST(Padding, KeepsAGuardThatExcludesMoreThanThePadding) {
  expect_rewrite(reduction("+=", "A[k.0*8 + k.1]", "k.0*8 + k.1 < N - 1"), stages("A", "k.0"),
                 staged("+=", "A.shared[k.1]", "k.0*8 + k.1 < N - 1"));
  expect_rewrite(reduction("+=", "A[k.0*8 + k.1]", "k.0*8 + k.1 < N && k.1 != 3"),
                 stages("A", "k.0"), staged("+=", "A.shared[k.1]", "k.0*8 + k.1 < N && k.1 != 3"));
}

TEST(Padding, OfAWindowThatStartsElsewhere) {
  expect_rewrite(reduction("+=", "A[k.0*8 + k.1 + 1]", "k.0*8 + k.1 + 1 < N"), stages("A", "k.0"),
                 staged("+=", "A.shared[k.1]", "", "k.0*8 + 1"));
  expect_rewrite(reduction("+=", "A[N - 1 - k.0*8 - k.1]"), stages("A", "k.0"),
                 staged("+=", "A.shared[7 - k.1]", "", "N - k.0*8 - 8"));
}

}  // namespace padding_test
}  // namespace hone
