// Tensors that kernels leave to each other: memory that a compiled program keeps.
#include "runtime/workspace.h"

#include <atomic>
#include <thread>

#include "dsl/schedule.h"
#include "gmock/gmock.h"
#include "runtime/compile.h"
#include "tests/support/runtime/errors.h"
#include "tests/support/runtime/fake_cuda.h"

namespace hone {
namespace workspace_test {

/// A tensor of `length` floats, and one of as many bytes.
struct TwoTensors {
  ParamPtr length = make_param("length");
  TensorPtr floats = make_tensor("floats", DType::f32, {ParamRef::make(length)});
  TensorPtr bytes = make_tensor("bytes", DType::u8, {ParamRef::make(length)});
  TensorPtr count = make_tensor("count", DType::i32, {ParamRef::make(length)});
};

Workspace workspace_on(const Device& device, llvm::ArrayRef<TensorPtr> temporaries,
                       llvm::ArrayRef<TensorPtr> counters) {
  return Workspace(device, workspace_parts(temporaries), workspace_parts(counters));
}

uintptr_t address(const Storage& storage) { return reinterpret_cast<uintptr_t>(storage.data); }

int32_t* integers(const Storage& storage) { return static_cast<int32_t*>(storage.data); }

TEST(Workspace, GivesEachTensorAlignedMemoryOfItsOwn) {
  const TwoTensors t;
  const Workspace workspace = workspace_on(Device::host(), {t.bytes, t.floats}, {t.count});
  workspace.use({{"length", 100}}, [&](const Workspace::Storages& storages) {
    ASSERT_EQ(storages.temporaries.size(), 2u);
    ASSERT_EQ(storages.counters.size(), 1u);
    const auto& [bytes, floats] = std::pair(storages.temporaries[0], storages.temporaries[1]);
    for (const Storage& storage : {bytes, floats, storages.counters[0]}) {
      EXPECT_EQ(address(storage) % 256, 0u);
      EXPECT_EQ(storage.elements, 100);
    }
    EXPECT_EQ(address(floats) - address(bytes), 256u);
    std::memset(floats.data, 0xff, 400);
    EXPECT_EQ(integers(storages.counters[0])[99], 0);
  });
}

TEST(Workspace, ATensorWithoutElementsTakesNone) {
  const TwoTensors t;
  const Workspace workspace = workspace_on(Device::host(), {t.floats}, {});
  workspace.use({{"length", 0}}, [&](const Workspace::Storages& storages) {
    EXPECT_EQ(storages.temporaries[0].data, nullptr);
    EXPECT_EQ(storages.temporaries[0].elements, 0);
  });
}

TEST(Workspace, KeepsItsMemoryUntilARunNeedsMore) {
  const FakeCuda cuda;
  const TwoTensors t;
  {
    const Workspace workspace = workspace_on(cuda.device(), {t.floats}, {t.count});
    const auto use = [&](int64_t length) {
      workspace.use({{"length", length}}, [](const Workspace::Storages&) {});
      return cuda.allocations();
    };
    EXPECT_EQ(cuda.allocations(), 0);
    EXPECT_EQ(use(1000), 2);
    EXPECT_EQ(use(1000), 2);
    EXPECT_EQ(use(10), 2);
    EXPECT_EQ(use(2000), 4);
    EXPECT_EQ(use(2000), 4);
    EXPECT_EQ(cuda.live_allocations(), 2);
    EXPECT_EQ(cuda.synchronizations(), 0);
  }
  EXPECT_EQ(cuda.live_allocations(), 0);
}

TEST(Workspace, CountersAreZeroAtFirstAndAreNotClearedAgain) {
  const TwoTensors t;
  const Workspace workspace = workspace_on(Device::host(), {t.floats}, {t.count});
  const auto last = [&](int64_t length, int32_t value) {
    int32_t before = -1;
    workspace.use({{"length", length}}, [&](const Workspace::Storages& storages) {
      std::memset(storages.temporaries[0].data, 0xff, static_cast<size_t>(4 * length));
      before = integers(storages.counters[0])[length - 1];
      integers(storages.counters[0])[length - 1] = value;
    });
    return before;
  };
  EXPECT_EQ(last(100, 0), 0);
  EXPECT_EQ(last(10, 7), 0);
  EXPECT_EQ(last(10, 0), 7);      // it is the runs that leave zeros
  EXPECT_EQ(last(10'000, 7), 0);  // larger than what there was
}

TEST(Workspace, CountersAreZeroAgainAfterARunThatFailed) {
  const TwoTensors t;
  const Workspace workspace = workspace_on(Device::host(), {}, {t.count});
  const Sizes sizes = {{"length", 5}};
  EXPECT_EQ(thrown_message<RuntimeError>([&] {
              workspace.use(sizes, [&](const Workspace::Storages& storages) {
                integers(storages.counters[0])[4] = 3;
                throw RuntimeError("a kernel failed");
              });
            }),
            "a kernel failed");
  workspace.use(sizes, [&](const Workspace::Storages& storages) {
    EXPECT_EQ(integers(storages.counters[0])[4], 0);
  });
}

TEST(Workspace, GoesOnAfterARunThatNeedsTooMuchMemory) {
  const FakeCuda cuda;
  const TwoTensors t;
  const Workspace workspace = workspace_on(cuda.device(), {t.floats}, {});
  const auto use = [&](int64_t length) {
    workspace.use({{"length", length}}, [](const Workspace::Storages&) {});
  };
  use(1000);
  EXPECT_EQ(thrown_message<OutOfMemoryError>([&] { use(1 << 20); }),
            "out of memory on cuda:0 (Fake GPU): 4194304 bytes wanted, 1048576 bytes free");
  use(1000);
  EXPECT_EQ(cuda.live_allocations(), 1);
}

TEST(Workspace, RefusesATensorWhoseRowsDoNotFitTheirPitch) {
  const ParamPtr pitch = make_param("p");
  Layout layout;
  layout.row_pitch = ParamRef::make(pitch);
  const TensorPtr T = make_tensor("T", DType::f32, {4, 8}, Scope::global, layout);
  const Workspace workspace = workspace_on(Device::host(), {T}, {});
  EXPECT_EQ(thrown_message<RuntimeError>([&] {
              workspace.use({{"p", 7}}, [](const Workspace::Storages&) {});
            }),
            "the layout of T: the pitch 7 is less than a row of 8 elements");
}

TEST(Workspace, OneRunAtATimeHasIt) {
  const TwoTensors t;
  const Workspace workspace = workspace_on(Device::host(), {t.floats}, {});
  std::atomic<int> inside = 0, most = 0;
  const auto work = [&] {
    for (int n = 0; n < 200; ++n)
      workspace.use({{"length", n}}, [&](const Workspace::Storages&) {
        most = std::max(most.load(), ++inside);
        std::this_thread::yield();
        --inside;
      });
  };
  std::thread other(work);
  work();
  other.join();
  EXPECT_EQ(most, 1);
}

// ---- of a program

/// C(i) = A(i) * 2 + 1, in two kernels.
struct Chain {
  Param n{"n"};
  Tensor A{"A", f32, {n}}, T{"T", f32, {n}}, C{"C", f32, {n}};
  Axis i{"i", n};
  Schedule s{Program("chain", T(i) = A(i) * 2.0, C(i) = T(i) + 1.0)};

  Chain() {
    s.bind(i, block.x);
    s.bind(s.axis(C, i), block.x);
  }
};

TEST(Workspace, IsThatOfTheCompiledProgram) {
  if (!nvrtc_info()) GTEST_SKIP() << nvrtc_missing();
  const FakeCuda cuda;
  const Array<float> a({1000}, cuda.device()), c({1000}, cuda.device());
  {
    const Kernel kernel = compile(Chain().s, {.device = cuda.device()});
    for (int run = 0; run < 3; ++run) kernel(a, c);
    EXPECT_EQ(cuda.launches(), 6);
    EXPECT_EQ(cuda.allocations(), 3);  // a, c, and T once
    EXPECT_EQ(cuda.synchronizations(), 0);
  }
  EXPECT_EQ(cuda.live_allocations(), 2);
}

TEST(Workspace, RunsOnAGpuFollowEachOtherWithoutWaiting) {
  if (!why_no_cuda().empty()) GTEST_SKIP() << why_no_cuda();
  const Kernel kernel = compile(Chain().s, {.device = Device::cuda()});
  for (const int64_t length : {1000, 100'000, 10}) {
    const Array<float> even({length}, Device::cuda()), odd({length}, Device::cuda());
    for (int run = 0; run < 10; ++run) {
      kernel(even, odd);
      kernel(odd, even);
    }
    EXPECT_EQ(even.to_vector(), std::vector<float>(static_cast<size_t>(length), (1 << 20) - 1));
  }
}

TEST(Workspace, KernelsThatRunOnTwoThreadsDoNotMixTheirTemporaries) {
  const Kernel kernel = compile(Chain().s, {.device = Device::simulated(), .sim_threads = 1});
  const auto runs_right = [&](float value) {
    const Array<float> a(std::vector<float>(64, value), {64}), c({64});
    bool right = true;
    for (int run = 0; run < 100; ++run) {
      kernel(a, c);
      right &= c.to_vector() == std::vector<float>(64, 2 * value + 1);
    }
    return right;
  };
  bool other_is_right = false;
  std::thread other([&] { other_is_right = runs_right(3); });
  EXPECT_TRUE(runs_right(5));
  other.join();
  EXPECT_TRUE(other_is_right);
}

TEST(Workspace, NothingRunsWhereALaterKernelHasNoShape) {
  if (!nvrtc_info()) GTEST_SKIP() << nvrtc_missing();
  Param n("n");
  Tensor A("A", f32, {n}), T("T", f32, {n}), C("C", f32, {n});
  Axis i("i", n);
  Schedule s(Program("chain", T(i) = A(i) * 2.0, C(i) = T(i) + 1.0));
  s.bind(i, block.x);
  s.bind(s.axis(C, i), thread.x);
  const FakeCuda cuda;
  const Array<float> a({2000}, cuda.device()), c({2000}, cuda.device());
  const Kernel kernel = compile(s, {.device = cuda.device()});
  EXPECT_EQ(thrown_message<RuntimeError>([&] { kernel(a, c); }),
            "chain_1: the block has 2000 threads in x (n), and a block takes at most 1024; "
            "split the axis that is bound to thread.x");
  EXPECT_EQ(cuda.launches(), 0);
}

}  // namespace workspace_test
}  // namespace hone
