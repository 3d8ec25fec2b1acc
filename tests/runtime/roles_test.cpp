// Producers and consumers on the devices: right for any number of iterations, in any order of the
// warps, and found where a wait or an arrival is missing.
#include <gtest/gtest.h>

#include "codegen/lower.h"
#include "fmt/format.h"
#include "ir/opcodes/opcodes.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"
#include "ir/traverse/visit.h"
#include "tests/support/codegen/mistakes.h"
#include "tests/support/random/first_finding.h"
#include "tests/support/random/random_program.h"
#include "tests/support/runtime/product.h"
#include "tests/support/runtime/reductions.h"

namespace hone {
namespace roles_test {

struct Product : ProductProgram {
  Schedule scheduled(int64_t stages, const WarpRoles& roles = {.producer_warps = 1}) const {
    auto [s, ko, ki, A_shared, B_shared] = tiled_for_warps();
    s.copy_async(A_shared);
    s.copy_async(B_shared);
    s.specialize(ko, stages, roles);
    return s;
  }
};

/// Consumers that fill a ring of their own wait at the start of an iteration, behind the copies of
/// the producers.
TEST(RolesOnDevices, StandBesideRingsOfConsumers) {
  const Param K("K");
  const Tensor T("T", f32, {K}), F("F", f32, {32, K}), C("C", f32, {32});
  const Axis l("l", 32);
  const ReduceAxis k("k", K);
  const Program program("f", C(l) = sum(k, T(k) * F(l, k)));
  Schedule s(program);
  s.bind(l, thread.x);
  s.cache_shared(T, k);
  s.pipeline(k, 2);
  s.copy_async(s.cache_shared(F, k));
  s.specialize(k, 2, {.producer_warps = 1});
  for (const int64_t length : {0, 1, 2, 3, 7}) {
    const Sizes sizes = {{"K", length}};
    expect_as_meant(program, s, sizes, random_buffers(program.function(), sizes, 3));
  }
}

/// The trip count of ko is 0, 1, stages - 1, stages, stages + 1 and more.
TEST(RolesOnDevices, AreRightForAnyTripCount) {
  const Product product;
  for (const int64_t stages : {1, 2, 3, 4}) {
    const Schedule s = product.scheduled(stages, {.producer_warps = stages});
    for (const int64_t trips : {int64_t{0}, int64_t{1}, stages - 1, stages, stages + 1, int64_t{9}})
      for (const int64_t rest : {0, 1}) {
        const Sizes sizes = {{"M", 19}, {"N", 37}, {"K", trips * 4 + rest}};
        expect_as_meant(product.program, s, sizes,
                        random_buffers(product.program.function(), sizes, 3));
      }
  }
}

std::string finding_in(const KernelFunction& kernel, const Sizes& sizes, uint64_t order = 0) {
  return first_finding(kernel, Product().program.function(), sizes, order);
}

KernelFunction kernel_of(const Schedule& schedule) {
  return lower(schedule.function()).kernels.front();
}

TEST(RolesOnDevices, AreRightInAnyOrderOfTheWarps) {
  const Product product;
  for (const int64_t stages : {1, 3}) {
    const KernelFunction kernel = kernel_of(product.scheduled(stages, {.producer_warps = 2}));
    for (uint64_t order = 0; order <= 20; ++order)
      EXPECT_EQ(finding_in(kernel, {{"M", 19}, {"N", 37}, {"K", 29}}, order), "") << order;
  }
}

/// The last block has nothing to do, in either role.
TEST(RolesOnDevices, AreRightUnderAConditionOfTheBlock) {
  const Function function = parse_function(R"(func f[K](A: f32[K, 64], C: f32[3, 64]) {
  for b in 0..3 @block.x {
    if (b < 2) {
      for t in 0..64 @thread.x {
        alloc T: f32[3, 64] @shared
        reduce k in 0..K @roles(1) {
          copy T[k % 3, 0 .. +64] <- A[k, 0 .. +64] @async @by(producers)
          C[b, t] += T[k % 3, 63 - t]
        }
      }
    }
  }
})");
  const KernelFunction kernel = lower(function).kernels.front();
  for (const int64_t K : {0, 1, 2, 3, 4, 7})
    for (uint64_t order = 0; order <= 5; ++order)
      EXPECT_EQ(first_finding(kernel, function, {{"K", K}}, order), "") << K << " " << order;
}

/// Two blocks that take five rows in turn: each sum has registers, and is stored by way of a tile
/// that all threads share. The ring goes on through all turns, in bytes of its own.
constexpr const char* in_turn = R"(func f[K](A: f32[5, K, 64], C: f32[5, 64]) {
  for b in 0..2 @block.x {
    for i in 0..3 {
      if (i*2 + b < 5) {
        alloc S: f32[64] @shared
        for t in 0..64 @thread.x {
          alloc c: f32[] @registers
          c[] = 0.0
          alloc T: f32[3, 64] @shared
          reduce k in 0..K @roles(1) {
            copy T[k % 3, 0 .. +64] <- A[i*2 + b, k, 0 .. +64] @vector(1) @async @by(producers)
            c[] += T[k % 3, 63 - t]
          }
          S[t] = c[]
        }
        for u in 0..64 @thread.x {
          C[i*2 + b, u] = S[63 - u]
        }
      }
    }
  }
})";

