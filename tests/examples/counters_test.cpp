// The effects that the rungs are there to show, as the counts of count mode: without a GPU.
#include "codegen/lower.h"
#include "ir/core/layout.h"
#include "ir/interpret/index_extent.h"
#include "ir/interpret/interpreter.h"
#include "llvm/Support/JSON.h"
#include "runtime/sim/count/count.h"
#include "tests/support/examples/rungs.h"
#include "tests/support/runtime/sim_run.h"
#include "tools/cli/judge/problem.h"

namespace hone {
namespace counters_test {

Schedule build(const Ladder& ladder, const std::string& name, const Sizes& sizes) {
  const auto rung =
      llvm::find_if(ladder.rungs, [&](const Rung& rung) { return rung.name == name; });
  EXPECT_NE(rung, ladder.rungs.end()) << name;
  return rung->build({}, sizes);
}

/// Arguments of a kernel: element n is n % 13 - 6. A pitch is the extent of a row.
Buffers buffers_of(const KernelFunction& kernel, const Sizes& sizes) {
  Buffers buffers;
  for (const TensorPtr& tensor : kernel.arguments) {
    std::vector<int64_t> shape;
    for (const Expr& extent : tensor->shape) shape.push_back(evaluate(extent, sizes));
    if (const Expr& pitch = tensor->layout.row_pitch; pitch.defined())
      shape[storage_order(*tensor).back()] = evaluate(pitch, sizes);
    Buffer& buffer = buffers[tensor->name] = Buffer(tensor->type, shape);
    for (int64_t n = 0; n < buffer.size(); ++n) buffer.set(n, static_cast<double>(n % 13 - 6));
  }
  return buffers;
}

void fill_with_indices(Buffer& buffer, int64_t extent) {
  for (int64_t n = 0; n < buffer.size(); ++n) buffer.set(n, static_cast<double>(n % extent));
}

CountReport count_kernel(const KernelFunction& kernel, const Sizes& sizes, Buffers& buffers,
                         const CountOptions& options = {}) {
  std::vector<SimArgument> arguments;
  for (const TensorPtr& tensor : kernel.arguments) {
    Buffer& buffer = buffers.find(tensor->name)->second;
    arguments.push_back({tensor->name, buffer.bytes.data(), buffer.size()});
  }
  return count(kernel, sizes, arguments, options);
}

/// Of the kernel that makes the products: split-k has one more, which adds up.
CountReport count_rung(const Ladder& ladder, const std::string& name, const Sizes& sizes,
                       const CountOptions& options = {}) {
  const Module module = lower(build(ladder, name, sizes));
  EXPECT_EQ(module.kernels.size(), name == "split-k" ? 2u : 1u);
  Buffers buffers = buffers_of(module.kernels.front(), sizes);
  return count_kernel(module.kernels.front(), sizes, buffers, options);
}

const Sizes combine_sizes = {{"n", 65536}, {"W", 256}};

CountReport combine(const std::string& rung) {
  return count_rung(combine_ladder(), rung, combine_sizes);
}

CountReport matmul(const std::string& rung, int64_t M, int64_t N, int64_t K) {
  return count_rung(matmul_ladder(), rung, {{"M", M}, {"N", N}, {"K", K}});
}

// ---- Combine ------------------------------------------------------------------------------------

/// Three reads and a write of each of the elements.
TEST(CombineCounters, NeighbouringThreadsShareSectors) {
  for (const char* rung : {"block-major", "image-2d"}) {
    const CountReport report = combine(rung);
    EXPECT_EQ(report.total(AccessClass::global_load).requests, 3 * 65536 / 32) << rung;
    EXPECT_EQ(report.total(AccessClass::global_load).sectors_per_request(), 4) << rung;
    EXPECT_EQ(report.total(AccessClass::global_store).sectors_per_request(), 4) << rung;
    EXPECT_EQ(report.global().sector_bytes(), 16 * 65536) << rung;
  }
}

TEST(CombineCounters, FarApartThreadsTakeASectorEach) {
  const CountReport report = combine("thread-major");
  EXPECT_EQ(report.total(AccessClass::global_load).sectors_per_request(), 32);
  EXPECT_EQ(report.total(AccessClass::global_store).sectors_per_request(), 32);
  EXPECT_EQ(report.global().sector_bytes(), 8 * 16 * 65536);
}

TEST(CombineCounters, VectorsMakeAQuarterOfTheRequests) {
  const CountReport report = combine("vectorized");
  EXPECT_EQ(report.total(AccessClass::global_load).requests, 3 * 65536 / 128);
  EXPECT_EQ(report.total(AccessClass::global_load).sectors_per_request(), 16);
  EXPECT_EQ(report.global().sector_bytes(), 16 * 65536);
}

TEST(CombineCounters, FiveOperationsAnElement) {
  EXPECT_EQ(combine("block-major").flops, 5 * 65536);
  EXPECT_DOUBLE_EQ(combine("block-major").global_intensity(), 5.0 / 16);
}

// ---- Reduce and rows ----------------------------------------------------------------------------

/// The kernel that reads the elements of 16 blocks; the other adds up the results of these.
CountReport first_kernel_of_reduce(const std::string& rung) {
  const Sizes sizes = {{"n", 16 * 256}};
  const KernelFunction kernel = lower(build(reduce_ladder(), rung, sizes)).kernels.front();
  Buffers buffers = buffers_of(kernel, sizes);
  return count_kernel(kernel, sizes, buffers);
}

/// The same sums by other threads: a stride that grows leaves work to lanes of all warps, or makes
/// neighbours meet in a bank.
TEST(ReduceCounters, DivergenceOfTheNaiveTree) {
  const CountReport naive = first_kernel_of_reduce("interleaved-modulo");
  const CountReport strided = first_kernel_of_reduce("interleaved-strided");
  const CountReport sequential = first_kernel_of_reduce("sequential");
  EXPECT_EQ(naive.branch_total.divergent, 16 * (5 * 8 + 4 + 2 + 1 + 1));
  EXPECT_EQ(strided.branch_total.divergent, 16 * (5 + 1));
  EXPECT_EQ(sequential.branch_total.divergent, 16 * (5 + 1));
  EXPECT_EQ(naive.shared().bank_conflicts(), 0);
  EXPECT_EQ(strided.shared().bank_conflicts(), 16 * 3 * (4 + 2 * 3 + 7 + 7 + 7 + 3 + 1));
  EXPECT_EQ(sequential.shared().bank_conflicts(), 0);
}

TEST(ReduceCounters, ShufflesTakeThePlaceOfBarriers) {
  EXPECT_EQ(first_kernel_of_reduce("first-add").barriers_per_block(), 8);
  EXPECT_EQ(first_kernel_of_reduce("last-warp").barriers_per_block(), 3);
  EXPECT_EQ(first_kernel_of_reduce("last-warp").shuffles.warps, 8 * 5);
}

/// A row that its threads hold is read once, however often they reduce it.
TEST(RowCounters, RowsInRegistersAreReadOnce) {
  const Sizes sizes = {{"M", 3}, {"N", 1024}};
  constexpr int64_t bytes = 4 * 3 * 1024;
  const auto loads = [&](const Ladder& ladder, const char* rung) {
    return count_rung(ladder, rung, sizes).total(AccessClass::global_load).bytes;
  };
  const Ladder softmax = softmax_ladder(), layernorm = layernorm_ladder();
  EXPECT_EQ(loads(softmax, "shuffle"), 3 * bytes);
  EXPECT_EQ(loads(softmax, "registers"), bytes);
  EXPECT_EQ(loads(softmax, "vectorized"), bytes);
  EXPECT_EQ(count_rung(softmax, "vectorized", sizes).total(AccessClass::global_store).bytes, bytes);
  EXPECT_EQ(loads(layernorm, "shuffle"), 3 * bytes + 2 * bytes);
  EXPECT_EQ(loads(layernorm, "vectorized"), bytes + 2 * bytes);
}

// ---- Matmul -------------------------------------------------------------------------------------

double loads_per_result(const MemoryCounts& loads, int64_t results) {
  return static_cast<double>(loads.bytes) / 4 / static_cast<double>(results);
}

/// A partial sum takes another addition. Tiles are whole: what lies beyond the ends is computed
/// too.
TEST(MatmulCounters, EveryRungDoesTwoOperationsAProduct) {
  for (const Rung& rung : matmul_ladder().rungs) {
    if (rung.target != RungTarget::gpu) continue;
    const int64_t partial_sums = rung.name == "shared-partial-sums" ? 128 * 256 * (64 / 32) : 0;
    const int64_t rows = rung.name == "tuned" ? 144 : 128;
    EXPECT_EQ(matmul(rung.name, 128, 256, 64).flops, 2 * rows * 256 * 64 + partial_sums)
        << rung.name;
  }
}

/// Tiles of 8 x 8 a thread, 128 x 128 a block, in steps of 8: K/64 reads of global memory and K/4
/// of shared memory per result.
TEST(MatmulCounters, LoadsPerResultOfThread2d) {
  constexpr int64_t K = 192;
  const CountReport report = matmul("thread-2d", 256, 128, K);
  EXPECT_EQ(loads_per_result(report.total(AccessClass::global_load), 256 * 128), K / 64.0);
  EXPECT_EQ(loads_per_result(report.total(AccessClass::shared_load), 256 * 128), K / 4.0);
  EXPECT_EQ(report.barriers_per_block(), 2 * K / 8.0);
}

TEST(MatmulCounters, LoadsPerResultOfSmallerTiles) {
  constexpr int64_t K = 96, results = 96 * 64;
  EXPECT_EQ(loads_per_result(matmul("register-accumulate", 96, 64, K).global(), results),
            2 * K + 1);
  const CountReport shared = matmul("shared-32", 96, 64, K);
  EXPECT_EQ(loads_per_result(shared.total(AccessClass::global_load), results), 2 * K / 32.0);
  EXPECT_EQ(loads_per_result(shared.total(AccessClass::shared_load), results), 2.0 * K);
  EXPECT_EQ(shared.barriers_per_block(), 2 * K / 32.0);
}

/// It is not its shared memory that makes it slow: each lane of a warp is in another row of A, B
/// and C, and so in another sector.
TEST(MatmulCounters, SharedTransposedTakesASectorPerLane) {
  const CountReport plain = matmul("shared-32", 64, 64, 64);
  const CountReport transposed = matmul("shared-transposed", 64, 64, 64);
  EXPECT_EQ(plain.total(AccessClass::global_load).sectors_per_request(), 4);
  EXPECT_EQ(transposed.total(AccessClass::global_load).sectors_per_request(), 32);
  EXPECT_EQ(transposed.total(AccessClass::global_store).sectors_per_request(), 32);
  EXPECT_EQ(transposed.global().requests, plain.global().requests);
  EXPECT_EQ(transposed.shared(), plain.shared());
  EXPECT_EQ(transposed.shared().bank_conflicts(), 0);
}

// ---- Hgemm --------------------------------------------------------------------------------------

/// The products of 256 x 256 results: those of a warp are 16 x 8 x 16, or 16 x 256 x 64; of
/// the tuned rung 16 x 64 x 64.
TEST(HgemmCounters, TensorCoresComputeAllProducts) {
  constexpr int64_t K = 64, operations = 2 * 256 * 256 * K;
  for (const Rung& rung : hgemm_ladder().rungs) {
    const CountReport report =
        count_rung(hgemm_ladder(), rung.name, {{"M", 256}, {"N", 256}, {"K", K}});
    const bool has_tensor_cores = rung.name != "global" && rung.name != "shared-32";
    EXPECT_EQ(report.flops, operations) << rung.name;
    EXPECT_EQ(report.tensor_operations, has_tensor_cores ? operations : 0) << rung.name;
    const int64_t columns = rung.name == "tuned" ? 64 : 256;
    const std::set<std::string> of_warpgroups = {"wgmma", "persistent", "deferred", "tuned"};
    const bool is_of_warpgroups = of_warpgroups.count(rung.name) != 0;
    const int64_t of_an_instruction = 2 * (is_of_warpgroups ? 16 * columns * 64 : 16 * 8 * 16);
    EXPECT_EQ(report.tensor_instructions, report.tensor_operations / of_an_instruction)
        << rung.name;
  }
}

/// A warp of 16 x 16 results, which loads its operands by ldmatrix from tiles of this layout.
CountReport warp_of_products(const Layout& layout) {
  const Tensor A("A", f16, {16, 64}), B("B", f16, {64, 16}), C("C", f32, {16, 16});
  const Axis i("i", 16), j("j", 16);
  const ReduceAxis k("k", 64);
  Schedule s(Program("f", C(i, j) = sum(k, cast(f32, A(i, k)) * cast(f32, B(k, j)))));
  auto [warps, row] = s.split(i, 16);
  auto [column_tile, column] = s.split(j, 8);
  auto [k_tile, of_tile] = s.split(k, 16);
  s.reorder({warps, k_tile, column_tile, row, column, of_tile});
  s.bind(warps, warp);
  auto [upper, lane_row] = s.split(s.axis("i.1.init"), 8);
  auto [lane_column, pair] = s.split(s.axis("j.1.init"), 2);
  s.bind({lane_row, lane_column}, lane);
  s.tensorize(row, "mma_m16n8k16_f16");
  s.cache_registers(C, warps);
  const Cache A_tile = s.cache_shared(A, warps, {.layout = layout});
  const Cache B_tile = s.cache_shared(B, warps, {.layout = layout});
  s.tensorize(s.cache_registers(A_tile, k_tile), "ldmatrix_x4_f16");
  s.tensorize(s.cache_registers(B_tile, k_tile), "ldmatrix_x4_trans_f16");
  const KernelFunction kernel = lower(s).kernels.front();
  Buffers buffers = buffers_of(kernel, {});
  return count_kernel(kernel, {}, buffers);
}

/// Rows of 64 elements are all in the same banks, and those of 16 four rows on.
TEST(HgemmCounters, RowsOfMatricesMeetInBanksWithoutPadding) {
  const CountReport plain = warp_of_products({}), padded = warp_of_products(Layout().pad(8));
  const MemoryCounts loads = padded.total(AccessClass::shared_load);
  EXPECT_EQ(loads.requests, 4 * 2);
  EXPECT_EQ(loads.wavefronts, loads.requests * 4);
  EXPECT_EQ(loads.bank_conflicts(), 0);
  EXPECT_EQ(plain.total(AccessClass::shared_load).wavefronts, 4 * 4 * 8 + 4 * 4 * 2);
}

TEST(HgemmCounters, PaddedTilesLoadMatricesWithoutConflicts) {
  for (const char* rung : {"mma-sync", "ldmatrix", "async-copy", "producer-consumer"}) {
    const CountReport report =
        count_rung(hgemm_ladder(), rung, {{"M", 256}, {"N", 256}, {"K", 64}});
    EXPECT_GT(report.total(AccessClass::shared_load).requests, 0) << rung;
    EXPECT_EQ(report.total(AccessClass::shared_load).bank_conflicts(), 0) << rung;
  }
}

TEST(TransposeCounters, ConflictsOfATile) {
  const Sizes sizes = {{"M", 128}, {"N", 64}};
  const CountReport naive = count_rung(transpose_ladder(), "naive", sizes);
  EXPECT_EQ(naive.global().sectors, 128 * 64 / 32 * (4 + 32));
  const CountReport tiled = count_rung(transpose_ladder(), "tiled", sizes);
  EXPECT_EQ(tiled.global().sectors, 128 * 64 / 32 * (4 + 4));
  EXPECT_EQ(tiled.shared().wavefronts, 128 * 64 / 32 * (1 + 32));
}

/// The threads of a tree along y stand in rows, whose neighbours are in different banks.
TEST(ColsumCounters, ATreeWithoutConflicts) {
  const CountReport report = count_rung(colsum_ladder(), "block-reduce", {{"M", 64}, {"N", 64}});
  EXPECT_GT(report.shared().requests, 0);
  EXPECT_EQ(report.shared().bank_conflicts(), 0);
}

/// A block adds each of its counts to the result once, however many values it has.
TEST(HistogramCounters, BlocksAddUpInSharedMemory) {
  const Sizes sizes = {{"n", 65536}};
  const auto updates = [&](const char* rung) {
    const KernelFunction kernel = lower(build(histogram_ladder(), rung, sizes)).kernels.back();
    Buffers buffers = buffers_of(kernel, sizes);
    const CountReport report = count_kernel(kernel, sizes, buffers);
    return report.total(AccessClass::global_atomic).requests;
  };
  EXPECT_EQ(updates("global-atomics"), 65536 / 32);
  EXPECT_EQ(updates("shared-atomics"), 65536 / 4096 * 256 / 32);
  EXPECT_EQ(updates("vectorized"), 65536 / 16384 * 256 / 32);
}

// ---- Every rung ---------------------------------------------------------------------------------

/// Sizes that no tile divides, but for those that vectors promise.
Sizes odd_sizes(const Ladder& ladder, const Schedule& schedule) {
  Sizes sizes = {{"M", 68}, {"N", 132}, {"K", 20}};
  if (ladder.name == "combine") sizes = {{"n", 5000}, {"W", 36}};
  if (ladder.name == "transpose") sizes = {{"M", 68}, {"N", 132}};
  if (ladder.name == "reduce" || ladder.name == "dot" || ladder.name == "argmax")
    sizes = {{"n", 20000}};
  if (ladder.name == "histogram") sizes = {{"n", 20016}};
  if (ladder.name == "softmax" || ladder.name == "layernorm") sizes = {{"M", 5}, {"N", 132}};
  if (ladder.name == "rowsum" || ladder.name == "matvec") sizes = {{"M", 13}, {"N", 1028}};
  if (ladder.name == "colsum") sizes = {{"M", 131}, {"N", 132}};
  if (ladder.sizes.count("batch")) sizes["batch"] = 2;
  if (ladder.name == "hgemm-grouped") sizes = {{"tiles", 3}, {"groups", 2}, {"N", 132}, {"K", 20}};
  if (ladder.name == "stencil") sizes = {{"H", 68}, {"W", 132}};
  if (ladder.name == "conv2d-nhwc")
    sizes = {{"batch", 3}, {"H", 9}, {"W", 13}, {"C", 24}, {"O", 42}};
  if (ladder.name == "convolution") sizes = {{"C", 4}, {"O", 4}, {"H", 20}, {"W", 36}};
  return with_pitches(schedule, sizes);
}

class CountedRung : public testing::TestWithParam<RungCase> {};

INSTANTIATE_TEST_SUITE_P(Ladders, CountedRung, testing::ValuesIn(gpu_rungs()), test_name);

TEST_P(CountedRung, ComputesWhatAPlainRunDoesOnAnyNumberOfThreads) {
  const auto& [ladder, rung] = GetParam();
  const Sizes sizes = odd_sizes(ladder, rung.build({}, ladder.sizes));
  const Schedule schedule = rung.build({}, sizes);
  for (const KernelFunction& kernel : lower(schedule).kernels) {
    Buffers plain = buffers_of(kernel, sizes);
    for (const TensorPtr& tensor : kernel.arguments)
      if (const int64_t extent = index_extent(schedule.function(), *tensor, sizes); extent > 0)
        fill_with_indices(plain[tensor->name], extent);
    Buffers one = plain, two = plain;
    run_on_sim(kernel, sizes, plain);
    const CountReport report = count_kernel(kernel, sizes, one, {.threads = 1});
    EXPECT_GT(report.global().bytes, 0);
    EXPECT_EQ(to_json(count_kernel(kernel, sizes, two, {.threads = 2})), to_json(report));
    for (const TensorPtr& tensor : kernel.arguments) {
      EXPECT_EQ(one[tensor->name].bytes, plain[tensor->name].bytes) << tensor->name;
      EXPECT_EQ(two[tensor->name].bytes, plain[tensor->name].bytes) << tensor->name;
    }
  }
}

}  // namespace counters_test
}  // namespace hone
