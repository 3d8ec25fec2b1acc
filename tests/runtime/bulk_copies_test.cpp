// Copies by the copy engine on the devices: right for any number of iterations, in any order of the
// warps, and found where bytes, a wait or an arrival are missing.
#include <gtest/gtest.h>

#include "codegen/emit/emit.h"
#include "codegen/lower.h"
#include "codegen/parse_kernel.h"
#include "codegen/verify_kernel.h"
#include "ir/opcodes/opcodes.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"
#include "ir/traverse/visit.h"
#include "runtime/nvrtc/nvrtc.h"
#include "runtime/shared_limit.h"
#include "runtime/sim/check/check.h"
#include "runtime/sim/count/count.h"
#include "tests/support/codegen/mistakes.h"
#include "tests/support/ir/golden.h"
#include "tests/support/random/first_finding.h"
#include "tests/support/random/random_program.h"
#include "tests/support/runtime/bulk_product.h"
#include "tests/support/runtime/fake_cuda.h"
#include "tests/support/runtime/reductions.h"

namespace hone {
namespace bulk_copies_test {

/// The trip count of ko is 0, 1, stages - 1, stages, stages + 1 and more.
TEST(BulkCopiesOnDevices, AreRightForAnyTripCount) {
  const BulkProduct product;
  for (const int64_t stages : {1, 2, 3, 4}) {
    const Schedule s = product.scheduled({.stages = stages});
    for (const int64_t trips : {int64_t{0}, int64_t{1}, stages - 1, stages, stages + 1, int64_t{6}})
      for (const int64_t rest : {0, 4}) {
        const Sizes sizes = {{"M", 37}, {"N", 44}, {"K", trips * 16 + rest}};
        expect_as_meant(product.program, s, sizes,
                        random_buffers(product.program.function(), sizes, 3));
      }
  }
}

TEST(BulkCopiesOnDevices, StandBesideAsynchronousOnes) {
  const BulkProduct product;
  for (const bool a_in_bulk : {false, true}) {
    const Schedule s =
        product.scheduled({.producer_warps = 2, .a_in_bulk = a_in_bulk, .b_in_bulk = !a_in_bulk});
    const Sizes sizes = {{"M", 33}, {"N", 36}, {"K", 84}};
    expect_as_meant(product.program, s, sizes,
                    random_buffers(product.program.function(), sizes, 3));
  }
}

const Sizes some_sizes = {{"M", 37}, {"N", 44}, {"K", 84}};

std::string finding_in(const KernelFunction& kernel, uint64_t order = 0) {
  return first_finding(kernel, BulkProduct().program.function(), some_sizes, order);
}

KernelFunction kernel_of(const Schedule& schedule) {
  return lower(schedule.function()).kernels.front();
}

TEST(BulkCopiesOnDevices, AreRightInAnyOrderOfTheWarps) {
  const BulkProduct product;
  for (const bool b_in_bulk : {false, true}) {
    const KernelFunction kernel =
        kernel_of(product.scheduled({.producer_warps = 2, .b_in_bulk = b_in_bulk}));
    for (uint64_t order = 0; order <= 20; ++order)
      EXPECT_EQ(finding_in(kernel, order), "") << order << "\n" << to_string(kernel);
  }
}

// ---- Mistakes -----------------------------------------------------------------------------------

template <int64_t more>
Stmt expecting_more(const Stmt& stmt) {
  const Instr* expect = as(stmt, op::expect_bytes);
  return expect ? expect->with_constants(expect->constants[0] + more) : Stmt();
}

/// The copy with other indices of one of its places.
Stmt moved(const Stmt& stmt, size_t place,
           llvm::function_ref<void(llvm::MutableArrayRef<Expr>)> move) {
  const Instr* copy = as(stmt, op::copy_bulk);
  if (!copy) return {};
  llvm::SmallVector<ElementRef, 3> places = copy->places;
  move(places[place].indices);
  return copy->with(places, {});
}

void go_to_next_slot(llvm::MutableArrayRef<Expr> indices) {
  const auto& slot = *llvm::cast<Binary>(indices[0].get());
  indices[0] = (slot.lhs + 1) % slot.rhs;
}

Stmt to_next_slot(const Stmt& stmt) { return moved(stmt, 0, go_to_next_slot); }

Stmt to_next_elements(const Stmt& stmt) {
  return moved(stmt, 0, [](auto indices) { indices[2] = indices[2] + 4; });
}

Stmt counted_in_next_slot(const Stmt& stmt) { return moved(stmt, 2, go_to_next_slot); }

/// All producers ask for all copies.
Stmt by_all_threads(const Stmt& stmt) {
  const auto* branch = llvm::dyn_cast<If>(stmt);
  const bool asks = branch && any_of(branch->body, is<op::copy_bulk>);
  return asks && to_string(branch->condition) == "producer == 0" ? branch->body : Stmt();
}

constexpr Mistake mistakes[] = {
    {"more bytes are expected", expecting_more<16>, 1},
    {"fewer bytes are expected", expecting_more<-16>, 1},
    {"the bytes of one copy are not expected", expecting_more<-2048>, 1},
    {"no bytes are expected", dropped<is<op::expect_bytes>>, 1},
    {"a copy is missing", dropped<is<op::copy_bulk>>, 2},
    {"a wait is missing", dropped<is<op::wait_mbarrier>>, 2},
    {"an arrival is missing", dropped<is<op::arrive_mbarrier>>, 1},
    {"a barrier is missing", dropped<is_barrier>, 1},
    {"a wait is for the other phase", with_other_parity, 2},
    {"a phase needs one arrival more", counting_more<1>, 2},
    {"a copy goes to the next slot", to_next_slot, 2},
    {"a copy goes to the next elements", to_next_elements, 2},
    {"a copy is counted in the next slot", counted_in_next_slot, 2},
    {"all threads ask for the copies", by_all_threads, 1},
};

/// Some are right by chance, where the engine brings copies in the order of order 0.
constexpr uint64_t orders[] = {0, 1, 2, 3};

TEST(BulkCopiesOnDevices, MistakesAreFound) {
  for (const int64_t stages : {2, 3, 4}) {
    const KernelFunction kernel = kernel_of(BulkProduct().scheduled({.stages = stages}));
    ASSERT_EQ(finding_in(kernel), "") << to_string(kernel);
    for (const Mistake& mistake : mistakes)
      for (int n = 0; n < mistake.count; ++n) {
        const KernelFunction wrong = with_mistake(kernel, n, mistake.change);
        ASSERT_NE(to_string(wrong), to_string(kernel)) << mistake.what;
        const auto is_found = [&](uint64_t order) { return !finding_in(wrong, order).empty(); };
        EXPECT_TRUE(llvm::any_of(orders, is_found)) << mistake.what << "\n" << to_string(wrong);
      }
  }
}

std::string first_line(const std::string& finding) {
  return llvm::StringRef(finding).split('\n').first.str();
}

TEST(BulkCopiesOnDevices, FindingsTellOfBytesAndPlaces) {
  const KernelFunction kernel = kernel_of(BulkProduct().scheduled({}));
  const auto found = [&](int n, Change* change) {
    return first_line(finding_in(with_mistake(kernel, n, change)));
  };
  const auto stuck = [](const std::string& bytes) {
    return "deadlock: nobody in block (0, 0, 0) can go on: warps 0, 1 wait at `wait_mbarrier "
           "k.0.full[k.0 % 3] parity k.0 / 3 % 2` for parity 0 of k.0.full[0], where 1 of 1 "
           "arrivals "
           "have come to phase 0, and " +
           bytes +
           "; warp 2 waits at `wait_mbarrier k.0.empty[k.0.ahead % 3] parity (k.0.ahead / 3 + 1) % "
           "2` for parity 0 of k.0.empty[0], where 0 of 64 arrivals have come to phase 0";
  };
  EXPECT_EQ(found(0, expecting_more<16>), stuck("16 bytes are missing"));
  EXPECT_EQ(found(0, expecting_more<-16>), stuck("16 bytes more have come than it expects"));
  EXPECT_EQ(found(0, by_all_threads),
            "invalid operation: k.0.full[0] is arrived at again while its phase lacks bytes alone");
  EXPECT_EQ(found(0, to_next_elements),
            "misaligned access on A.shared: A.shared[k.0.ahead % 3, 0, 0 + 4 .. +512]: element 4 "
            "lies at byte 16 of A.shared, no multiple of the 512 bytes of the access");
  const std::string unfinished =
      "unfinished copy on A.shared[0, 0, 0]: the thread that has started the copy has not waited "
      "for it";
  EXPECT_EQ(found(1, dropped<is<op::wait_mbarrier>>), unfinished);
  EXPECT_EQ(found(0, expecting_more<-2048>), unfinished);
}

/// Rows of 64 floats in global memory, and a box of 4 x 32 from `column` on.
std::string finding_of_box(const std::string& column) {
  const KernelFunction kernel = parse_kernel(fmt::format(R"(
kernel f[x](A: f32[4, 64], C: f32[4, 32]) grid(1, 1, 1) block(32, 1, 1) @index32 {{
  alloc S: f32[4, 32] @shared(0)
  alloc full: i64[1] @shared(512)
  if (thread.x == 0) {{
    init_mbarrier full[0] of 1
    fence_engine
  }}
  barrier
  if (thread.x == 0) {{
    expect_bytes full[0] of 512
    copy_bulk S[0, 0] <- A[0, {}] of 4 x 32 full full[0]
  }}
  wait_mbarrier full[0] parity 0
  C[thread.x] = S[0, thread.x]
}})",
                                                         column));
  const Function function =
      parse_function("func f[x](A: f32[4, 64], C: f32[4, 32]) { C[0, 0] = A[0, 0] }");
  return first_finding(kernel, function, {{"x", 2}});
}

TEST(BulkCopiesOnDevices, BoxesStartAtWholePiecesOfRows) {
  for (const char* column : {"0", "x*4", "x*2 - 8", "x*20"}) EXPECT_EQ(finding_of_box(column), "");
  EXPECT_EQ(finding_of_box("x - 4"),
            "misaligned access on A: A[0, x - 4]: the box starts at byte -8 of its rows, and the "
            "engine takes those at multiples of 16\n"
            "  block (0, 0, 0), thread (0, 0, 0) reads A[0, x - 4]\n"
            "    in: copy_bulk S[0, 0] <- A[0, x - 4] of 4 x 32 full full[0]");
  EXPECT_EQ(first_line(finding_of_box("x - 1")),
            "misaligned access on A: A[0, x - 1]: the box starts at byte 4 of its rows, and the "
            "engine takes those at multiples of 16");
}

/// What no tensor map has is refused at a launch.
TEST(BulkCopiesOnDevices, RowsLieAtWholePieces) {
  const KernelFunction kernel = parse_kernel(R"(
kernel f[N](A: f32[4, N]) grid(1, 1, 1) block(32, 1, 1) @index32 {
  alloc S: f32[4, 32] @shared(0)
  if (thread.x == 0) {
    store_bulk A[0, 0] <- S[0, 0] of 4 x 32
  }
})");
  EXPECT_EQ(message_of<RuntimeError>([&] {
              launch_dims(kernel, {{"N", 30}});
            }),
            "f: A is copied in bulk, and its rows lie 120 bytes apart, no multiple of 16");
  std::vector<float> values(4 * 30);
  EXPECT_EQ(message_of<RuntimeError>([&] {
              check(kernel, {{"N", 30}}, {{"A", values.data(), 4 * 30}});
            }),
            "f: A is copied in bulk, and its rows lie 120 bytes apart, no multiple of 16");
  EXPECT_EQ(message_of<RuntimeError>([&] { launch_dims(kernel, {{"N", 32}}); }), "no error");
}

TEST(BulkCopiesOnDevices, PhasesCountSoManyBytes) {
  const KernelFunction kernel = parse_kernel(R"(
kernel f(A: f32[64, 256]) grid(1, 1, 1) block(32, 1, 1) @index32 {
  alloc full: i64[1] @shared(0)
  if (thread.x == 0) {
    init_mbarrier full[0] of 20
    fence_engine
    for n in 0..17 {
      expect_bytes full[0] of 65536
    }
  }
})");
  const Function function = parse_function("func f(A: f32[64, 256]) { A[0, 0] = 1.0 }");
  EXPECT_EQ(first_line(first_finding(kernel, function, {})),
            "invalid operation: full[0] is to wait for 1048576 bytes, and counts 1048575 at most");
}

// ---- Counters -----------------------------------------------------------------------------------

/// Two trips of one block: 32 rows of 64 bytes, and 16 of 128, each time.
TEST(BulkCopiesOnDevices, AreCountedByTheBytesOfTheirBoxes) {
  const KernelFunction kernel = kernel_of(BulkProduct().scheduled({}));
  std::vector<float> values(32 * 32);
  std::vector<SimArgument> arguments;
  for (const char* name : {"A", "B", "C"}) arguments.push_back({name, values.data(), 32 * 32});
  const CountReport report = count(kernel, {{"M", 32}, {"N", 32}, {"K", 32}}, arguments);
  const MemoryCounts loads = report.total(AccessClass::global_load);
  EXPECT_EQ(loads.requests, 0);
  EXPECT_EQ(loads.bytes, 4 * 2048);
  EXPECT_EQ(loads.sectors, 0);
  EXPECT_EQ(loads.lane_bytes(), 0);
  EXPECT_EQ(loads.l2_bytes(), 4 * 2048);
  const int64_t sectors = report.total(AccessClass::global_store).sector_bytes();
  EXPECT_EQ(report.global_intensity(), 2.0 * 32 * 32 * 32 / (4 * 2048 + sectors));
  const MemoryCounts stores = report.total(AccessClass::shared_store);
  EXPECT_EQ(stores.bytes, 4 * 2048);
  EXPECT_EQ(stores.wavefronts, 0);
}

// ---- Drivers ------------------------------------------------------------------------------------

TEST(BulkCopiesOnDevices, OldDriversMakeNoMaps) {
  if (!nvrtc_info()) GTEST_SKIP() << nvrtc_missing();
  const FakeCuda cuda;
  const Kernel kernel = compile(BulkProduct().scheduled({}), {.device = cuda.device()});
  const Array<float> a({32, 32}, cuda.device()), b({32, 32}, cuda.device()),
      c({32, 32}, cuda.device());
  EXPECT_EQ(
      message_of<RuntimeError>([&] { kernel(a, b, c); }),
      "product: A is copied in bulk by a tensor map, which drivers before CUDA 12 do not make");
}

// ---- Texts --------------------------------------------------------------------------------------

TEST(BulkCopiesOnDevices, KernelsAreTextsThatParse) {
  for (const bool a_in_bulk : {false, true}) {
    const KernelFunction kernel = kernel_of(BulkProduct().scheduled({.a_in_bulk = a_in_bulk}));
    EXPECT_EQ(to_string(parse_kernel(to_string(kernel))), to_string(kernel));
    EXPECT_EQ(verify(kernel, KernelForm::thread), std::nullopt);
  }
}

/// The CUDA text of what the tests above run.
TEST(BulkCopiesOnDevices, HaveThisText) {
  expect_golden("tests/runtime/golden/bulk_product.cu",
                emit_cuda(kernel_of(BulkProduct().scheduled({}))));
}

TEST(BulkCopiesOnDevices, NvrtcTakesThem) {
  if (!nvrtc_info()) GTEST_SKIP() << nvrtc_missing();
  for (const bool b_in_bulk : {false, true}) {
    const KernelFunction kernel = kernel_of(BulkProduct().scheduled({.b_in_bulk = b_in_bulk}));
    EXPECT_FALSE(nvrtc_compile({emit_cuda(kernel), "product", "sm_90", {}, ""}).cubin.empty());
  }
}

TEST(BulkCopiesOnDevices, OlderGpusHaveNone) {
  const KernelFunction kernel = kernel_of(BulkProduct().scheduled({}));
  EXPECT_EQ(message_of<RuntimeError>([&] { check_architecture(kernel, "sm_80"); }),
            "product moves whole tiles by the copy engine, which GPUs have from sm_90 on, and not "
            "sm_80");
}

}  // namespace bulk_copies_test
}  // namespace hone
