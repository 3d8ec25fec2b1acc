// Several kernels in one call: what reaches the driver, and what runs.
#include "runtime/cuda/launch_graph.h"

#include "dsl/schedule.h"
#include "gmock/gmock.h"
#include "runtime/compile.h"
#include "tests/support/runtime/errors.h"
#include "tests/support/runtime/fake_cuda.h"

namespace hone {
namespace launch_graph_test {

class LaunchGraphTest : public testing::Test {
 protected:
  CudaFunction function(const std::string& name) const {
    Compiled compiled;
    compiled.cubin = {'c', 'u', 'b', 'i', 'n'};
    return CudaModule(cuda_.device(), compiled, name).function(name);
  }
  /// The second kernel has `blocks` blocks.
  void launch(LaunchGraph& graph, int64_t blocks) const {
    graph.launch({{&first_, {{7, 1, 1}, {32, 1, 1}, 0}, {}},
                  {&second_, {{blocks, 1, 1}, {64, 1, 1}, 128}, {}}});
  }
  std::string refusal(LaunchGraph& graph, int64_t blocks) const {
    return thrown_message<RuntimeError>([&] { launch(graph, blocks); });
  }

  FakeCuda cuda_;
  CudaFunction first_ = function("first"), second_ = function("second");
};

TEST_F(LaunchGraphTest, RunsAllKernelsInOneCallAndIsMadeOnce) {
  {
    LaunchGraph graph;
    EXPECT_EQ(cuda_.live_graphs(), 0);
    launch(graph, 5);
    EXPECT_EQ(cuda_.last_launch(), (std::array<unsigned, 7>{5, 1, 1, 64, 1, 1, 128}));
    launch(graph, 6);
    EXPECT_EQ(cuda_.last_launch(), (std::array<unsigned, 7>{6, 1, 1, 64, 1, 1, 128}));
    EXPECT_EQ(cuda_.graph_launches(), 2);
    EXPECT_EQ(cuda_.launches(), 4);
    EXPECT_EQ(cuda_.live_graphs(), 2);
  }
  EXPECT_EQ(cuda_.live_graphs(), 0);
}

TEST_F(LaunchGraphTest, RefusesWhatASingleLaunchWouldBeforeAnythingRuns) {
  LaunchGraph graph;
  EXPECT_EQ(refusal(graph, int64_t{1} << 31),
            "cannot launch second: the grid (2147483648, 1, 1) is outside (0, 0, 0) to "
            "(2147483647, 65535, 65535)");
  EXPECT_EQ(cuda_.launches(), 0);
}

TEST_F(LaunchGraphTest, GoesOnAfterADriverThatRefuses) {
  LaunchGraph graph;
  cuda_.fail("cuGraphAddKernelNode_v2", 1);
  EXPECT_EQ(refusal(graph, 5),
            "cuGraphAddKernelNode of first with grid (7, 1, 1), block (32, 1, 1) and 0 bytes of "
            "shared memory failed on cuda:0: CUDA_ERROR_INVALID_VALUE (1): invalid argument");
  cuda_.fail("cuGraphInstantiateWithFlags", 2);
  EXPECT_EQ(refusal(graph, 5),
            "cuGraphInstantiate failed on cuda:0: CUDA_ERROR_OUT_OF_MEMORY (2): out of memory");
  launch(graph, 5);
  cuda_.fail("cuGraphExecKernelNodeSetParams_v2", 1);
  EXPECT_EQ(refusal(graph, 5),
            "cuGraphExecKernelNodeSetParams of first with grid (7, 1, 1), block (32, 1, 1) and 0 "
            "bytes of shared memory failed on cuda:0: CUDA_ERROR_INVALID_VALUE (1): invalid "
            "argument; kernels launched since the last synchronisation: first, second");
  launch(graph, 6);
  EXPECT_EQ(cuda_.graph_launches(), 2);
  EXPECT_EQ(cuda_.live_graphs(), 2);
}

TEST_F(LaunchGraphTest, AnIllegalAddressKillsTheDevice) {
  LaunchGraph graph;
  cuda_.fail("cuGraphLaunch", 700);
  EXPECT_EQ(refusal(graph, 5),
            "cuGraphLaunch of first and those after it failed on cuda:0: "
            "CUDA_ERROR_ILLEGAL_ADDRESS (700): an illegal memory access was encountered");
  EXPECT_FALSE(cuda_.device().context().alive());
}

// ---- of a program

/// T(i) = A(i) * 2 over n elements, and a number of B's own, S(j) = B(j) + 1 over m.
struct Pair {
  Param n{"n"}, m{"m"};
  Tensor A{"A", f32, {n}}, T{"T", f32, {n}}, B{"B", f32, {m}}, S{"S", f32, {m}};
  Axis i{"i", n}, j{"j", m};
  Schedule s{Program("pair", T(i) = A(i) * 2.0, S(j) = B(j) + 1.0)};

