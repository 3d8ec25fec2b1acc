// hone explain: what makes a rung faster or slower than another one.
#include "compared_ladders.h"
#include "llvm/Support/JSON.h"
#include "runtime/error.h"
#include "runtime/nvrtc/nvrtc.h"

namespace hone {
namespace explain_test {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

TEST(Explain, SaysWhatTheCompilerMoves) {
  if (!nvrtc_info()) GTEST_SKIP() << nvrtc_missing();
  EXPECT_THAT(
      hone_on({promoted()}, {"explain", "matmul/restrict", "-DK=64", "-DM=64", "-DN=64"}).printed,
      HasSubstr("\n1. global stores fall 32.5x: K + 1 -> 2 per result, because the compiler "
                "moves the store of C out of the loop k (line 17)\n"));
  EXPECT_THAT(
      hone_on({promoted()},
              {"explain", "matmul/restrict", "matmul/alias", "-DK=64", "-DM=64", "-DN=64"})
          .printed,
      HasSubstr("matmul/alias against matmul/restrict, K=64 M=64 N=64\n\n1. global stores rise "
                "32.5x: 2 -> K + 1 per result, because arrays may overlap, and the compiler "
                "no longer moves the store of C out of the loop k\n"));
}

TEST(Explain, WritesLargeFactorsInFull) {
  if (!nvrtc_info()) GTEST_SKIP() << nvrtc_missing();
  EXPECT_THAT(
      hone_on({promoted()}, {"explain", "matmul/restrict", "-DK=4095", "-DM=8", "-DN=8"}).printed,
      HasSubstr("\n1. global stores fall 2048x: K + 1 -> 2 per result, "));
}

TEST(Explain, TakesRungsOfTwoLadders) {
  const CommandResult result = hone({"explain", "axpy/blocks", "matmul/threads", "-DN=64"});
  EXPECT_EQ(result.complained, "");
  EXPECT_THAT(result.printed,
              StartsWith("matmul/threads, K=7 M=6 N=64, against axpy/blocks, N=64\n\n1. "));
  expect_usage_error({"explain", "axpy/blocks", "matmul/threads", "-DJ=64"},
                     "there is no size 'J' in axpy and matmul; did you mean 'N'?");
}

TEST(Explain, TakesALadder) {
  const CommandResult result = hone({"explain", "matmul"});
  EXPECT_EQ(result.complained, "");
  EXPECT_THAT(result.printed,
              StartsWith("matmul: C = A B, K=7 M=6 N=5\n\nparallel, on the host, "));
  EXPECT_THAT(result.printed, HasSubstr("\n\nthreads\n  "));
  EXPECT_THAT(result.printed, HasSubstr("\n\nregister against threads\n  "));
  expect_usage_error({"explain", "matmul", "axpy/blocks"},
                     "'matmul' is a ladder; name one of its rungs, as in matmul/parallel");
}

TEST(Explain, SaysOfWhichRungsSomeBlocksWereCounted) {
  const std::string text =
      hone({"explain", "matmul/threads", "axpy/blocks", "-DN=1000", "--blocks=2"}).printed;
  EXPECT_THAT(text, HasSubstr("\naxpy/blocks: counts are scaled up from 2 of 8 blocks\n"));
  EXPECT_THAT(text, HasSubstr("\nmatmul/threads: counts are scaled up from 2 of "));
  EXPECT_THAT(hone({"explain", "axpy/blocks", "-DN=1000", "--blocks=8"}).printed,
              Not(HasSubstr("scaled up")));
  EXPECT_THAT(hone({"explain", "axpy", "-DN=1000", "--blocks=2"}).printed,
              HasSubstr("\n  axpy/blocks: counts are scaled up from 2 of 8 blocks\n"));
}

TEST(Explain, SaysOfWhichKernelsSomeBlocksWereCounted) {
  EXPECT_THAT(hone_on({three_kernels()}, {"explain", "chain/blocks", "--blocks=2"}).printed,
              HasSubstr("\nchain/blocks, chain_0: counts are scaled up from 2 of 1000 blocks\n"
                        "chain/blocks, chain_1: counts are scaled up from 2 of 1000 blocks\n"
                        "chain/blocks, chain_2: counts are scaled up from 2 of 1000 blocks\n"));
}

/// The kernel, the counted blocks, and 1 if they are a sample.
std::string samples_in(const llvm::json::Object& rung) {
  std::string text;
  for (const llvm::json::Value& value : *rung.getArray("kernels")) {
    const llvm::json::Object& kernel = *value.getAsObject();
    text += fmt::format("{} {} {}\n", kernel.getString("kernel")->str(),
                        *kernel.getInteger("counted_blocks"), *kernel.getBoolean("is_sampled"));
  }
  return text;
}

TEST(Explain, HasTheCountedBlocksInItsObject) {
  const auto object_of = [](std::vector<std::string> words) {
    return *llvm::cantFail(llvm::json::parse(hone(std::move(words)).printed)).getAsObject();
  };
  const auto pair =
      object_of({"explain", "axpy/blocks", "matmul/threads", "-DN=1000", "--blocks=8", "--json"});
  EXPECT_EQ(samples_in(pair), "matmul 8 true\n");
  EXPECT_EQ(samples_in(*pair.getObject("against")), "axpy 8 false\n");
  EXPECT_EQ(samples_in(object_of({"explain", "matmul/parallel", "--json"})), "");
}

TEST(Explain, SaysThatTheRooflineRanksNothing) {
  EXPECT_THAT(hone({"explain", "axpy/blocks"}).printed,
              HasSubstr("\n\nroofline of H100 SXM, a bound that ranks nothing by itself:\n"));
}

TEST(Explain, ComparesWithTheRungItBuildsOn) {
  const CommandResult result = hone({"explain", "matmul/register", "-DM=64", "-DN=64", "-DK=32"});
  EXPECT_EQ(result.complained, "");
  EXPECT_THAT(result.printed,
              StartsWith("matmul/register against matmul/threads, K=32 M=64 N=64\n\n"
                         "1. global stores fall "));
  EXPECT_THAT(result.printed, HasSubstr(":\n  matmul/threads: at least "));
  EXPECT_THAT(result.printed, HasSubstr("\n  matmul/register: at least "));
  EXPECT_EQ(result.status, 0);
}

TEST(Explain, DescribesARungWithNoneBeforeIt) {
  const CommandResult result = hone({"explain", "axpy/blocks"});
  EXPECT_EQ(result.complained, "");
  EXPECT_THAT(result.printed,
              StartsWith("axpy/blocks, N=1000\n\n1. multiprocessors at work: 8 of the GPU's 132\n"
                         "2. bytes of DRAM: 12 per result\n"));
}

TEST(Explain, FindsNothingWhereNoElementIs) {
  EXPECT_THAT(hone_on({small_axpy()}, {"explain", "axpy/blocks", "-DN=0"}).printed,
              Not(HasSubstr("\n1. ")));
}

TEST(Explain, SaysThatNothingIsDifferent) {
  Ladder ladder = small_axpy();
  ladder.rungs.push_back(ladder.rungs.back());
  ladder.rungs.back().name = "again";
  ladder.rungs.back().builds_on = "blocks";
  EXPECT_THAT(hone_on({ladder}, {"explain", "axpy/again"}).printed,
              StartsWith("axpy/again against axpy/blocks, N=1000\n\n"
                         "nothing that counts is different\n"));
}

/// B = A^T through a tile in shared memory, in rungs that differ in its layout.
Ladder transposes(const char* from = "A") {
  const auto program = [from](const Sizes& fixed) {
    const Expr m = size_of(fixed, "M"), n = size_of(fixed, "N");
    const Tensor A(from, f32, {m, n}), B("B", f32, {n, m});
    const Axis i("i", m), j("j", n);
    return Program("transpose", B(j, i) = A(i, j));
  };
  const auto rung = [&](const char* name, const Layout& layout) -> Rung {
    return {name, "", "", RungTarget::gpu,
            [program, layout, from](const Sizes& fixed, const Sizes&) {
              Schedule s(program(fixed));
              auto [bj, bi, tj, ti] = s.tile({s.axis("j"), s.axis("i")}, {32, 32});
              s.bind(bj, block.y);
              s.bind(bi, block.x);
              s.bind(tj, thread.y);
              s.bind(ti, thread.x);
              s.cache_shared(s.tensor(from), bi, {.layout = layout});
              return s;
            }};
  };
  Ladder ladder;
  ladder.name = "transpose";
  ladder.sizes = {{"M", 64}, {"N", 64}};
  ladder.program = program;
  ladder.rungs = {rung("tiled", Layout()), rung("padded", Layout().pad(1))};
  ladder.rungs.back().builds_on = "tiled";
  return ladder;
}

TEST(Explain, BlamesBankConflicts) {
  EXPECT_THAT(hone_on({transposes()}, {"explain", "transpose/padded"}).printed,
              HasSubstr("\n1. wavefronts of shared loads fall 32x: 32 -> 1 for an ideal one, "
                        "because the lanes of A.shared[i.1, j.1] met in a bank\n"));
}

/// Z = 2 X + Y by one block, and by as many as there are pieces of 128 elements.
Ladder on_one_block() {
  Ladder ladder = small_axpy();
  const auto one = [](Schedule& s, const Axpy& p) {
    auto [pieces, lanes] = s.split(p.i, 128);
    s.bind(lanes, thread.x);
  };
  ladder.rungs.push_back(make_rung<Axpy>("one-block", "", RungTarget::gpu, one));
  ladder.rungs.back().builds_on = "blocks";
  return ladder;
}

TEST(Explain, BeginsWithMultiprocessorsThatHaveNothingToDo) {
  EXPECT_THAT(
      hone_on({on_one_block()}, {"explain", "axpy/one-block"}).printed,
      HasSubstr("\n1. multiprocessors at work fall 8x: 8 -> 1 of the GPU's 132, because the grid "
                "has one block instead of 8\n"));
  EXPECT_THAT(
      hone_on({on_one_block()}, {"explain", "axpy/one-block", "axpy/blocks", "-DN=65536"}).printed,
      HasSubstr(
          "\n1. multiprocessors at work rise 132x: 1 -> 132 of the GPU's 132, because the grid has "
          "512 blocks instead of 1\n"));
}

/// Blocks of the same elements, with a thread for each, and for eight of them.
Ladder with_fewer_threads() {
  Ladder ladder = small_axpy();
  const auto wide = [](Schedule& s, const Axpy& p) {
    auto [pieces, lanes] = s.split(p.i, 512);
    s.bind(pieces, block.x);
    s.bind(lanes, thread.x);
  };
  const auto narrow = [](Schedule& s, const Axpy& p) {
    auto [pieces, elements] = s.split(p.i, 512);
    auto [turns, lanes] = s.split(elements, 64);
    s.bind(pieces, block.x);
    s.bind(lanes, thread.x);
  };
  ladder.rungs = {make_rung<Axpy>("wide", "", RungTarget::gpu, wide),
                  make_rung<Axpy>("narrow", "", RungTarget::gpu, narrow)};
  ladder.rungs.back().builds_on = "wide";
  return ladder;
}

TEST(Explain, BlamesThreadsAndNotAGridThatStays) {
  EXPECT_THAT(hone_on({with_fewer_threads()}, {"explain", "axpy/narrow", "-DN=153600"}).printed,
              HasSubstr("because blocks have 64 threads instead of 512\n"));
}

TEST(Explain, GoesOnBehindARungThatCannotBeExplained) {
  Ladder ladder = with_fewer_threads();
  ladder.rungs.push_back(ladder.rungs[0]);
  ladder.rungs[1].build = [](const Sizes&, const Sizes&) -> Schedule { throw RuntimeError("no"); };
  ladder.rungs[2].name = "again";
  const CommandResult result = hone_on({ladder}, {"explain", "axpy"});
  EXPECT_THAT(result.printed, HasSubstr("\nagain\n"));
  EXPECT_EQ(result.complained, "error: axpy/narrow: no\n");
  EXPECT_EQ(result.status, 1);
}

TEST(Explain, SaysThatElementsAreLarger) {
  const std::vector<Ladder> ladders = {squares("floats", f32), squares("doubles", f64)};
  const std::string text = hone_on(ladders, {"explain", "floats/blocks", "doubles/blocks"}).printed;
  EXPECT_THAT(text, HasSubstr("\n1. bytes of DRAM rise 2x: 8 -> 16 per result\n"));
  EXPECT_THAT(text, HasSubstr(". bytes of global stores rise 2x: 4 -> 8 per result, because "
                              "elements are of f64 instead of f32\n"));
  EXPECT_THAT(text, HasSubstr(" in double precision; 0.0625 FLOP per byte of DRAM, and 9.99 "));
  EXPECT_THAT(hone_on(ladders, {"explain", "floats/blocks", "doubles/blocks", "--gpu=T4"}).printed,
              HasSubstr("operations in double precision are new: 1 per result\n"));
}

/// Sizes that nobody gave stand for large ones.
TEST(Explain, TakesGridsThatGrowAsLarge) {
  Ladder ladder = on_one_block();
  ladder.sizes = {{"N", int64_t{1} << 28}};
  EXPECT_THAT(
      hone_on({ladder}, {"explain", "axpy/one-block"}).printed,
      HasSubstr("\n1. multiprocessors at work fall 132x: 132 -> 1 of the GPU's 132, because the "
                "grid has one block, however large the sizes are\n"));
}

TEST(Explain, BlamesRegistersForNothingThatRises) {
  const auto text = [](const char* before, const char* after) {
    return hone({"explain", before, after, "-DM=64", "-DN=64", "-DK=32"}).printed;
  };
  EXPECT_THAT(text("matmul/threads", "matmul/register"),
              HasSubstr("because each thread keeps its part of C in registers\n"));
  EXPECT_THAT(text("matmul/register", "matmul/threads"), HasSubstr("1. global stores rise "));
  EXPECT_THAT(text("matmul/register", "matmul/threads"), Not(HasSubstr("keeps its part")));
}

/// B = A^T without a tile.
Rung plain_transpose(const Ladder& ladder) {
  return {"plain", "", "", RungTarget::gpu,
          [program = ladder.program](const Sizes& fixed, const Sizes&) {
            Schedule s(program(fixed));
            auto [bj, bi, tj, ti] = s.tile({s.axis("j"), s.axis("i")}, {32, 32});
            s.bind(bj, block.y);
            s.bind(bi, block.x);
            s.bind(tj, thread.y);
            s.bind(ti, thread.x);
            return s;
          }};
}

TEST(Explain, BlamesBankConflictsOfTilesThatAreNew) {
  Ladder ladder = transposes();
  ladder.rungs.push_back(plain_transpose(ladder));
  const auto text = [&](const char* after) {
    return hone_on({ladder}, {"explain", "transpose/plain", after}).printed;
  };
  EXPECT_THAT(text("transpose/tiled"),
              HasSubstr("shared loads are new: 1 per result, 32 wavefronts for an ideal one, as "
                        "the lanes of A.shared[i.1, j.1] meet in a bank, because each block keeps "
                        "a tile of A in shared memory\n"));
  EXPECT_THAT(text("transpose/padded"), HasSubstr("sectors per byte of global loads fall 8x: "));
  EXPECT_THAT(text("transpose/padded"), Not(HasSubstr("meet in a bank")));
}

/// Squared distances of points, with an element a thread, and with 4 x 4 by vectors from the tiles.
Ladder distances() {
  Ladder ladder;
  ladder.name = "distances";
  ladder.sizes = {{"M", 1024}, {"N", 1024}, {"K", 64}};
  ladder.program = [](const Sizes& fixed) {
    const Expr M = size_or_param(fixed, "M"), N = size_or_param(fixed, "N"),
               K = size_or_param(fixed, "K");
    const Tensor P("P", f32, {M, K}), Q("Q", f32, {N, K}), D("D", f32, {M, N});
    const Axis i("i", M), j("j", N);
    const ReduceAxis k("k", K);
    const Expr gap = P(i, k) - Q(j, k);
    return Program("distances", D(i, j) = sum(k, gap * gap));
  };
  const auto rung = [&](const char* name, int threads, int results, int width) -> Rung {
    return {name, "", "", RungTarget::gpu,
            [program = ladder.program, threads, results, width](const Sizes& fixed, const Sizes&) {
              Schedule s(program(fixed));
              auto [by, bx, rows, columns] =
                  s.tile({s.axis("i"), s.axis("j")}, {threads * results, threads * results});
              auto [ty, tx, y, x] = s.tile({rows, columns}, {results, results});
              auto [ko, ki] = s.split(s.axis("k"), threads);
              s.reorder({by, bx, ty, tx, ko, ki, y, x});
              s.bind(by, block.y);
              s.bind(bx, block.x);
              s.bind(ty, thread.y);
              s.bind(tx, thread.x);
              s.cache_registers(s.tensor("D"), tx);
              const Layout turned = Layout::column_major().pad(4);
              for (const char* name : {"P", "Q"}) {
                const Layout rows = name[0] == 'P' ? Layout() : Layout().pad(1);
                const Cache tile =
                    s.cache_shared(s.tensor(name), ko, {.layout = width > 1 ? turned : rows});
                if (width > 1) s.cache_registers(tile, ki, {.vectorize = width});
              }
              return s;
            }};
  };
  ladder.rungs = {rung("elements", 32, 1, 1), rung("vectors", 16, 4, 4)};
  return ladder;
}

/// The assembler merges the elements, so vectors change no width.
TEST(Explain, CountsTheWidthsOfMachineCode) {
  if (!nvrtc_info()) GTEST_SKIP() << nvrtc_missing();
  const auto text = [&](const char* before, const char* after) {
    return hone_on({distances()}, {"explain", before, after, "-D", "M=1024", "-D", "N=1024", "-D",
                                   "K=256", "--blocks=4"})
        .printed;
  };
  EXPECT_THAT(text("distances/elements", "distances/vectors"),
              HasSubstr("1. shared loads fall 4x: 2*K -> K/2 per result, because each thread keeps "
                        "its part of P and Q in registers\n"));
  EXPECT_THAT(text("distances/elements", "distances/vectors"),
              Not(HasSubstr("of one instruction")));
  EXPECT_THAT(text("distances/elements", "distances/vectors"), Not(HasSubstr("no longer merges")));
  EXPECT_THAT(text("distances/vectors", "distances/elements"), Not(HasSubstr("compiler merges")));
}

TEST(Explain, BlamesNoTilesForWhatOtherTensorsDo) {
  Ladder ladder = transposes(), other = transposes("X");
  ladder.rungs.push_back(plain_transpose(ladder));
  other.name = "other";
  EXPECT_THAT(hone_on({ladder, other}, {"explain", "transpose/plain", "other/tiled"}).printed,
              HasSubstr("shared loads are new: 1 per result, 32 wavefronts for an ideal one, as "
                        "the lanes of X.shared[i.1, j.1] meet in a bank\n"));
}

TEST(Explain, RefusesAnArchitectureWithoutAGpu) {
  expect_usage_error({"explain", "axpy/blocks", "--arch=sm_87"},
                     "no GPU of sm_87 is known; name one with --gpu");
}

}  // namespace explain_test
}  // namespace hone
