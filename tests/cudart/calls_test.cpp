// Calls as programs make them, of the library that is linked into this test.
#include <cstring>
#include <functional>
#include <numeric>
#include <thread>

#include "gmock/gmock.h"
#include "tests/cudart/kernels.h"

namespace hone {
namespace calls_test {

using testing::Each;

constexpr int n = 64;

/// The device's memory of 64 numbers.
class CountedNumbers {
 public:
  CountedNumbers() { EXPECT_EQ(cudaMalloc(reinterpret_cast<void**>(&data_), n * 4), cudaSuccess); }
  explicit CountedNumbers(int value) : CountedNumbers() {
    const std::vector<int> values(n, value);
    EXPECT_EQ(cudaMemcpy(data_, values.data(), n * 4, cudaMemcpyHostToDevice), cudaSuccess);
  }
  ~CountedNumbers() { EXPECT_EQ(cudaFree(data_), cudaSuccess); }
  CountedNumbers(const CountedNumbers&) = delete;
  CountedNumbers& operator=(const CountedNumbers&) = delete;

  int* data() const { return data_; }
  std::vector<int> values() const {
    std::vector<int> result(n);
    EXPECT_EQ(cudaMemcpy(result.data(), data_, n * 4, cudaMemcpyDeviceToHost), cudaSuccess);
    return result;
  }

 private:
  int* data_ = nullptr;
};

class CudartCalls : public testing::Test {
 protected:
  static void SetUpTestSuite() { register_kernels(); }
  ~CudartCalls() override { cudaGetLastError(); }
};

class CudartGraphs : public CudartCalls {};

template <class Call>
std::string stderr_of(const Call& call) {
  testing::internal::CaptureStderr();
  call();
  return testing::internal::GetCapturedStderr();
}

TEST_F(CudartCalls, LaunchKernels) {
  const CountedNumbers numbers(2);
  launch(address_of(scale_add), 2, 32, numbers.data(), n);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  EXPECT_THAT(numbers.values(), Each(7));
}

TEST_F(CudartCalls, ReachVariables) {
  const int before = *counter;
  int scale = 5;
  size_t bytes = 0;
  EXPECT_EQ(cudaGetSymbolSize(&bytes, &scale_stand_in), cudaSuccess);
  EXPECT_EQ(bytes, 4u);
  EXPECT_EQ(cudaMemcpyToSymbol(&scale_stand_in, &scale, 4, 0, cudaMemcpyHostToDevice), cudaSuccess);
  const CountedNumbers numbers(2);
  launch(address_of(scale_add), 1, 64, numbers.data(), n);
  EXPECT_THAT(numbers.values(), Each(11));
  EXPECT_EQ(*counter, before + n);
  scale = 3;
  EXPECT_EQ(cudaMemcpyToSymbol(&scale_stand_in, &scale, 4, 0, cudaMemcpyHostToDevice), cudaSuccess);
  EXPECT_EQ(cudaMemcpyFromSymbol(&scale, &n, 4, 0, cudaMemcpyDeviceToHost), cudaErrorInvalidSymbol);
}

TEST_F(CudartCalls, RefuseLaunchesThatAGpuRefuses) {
  const CountedNumbers numbers(0);
  EXPECT_EQ(
      stderr_of([&] { launch(address_of(scale_add), 1, 1025, numbers.data(), n); }),
      "hone: launch of scale_add refused, cudaErrorInvalidConfiguration: a block of 1025 x 1 x "
      "1 threads\n");
  EXPECT_EQ(cudaPeekAtLastError(), cudaErrorInvalidConfiguration);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidConfiguration);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  launch(&n, 1, 32, numbers.data(), n);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidDeviceFunction);
}

