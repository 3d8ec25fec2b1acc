// Kernels whose warps have roles.
#include <gmock/gmock.h>

#include "codegen/emit/emit.h"
#include "codegen/lower.h"
#include "codegen/shared_memory.h"
#include "fmt/format.h"
#include "ir/text/parser.h"
#include "ir/traverse/visit.h"
#include "tests/support/codegen/passes.h"

namespace hone {
namespace roles_test {

using testing::HasSubstr;
using testing::Not;

/// A sum over rows for 64 consumers and 32 producers, with statements behind the loop.
std::string sum_of_rows(const std::string& roles = "1", const std::string& behind = "",
                        int threads = 64) {
  return fmt::format(R"(func f[K](A: f32[K, {2}], C: f32[2, {2}]) {{
  for b in 0..2 @block.x {{
    for t in 0..{2} @thread.x {{
      alloc c: f32[] @registers
      c[] = 0.0
      alloc T: f32[3, {2}] @shared
      reduce k in 0..K @roles({0}) {{
        copy T[k % 3, 0 .. +{2}] <- A[k, 0 .. +{2}] @vector(1) @async @by(producers)
        c[] += T[k % 3, {2} - 1 - t]
      }}
      {1}
      C[b, t] = c[]
    }}
  }}
}})",
                     roles, behind, threads);
}

constexpr const char* filling_ahead = R"(func f[K](A: f32[K, 32], C: f32[32]) {
  for t in 0..32 @thread.x {
    alloc c: f32[] @registers
    c[] = 0.0
    alloc T: f32[3, 32] @shared
    reduce k in 0..K @roles(1) @prefetch {
      copy T[k % 3, 0 .. +32] <- A[k, 0 .. +32] @vector(1) @async @by(producers)
      alloc r: f32[2] @registers
      for v in 0..2 @unroll {
        r[v] = T[k % 3, (t + v) % 32]
      }
      for l in 0..3 @unroll {
        if (l < 2) {
          c[] += r[l]
        }
        c[] *= 0.5
      }
    }
    C[t] = c[]
  }
})";

/// The wait for the next slot, and the load from it, stand behind the last use of the register.
TEST(Roles, FillRegistersForTheNextIteration) {
  EXPECT_EQ(lowered_body(filling_ahead),
            R"(alloc k.full: i64[3] @shared(384)
alloc k.empty: i64[3] @shared(408)
alloc T: f32[3, 32] @shared(0)
if (thread.x == 0) {
  for slot in 0..3 {
    init_mbarrier k.full[slot] of 32
    init_mbarrier k.empty[slot] of 32
  }
}
barrier
if (32 <= thread.x) {
  reduce k.ahead in 0..K {
    wait_mbarrier k.empty[k.ahead % 3] parity (k.ahead / 3 + 1) % 2
    let T.tx = thread.x - 32
    copy_async T[k.ahead % 3, T.tx] <- A[k.ahead*32 + T.tx] of 1
    arrive_mbarrier k.full[k.ahead % 3] after_copies
  }
}
if (thread.x < 32) {
  let t = thread.x
  alloc c: f32[] @registers
  c[] = 0.0
  alloc r: f32[2] @registers
  if (0 < K) {
    wait_mbarrier k.full[0] parity 0
    for v.first in 0..2 @unroll {
      r[v.first] = T[0, (t + v.first) % 32]
    }
  }
  reduce k in 0..K {
    let k.next = select(k + 1 < K, k + 1, k)
    for l in 0..3 @unroll {
      if (l == 2) {
        wait_mbarrier k.full[k.next % 3] parity k.next / 3 % 2
      }
      if (l == 2) {
        for v in 0..2 @unroll {
          r[v] = T[k.next % 3, (t + v) % 32]
        }
      }
      if (l < 2) {
        c[] += r[l]
      }
      c[] *= 0.5
    }
    arrive_mbarrier k.empty[k % 3]
  }
  C[t] = c[]
})");
}

/// The same with a test of the next slot, two iterations before the wait.
std::string filling_ahead_with_a_test() {
  std::string text = filling_ahead;
  return text.insert(text.find(" {\n      copy T"), "(2)");
}

/// They wait only if the slot was not full.
TEST(Roles, TestTheNextSlotAheadOfTheWait) {
  std::string expected = lowered_body(filling_ahead);
  const auto replace = [&](const std::string& old, const std::string& by) {
    expected.replace(expected.rfind(old), old.size(), by);
  };
  const std::string wait = "        wait_mbarrier k.full[k.next % 3] parity k.next / 3 % 2\n";
  replace(wait, "        if (!k.is_full[]) {\n  " + wait + "        }\n");
  replace("    for l in 0..3 @unroll {\n",
          "    alloc k.is_full: bool[] @registers\n    for l in 0..3 @unroll {\n"
          "      if (l == 0) {\n"
          "        test_mbarrier k.is_full[] <- k.full[k.next % 3] parity k.next / 3 % 2\n"
          "      }\n");
  EXPECT_EQ(lowered_body(filling_ahead_with_a_test()), expected);
}

