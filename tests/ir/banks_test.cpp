#include "ir/memory/banks.h"

#include <gtest/gtest.h>

#include "fmt/format.h"
#include "ir/interpret/interpreter.h"
#include "ir/text/parser.h"

namespace hone {
namespace banks_test {

/// The accesses to shared memory of `body`, one a line, in a block of so many threads: "s[t, 0]
/// read, 4 bytes: 32 requests, 32 wavefronts, 32 ideal".
std::string banks(const std::string& body, std::array<int64_t, 3> threads,
                  const Sizes& sizes = {}) {
  const Function function =
      parse_function("func f[M](A: f32[64, 64], C: f32[64, 64]) {\n" + body + "}");
  const auto accesses = access_banks(function.body, {threads, {}, sizes});
  if (!accesses) return "unknown";
  std::string text;
  for (const AccessBanks& access : *accesses)
    text += fmt::format("{} {} bytes of {}: {} requests, {} wavefronts, {} ideal\n",
                        access.writes ? "write" : "read", access.bytes, access.tensor->name,
                        access.counts.requests, access.counts.wavefronts, access.counts.ideal);
  return text;
}

std::string turned(const std::string& layout) {
  return banks("alloc s: f32[32, 32]" + layout +
                   " @shared\n"
                   "for i in 0..32 @thread.y { for j in 0..32 @thread.x { s[i, j] = A[i, j] } }\n"
                   "for k in 0..32 @thread.y { for l in 0..32 @thread.x { C[k, l] = s[l, k] } }",
               {32, 32, 1});
}

TEST(Banks, OfRowsThatAreReadByColumns) {
  const std::string written = "write 4 bytes of s: 32 requests, 32 wavefronts, 32 ideal\n";
  EXPECT_EQ(turned(""), written + "read 4 bytes of s: 32 requests, 1024 wavefronts, 32 ideal\n");
  for (const char* layout : {" @pad(1)", " @swizzle(1, 32, 1)", " @swizzle(1, 32, 1) @pad(32)"})
    EXPECT_EQ(turned(layout),
              written + "read 4 bytes of s: 32 requests, 32 wavefronts, 32 ideal\n");
  EXPECT_EQ(turned(" @swizzle(1, 8, 1)"),
            written + "read 4 bytes of s: 32 requests, 128 wavefronts, 32 ideal\n");
  EXPECT_EQ(turned(" @order(1/8, 0, 1%8)"),
            "write 4 bytes of s: 32 requests, 128 wavefronts, 32 ideal\n"
            "read 4 bytes of s: 32 requests, 256 wavefronts, 32 ideal\n");
}

TEST(Banks, OfLanesAndWarps) {
  EXPECT_EQ(banks("alloc s: f32[16, 8] @shared\n"
                  "for w in 0..2 @warp { for y in 0..4 @lane(8) { for x in 0..8 @lane {\n"
                  "C[w, y] = s[w*8 + x, y] } } }",
                  {64, 1, 1}),
            "read 4 bytes of s: 2 requests, 4 wavefronts, 2 ideal\n");
}

/// A lane says where a row of 16 bytes lies; of two matrices half of the lanes do.
TEST(Banks, OfMatricesThatLanesLoadTogether) {
  const auto loads = [](const char* word, int values, int pitch, const char* column) {
    return banks(fmt::format("alloc s: f16[16, {}] @shared\n"
                             "for t in 0..64 @thread.x {{\n"
                             "alloc r: f16[{}] @registers\n"
                             "{} r[0] <- s[t % 16, {}] }}\n",
                             pitch, values, word, column),
                 {64, 1, 1});
  };
  const auto text = [](int wavefronts, int ideal) {
    return fmt::format("read 16 bytes of s: 2 requests, {} wavefronts, {} ideal\n", wavefronts,
                       ideal);
  };
  EXPECT_EQ(loads("ldmatrix_x4_f16", 8, 24, "t % 32 / 16*8"), text(8, 8));
  EXPECT_EQ(loads("ldmatrix_x4_f16", 8, 16, "t % 32 / 16*8"), text(16, 8));
  EXPECT_EQ(loads("ldmatrix_x2_trans_f16", 4, 24, "0"), text(4, 4));
}

TEST(Banks, OfVectorsThatTheLayoutKeepsTogether) {
  const auto vectors = [](const char* layout) {
    return banks(fmt::format("alloc s: f32[32, 64]{} @shared\n"
                             "for t in 0..32 @thread.x {{ for v in 0..4 @vectorize {{\n"
                             "C[t, v] = s[t, v + 8] }} }}",
                             layout),
                 {32, 1, 1});
  };
  EXPECT_EQ(vectors(""), "read 16 bytes of s: 1 requests, 32 wavefronts, 4 ideal\n");
  EXPECT_EQ(vectors(" @swizzle(4, 8, 1)"),
            "read 16 bytes of s: 1 requests, 4 wavefronts, 4 ideal\n");
  EXPECT_EQ(vectors(" @swizzle(1, 32, 1)"),
            "read 4 bytes of s: 4 requests, 4 wavefronts, 4 ideal\n");
}

TEST(Banks, OfThreadsThatAreThere) {
  EXPECT_EQ(banks("alloc s: f32[32, 32] @shared\n"
                  "for t in 0..32 @thread.x { if (t < 8 && t < M) { C[t, 0] = s[t, 0] } }",
                  {32, 1, 1}),
            "read 4 bytes of s: 1 requests, 8 wavefronts, 1 ideal\n");
  EXPECT_EQ(banks("alloc s: f32[32, 32] @shared\n"
                  "for t in 0..32 @thread.x { if (t < 8 && t < M) { C[t, 0] = s[t, 0] } }",
                  {32, 1, 1}, {{"M", 3}}),
            "read 4 bytes of s: 1 requests, 3 wavefronts, 1 ideal\n");
  EXPECT_EQ(banks("alloc s: f32[32, 32] @shared\n"
                  "for t in 0..32 @thread.x {\n"
                  "C[t, 0] = select(t < 4, s[t, 0], s[0, t]) + s[t, 1]*s[t, 1] }",
                  {32, 1, 1}),
            "read 4 bytes of s: 3 requests, 37 wavefronts, 3 ideal\n");
}

TEST(Banks, AreUnknownWhereAnIndexIs) {
  EXPECT_EQ(banks("alloc s: f32[32, 32] @shared\n"
                  "for t in 0..32 @thread.x { C[t, 0] = s[t, M % 32] }",
                  {32, 1, 1}),
            "unknown");
  EXPECT_EQ(banks("alloc s: f32[32, 32] @shared\n"
                  "for t in 0..32 @thread.x { C[t, 0] = s[t, M % 32] }",
                  {32, 1, 1}, {{"M", 40}}),
            "read 4 bytes of s: 1 requests, 32 wavefronts, 1 ideal\n");
}

TEST(StorageMap, IsTheLayoutInNumbers) {
  const IndexDigit row = 0, column = 1;
  for (const Layout& layout :
       {Layout(), Layout().pad(3), Layout::column_major().swizzle({4, 4, 1}),
        Layout::order({column / 8, 0, column % 8}).swizzle({2, 4, 2}).swizzle({1, 8, 1, 2, 0}),
        Layout::order({row / 4, column / 8, row % 4, column % 8}).pad(1)}) {
    const TensorPtr tensor = make_tensor("s", f32, {16, 64}, Scope::shared, layout);
    const StorageMap map(*tensor);
    for (int64_t i = 0; i < 16; ++i)
      for (int64_t j = 0; j < 64; ++j)
        EXPECT_EQ(map.offset(llvm::ArrayRef<int64_t>({i, j})),
                  evaluate(storage_offset(*tensor, {i, j}), {}));
  }
}

/// A map that says so has the offset of each bit of the indices by itself.
TEST(StorageMap, IsLinearOverBits) {
  const IndexDigit column = 1;
  const auto expect_linear = [](const Layout& layout, int64_t rows, int64_t columns, bool linear) {
    const TensorPtr tensor = make_tensor("s", f32, {rows, columns}, Scope::shared, layout);
    const StorageMap map(*tensor);
    const auto offset = [&](int64_t i, int64_t j) {
      return map.offset(llvm::ArrayRef<int64_t>({i, j}));
    };
    EXPECT_EQ(map.is_linear_over_bits(), linear) << to_string(layout) << " of " << columns;
    bool is_linear = true;
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t j = 0; j < columns; ++j)
        is_linear &= offset(i, j) == (offset(i & 1, j & 5) ^ offset(i & ~1, j & ~5));
    EXPECT_EQ(is_linear, linear) << to_string(layout) << " of " << columns;
  };
  expect_linear(Layout(), 24, 64, true);
  expect_linear(Layout(), 16, 48, false);
  expect_linear(Layout().pad(3), 16, 64, false);
  expect_linear(Layout().swizzle_bytes(128, f32), 24, 32, true);
  expect_linear(Layout::column_major().swizzle({4, 4, 1}), 16, 24, true);
  expect_linear(Layout::column_major(), 24, 16, false);
  expect_linear(Layout::order({column / 8, 0, column % 8}).swizzle({2, 4, 2}), 16, 64, true);
  expect_linear(Layout::order({column / 6, 0, column % 6}), 16, 66, false);
}

}  // namespace banks_test
}  // namespace hone