TEST(RolesInTurn, AreRightForAnyTripCountInAnyOrderOfTheWarps) {
  const Function function = parse_function(in_turn);
  const KernelFunction kernel = lower(function).kernels.front();
  for (const int64_t K : {0, 1, 2, 3, 4, 7})
    for (uint64_t order = 0; order <= 20; ++order)
      EXPECT_EQ(first_finding(kernel, function, {{"K", K}}, order), "") << K << " " << order;
}

/// Of two loops around.
TEST(RolesInTurn, CountThroughAllLoopsAround) {
  const Function function = parse_function(R"(func f[K, m](A: f32[K, 64], C: f32[2, 3, 64]) {
  for i in 0..2 {
    for j in 0..m {
      if (i < 1) {
        for t in 0..64 @thread.x {
          alloc T: f32[2, 64] @shared
          reduce k in 0..K @roles(1) {
            copy T[k % 2, 0 .. +64] <- A[k, 0 .. +64] @async @by(producers)
            C[i, j, t] += T[k % 2, 63 - t]
          }
        }
      }
    }
  }
})");
  const KernelFunction kernel = lower(function).kernels.front();
  for (const int64_t m : {0, 1, 3})
    for (const int64_t K : {0, 1, 2, 3, 5})
      for (uint64_t order = 0; order <= 5; ++order)
        EXPECT_EQ(first_finding(kernel, function, {{"K", K}, {"m", m}}, order), "")
            << K << " " << m;
}

Stmt before_copies(const Stmt& stmt) {
  const Instr* arrive = as(stmt, op::arrive_mbarrier);
  return arrive && arrive->constants[0] != 0 ? arrive->with_constants(0) : Stmt();
}

constexpr Mistake mistakes[] = {
    {"a wait is missing", dropped<is<op::wait_mbarrier>>, 2},
    {"an arrival is missing", dropped<is<op::arrive_mbarrier>>, 2},
    {"a barrier is missing", dropped<is_barrier>, 1},
    {"a wait is for the other phase", with_other_parity, 2},
    {"a phase needs one arrival more", counting_more<1>, 2},
    {"a phase needs one arrival less", counting_more<-1>, 2},
    {"an arrival does not wait for copies", before_copies, 1},
};

/// The mistake in each of its places in the kernel of a function.
void expect_found(const Mistake& mistake, const KernelFunction& kernel, const Function& function,
                  const Sizes& sizes) {
  ASSERT_EQ(first_finding(kernel, function, sizes, 0), "") << to_string(kernel);
  for (int n = 0; n < mistake.count; ++n) {
    const KernelFunction wrong = with_mistake(kernel, n, mistake.change);
    ASSERT_NE(to_string(wrong), to_string(kernel));
    EXPECT_NE(first_finding(wrong, function, sizes, 0), "") << mistake.what << "\n"
                                                            << to_string(wrong);
  }
}