TEST_F(CudartCalls, AskForSharedMemoryBeyondTheUsual) {
  const void* const kernel = address_of(scale_add);
  int* data = nullptr;
  int count = 0;
  void* arguments[] = {&data, &count};
  EXPECT_EQ(
      stderr_of([&] { cudaLaunchKernel(kernel, 1, 32, arguments, 50000, nullptr); }),
      "hone: launch of scale_add refused, cudaErrorInvalidValue: 50000 bytes of shared memory "
      "in a block; more than 49152 need cudaFuncSetAttribute(..., "
      "cudaFuncAttributeMaxDynamicSharedMemorySize, 50000)\n");
  EXPECT_EQ(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 50000),
            cudaSuccess);
  EXPECT_EQ(cudaLaunchKernel(kernel, 1, 32, arguments, 50000, nullptr), cudaSuccess);
  EXPECT_EQ(stderr_of([&] {
              cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 300000);
            }),
            "hone: scale_add can have 232448 bytes of dynamic shared memory, the program asks for "
            "300000\n");
}

TEST_F(CudartCalls, ReportWrongFrees) {
  void* host = nullptr;
  EXPECT_EQ(cudaMallocHost(&host, 8), cudaSuccess);
  EXPECT_THAT(
      stderr_of([&] { EXPECT_EQ(cudaFree(host), cudaErrorInvalidValue); }),
      testing::MatchesRegex("hone: cudaFree of cudaMallocHost #1, which cudaFreeHost frees\n"));
  EXPECT_EQ(cudaFreeHost(host), cudaSuccess);
  EXPECT_THAT(stderr_of([&] { EXPECT_EQ(cudaFreeHost(host), cudaErrorInvalidValue); }),
              testing::HasSubstr("byte 0 of cudaMallocHost #1, which was freed"));
  EXPECT_EQ(cudaFree(nullptr), cudaSuccess);
}

TEST_F(CudartCalls, TellWhatAPointerIs) {
  void* managed = nullptr;
  EXPECT_EQ(cudaMallocManaged(&managed, 8, cudaMemAttachGlobal), cudaSuccess);
  cudaPointerAttributes attributes;
  EXPECT_EQ(cudaPointerGetAttributes(&attributes, static_cast<char*>(managed) + 4), cudaSuccess);
  EXPECT_EQ(attributes.type, cudaMemoryTypeManaged);
  EXPECT_EQ(cudaPointerGetAttributes(&attributes, &attributes), cudaSuccess);
  EXPECT_EQ(attributes.type, cudaMemoryTypeUnregistered);
  EXPECT_EQ(cudaFree(managed), cudaSuccess);
}

TEST_F(CudartCalls, GiveRowsAPitch) {
  void* data = nullptr;
  size_t pitch = 0;
  EXPECT_EQ(cudaMallocPitch(&data, &pitch, 200, 3), cudaSuccess);
  EXPECT_EQ(pitch, 512u);
  const std::vector<char> rows(600, 'x');
  std::vector<char> back(600);
  EXPECT_EQ(cudaMemcpy2D(data, pitch, rows.data(), 200, 200, 3, cudaMemcpyHostToDevice),
            cudaSuccess);
  EXPECT_EQ(cudaMemcpy2D(back.data(), 200, data, pitch, 200, 3, cudaMemcpyDeviceToHost),
            cudaSuccess);
  EXPECT_EQ(back, rows);
  EXPECT_EQ(cudaFree(data), cudaSuccess);
}

TEST_F(CudartCalls, MeasureTimeBetweenEvents) {
  cudaEvent_t start, end;
  cudaEventCreate(&start);
  cudaEventCreateWithFlags(&end, cudaEventDefault);
  float milliseconds = -1;
  EXPECT_EQ(cudaEventElapsedTime(&milliseconds, start, end), cudaErrorInvalidResourceHandle);
  cudaEventRecord(start, nullptr);
  std::this_thread::sleep_for(std::chrono::milliseconds(2));
  cudaEventRecord(end, nullptr);
  EXPECT_EQ(cudaEventElapsedTime(&milliseconds, start, end), cudaSuccess);
  EXPECT_GE(milliseconds, 2);
  EXPECT_EQ(cudaEventDestroy(start), cudaSuccess);
  EXPECT_EQ(cudaEventDestroy(start), cudaErrorInvalidResourceHandle);
  cudaEventDestroy(end);
}

