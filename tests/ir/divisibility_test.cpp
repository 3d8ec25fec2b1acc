#include "ir/analysis/divisibility.h"

#include <gtest/gtest.h>

#include "ir/text/printer.h"
#include "tests/support/ir/index_scope.h"

namespace hone {
namespace divisibility_test {

using Around = std::vector<std::string>;

const Around loops = {"for i in 0..M", "for j in 0..6", "for one in 0..1"};

Around with(Around around, const std::string& head) {
  around.push_back(head);
  return around;
}

int64_t divisor(const Around& around, const std::string& text, int64_t modulus) {
  const IndexScope scope(around, {text});
  return known_divisor(Polynomial::of(scope[0]), modulus, scope.facts());
}

TEST(Divisibility, IsThatOfEveryTerm) {
  EXPECT_EQ(divisor(loops, "i*8 + j*4 + 12", 16), 4);
  EXPECT_EQ(divisor(loops, "i*8 - j*16", 8), 8);
  EXPECT_EQ(divisor(loops, "i*8 + 1", 8), 1);
  EXPECT_EQ(divisor(loops, "i*6", 4), 2);
  EXPECT_EQ(divisor(loops, "0", 16), 16);
  EXPECT_EQ(divisor(loops, "K", 4), 1);
  EXPECT_EQ(divisor(loops, "i*(-9223372036854775807 - 1)", 16), 16);
}

TEST(Divisibility, ComesFromConditions) {
  EXPECT_EQ(divisor({"if (K % 4 == 0)"}, "K", 8), 4);
  EXPECT_EQ(divisor({"if (0 == K % 4)"}, "K", 8), 4);
  EXPECT_EQ(divisor({"if (K % 4 == 0 && K % 6 == 0)"}, "K", 24), 12);
  EXPECT_EQ(divisor({"if (K % 4 == 1)"}, "K", 4), 1);
  EXPECT_EQ(divisor({"if (K % 12 == 8)"}, "K", 16), 4);
  EXPECT_EQ(divisor({"if (K == 0)"}, "K*5", 16), 16);
  EXPECT_EQ(divisor({"if (12 == K)"}, "K", 8), 4);
  EXPECT_EQ(divisor({"if (K >= 0)"}, "K", 8), 1);
  EXPECT_EQ(divisor({"if (K % 4 != 0)"}, "K", 4), 1);
  EXPECT_EQ(divisor({"if (K % M == 0)"}, "K", 4), 1);
  EXPECT_EQ(divisor(with(loops, "if (i % 4 == 0)"), "i*K", 8), 4);
}

TEST(Divisibility, OfAProductMultiplies) {
  EXPECT_EQ(divisor({"if (K % 4 == 0 && N % 2 == 0)"}, "K*N", 16), 8);
  EXPECT_EQ(divisor({"if (K % 4 == 0)"}, "K*2", 16), 8);
  EXPECT_EQ(divisor({"if (K % 4 == 0)"}, "(K + 8)*N", 4), 4);
  EXPECT_EQ(divisor({"if ((M + N) % 4 == 0)"}, "M + N", 4), 4);
  EXPECT_EQ(divisor({"if ((M + N) % 4 == 0)"}, "M", 4), 1);
}

TEST(Divisibility, SeesThroughLetsAndLoopsOfOneIteration) {
  EXPECT_EQ(divisor(with(loops, "let base = i*32 + j*4"), "base + 8", 16), 4);
  EXPECT_EQ(divisor(loops, "one + i*4", 4), 4);
  EXPECT_EQ(divisor(loops, "j + i*4", 4), 1);
}

TEST(Divisibility, OfQuotientsRemaindersAndChoices) {
  EXPECT_EQ(divisor(loops, "i*16 / 4", 8), 4);
  EXPECT_EQ(divisor(loops, "i*16 / 3", 4), 1);
  EXPECT_EQ(divisor(loops, "(i*8 + 4) / 8", 4), 1);
  EXPECT_EQ(divisor(loops, "i*4 % 12", 8), 4);
  EXPECT_EQ(divisor(loops, "i*4 % 6", 4), 2);
  EXPECT_EQ(divisor(loops, "min(i*4, 16)", 8), 4);
  EXPECT_EQ(divisor(loops, "max(i*4, 2)", 4), 2);
  EXPECT_EQ(divisor(loops, "(i*4) ^ (j*8)", 8), 4);
  EXPECT_EQ(divisor(loops, "(i*6) ^ (j*6)", 6), 2);
  EXPECT_EQ(divisor(loops, "select(j < 2, i*4, 8)", 8), 4);
  EXPECT_EQ(divisor(loops, "index(A[i*4])", 4), 1);
}

/// Every pair of these, tried for all small sizes.
TEST(Divisibility, IsNeverClaimedOfAnotherNumber) {
  const Around heads = {"for i in 0..M", "for j in 0..3", "let t = i*4 + j",
                        "if (K % 4 == 0 || j < 3)", "if (K % 4 == 0 && (M + N) % 2 == 0)"};
  const std::vector<std::string> parts = {"i",     "j*6",   "t",         "K",      "M + N", "K*j",
                                          "N*2",   "t - j", "i*8 / 4",   "t % 6",  "K / 2", "12",
                                          "M*K*3", "K % 8", "min(K, 8)", "K ^ 12", "i*4",   "0"};
  int proofs = 0;
  for (const std::string& left : parts)
    for (const std::string& right : parts) {
      const IndexScope scope(heads, {"(" + left + ") + (" + right + ")"});
      for (const int64_t modulus : {2, 3, 4, 6, 8, 12}) {
        const int64_t known = known_divisor(Polynomial::of(scope[0]), modulus, scope.facts());
        ASSERT_EQ(modulus % known, 0);
        if (known == 1) continue;
        ++proofs;
        scope.for_each_assignment(5, [&](const Assignment& values) {
          const auto value = value_of(scope[0], values);
          if (value) {
            ASSERT_EQ(*value % known, 0) << to_string(scope[0]) << " by " << known;
          }
        });
      }
    }
  EXPECT_GT(proofs, 300);
}

}  // namespace divisibility_test
}  // namespace hone