TEST(RolesOnDevices, MistakesInTheirWaitsAreFound) {
  const Product product;
  for (const int64_t stages : {2, 3, 4})
    for (const Mistake& mistake : mistakes)
      expect_found(mistake, kernel_of(product.scheduled(stages)), product.program.function(),
                   {{"M", 19}, {"N", 37}, {"K", 45}});
}

TEST(RolesInTurn, MistakesInTheirWaitsAreFound) {
  const Function function = parse_function(in_turn);
  const KernelFunction kernel = lower(function).kernels.front();
  for (const Mistake& mistake : mistakes) expect_found(mistake, kernel, function, {{"K", 7}});
}

/// Sums of four elements a step: a register at a time, in turn, and all of them at the start.
constexpr const char* prefetching[] = {
    R"(func f[K](A: f32[K, 4, 64], C: f32[64]) {
  for t in 0..64 @thread.x {
    alloc c: f32[] @registers
    c[] = 0.0
    alloc T: f32[3, 4, 64] @shared
    reduce k in 0..K @roles(1) @prefetch {
      copy T[k % 3, 0 .. +4, 0 .. +64] <- A[k, 0 .. +4, 0 .. +64] @async @by(producers)
      alloc r: f32[2] @registers
      r[0] = T[k % 3, 0, 63 - t]
      reduce l in 0..4 @unroll {
        if (l + 1 < 4) {
          r[(l + 1) % 2] = T[k % 3, l + 1, 63 - t]
        }
        c[] += r[l % 2]
      }
    }
    C[t] = c[]
  }
})",
    R"(func f[K](A: f32[K, 4, 64], C: f32[64]) {
  for t in 0..64 @thread.x {
    alloc c: f32[] @registers
    c[] = 0.0
    alloc T: f32[2, 4, 64] @shared
    reduce k in 0..K @roles(2) @prefetch {
      copy T[k % 2, 0 .. +4, 0 .. +64] <- A[k, 0 .. +4, 0 .. +64] @async @by(producers)
      alloc r: f32[4] @registers
      copy r[0 .. +4] <- T[k % 2, 0 .. +4, 63 - t]
      reduce l in 0..4 @unroll {
        c[] += r[l]
      }
    }
    C[t] = c[]
  }
})",
    R"(func f[K](A: f32[K, 4, 64], C: f32[64]) {
  for t in 0..64 @thread.x {
    alloc c: f32[] @registers
    c[] = 0.0
    alloc T: f32[3, 4, 64] @shared
    reduce k in 0..K @roles(1) @prefetch {
      copy T[k % 3, 0 .. +4, 0 .. +64] <- A[k, 0 .. +4, 0 .. +64] @async @by(producers)
      alloc q: f32[2] @registers
      alloc r: f32[2] @registers
      q[0] = T[k % 3, 0, t]
      r[0] = T[k % 3, 0, 63 - t]
      reduce l in 0..4 @unroll {
        if (l + 1 < 4) {
          q[(l + 1) % 2] = T[k % 3, l + 1, t]
          r[(l + 1) % 2] = T[k % 3, l + 1, 63 - t]
        }
        c[] += q[l % 2] * r[l % 2]
      }
    }
    C[t] = c[]
  }
})",
    // Two loops: the register that is filled last is free first.
    R"(func f[K](A: f32[K, 4, 64], C: f32[64]) {
  for t in 0..64 @thread.x {
    alloc c: f32[] @registers
    c[] = 0.0
    alloc T: f32[3, 4, 64] @shared
    reduce k in 0..K @roles(1) @prefetch {
      copy T[k % 3, 0 .. +4, 0 .. +64] <- A[k, 0 .. +4, 0 .. +64] @async @by(producers)
      alloc r: f32[2] @registers
      r[0] = T[k % 3, 0, 63 - t]
      alloc q: f32[2] @registers
      q[0] = T[k % 3, 0, t]
      reduce m in 0..4 {
        if (m + 1 < 4) {
          q[(m + 1) % 2] = T[k % 3, m + 1, t]
        }
        c[] += q[m % 2]
      }
      reduce l in 0..4 {
        if (l + 1 < 4) {
          r[(l + 1) % 2] = T[k % 3, l + 1, 63 - t]
        }
        c[] += r[l % 2]
      }
    }
    C[t] = c[]
  }
})"};