TEST(Roles, TestAnMbarrierByOneInstruction) {
  const Function function = parse_function(filling_ahead_with_a_test());
  const std::string cuda = emit_cuda(lower(function).kernels.front());
  EXPECT_THAT(cuda, HasSubstr(R"("  mbarrier.test_wait.parity.shared.b64 ended, [%1], %2;\n"
               "  selp.u32 %0, 1, 0, ended; }"
               : "=r"(ended)
               : "r"(address), "r"(parity)
               : "memory");
  return ended != 0;
)"));
  EXPECT_THAT(cuda, HasSubstr("k_is_full = test_mbarrier(&k_full[k_next % 3], k_next / 3 % 2);\n"));
  EXPECT_THAT(cuda, HasSubstr("if (l == 2 && !k_is_full) {\n"));
}

/// The wait alone is as good, if the assumptions of a function take the loop's iterations away.
TEST(Roles, TestNothingWhereNoIterationIsLeft) {
  const std::string body = lowered_body(R"(func f[K](A: f32[K, 32], C: f32[32]) where K >= 1 {
  for t in 0..32 @thread.x {
    alloc T: f32[3, 32] @shared
    reduce k in 0..K @roles(1) @prefetch(2) {
      copy T[k % 3, 0 .. +32] <- A[k, 0 .. +32] @vector(1) @async @by(producers)
      alloc r: f32[] @registers
      r[] = T[k % 3, t]
      for l in 0..4 {
        if (l < 1 || K < 1) {
          C[t] += r[]
        }
      }
    }
  }
})");
  EXPECT_NE(body.find("if (l == 1) {\n        wait_mbarrier"), std::string::npos) << body;
  EXPECT_EQ(body.find("is_full"), std::string::npos) << body;
}

TEST(Roles, AreBranchesThatMbarriersOrder) {
  EXPECT_EQ(lowered_body(sum_of_rows()), R"(alloc k.full: i64[3] @shared(768)
alloc k.empty: i64[3] @shared(792)
alloc T: f32[3, 64] @shared(0)
let b = block.x
if (thread.x == 0) {
  for slot in 0..3 {
    init_mbarrier k.full[slot] of 32
    init_mbarrier k.empty[slot] of 64
  }
}
barrier
if (64 <= thread.x) {
  reduce k.ahead in 0..K {
    wait_mbarrier k.empty[k.ahead % 3] parity (k.ahead / 3 + 1) % 2
    for T.s in 0..2 @unroll {
      let T.tx = thread.x - 64
      copy_async T[k.ahead % 3, T.s*32 + T.tx] <- A[k.ahead*64 + T.s*32 + T.tx] of 1
    }
    arrive_mbarrier k.full[k.ahead % 3] after_copies
  }
}
if (thread.x < 64) {
  let t = thread.x
  alloc c: f32[] @registers
  c[] = 0.0
  reduce k in 0..K {
    wait_mbarrier k.full[k % 3] parity k / 3 % 2
    c[] += T[k % 3, 63 - t]
    arrive_mbarrier k.empty[k % 3]
  }
  C[b*64 + t] = c[]
})");
}

/// Blocks that take three rows in turn, as far as there are any.
constexpr const char* sums_in_turn = R"(func f[K](A: f32[K, 64], C: f32[5, 64]) {
  for b in 0..2 @block.x {
    for i in 0..3 {
      if (i*2 + b < 5) {
        for t in 0..64 @thread.x {
          alloc T: f32[3, 64] @shared
          reduce k in 0..K @roles(1) {
            copy T[k % 3, 0 .. +64] <- A[k, 0 .. +64] @vector(1) @async @by(producers)
            C[i*2 + b, t] += T[k % 3, 63 - t]
          }
        }
      }
    }
  }
})";

