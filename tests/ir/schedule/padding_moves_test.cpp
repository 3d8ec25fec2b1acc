// Guards of elements that go from tile to tile before they are taken out.
#include "fmt/format.h"
#include "gtest/gtest.h"
#include "ir/schedule/staging/padding.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"
#include "tests/support/ir/steps.h"

namespace hone {
namespace padding_moves_test {

/// Sums in registers that go to a tile, and from there to C by `write_back`. B may be infinite.
std::string sums_in_a_tile(const std::string& write_back, const std::string& sum) {
  return fmt::format(R"(func f[N](A: f32[4, N], B: f32[4], C: f32[N]) {{
  for b in 0..(N + 7) / 8 {{
    alloc C.shared: f32[8] @shared
    for i in 0..8 {{
      alloc C.reg: f32[] @registers
      C.reg[] = 0.0
      reduce k in 0..4 {{
        {}
      }}
      C.shared[i] = C.reg[]
    }}
    {}
  }}
}})",
                     sum, write_back);
}

/// Elements beyond the end go to elements of the tile that are never taken out of it.
TEST(PaddingOfMoves, OfElementsThatATileKeeps) {
  for (const char* write_back : {"copy C[b*8 .. +8] <- C.shared[0 .. +8]",
                                 "for o in 0..2 { for p in 0..4 { if (b*8 + o*4 + p < N) { "
                                 "C[b*8 + o*4 + p] = C.shared[o*4 + p] } } }"}) {
    const std::string text =
        sums_in_a_tile(write_back, "if (b*8 + i < N) { C.reg[] += A[k, b*8 + i] * B[k] }");
    const std::string after = sums_in_a_tile(write_back, "C.reg[] += A.shared[k, i] * B[k]");
    const std::string tile =
        "    alloc A.shared: f32[4, 8] @shared\n"
        "    copy A.shared[0 .. +4, 0 .. +8] <- A[0 .. +4, b*8 .. +8]\n";
    const size_t place = after.find("    alloc C.shared");
    expect_rewrite(
        text, [](const Function& f) { return in_shared(f, "A", "b"); },
        after.substr(0, place) + tile + after.substr(place));
  }
}

/// An epilogue may read its element several times, but no other one.
TEST(PaddingOfMoves, OfElementsThatAStatementReadsTwice) {
  const auto staged = [](const std::string& value) {
    const std::string text = sums_in_a_tile(
        fmt::format("for o in 0..8 {{ if (b*8 + o < N) {{ C[b*8 + o] = {} }} }}", value),
        "if (b*8 + i < N) { C.reg[] += A[k, b*8 + i] * B[k] }");
    const Rewriting stage = [](const Function& f) { return in_shared(f, "A", "b"); };
    const Function function = parse_function(text), result = stage(function);
    expect_same_values(function, result);
    return to_string(result);
  };
  const char* guard = "if (b*8 + i < N)";
  EXPECT_FALSE(llvm::StringRef(staged("C.shared[o] * C.shared[o]")).contains(guard));
  EXPECT_TRUE(llvm::StringRef(staged("C.shared[o] * C.shared[7 - o]")).contains(guard));
}

/// Taken out of the tile where the guard does not hold, they would be seen.
TEST(PaddingOfMoves, OfElementsThatATileGivesToOthers) {
  const auto with_sum = [](const std::string& sum) {
    return sums_in_a_tile("for o in 0..8 { if (b*8 + o < N) { C[b*8 + o] = C.shared[7 - o] } }",
                          "if (b*8 + i < N) { " + sum + " }");
  };
  const std::string after = with_sum("C.reg[] += A.shared[k, i] * B[k]");
  const size_t place = after.find("    alloc C.shared");
  expect_rewrite(
      with_sum("C.reg[] += A[k, b*8 + i] * B[k]"),
      [](const Function& f) { return in_shared(f, "A", "b"); },
      after.substr(0, place) +
          "    alloc A.shared: f32[4, 8] @shared\n"
          "    copy A.shared[0 .. +4, 0 .. +8] <- A[0 .. +4, b*8 .. +8]\n" +
          after.substr(place));
}