TEST_F(CudartCalls, DescribeTheDevice) {
  cudaDeviceProp properties;
  EXPECT_EQ(cudaGetDeviceProperties(&properties, 0), cudaSuccess);
  EXPECT_STREQ(properties.name, "Hone simulated device (compute capability 9.0)");
  EXPECT_EQ(properties.major, 9);
  EXPECT_EQ(properties.sharedMemPerBlockOptin, 232448u);
  int warp = 0;
  EXPECT_EQ(cudaDeviceGetAttribute(&warp, cudaDevAttrWarpSize, 0), cudaSuccess);
  EXPECT_EQ(warp, properties.warpSize);
  EXPECT_EQ(cudaSetDevice(1), cudaErrorInvalidDevice);
}

TEST_F(CudartCalls, CountBlocksThatFit) {
  int blocks = 0;
  const auto count = [&](int threads, size_t shared) {
    EXPECT_EQ(
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, address_of(stray), threads, shared),
        cudaSuccess);
    return blocks;
  };
  EXPECT_EQ(count(32, 0), 32);
  EXPECT_EQ(count(256, 0), 8);
  EXPECT_EQ(count(256, 99 << 10), 2);
  EXPECT_EQ(count(2000, 0), 0);
}

TEST_F(CudartCalls, NameErrors) {
  EXPECT_STREQ(cudaGetErrorName(cudaErrorInvalidValue), "cudaErrorInvalidValue");
  EXPECT_STREQ(cudaGetErrorString(cudaErrorIllegalAddress),
               "an illegal memory access was encountered");
  EXPECT_STREQ(cudaGetErrorString(cudaErrorPeerAccessNotEnabled), "peer access not enabled");
  EXPECT_STREQ(cudaGetErrorString(static_cast<cudaError_t>(12345)), "unrecognized error code");
}

TEST_F(CudartCalls, FailAfterAKernelHasFailedUntilTheDeviceIsReset) {
  int* data = nullptr;
  EXPECT_EQ(cudaMalloc(reinterpret_cast<void**>(&data), n * 4), cudaSuccess);
  const std::string text = stderr_of([] { launch(address_of(stray), 1, n, nullptr); });
  EXPECT_THAT(text, testing::StartsWith("hone: in stray:\naccess out of bounds: "));
  EXPECT_THAT(text, testing::HasSubstr("kernels.cu:9: block (0, 0, 0), thread (0, 0, 0)"));
  // The program does not know yet, and the device does nothing any more.
  launch(address_of(stray), 1, n, data);
  EXPECT_EQ(cudaMemsetAsync(data, 0, n * 4, nullptr), cudaSuccess);
  bool was_called = false;
  const auto note = [](void* called) { *static_cast<bool*>(called) = true; };
  EXPECT_EQ(cudaLaunchHostFunc(nullptr, note, &was_called), cudaSuccess);
  EXPECT_FALSE(was_called);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
  for (int again = 0; again < 2; ++again) EXPECT_EQ(cudaGetLastError(), cudaErrorIllegalAddress);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
  EXPECT_EQ(cudaFree(data), cudaErrorIllegalAddress);
  EXPECT_EQ(cudaDeviceReset(), cudaSuccess);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
}