/// The kernel of such a function; with a test of the next slot so many turns before the wait for
/// it.
KernelFunction prefetching_kernel(std::string text, int tests_ahead = 0) {
  const std::string mark = "@prefetch";
  if (tests_ahead > 0)
    text.replace(text.find(mark), mark.size(), fmt::format("{}({})", mark, tests_ahead));
  return lower(parse_function(text)).kernels.front();
}

TEST(PrefetchOnDevices, IsRightForAnyTripCountInAnyOrderOfTheWarps) {
  for (const char* text : prefetching)
    for (const int tests_ahead : {0, 1, 3}) {
      const Function function = parse_function(text);
      const KernelFunction kernel = prefetching_kernel(text, tests_ahead);
      for (const int64_t K : {0, 1, 2, 3, 4, 7})
        for (uint64_t order = 0; order <= 20; ++order)
          EXPECT_EQ(first_finding(kernel, function, {{"K", K}}, order), "") << K << " " << order;
    }
}

/// Consumers wait before the loop, and in it.
TEST(PrefetchOnDevices, MistakesInItsWaitsAreFound) {
  for (const char* text : prefetching) {
    const Function function = parse_function(text);
    const KernelFunction kernel = prefetching_kernel(text);
    const Sizes sizes = {{"K", 11}};
    expect_found({"a wait is missing", dropped<is<op::wait_mbarrier>>, 3}, kernel, function, sizes);
    expect_found({"a wait is for the other phase", with_other_parity, 3}, kernel, function, sizes);
    expect_found({"an arrival is missing", dropped<is<op::arrive_mbarrier>>, 2}, kernel, function,
                 sizes);
  }
}

Stmt testing(const Stmt& stmt, llvm::function_ref<Stmt(const Instr&)> changed) {
  const Instr* test = as(stmt, op::test_mbarrier);
  return test ? changed(*test) : Stmt();
}

Stmt testing_other_parity(const Stmt& stmt) {
  return testing(stmt,
                 [](const Instr& test) { return test.with(test.places, 1 - test.values[0]); });
}

Stmt testing_slot_0(const Stmt& stmt) {
  return testing(stmt, [](const Instr& test) {
    return test.with({test.places[0], {test.places[1].tensor, {Expr(0)}}}, test.values);
  });
}

Stmt passing_without_a_test(const Stmt& stmt) {
  return testing(stmt, [](const Instr& test) {
    return Store::make(test.places[0].tensor, {}, Update::set, IntConst::make(1, DType::boolean));
  });
}

/// The outcome of a test is a matter of time: some order of the warps shows the mistake.
TEST(PrefetchOnDevices, MistakesInItsTestsAreFound) {
  for (const char* text : prefetching)
    for (const int tests_ahead : {1, 3})
      for (Change* change : {dropped<is<op::test_mbarrier>>, testing_other_parity, testing_slot_0,
                             passing_without_a_test}) {
        const KernelFunction wrong = with_mistake(prefetching_kernel(text, tests_ahead), 0, change);
        std::string found;
        for (uint64_t order = 0; order <= 20 && found.empty(); ++order)
          found = first_finding(wrong, parse_function(text), {{"K", 11}}, order);
        EXPECT_NE(found, "") << to_string(wrong);
      }
}

}  // namespace roles_test
}  // namespace hone