/// Slots and parities go on where the last turn has left them, and so do the counters of C.
TEST(Roles, GoOnWithTheSlotsOfTheLastTurn) {
  const std::string text = lowered_body(sums_in_turn);
  EXPECT_THAT(text, HasSubstr(R"(  for i.ahead in 0..3 {
    if (i.ahead*2 + b < 5) {
      reduce k.ahead in 0..K {
        wait_mbarrier k.empty[(i.ahead*K + k.ahead) % 3] parity ((i.ahead*K + k.ahead) / 3 + 1) % 2
)"));
  EXPECT_THAT(text, HasSubstr(R"(      reduce k in 0..K {
        wait_mbarrier k.full[(i*K + k) % 3] parity (i*K + k) / 3 % 2
        C[i*128 + b*64 + t] += T[(i*K + k) % 3, 63 - t]
        arrive_mbarrier k.empty[(i*K + k) % 3]
)"));
  const std::string cuda = emit_cuda(lower(parse_function(sums_in_turn)).kernels.front());
  EXPECT_THAT(cuda, HasSubstr("int k_slot = i * K % 3, k_parity = i * K / 3 % 2;\n"));
  EXPECT_THAT(cuda, HasSubstr("+= T[k_slot][63 - t];\n"));
  EXPECT_THAT(cuda, HasSubstr("wait_mbarrier(&k_empty[k_ahead_slot], 1 - k_ahead_parity);\n"));
}

TEST(Roles, HaveThreadsBesideThoseOfTheLoops) {
  const KernelFunction kernel = lower(parse_function(sum_of_rows())).kernels.front();
  EXPECT_EQ(*as_int(kernel.block[0]), 96);
  EXPECT_EQ(shared_memory(kernel).bytes, 3 * 64 * 4 + 2 * 3 * 8);
}

TEST(Roles, BarriersOfConsumersAreTheirOwn) {
  const std::string text = lowered_body(sum_of_rows(
      "1", "alloc S: f32[64] @shared for u in 0..64 @thread.x { S[u] = 1.0 } C[b, t] = S[63 - t]"));
  EXPECT_THAT(text, HasSubstr("barrier @named(1, 64)"));
  EXPECT_THAT(text.substr(text.find("if (64 <= thread.x)")), Not(HasSubstr("barrier\n")));
}

TEST(Roles, ProducersReturn) {
  const std::string text = emit_cuda(lower(parse_function(sum_of_rows())).kernels.front());
  EXPECT_THAT(text, HasSubstr("    return;\n  }\n"));
  EXPECT_THAT(text, Not(HasSubstr("if (threadIdx.x < 64)")));
  EXPECT_THAT(text, Not(HasSubstr("registers<")));
}

/// A guard of the block is one of both roles, and no part of the condition that tells them apart.
TEST(Roles, StandUnderConditionsOfTheBlock) {
  const auto text = [](const char* before) {
    return emit_cuda(lower(parse_function(fmt::format(
                               R"(func f[K](A: f32[K, 64], C: f32[2, 64]) {{
  for b in 0..2 @block.x {{
    for t in 0..64 @thread.x {{
      {}if (b < 1) {{
        alloc T: f32[3, 64] @shared
        reduce k in 0..K @roles(1) {{
          copy T[k % 3, 0 .. +64] <- A[k, 0 .. +64] @async @by(producers)
          C[b, t] += T[k % 3, 63 - t]
        }}
      }}
    }}
  }}
}})",
                               before)))
                         .kernels.front());
  };
  EXPECT_THAT(text("C[b, t] = 0.0 "), HasSubstr("    return;\n  }\n  const int t = threadIdx.x;\n"
                                                "  C[b * 64 + t] = 0.0f;\n  if (b < 1) {\n"));
  for (const char* before : {"", "C[b, t] = 0.0 "}) {
    EXPECT_THAT(text(before), HasSubstr("  if (64 <= threadIdx.x) {\n    if (b < 1) {\n"));
    EXPECT_THAT(text(before), HasSubstr("\n  if (b < 1) {\n"));
  }
}

TEST(Roles, MoveRegistersWhereTheyAreAsked) {
  const std::string text =
      emit_cuda(lower(parse_function(sum_of_rows("4, 40, 232", "", 256))).kernels.front());
  EXPECT_THAT(text, HasSubstr("__launch_bounds__(384, 1)"));
  EXPECT_THAT(text, HasSubstr("give_registers<40>();"));
  EXPECT_THAT(text, HasSubstr("  }\n  take_registers<232>();"));
}

/// Nothing is left of the loop, and of its producers.
TEST(Roles, OfALoopWithoutIterationsAreGone) {
  for (const char* around : {"for i in 0..0 {", "for i in 0..2 { if (i < 0) {"}) {
    const bool has_guard = std::string(around).find("if") != std::string::npos;
    const std::string text = fmt::format(
        R"(func f[K](A: f32[K, 64], C: f32[64]) {{
  for t in 0..64 @thread.x {{
    C[t] = 0.0
    {}
      alloc T: f32[3, 64] @shared
      reduce k in 0..K @roles(1) {{
        copy T[k % 3, 0 .. +64] <- A[k, 0 .. +64] @async @by(producers)
        C[t] += T[k % 3, 63 - t]
      }}
    }}{}
  }}
}})",
        around, has_guard ? " }" : "");
    EXPECT_EQ(lowered_body(text), "let t = thread.x\nC[t] = 0.0");
  }
}

TEST(Roles, MeanNothingOnAHost) {
  const Module module = lower_host(parse_function(sum_of_rows()));
  EXPECT_FALSE(
      any_of(module.kernels.front().body, [](const Stmt& stmt) { return llvm::isa<Instr>(stmt); }));
}

}  // namespace roles_test
}  // namespace hone