TEST_F(CudartCalls, TellOfAFailureAtTheNextCallThatWaits) {
  int value = 0;
  cudaEvent_t event;
  cudaEventCreate(&event);
  const std::function<cudaError_t()> waits[] = {
      [&] { return cudaMemcpy(&value, &value, 4, cudaMemcpyHostToHost); },
      [] { return cudaStreamSynchronize(nullptr); },
      [&] { return cudaEventSynchronize(event); },
      [] { return cudaFree(nullptr); },
  };
  for (const auto& wait : waits) {
    stderr_of([] { launch(address_of(stray), 1, n, nullptr); });
    EXPECT_EQ(cudaEventRecord(event, nullptr), cudaSuccess);
    EXPECT_EQ(cudaPeekAtLastError(), cudaSuccess);
    EXPECT_EQ(wait(), cudaErrorIllegalAddress);
    EXPECT_EQ(cudaEventRecord(event, nullptr), cudaErrorIllegalAddress);
    EXPECT_EQ(cudaDeviceReset(), cudaSuccess);
    cudaGetLastError();
  }
  cudaEventDestroy(event);
}

TEST_F(CudartCalls, GoOnAfterAnAccessCloseToMemory) {
  const CountedNumbers numbers(2);
  stderr_of([&] { launch(address_of(stray), 1, n + 1, numbers.data()); });
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  std::vector<int> counting(n);
  std::iota(counting.begin(), counting.end(), 0);
  EXPECT_EQ(numbers.values(), counting);
}

TEST_F(CudartGraphs, CaptureStreamsThatWaitForEachOther) {
  const CountedNumbers numbers(0);
  cudaStream_t first, second;
  cudaStreamCreate(&first);
  cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking);
  cudaEvent_t fork;
  cudaEventCreate(&fork);
  int* data = numbers.data();
  int count = n;
  void* arguments[] = {&data, &count};
  EXPECT_EQ(cudaStreamBeginCapture(first, cudaStreamCaptureModeGlobal), cudaSuccess);
  cudaMemsetAsync(data, 0, n * 4, first);
  cudaEventRecord(fork, first);
  cudaStreamWaitEvent(second, fork, 0);
  cudaLaunchKernel(address_of(scale_add), 1, n, arguments, 0, second);
  cudaLaunchKernel(address_of(scale_add), 1, n, arguments, 0, second);
  count = 0;  // arguments are those of the call
  cudaGraph_t graph;
  EXPECT_EQ(cudaStreamEndCapture(first, &graph), cudaSuccess);
  EXPECT_THAT(numbers.values(), Each(0));
  cudaGraphExec_t executable;
  EXPECT_EQ(cudaGraphInstantiate(&executable, graph, 0), cudaSuccess);
  EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
  for (int again = 0; again < 2; ++again)
    EXPECT_EQ(cudaGraphLaunch(executable, first), cudaSuccess);
  EXPECT_THAT(numbers.values(), Each(4));
  cudaGraphExecDestroy(executable);
  cudaStreamDestroy(first);
  cudaStreamDestroy(second);
  cudaEventDestroy(fork);
}

/// An allocation that a stream captures is the graph's, at each launch.
TEST_F(CudartGraphs, HaveMemoryOfTheirOwn) {
  const CountedNumbers numbers(3);
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  void* memory = nullptr;
  EXPECT_EQ(cudaMallocAsync(&memory, n * 4, stream), cudaSuccess);
  cudaMemcpyAsync(memory, numbers.data(), n * 4, cudaMemcpyDeviceToDevice, stream);
  int count = n;
  void* arguments[] = {&memory, &count};
  cudaLaunchKernel(address_of(scale_add), 1, n, arguments, 0, stream);
  cudaMemcpyAsync(numbers.data(), memory, n * 4, cudaMemcpyDeviceToDevice, stream);
  EXPECT_EQ(cudaFreeAsync(memory, stream), cudaSuccess);
  cudaGraph_t graph;
  EXPECT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
  EXPECT_THAT(numbers.values(), Each(3));
  size_t nodes = 0;
  EXPECT_EQ(cudaGraphGetNodes(graph, nullptr, &nodes), cudaSuccess);
  EXPECT_EQ(nodes, 5);
  cudaGraphExec_t executable;
  EXPECT_EQ(cudaGraphInstantiate(&executable, graph, 0), cudaSuccess);
  const int first = numbers.values().front();
  EXPECT_EQ(cudaGraphLaunch(executable, stream), cudaSuccess);
  const int second = numbers.values().front();
  EXPECT_NE(second, first);
  EXPECT_EQ(cudaGraphLaunch(executable, stream), cudaSuccess);
  const int third = numbers.values().front();
  EXPECT_NE(third, second);
  EXPECT_EQ(cudaFreeAsync(memory, stream), cudaSuccess);  // what a graph may leave to its user
  EXPECT_EQ(cudaGraphLaunch(executable, stream), cudaSuccess);
  EXPECT_NE(numbers.values().front(), third);
  cudaGraphExecDestroy(executable);
  cudaGraphDestroy(graph);
  cudaStreamDestroy(stream);
}