/// Functions whose guards stay.
void expect_kept(const std::string& text) {
  const Function function = parse_function(text);
  EXPECT_EQ(to_string(drop_padding_guards(function)), to_string(function));
}

/// Iterations that read T first, and leave elements in it under this condition.
std::string reads_before(const std::string& let, const std::string& condition,
                         const std::string& read) {
  return fmt::format(R"(func f(A: f32[32], C: f32[32]) {{
  alloc T: f32[4] @shared
  for z in 0..4 {{ T[z] = 0.0 }}
  for t in 0..8 {{
    {0}
    {2}
    for u in 0..4 {{ if ({1}) {{ T[u] = A[t*4 + u] }} }}
  }}
}})",
                     let, condition, read);
}

/// A reader may find elements of another iteration, which were written under that one's condition.
TEST(PaddingOfMoves, KeepAGuardThatAReaderHasInAnotherIteration) {
  const std::string even = "t % 2 == 0";
  expect_kept(reads_before("", even, "for v in 0..4 { if (t % 2 == 0) { C[t*4 + v] = T[v] } }"));
  expect_kept(reads_before("let j = t % 2", "j == 0",
                           "for v in 0..4 { if (j == 0) { C[t*4 + v] = T[v] } }"));
  expect_kept(reads_before("", even,
                           "alloc D: f32[4] @shared copy D[0 .. +4] <- T[0 .. +4] "
                           "for v in 0..4 { if (t % 2 == 0) { C[t*4 + v] = D[v] } }"));
  expect_kept(reads_before("", even,
                           "alloc D: f32[4] @shared for w in 0..4 { D[w] = T[w] } "
                           "for v in 0..4 { if (t % 2 == 0) { C[t*4 + v] = D[v] } }"));
}

/// A tile of 4 elements whose rest does not exist, with a statement between its writer and its
/// reader.
std::string with_statement(const std::string& between, const std::string& read = "T[v]") {
  return fmt::format(R"(func f[N](A: i32[8], B: i32[4], C: i32[N]) {{
  for b in 0..2 {{
    alloc T: i32[4] @shared
    alloc D: i32[4] @shared
    for z in 0..4 {{ T[z] = 1i32 D[z] = 1i32 }}
    for u in 0..4 {{ if (b*4 + u < N) {{ T[u] = A[b*4 + u] }} }}
    {}
    for v in 0..4 {{ if (b*4 + v < N) {{ C[b*4 + v] = {} }} }}
  }}
}})",
                     between, read);
}

/// An element that is nobody's leads to no place, and fails no division.
TEST(PaddingOfMoves, KeepAGuardOfElementsThatDecideMore) {
  expect_kept(with_statement("T[index(T[3])] += 1i32"));
  expect_kept(with_statement("for w in 0..4 { T[w] = B[index(T[w])] }"));
  expect_kept(with_statement("for w in 0..4 { T[w] = 12i32 / T[w] }"));
  expect_kept(with_statement("for w in 0..4 { D[w] = B[index(T[w])] }", "D[v]"));
  expect_kept(with_statement("for w in 0..4 { D[w] = 10i32 / T[w] }", "D[v]"));
  expect_kept(with_statement("for w in 0..4 { D[index(T[w])] = 2i32 }", "D[v]"));
}

/// Beside these.
TEST(PaddingOfMoves, DropAGuardOfElementsThatAreMoved) {
  for (const char* between : {"", "for w in 0..4 { T[w] += 2i32 }"})
    EXPECT_NE(to_string(drop_padding_guards(parse_function(with_statement(between)))),
              to_string(parse_function(with_statement(between))));
  const Function moved =
      parse_function(with_statement("for w in 0..4 { D[w] = T[w] * 2i32 }", "D[v]"));
  EXPECT_NE(to_string(drop_padding_guards(moved)), to_string(moved));
}

}  // namespace padding_moves_test
}  // namespace hone
