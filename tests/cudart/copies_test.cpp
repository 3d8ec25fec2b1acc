#include "runtime/cudart/copies.h"

#include "gmock/gmock.h"

namespace hone::cudart {
namespace copies_test {

/// The text of a copy on standard error, and the error that it ends with.
struct Outcome {
  std::string text;
  cudaError_t error = cudaSuccess;
};

template <class Job>
Outcome outcome_of(State& state, const Job& job) {
  testing::internal::CaptureStderr();
  cudaError_t error = cudaSuccess;
  try {
    run(state, job);
  } catch (const CallError& thrown) {
    error = thrown.code();
  }
  return {testing::internal::GetCapturedStderr(), error};
}

void expect_refused(State& state, const Copy& copy, const std::string& text) {
  const Outcome outcome = outcome_of(state, copy);
  EXPECT_EQ(outcome.text, text);
  EXPECT_EQ(outcome.error, cudaErrorInvalidValue);
}

void* memory_of(State& state, int64_t bytes, Origin origin = Origin::device) {
  return reinterpret_cast<void*>(state.allocations.allocate(bytes, origin, "cudaMalloc"));
}

TEST(CudartCopies, CopyThereAndBack) {
  State state;
  void* const device = memory_of(state, 16);
  const int from[4] = {1, 2, 3, 4};
  int to[4] = {};
  EXPECT_EQ(outcome_of(state, Copy{"c", {device}, {from}, {16}, cudaMemcpyHostToDevice}).text, "");
  EXPECT_EQ(outcome_of(state, Copy{"c", {to}, {device}, {16}, cudaMemcpyDefault}).text, "");
  EXPECT_THAT(to, testing::ElementsAre(1, 2, 3, 4));
}

TEST(CudartCopies, ReportMoreBytesThanThereAre) {
  State state;
  auto* const device = static_cast<char*>(memory_of(state, 400));
  const std::vector<char> host(1000);
  expect_refused(state, {"cudaMemcpy", {device}, {host.data()}, {401}, cudaMemcpyHostToDevice},
                 "hone: cudaMemcpy writes 401 bytes to cudaMalloc #1, which has 400\n");
  expect_refused(
      state,
      {"cudaMemcpy2D", {device + 4, 100}, {host.data(), 97}, {97, 4}, cudaMemcpyHostToDevice},
      "hone: cudaMemcpy2D writes 397 bytes to cudaMalloc #1 from byte 4 on, which has "
      "400\n");
  EXPECT_EQ(state.findings.count(), 2);
}

TEST(CudartCopies, ReportAWrongDirection) {
  State state;
  void* const device = memory_of(state, 8);
  char host[8] = {};
  expect_refused(
      state, {"cudaMemcpy", {device}, {host}, {8}, cudaMemcpyDeviceToHost},
      "hone: cudaMemcpy writes 8 bytes to cudaMalloc #1 as memory of the host, but it is "
      "memory of the device: the direction of the copy is wrong\n");
  const Outcome outcome =
      outcome_of(state, Copy{"cudaMemcpy", {host}, {device}, {8}, cudaMemcpyHostToDevice});
  EXPECT_THAT(outcome.text,
              testing::StartsWith("hone: cudaMemcpy writes 8 bytes to device memory at 0x"));
  EXPECT_EQ(outcome.error, cudaErrorInvalidValue);
}

TEST(CudartCopies, TakeManagedMemoryOnBothSides) {
  State state;
  void* const managed = memory_of(state, 8, Origin::managed);
  char host[8] = {};
  for (const cudaMemcpyKind kind : {cudaMemcpyDeviceToHost, cudaMemcpyDefault})
    EXPECT_EQ(outcome_of(state, Copy{"c", {host}, {managed}, {8}, kind}).error, cudaSuccess);
}

TEST(CudartCopies, HintAtBytesThatNobodyWrote) {
  State state;
  auto* const device = static_cast<char*>(memory_of(state, 12));
  void* const other = memory_of(state, 12);
  char host[12] = {};
  outcome_of(state, Fill{"cudaMemset", {device}, {4}, 0});
  outcome_of(state, Copy{"c", {other}, {device}, {12}, cudaMemcpyDeviceToDevice});
  EXPECT_EQ(outcome_of(state, Copy{"c", {host}, {other}, {12}, cudaMemcpyDeviceToHost}).text,
            "hone: hint: c reads 8 bytes of cudaMalloc #2 that nothing has written\n");
  EXPECT_EQ(state.findings.hints(), 1);
  EXPECT_EQ(state.findings.count(), 0);
}

TEST(CudartCopies, FillRowsAndLayers) {
  State state;
  auto* const device = static_cast<unsigned char*>(memory_of(state, 24));
  outcome_of(state, Fill{"f", {device}, {24}, 9});
  outcome_of(state, Fill{"f", {device, 4, 12}, {2, 3, 2}, 1});
  for (int n = 0; n < 24; ++n) EXPECT_EQ(device[n], n % 4 < 2 ? 1 : 9) << n;
  outcome_of(state, Fill{"f", {device}, {8}, 0x01020304, 4});
  EXPECT_EQ(device[0], 4);
  EXPECT_EQ(device[7], 1);
}

TEST(CudartCopies, RefuseAPitchBelowTheWidth) {
  State state;
  void* const device = memory_of(state, 64);
  EXPECT_EQ(outcome_of(state, Fill{"f", {device, 4}, {8, 2}, 0}).error, cudaErrorInvalidPitchValue);
}

}  // namespace copies_test
}  // namespace hone::cudart