TEST_F(CudartGraphs, HaveNodesOfMemory) {
  cudaGraph_t graph;
  cudaGraphCreate(&graph, 0);
  cudaMemAllocNodeParams params = {};
  params.bytesize = n * 4;
  cudaGraphNode_t memory, free;
  EXPECT_EQ(cudaGraphAddMemAllocNode(&memory, graph, nullptr, 0, &params), cudaSuccess);
  ASSERT_NE(params.dptr, nullptr);
  EXPECT_EQ(cudaMemset(params.dptr, 0, n * 4), cudaSuccess);
  EXPECT_EQ(cudaGraphAddMemFreeNode(&free, graph, &memory, 1, params.dptr), cudaSuccess);
  EXPECT_EQ(cudaGraphAddMemFreeNode(&free, graph, &memory, 1, &params), cudaErrorInvalidValue);
  cudaGraphDestroy(graph);
}

TEST_F(CudartGraphs, RunNodesBehindThoseTheyDependOn) {
  const CountedNumbers numbers(0);
  int* data = numbers.data();
  int count = n;
  void* arguments[] = {&data, &count};
  cudaKernelNodeParams kernel = {};
  kernel.func = const_cast<void*>(address_of(scale_add));
  kernel.gridDim = 1;
  kernel.blockDim = n;
  kernel.kernelParams = arguments;
  cudaMemsetParams fill = {};
  fill.dst = data;
  fill.value = 7;
  fill.elementSize = 4;
  fill.width = n;
  fill.height = 1;
  cudaGraph_t graph;
  cudaGraphCreate(&graph, 0);
  cudaGraphNode_t last, first;
  EXPECT_EQ(cudaGraphAddKernelNode(&last, graph, nullptr, 0, &kernel), cudaSuccess);
  EXPECT_EQ(cudaGraphAddMemsetNode(&first, graph, nullptr, 0, &fill), cudaSuccess);
  EXPECT_EQ(cudaGraphAddDependencies(graph, &first, &last, nullptr, 1), cudaSuccess);
  cudaGraphExec_t executable;
  EXPECT_EQ(cudaGraphInstantiate(&executable, graph, 0), cudaSuccess);
  cudaGraphLaunch(executable, nullptr);
  EXPECT_THAT(numbers.values(), Each(22));
  fill.value = 1;
  EXPECT_EQ(cudaGraphExecMemsetNodeSetParams(executable, first, &fill), cudaSuccess);
  cudaGraphLaunch(executable, nullptr);
  EXPECT_THAT(numbers.values(), Each(4));
  EXPECT_EQ(cudaGraphAddDependencies(graph, &last, &first, nullptr, 1), cudaSuccess);
  EXPECT_EQ(stderr_of([&] { cudaGraphInstantiate(&executable, graph, 0); }),
            "hone: the nodes of a graph depend on each other in a circle\n");
  cudaGraphDestroy(graph);
}

}  // namespace calls_test
}  // namespace hone
