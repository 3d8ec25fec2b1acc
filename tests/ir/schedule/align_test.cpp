#include "fmt/format.h"
#include "gtest/gtest.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"
#include "ir/traverse/equal.h"
#include "tests/support/ir/run.h"
#include "tests/support/ir/steps.h"

namespace hone {
namespace align_test {

constexpr const char* reversed = R"(func f(A: f32[64], C: f32[64]) {
  for b in 0..2 {
    for t in 0..32 {
      C[b*32 + t] = A[b*32 + 31 - t]
    }
  }
})";

Rewriting aligns(llvm::StringRef name, int64_t bytes) {
  return [=](const Function& f) {
    const Function staged = in_shared(f, "A", "b");
    return align(staged, tensor(staged, name), bytes).function;
  };
}

TEST(Align, ATileInSharedMemory) {
  for (const int64_t bytes : {16, 128, 1024})
    expect_rewrite(reversed, aligns("A.shared", bytes),
                   fmt::format(R"(func f(A: f32[64], C: f32[64]) {{
  for b in 0..2 {{
    alloc A.shared: f32[32] @shared @align({})
    copy A.shared[0 .. +32] <- A[b*32 .. +32]
    for t in 0..32 {{
      C[b*32 + t] = A.shared[31 - t]
    }}
  }}
}})",
                               bytes));
}

TEST(Align, StaysWhereTheLayoutChangesAndWhereLoopsAreWrittenOut) {
  expect_rewrite(
      reversed,
      [](const Function& f) {
        const Function aligned = aligns("A.shared", 256)(f);
        const Function padded = laid_out(aligned, "A.shared", Layout().pad(1));
        return write_out(padded, axis(padded, "b")).function;
      },
      R"(func f(A: f32[64], C: f32[64]) {
  alloc A.shared: f32[32] @pad(1) @shared @align(256)
  copy A.shared[0 .. +32] <- A[0 .. +32]
  for t in 0..32 {
    C[t] = A.shared[31 - t]
  }
  alloc A.shared.1: f32[32] @pad(1) @shared @align(256)
  copy A.shared.1[0 .. +32] <- A[32 .. +32]
  for t.1 in 0..32 {
    C[t.1 + 32] = A.shared.1[31 - t.1]
  }
})");
}

TEST(Align, RefusesWhatIsNoPowerOfTwo) {
  for (const int64_t bytes : {48, -16})
    expect_refusal(reversed, aligns("A.shared", bytes),
                   fmt::format(
                       R"(error: align: the alignment of A.shared: {} is no power of two
  for b in 0..2 {{
    alloc A.shared: f32[32] @shared  <-- here
    copy A.shared[0 .. +32] <- A[b*32 .. +32]
    for t in 0..32 {{)",
                       bytes));
}

TEST(Align, RefusesMoreThanAnythingNeeds) {
  expect_refusal(
      reversed, aligns("A.shared", 2048),
      R"(error: align: the alignment of A.shared: 2048 is more than 1024, the most that anything needs
  for b in 0..2 {
    alloc A.shared: f32[32] @shared  <-- here
    copy A.shared[0 .. +32] <- A[b*32 .. +32]
    for t in 0..32 {)");
}

TEST(Align, RefusesWhatIsSoInAnyCase) {
  for (const int64_t bytes : {0, 8})
    expect_refusal(reversed, aligns("A.shared", bytes),
                   R"(error: align: A.shared starts at a multiple of 16 bytes in any case
  for b in 0..2 {
    alloc A.shared: f32[32] @shared  <-- here
    copy A.shared[0 .. +32] <- A[b*32 .. +32]
    for t in 0..32 {)");
}

TEST(Align, RefusesWhatHasNoAddressToChoose) {
  expect_refusal(reversed, aligns("A", 128),
                 "error: align: A is an argument, which lies where callers put it\n"
                 "note: assume_aligned says what they promise");
  expect_refusal(
      reversed,
      [](const Function& f) {
        const Function cached = in_registers(f, "A", "t");
        return align(cached, tensor(cached, "A.reg"), 128).function;
      },
      R"(error: align: the alignment of A.reg: it is @registers, and only @shared has addresses to choose
  for b in 0..2 {
    for t in 0..32 {
      alloc A.reg: f32[] @registers  <-- here
      A.reg[] = A[b*32 - t + 31]
      C[b*32 + t] = A.reg[])");
}

TEST(Align, RefusesTilesThatLackTheRoom) {
  expect_refusal(
      R"(func f(A: f32[60000], C: f32[60000]) {
                      for b in 0..2 {
                        alloc s: f32[8] @shared
                        alloc u: f32[58080] @shared
                        s[0] = A[b]
                        for t in 0..58080 { u[t] = A[t] }
                        for v in 0..58080 { C[v] = u[v] + s[0] } } })",
      [](const Function& f) { return align(f, tensor(f, "u"), 1024).function; },
      R"(error: align: s and u take 233344 bytes of shared memory together, and no architecture gives a block more than 232448
  for b in 0..2 {
    alloc u: f32[58080] @shared      <-- here
    s[0] = A[b]
    for t in 0..58080 {
note: cache under an inner axis, or split into smaller tiles)");
}

// ---- Text ---------------------------------------------------------------------------------------

std::string with_alloc(const std::string& alloc) {
  return fmt::format("func f(C: f32[8]) {{\n  alloc {}\n  C[0] = 1.0\n}}", alloc);
}

std::string error_in(const std::string& alloc) {
  const std::string message = message_of<ParseError>([&] { parse_function(with_alloc(alloc)); });
  return llvm::StringRef(message).split('\n').first.split(": ").second.str();
}

TEST(AlignText, IsReadBack) {
  for (const char* alloc : {"T: f32[8] @shared @align(128)", "T: f32[8] @shared(256) @align(64)",
                            "T: f16[8, 8] @order(1, 0) @pad(8) @shared @align(1024)"}) {
    const Function function = parse_function(with_alloc(alloc));
    EXPECT_EQ(to_string(function), with_alloc(alloc));
    EXPECT_TRUE(equal(parse_function(to_string(function)), function));
    EXPECT_FALSE(equal(parse_function(with_alloc("T: f32[8] @shared")), function));
  }
}

TEST(AlignText, IsForSharedMemoryAndAPowerOfTwo) {
  EXPECT_EQ(error_in("T: f32[8] @shared @align(48)"), "the alignment of T: 48 is no power of two");
  EXPECT_EQ(error_in("T: f32[8] @shared @align(2048)"),
            "the alignment of T: 2048 is more than 1024, the most that anything needs");
  EXPECT_EQ(error_in("T: f32[8] @registers @align(64)"),
            "the alignment of T: it is @registers, and only @shared has addresses to choose");
  EXPECT_EQ(error_in("T: f32[8] @shared @align(0)"), "@align(0) aligns nothing; leave it out");
  EXPECT_EQ(error_in("T: f32[8] @shared @aligned(64)"), "expected 'align', found 'aligned'");
  EXPECT_EQ(error_in("T: f32[8] @shared @align(x)"), "expected an alignment in bytes, found 'x'");
}

}  // namespace align_test
}  // namespace hone