  Pair() {
    s.bind(i, block.x);
    s.bind(j, block.x);
  }
};

struct PairArrays {
  Array<float> a, t, b, s;
  PairArrays(int64_t n, int64_t m, const Device& device)
      : a({n}, device), t({n}, device), b({m}, device), s({m}, device) {}
  void run(const Kernel& kernel) const { kernel.run({a, b, t, s}); }
};

TEST(LaunchGraph, RunsProgramsOfSeveralKernels) {
  if (!nvrtc_info()) GTEST_SKIP() << nvrtc_missing();
  const FakeCuda cuda;
  const Kernel kernel = compile(Pair().s, {.device = cuda.device()});
  PairArrays(3, 4, cuda.device()).run(kernel);
  PairArrays(30, 40, cuda.device()).run(kernel);
  EXPECT_EQ(cuda.graph_launches(), 2);
  EXPECT_EQ(cuda.last_launch(), (std::array<unsigned, 7>{40, 1, 1, 1, 1, 1, 0}));
  EXPECT_EQ(cuda.live_graphs(), 2);
}

TEST(LaunchGraph, IsNotForProgramsOfWhichOneKernelRuns) {
  if (!nvrtc_info()) GTEST_SKIP() << nvrtc_missing();
  const FakeCuda cuda;
  const Kernel kernel = compile(Pair().s, {.device = cuda.device()});
  PairArrays(3, 0, cuda.device()).run(kernel);
  EXPECT_EQ(cuda.launches(), 1);
  EXPECT_EQ(cuda.last_launch(), (std::array<unsigned, 7>{3, 1, 1, 1, 1, 1, 0}));
  PairArrays(0, 0, cuda.device()).run(kernel);
  EXPECT_EQ(cuda.launches(), 1);
  EXPECT_EQ(cuda.graph_launches(), 0);
}

/// The driver is told of each launch whether it may begin early: a graph says that in another way.
TEST(EarlyLaunches, AreOfAllKernelsThatRun) {
  if (!nvrtc_info()) GTEST_SKIP() << nvrtc_missing();
  const FakeCuda cuda;
  Pair pair;
  pair.s.launch_early();
  const Kernel kernel = compile(pair.s, {.device = cuda.device()});
  PairArrays(3, 4, cuda.device()).run(kernel);
  EXPECT_EQ(cuda.launches(), 2);
  EXPECT_EQ(cuda.early_launches(), 2);
  EXPECT_EQ(cuda.graph_launches(), 0);
  EXPECT_EQ(cuda.last_launch(), (std::array<unsigned, 7>{4, 1, 1, 1, 1, 1, 0}));
  PairArrays(0, 4, cuda.device()).run(kernel);
  EXPECT_EQ(cuda.launches(), 3);
  EXPECT_EQ(cuda.early_launches(), 3);
}

TEST_F(LaunchGraphTest, NamesTheEarlyKernelThatTheDriverRefuses) {
  cuda_.fail("cuLaunchKernelEx", 1);
  EXPECT_EQ(thrown_message<RuntimeError>([&] {
              second_.launch_early({{7, 1, 1}, {32, 1, 1}, 64}, {});
            }),
            "cuLaunchKernelEx of second with grid (7, 1, 1), block (32, 1, 1) and 64 bytes of "
            "shared memory failed on cuda:0: CUDA_ERROR_INVALID_VALUE (1): invalid argument");
}

void check_runs_on_a_gpu(const Schedule& schedule) {
  const Device gpu = Device::cuda();
  const Kernel kernel = compile(schedule, {.device = gpu});
  for (const auto& [n, m] : {std::pair<int64_t, int64_t>{5, 7}, {1000, 3}, {1, 0}, {70'000, 2}}) {
    PairArrays one(n, m, gpu), two(n, m, gpu);
    one.a.copy_from_host(std::vector<float>(static_cast<size_t>(n), 4).data());
    two.b.copy_from_host(std::vector<float>(static_cast<size_t>(m), 9).data());
    one.run(kernel);
    two.run(kernel);
    EXPECT_EQ(one.t.to_vector(), std::vector<float>(static_cast<size_t>(n), 8));
    EXPECT_EQ(one.s.to_vector(), std::vector<float>(static_cast<size_t>(m), 1));
    EXPECT_EQ(two.t.to_vector(), std::vector<float>(static_cast<size_t>(n), 0));
    EXPECT_EQ(two.s.to_vector(), std::vector<float>(static_cast<size_t>(m), 10));
  }
}

TEST(LaunchGraph, EachRunHasItsArraysAndSizesOnAGpu) {
  if (!why_no_cuda().empty()) GTEST_SKIP() << why_no_cuda();
  check_runs_on_a_gpu(Pair().s);
}

TEST(EarlyLaunches, HaveTheirArraysAndSizesOnAGpu) {
  if (!why_no_cuda().empty()) GTEST_SKIP() << why_no_cuda();
  Pair pair;
  pair.s.launch_early();
  check_runs_on_a_gpu(pair.s);
}

}  // namespace launch_graph_test
}  // namespace hone
