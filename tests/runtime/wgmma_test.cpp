// Products of tiles in shared memory, by the tensor cores of warpgroups.
#include <gmock/gmock.h>

#include <set>

#include "codegen/emit/emit.h"
#include "codegen/lower.h"
#include "codegen/parse_kernel.h"
#include "fmt/format.h"
#include "ir/core/error.h"
#include "ir/core/opcode.h"
#include "runtime/nvrtc/kernel_cache.h"
#include "runtime/nvrtc/nvrtc.h"
#include "tests/support/codegen/mistakes.h"
#include "tests/support/random/first_finding.h"
#include "tests/support/random/random_program.h"
#include "tests/support/runtime/reductions.h"
#include "tests/support/runtime/sim_run.h"
#include "tests/support/runtime/warpgroup_product.h"

namespace hone {
namespace wgmma_test {

using testing::HasSubstr;

using Fill = WarpgroupOptions::Fill;

void expect_right(const WarpgroupOptions& options, const Sizes& sizes) {
  const WarpgroupProduct product(options);
  expect_as_meant(product.program, product.scheduled(), sizes,
                  random_buffers(product.program.function(), sizes, 5));
}

TEST(Wgmma, ComputesWhatTheProgramSays) {
  for (const auto& [columns, type] : {std::pair<int64_t, DType>{16, bf16},
                                      {64, f16},
                                      {256, bf16},
                                      {48, tf32},
                                      {256, tf32},
                                      {32, f8e4m3},
                                      {256, f8e4m3},
                                      {64, f8e5m2}}) {
    SCOPED_TRACE(fmt::format("{} {}", columns, name(type).str()));
    for (const Sizes& sizes : std::initializer_list<Sizes>{{{"M", 1}, {"N", 1}, {"K", 0}},
                                                           {{"M", 64}, {"N", columns}, {"K", 128}},
                                                           {{"M", 67}, {"N", 37}, {"K", 77}}})
      expect_right({.columns = columns, .type = type}, sizes);
  }
}

TEST(Wgmma, TakesTilesOfOtherWidthsFromTheCopyEngine) {
  for (const DType type : {tf32, f8e4m3, f8e5m2})
    for (const auto fill : {Fill::async, Fill::engine})
      expect_right({.columns = 96, .type = type, .fill = fill, .in_flight = 1},
                   {{"M", 67}, {"N", 99}, {"K", 208}});
}

/// A panel has 64, 32 or 16 columns; a tile of as many is one, in a plain layout.
TEST(Wgmma, TakesPanelsThatDivideTheColumns) {
  for (const int64_t columns : {16, 32, 48, 64, 160}) {
    SCOPED_TRACE(columns);
    expect_right({.columns = columns, .is_turned = true}, {{"M", 67}, {"N", 37}, {"K", 77}});
    for (const auto fill : {Fill::async, Fill::engine})
      expect_right({.columns = columns, .is_turned = true, .fill = fill},
                   {{"M", 67}, {"N", 72}, {"K", 88}});
  }
}

/// A warpgroup takes one of the panels of a block's rows.
TEST(Wgmma, TakesPanelsOnTheLeft) {
  for (const bool is_turned : {false, true})
    for (const int64_t warpgroups : {1, 3}) {
      SCOPED_TRACE(fmt::format("{} {}", is_turned, warpgroups));
      WarpgroupOptions options = {
          .columns = 48, .is_turned = is_turned, .is_left_turned = true, .warpgroups = warpgroups};
      expect_right(options, {{"M", 67}, {"N", 37}, {"K", 77}});
      for (const auto fill : {Fill::async, Fill::engine}) {
        options.fill = fill;
        expect_right(options, {{"M", 200}, {"N", 56}, {"K", 88}});
      }
    }
}

/// The fences that these tiles need are placed by the waits.
TEST(Wgmma, TakesTilesThatAreFilledAhead) {
  for (const auto fill : {Fill::async, Fill::producers, Fill::engine})
    for (const int64_t depth : {0, 8, 64, 264})
      expect_right({.columns = 32, .fill = fill}, {{"M", 67}, {"N", 40}, {"K", depth}});
}

/// Rings go on from one tile to the next.
TEST(Wgmma, TakesRingsInTurns) {
  for (int64_t in_flight = 0; in_flight < 3; ++in_flight)
    for (const int64_t depth : {0, 8, 64, 264})
      expect_right({.columns = 32, .fill = Fill::engine, .blocks = 2, .in_flight = in_flight},
                   {{"M", 200}, {"N", 40}, {"K", depth}});
}

// ---- Products that go on ------------------------------------------------------------------------

KernelFunction kernel_of(const WarpgroupOptions& options) {
  return lower(WarpgroupProduct(options).scheduled().function()).kernels.front();
}

KernelFunction kernel_in_turns(int64_t in_flight) {
  return kernel_of({.columns = 32, .fill = Fill::engine, .blocks = 2, .in_flight = in_flight});
}

/// Sums are waited for where they are used, and tiles before their slots are released.
TEST(WgmmaInFlight, HasTheseWaits) {
  EXPECT_THAT(to_string(kernel_in_turns(0)), HasSubstr(R"(commit_wgmma
          wait_wgmma 0
          if (first == 0) {
            arrive_mbarrier k.0.empty)"));
  const std::string text = to_string(kernel_in_turns(1));
  EXPECT_THAT(text, HasSubstr(R"(commit_wgmma
          wait_wgmma 1
          if (index(i64(i.0_j.0.0))*((K + 63) / 64) + k.0 >= 1) {
            if (first == 0) {
              arrive_mbarrier k.0.empty)"));
  EXPECT_THAT(text, HasSubstr("        }\n        wait_wgmma 0\n"));
  EXPECT_THAT(emit_cuda(kernel_in_turns(1)),
              HasSubstr("arrive_mbarrier(&k_0_empty[(k_0_slot + 2) % 3]);"));
}

std::string finding_of(const KernelFunction& kernel, uint64_t order = 0) {
  const Sizes sizes = {{"M", 200}, {"N", 40}, {"K", 264}};
  const std::string finding =
      first_finding(kernel, WarpgroupProduct({.columns = 32}).program.function(), sizes, order);
  return llvm::StringRef(finding).split('\n').first.str();
}

TEST(WgmmaInFlight, IsRightInAnyOrderOfTheWarpgroups) {
  for (const int64_t in_flight : {0, 1, 2})
    for (uint64_t order = 0; order <= 20; ++order)
      EXPECT_EQ(finding_of(kernel_in_turns(in_flight), order), "") << in_flight << ", " << order;
}

Stmt one_more_pending(const Stmt& stmt) {
  const Instr* wait = as(stmt, op::wait_wgmma);
  return wait ? wait->with_constants(wait->constants[0] + 1) : Stmt();
}

TEST(WgmmaInFlight, MistakesAreFound) {
  const auto found = [](int64_t in_flight, int n, Change* change) {
    return finding_of(with_mistake(kernel_in_turns(in_flight), n, change));
  };
  for (const int64_t in_flight : {0, 1}) {
    EXPECT_THAT(found(in_flight, 0, one_more_pending), HasSubstr("A.shared[")) << in_flight;
    EXPECT_THAT(found(in_flight, 0, dropped<is<op::wait_wgmma>>), HasSubstr("A.shared["));
    EXPECT_THAT(found(in_flight, 0, dropped<is<op::commit_wgmma>>), HasSubstr("A.shared["));
  }
  EXPECT_EQ(found(1, 1, dropped<is<op::wait_wgmma>>),
            "unfinished product on C.reg[0, 0, 0]: the warpgroup that adds to the sum has not "
            "waited for that");
  EXPECT_EQ(
      found(0, 0, dropped<is<op::fence_engine>>),
      "missing fence on k.0.full[0]: no fence between the initialisation and the copy engine");
}

/// Loops over steps: that of producers comes first.
bool has_steps(const Stmt& stmt) {
  const auto* loop = llvm::dyn_cast<For>(stmt);
  return loop && loop->is_reduction();
}

Stmt one_step_more(const Stmt& stmt) {
  if (!has_steps(stmt)) return {};
  const auto* loop = llvm::cast<For>(stmt);
  return For::make(loop->axis, loop->extent + 1, loop->binding, loop->body);
}

TEST(WgmmaInFlight, NoCopyIsLeft) {
  const Sizes sizes = {{"M", 64}, {"N", 16}, {"K", 64}};
  const WarpgroupProduct product({.columns = 16, .fill = Fill::engine});
  const KernelFunction kernel = lower(product.scheduled().function()).kernels.front();
  for (uint64_t order = 0; order < 5; ++order)
    EXPECT_THAT(
        first_finding(with_mistake(kernel, 0, one_step_more), product.program.function(), sizes,
                      order),
        HasSubstr(".shared[1, 0, 0]: the block ends before anybody has waited for the copy\n"));
}

Stmt by_three_warps(const Stmt& stmt) {
  return has_steps(stmt) ? If::make(ThreadIndex::make(IndexSpace::thread, 0) < 96, stmt) : Stmt();
}

TEST(WgmmaInFlight, NeedsAllWarps) {
  EXPECT_THAT(
      finding_of(with_mistake(kernel_of({.columns = 32, .fill = Fill::engine}), 1, by_three_warps)),
      testing::StartsWith("deadlock: nobody in block (0, 0, 0) can go on: warps 0, 1, 2 wait at "
                          "`wgmma_m64n32k64_bf16 C.reg[0, 0, 0] <- A.shared[k.0 % 3, 0, 0], "
                          "B.shared[k.0 % 3, 0, 0]` for the other warps of the warpgroup; "));
}

TEST(WgmmaInFlight, FencesAreNeeded) {
  for (const auto fill : {Fill::threads, Fill::async, Fill::producers}) {
    const KernelFunction kernel = kernel_of({.columns = 32, .fill = fill});
    EXPECT_EQ(finding_of(kernel), "");
    EXPECT_THAT(finding_of(with_mistake(kernel, 0, dropped<is<op::fence_engine>>)),
                HasSubstr("missing fence on A.shared[0, 0"));
  }
}

TEST(Wgmma, WaitsForAFenceBehindWhatThreadsWrite) {
  const auto text = [](Fill fill) { return to_string(kernel_of({.columns = 32, .fill = fill})); };
  EXPECT_THAT(text(Fill::threads), HasSubstr("    fence_engine\n    barrier\n    wgmma_"));
  EXPECT_THAT(text(Fill::engine), testing::Not(HasSubstr("    fence_engine\n    barrier")));
}

TEST(Wgmma, IsInPtx) {
  if (!nvrtc_info()) GTEST_SKIP() << nvrtc_missing();
  for (const int64_t columns : {16, 128, 256}) {
    const KernelFunction kernel = kernel_of({.columns = columns});
    const auto compiled = compile_cached({emit_cuda(kernel), "product", "sm_90a", {}, ""});
    EXPECT_THAT(
        compiled->ptx,
        HasSubstr(fmt::format("wgmma.mma_async.sync.aligned.m64n{}k16.f32.bf16.bf16", columns)));
  }
}

TEST(Wgmma, IsInPtxForEveryTypeOfOperands) {
  if (!nvrtc_info()) GTEST_SKIP() << nvrtc_missing();
  for (const auto& [type, words] : {std::pair<DType, const char*>{tf32, "k8.f32.tf32.tf32"},
                                    {f8e4m3, "k32.f32.e4m3.e4m3"},
                                    {f8e5m2, "k32.f32.e5m2.e5m2"}}) {
    const KernelFunction kernel = kernel_of({.columns = 256, .type = type});
    const auto compiled = compile_cached({emit_cuda(kernel), "product", "sm_90a", {}, ""});
    EXPECT_THAT(compiled->ptx,
                HasSubstr(fmt::format("wgmma.mma_async.sync.aligned.m64n256{}", words)));
  }
}

// ---- What it refuses ----------------------------------------------------------------------------

std::string refusal_to_compile(const Schedule& s) {
  try {
    lower(s.function());
    return "";
  } catch (const ScheduleError& error) {
    const std::string message = error.what();
    return message.substr(0, message.find('\n'));
  }
}

TEST(WgmmaRefusals, OfOtherLayouts) {
  for (const Layout& layout : {Layout(), Layout().pad(8), Layout().swizzle_bytes(64, bf16)})
    EXPECT_EQ(refusal_to_compile(WarpgroupProduct({.columns = 32}).scheduled(layout)),
              "error: compile: wgmma_m64n32k64_bf16 takes rows of 64 elements of A.shared in a "
              "swizzle of 128 bytes");
}

TEST(WgmmaRefusals, OfTilesThatStartAnywhere) {
  const WarpgroupProduct product({.columns = 32});
  Schedule s = product.scheduled();
  s.align(s.tensor("A.shared"), 512);
  EXPECT_EQ(refusal_to_compile(s),
            "error: compile: wgmma_m64n32k64_bf16 takes A.shared at a multiple of 1024 bytes");
}

TEST(WgmmaRefusals, OfOperandsInOtherMemory) {
  const WarpgroupProduct product({.columns = 32});
  Schedule s(product.program);
  auto [by, bx, row, column] = s.tile({product.i, product.j}, {64, 32}, {.tail = Tail::pad});
  auto [step, of_step] = s.split(product.k, 64, {.tail = Tail::pad});
  s.reorder({by, bx, step, row, column, of_step});
  s.tensorize(row, "wgmma_m64n32k64_bf16");
  EXPECT_EQ(refusal_to_compile(s),
            "error: compile: wgmma_m64n32k64_bf16 takes C from registers, and it is in global "
            "memory");
}

/// The lanes of an instruction have no part in a tile that it takes whole: a thread would hold it.
TEST(WgmmaRefusals, OfTilesInRegisters) {
  const WarpgroupProduct product({.columns = 128, .is_turned = true, .warpgroups = 2});
  for (const auto& [operand, extents] : {std::pair{"A", "[64, 64]"}, {"B", "[64, 128]"}}) {
    Schedule s = product.scheduled();
    try {
      s.cache_registers(s.tensor(std::string(operand) + ".shared"), s.axis("i.1.0"));
      ADD_FAILURE() << operand << " is accepted";
    } catch (const ScheduleError& error) {
      EXPECT_THAT(error.what(),
                  HasSubstr(fmt::format("error: cache_registers: the part of {}.shared that one "
                                        "iteration of i.1.0 touches is {}, and a thread has at "
                                        "most 255 registers\n",
                                        operand, extents)));
    }
  }
}

// ---- The table ----------------------------------------------------------------------------------

/// Every sum is one value of one lane, and every element of a tile is read once.
TEST(WgmmaTable, SpreadsAreBijections) {
  for (int columns = 16; columns <= 256; columns += 16)
    for (const auto& [type, order] : {std::pair<DType, const char*>{f16, ""},
                                      {bf16, ""},
                                      {bf16, "_kn"},
                                      {bf16, "_km"},
                                      {f16, "_km_kn"},
                                      {tf32, ""},
                                      {f8e4m3, ""},
                                      {f8e5m2, ""},
                                      {i8, ""}}) {
      const int depth = static_cast<int>(128 / size_of(type));
      const std::string word =
          fmt::format("wgmma_m64n{}k{}{}_{}", columns, depth, order, ptx_name(type).str());
      const Opcode* opcode = find_opcode_with_lanes(word);
      ASSERT_NE(opcode, nullptr) << word;
      for (const auto& [spread, size] :
           llvm::zip(opcode->rules.spreads,
                     std::initializer_list<int>{64 * columns, 64 * depth, columns * depth})) {
        std::set<llvm::SmallVector<int64_t, 4>> elements;
        for (int lane = 0; lane < opcode->rules.threads; ++lane)
          for (int value = 0; value < spread.values(); ++value)
            EXPECT_TRUE(elements.insert(spread.element(lane, value)).second) << word;
        EXPECT_EQ(elements.size(), static_cast<size_t>(size)) << word;
      }
    }
}

/// A tile that lies in another way gives other sums: no GPU is needed to see it.
TEST(WgmmaMistakes, InALayoutGiveWrongSums) {
  const WarpgroupProduct product({.columns = 32});
  const Sizes sizes = {{"M", 64}, {"N", 32}, {"K", 64}};
  const KernelFunction kernel = lower(product.scheduled().function()).kernels.front();
  std::string text = to_string(kernel);
  const size_t swizzle = text.find(" ^ ");
  ASSERT_NE(swizzle, std::string::npos);
  text.replace(swizzle, 3, " + 0*");
  const auto result_of = [&](const KernelFunction& run) {
    Buffers buffers = random_buffers(product.program.function(), sizes, 7);
    run_on_sim(run, sizes, buffers);
    return values_of(buffers.at("C"));
  };
  EXPECT_NE(result_of(parse_kernel(text)), result_of(kernel));
}

}  // namespace wgmma_test
}  // namespace hone
