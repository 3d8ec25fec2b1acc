#include "runtime/compile.h"

#include <gtest/gtest.h>

#include "codegen/lower.h"
#include "dsl/schedule.h"
#include "ir/text/parser.h"
#include "tests/support/runtime/errors.h"

namespace hone {
namespace compile_test {

/// C(i, j) = A(i, j) + B(j), rows to blocks and columns to threads.
struct AddRow {
  Param M{"M"}, N{"N"};
  Tensor A{"A", f32, {M, N}}, B{"B", f32, {N}}, C{"C", f32, {M, N}};
  Axis i{"i", M}, j{"j", N};
  Schedule s{Program("add_row", C(i, j) = A(i, j) + B(j))};

  AddRow() {
    s.bind(i, block.x);
    s.bind(j, thread.x);
  }
};

Kernel simulated(const Schedule& schedule) {
  return compile(schedule, {.device = Device::simulated()});
}

std::string refusal(const Kernel& kernel, std::vector<AnyArray> arrays, const Sizes& more = {}) {
  return thrown_message<RuntimeError>([&] { kernel.run(arrays, more); });
}

TEST(Compile, RunsOnTheSimulatedDeviceAndTheHost) {
  AddRow p;
  Array<float> a({1, 2, 3, 4, 5, 6}, {2, 3}), b({10, 20, 30}, {3}), c({2, 3});
  for (const Device& device : {Device::simulated(), Device::host()}) {
    compile(p.s, {.device = device})(a, b, c);
    EXPECT_EQ(c.to_vector(), (std::vector<float>{11, 22, 33, 14, 25, 36})) << to_string(device);
  }
}

TEST(Compile, KernelsThatWereMovedStillRun) {
  AddRow p;
  const Array<float> a({1, 2}, {1, 2}), b({10, 20}, {2}), c({1, 2});
  Kernel first = simulated(p.s);
  const Kernel second = std::move(first);
  first(a, b, c);  // NOLINT: both are the kernel
  EXPECT_EQ(c.to_vector(), (std::vector<float>{11, 22}));
  second(a, b, c);
}

TEST(Compile, RunsSeveralKernelsWithATemporaryBetweenThem) {
  Param n("n");
  Tensor A("A", f32, {n}), T("T", f32, {n}), C("C", f32, {n});
  Axis i("i", n);
  Schedule s(Program("chain", T(i) = A(i) * 2.0, C(i) = T(i) + 1.0));
  s.bind(i, block.x);
  s.bind(s.axis(C, i), block.x);
  const Kernel kernel = simulated(s);
  EXPECT_EQ(kernel.module().kernels.size(), 2u);
  Array<float> a({1, 2, 3}, {3}), c({3});
  kernel(a, c);
  EXPECT_EQ(c.to_vector(), (std::vector<float>{3, 5, 7}));
}

TEST(Compile, AnExtentOfZeroDoesNothing) {
  AddRow p;
  Array<float> none({0, 3}), b({10, 20, 30}, {3});
  simulated(p.s)(none, b, none.clone());
  Array<float> no_columns({2, 0}), no_row({0});
  simulated(p.s)(no_columns, no_row, no_columns.clone());
}

TEST(Compile, RefusesAWrongNumberOfArrays) {
  AddRow p;
  EXPECT_EQ(refusal(simulated(p.s), {Array<float>({2, 3})}),
            "add_row takes 3 arrays (A, B, C), got 1");
}

TEST(Compile, RefusesARunAtTheUsersPlace) {
  const AddRow p;
  const Kernel kernel = simulated(p.s);
  const Array<float> a({2, 3});
  const auto text_of = [](auto run) -> std::string {
    try {
      run();
    } catch (const RuntimeError& error) {
      return error.what();
    }
    return "no error";
  };
  const auto at_line = [](int line, const char* got) {
    return fmt::format("{}:{}: error: add_row takes 3 arrays (A, B, C), got {}", __FILE__, line,
                       got);
  };
  EXPECT_EQ(text_of([&] { kernel(a); }), at_line(__LINE__, "1"));
  EXPECT_EQ(text_of([&] { kernel(a, a); }), at_line(__LINE__, "2"));
  EXPECT_EQ(text_of([&] { kernel(); }), at_line(__LINE__, "0"));
  EXPECT_EQ(text_of([&] { kernel.run({a, a}); }), at_line(__LINE__, "2"));
  EXPECT_EQ(text_of([&] { kernel.run({a}, {}, Location()); }),
            "add_row takes 3 arrays (A, B, C), got 1");
}

TEST(Compile, RefusesAnArrayOfAnotherType) {
  AddRow p;
  EXPECT_EQ(
      refusal(simulated(p.s), {Array<double>({2, 3}), Array<float>({3}), Array<float>({2, 3})}),
      "add_row: A is f32[M, N], got f64[2, 3] on host");
}

TEST(Compile, RefusesAnArrayOfAnotherRank) {
  AddRow p;
  EXPECT_EQ(
      refusal(simulated(p.s), {Array<float>({2, 3}), Array<float>({3, 1}), Array<float>({2, 3})}),
      "add_row: B is f32[N], got f32[3, 1] on host");
}

TEST(Compile, RefusesShapesThatContradictEachOther) {
  AddRow p;
  EXPECT_EQ(
      refusal(simulated(p.s), {Array<float>({2, 3}), Array<float>({4}), Array<float>({2, 3})}),
      "add_row: B is f32[N] with N = 3, got f32[4] on host");
}

TEST(Compile, RefusesASizeThatNothingGives) {
  Param n("n"), W("W");
  Tensor A("A", f32, {n}), C("C", f32, {n});
  Axis i("i", n);
  Schedule s(Program("copy", C(i) = A(i)));
  s.split(i, W);
  Array<float> a({1, 2, 3}, {3}), c({3});
  EXPECT_EQ(refusal(simulated(s), {a, c}),
            "copy: no array's shape gives the size W; pass it to run()");
  simulated(s).run({a, c}, {{"W", 2}});
  EXPECT_EQ(c.to_vector(), a.to_vector());
}

TEST(Compile, RefusesABlockThatIsKnownToBeTooLargeAtLaunchOnly) {
  AddRow p;
  EXPECT_EQ(refusal(simulated(p.s),
                    {Array<float>({2, 2048}), Array<float>({2048}), Array<float>({2, 2048})}),
            "add_row: the block has 2048 threads in x (N), and a block takes at most 1024; "
            "split the axis that is bound to thread.x");
}

TEST(Compile, NamesTheDimensionOfABlockThatIsTooLarge) {
  const auto refused = [](llvm::ArrayRef<Binding> dims, int64_t n) {
    Param N("N");
    Tensor A("A", f32, {N, N}), C("C", f32, {N, N});
    Axis i("i", N), j("j", N);
    Schedule s(Program("copy", C(i, j) = A(i, j)));
    s.bind(i, dims[0]);
    s.bind(j, dims[1]);
    return refusal(simulated(s), {Array<float>({n, n}), Array<float>({n, n})});
  };
  EXPECT_EQ(refused({block.x, thread.z}, 74),
            "copy: the block has 74 threads in z (N), and a block takes at most 64; split the axis "
            "that is bound to thread.z");
  EXPECT_EQ(refused({thread.y, thread.x}, 1025),
            "copy: the block has 1025 threads in x (N), and a block takes at most 1024; split the "
            "axis that is bound to thread.x");
  EXPECT_EQ(refused({thread.y, thread.x}, 33),
            "copy: the block has 33 x 33 x 1 threads (N, N, 1), and a block takes at most 1024 in "
            "all; split an axis that is bound to threads");
}

TEST(Compile, RefusesAGridThatIsKnownToBeTooLargeAtLaunchOnly) {
  Param n("n");
  Tensor A("A", f32, {n}), C("C", f32, {n});
  Axis i("i", n);
  Schedule s(Program("copy", C(i) = A(i)));
  s.bind(i, block.y);
  EXPECT_EQ(thrown_message<RuntimeError>([&] {
              launch_dims(lower(s).kernels[0], {{"n", 65536}});
            }),
            "copy: the grid has 65536 blocks in y (n), and a grid takes at most 65535");
}

TEST(Compile, RefusesArraysThatAreTooLargeForIndicesOf32Bits) {
  AddRow p;
  const Sizes sizes{{"M", 1 << 22}, {"N", 1024}};
  EXPECT_EQ(thrown_message<RuntimeError>([&] { launch_dims(lower(p.s).kernels[0], sizes); }),
            "add_row: the number of elements of A is 4294967296, more than the 2146435072 that a "
            "kernel with 32-bit indices takes; compile with {.index_bits = 64}, or export with "
            "--index-bits=64");
  const LaunchDims dims = launch_dims(lower(p.s, {.index_bits = 64}).kernels[0], sizes);
  EXPECT_EQ(dims.grid[0], 1 << 22);
}

TEST(Compile, LeavesRoomForLoopsThatCountBeyondTheEnd) {
  const auto kernel = [](const std::string& extent) {
    return lower(parse_function("func f[n](A: u8[" + extent +
                                "], C: u8[256]) {\n"
                                "for t in 0..256 @thread.x { for k in 0..(" +
                                extent + " + 16777215) / 16777216 { if (k*16777216 + t < " +
                                extent + ") { C[t] += A[k*16777216 + t] } } } }"))
        .kernels[0];
  };
  EXPECT_EQ(thrown_message<RuntimeError>([&] {
              launch_dims(kernel("n"), {{"n", 2130706432}});
            }),
            "f: n is 2130706432, more than the 2113929216 that a kernel with 32-bit indices takes; "
            "compile with {.index_bits = 64}, or export with --index-bits=64");
  EXPECT_EQ(launch_dims(kernel("n"), {{"n", 2113929216}}).block[0], 256);
  EXPECT_EQ(kernel("2113929216").index_bits, 32);
  EXPECT_EQ(kernel("2130706432").index_bits, 64);
}

TEST(Compile, ConstantSizesChooseTheWidthOfIndices) {
  Tensor A("A", f32, {1 << 20, 1 << 12}), C("C", f32, {1 << 20, 1 << 12});
  Axis i("i", 1 << 20), j("j", 1 << 12);
  Schedule s(Program("copy", C(i, j) = A(i, j)));
  s.bind(i, block.x);
  EXPECT_EQ(lower(s).kernels[0].index_bits, 64);
}

TEST(Compile, RefusesArraysThatOverlapUnlessTheScheduleAllowsIt) {
  AddRow p;
  Array<float> a({1, 2, 3, 4}, {2, 2}), b({10, 20}, {2});
  EXPECT_EQ(refusal(simulated(p.s), {a, b, a}),
            "add_row: A and C share memory, and the kernel was compiled for arrays that do not; "
            "schedule it with may_alias()");
  p.s.may_alias();
  simulated(p.s)(a, b, a);
  EXPECT_EQ(a.to_vector(), (std::vector<float>{11, 22, 13, 24}));
}

TEST(Compile, RefusesALoopOnTheCpuInAKernelForTheGpu) {
  Param n("n");
  Tensor A("A", f32, {n}), C("C", f32, {n});
  Axis i("i", n);
  Schedule s(Program("copy", C(i) = A(i)));
  s.bind(i, parallel);
  EXPECT_EQ(thrown_message<ScheduleError>(
                [&] { compile(s, {.device = Device::simulated()}, Location()); }),
            "error: compile: i is bound to parallel, which runs on the CPU\n"
            "  for i in 0..n @parallel {          <-- here\n"
            "    C[i] = A[i]\n"
            "note: compile for the host, or bind to blocks and threads");
  Array<float> a({1, 2, 3}, {3}), c({3});
  compile(s, {.device = Device::host()})(a, c);
  EXPECT_EQ(c.to_vector(), a.to_vector());
}

/// Sizes alone decide that the last element is read beyond the end.
TEST(Compile, RefusesALaunchWhoseSizesLeadOutOfATensor) {
  const Param E("E"), N("N"), S("S");
  const Tensor X("X", f32, {E}), Y("Y", f32, {});
  const ReduceAxis k("k", N);
  const Schedule s(Program("p", Y() = sum(k, X(S + k))));
  for (const Device& device : {Device::host(), Device::simulated()}) {
    const Kernel kernel = compile(s, {.device = device});
    const Array<float> x({1, 2, 3, 4, 5}, {5}, device), y({}, device);
    const auto run = [&](int64_t start, int64_t count) {
      kernel.run({x, y}, {{"S", start}, {"N", count}});
      return y.to_vector().front();
    };
    EXPECT_EQ(run(2, 3), 12);
    EXPECT_EQ(run(9, 0), 0);
    EXPECT_EQ(
        thrown_message<RuntimeError>([&] { run(3, 3); }),
        "p: X(S + k): S + k goes up to 5, and dimension 0 of X has the extent 5; N is 3 and S is "
        "3 and E is 5");
  }
}

/// The product of matrices with the indices of one of them exchanged.
TEST(Compile, NamesTheTensorAndTheIndexThatASizeLeadsOut) {
  const Param M("M"), N("N"), K("K");
  const Tensor A("A", f32, {M, K}), B("B", f32, {K, N}), C("C", f32, {M, N});
  const Axis i("i", M), j("j", N);
  const ReduceAxis k("k", K);
  const Kernel exchanged = compile(Schedule(Program("p", C(i, j) = sum(k, A(k, i) * B(k, j)))),
                                   {.device = Device::host()});
  const Array<float> a({2, 4}), b({4, 3}), c({2, 3});
  EXPECT_EQ(thrown_message<RuntimeError>([&] { exchanged(a, b, c); }),
            "p: A(k, i): k goes up to 3, and dimension 0 of A has the extent 2; M is 2 and N is 3 "
            "and K is 4");
  const Tensor D("D", f32, {M, N});
  const Kernel reversed =
      compile(Schedule(Program("q", C(i, j) = D(i, M - 1 - j))), {.device = Device::host()});
  EXPECT_EQ(
      thrown_message<RuntimeError>([&] {
        reversed(Array<float>({2, 3}), c);
      }),
      "q: D(i, M - 1 - j): M - 1 - j begins at -1, which is no index of D; M is 2 and N is 3");
}

}  // namespace compile_test
}  // namespace hone
