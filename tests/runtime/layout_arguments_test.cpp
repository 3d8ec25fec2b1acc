// Arguments whose elements lie in another order, or with gaps between the rows, and those without
// dimensions: from the tensor's type to the array.

#include "dsl/schedule.h"
#include "gtest/gtest.h"
#include "ir/interpret/interpreter.h"
#include "runtime/compile.h"
#include "tests/support/runtime/errors.h"

namespace hone {
namespace layout_arguments_test {

const std::vector<Device> devices = {Device::simulated(), Device::host()};

std::vector<float> counting(int64_t size) {
  std::vector<float> values(static_cast<size_t>(size));
  for (size_t n = 0; n < values.size(); ++n) values[n] = static_cast<float>(n + 1);
  return values;
}

/// C = 10 A, with a thread per element.
struct TenTimes {
  Param M{"M"}, N{"N"};
  Tensor A, C;
  Axis i{"i", M}, j{"j", N};
  Schedule s;

  TenTimes(const Layout& of_a, const Layout& of_c)
      : A("A", f32, {M, N}, of_a),
        C("C", f32, {M, N}, of_c),
        s(Program("ten_times", C(i, j) = A(i, j) * 10.0)) {
    s.bind(i, block.x);
    s.bind(j, thread.x);
  }

  std::string refusal(const Array<float>& a, const Array<float>& c, const Sizes& more = {}) const {
    const Kernel kernel = compile(s, {.device = Device::simulated()});
    return thrown_message<RuntimeError>([&] { kernel.run({a, c}, more); });
  }
};

/// Runs on the devices and in the interpreter; all must give `expected` in memory, where what no
/// element lies on is -1.
void expect_memory(const TenTimes& p, const Array<float>& a, Array<float> c, const Sizes& sizes,
                   const std::vector<float>& expected) {
  const std::vector<float> untouched(static_cast<size_t>(c.storage_size()), -1);
  const auto memory_of = [](const AnyArray& array) {
    std::vector<float> memory(static_cast<size_t>(array.storage_size()));
    array.copy_to_host(memory.data());
    return memory;
  };
  for (const Device& device : devices) {
    c.copy_from_host(untouched.data());
    compile(p.s, {.device = device})(a, c);
    EXPECT_EQ(memory_of(c), expected) << to_string(device);
  }
  c.copy_from_host(untouched.data());
  Buffers buffers = {{"A", to_buffer(a)}, {"C", to_buffer(c)}};
  interpret(p.s.function(), sizes, buffers);
  c.copy_from_host(buffers.at("C").bytes.data());
  EXPECT_EQ(memory_of(c), expected) << "interpreter";
}

TEST(LayoutArguments, AreReadAndWrittenInTheirOwnOrder) {
  const TenTimes p(Layout::column_major(), Layout());
  const Array<float> a(counting(6), {2, 3}, Device::host(), Layout::column_major());
  expect_memory(p, a, Array<float>({2, 3}), {{"M", 2}, {"N", 3}}, {10, 20, 30, 40, 50, 60});
  const TenTimes q(Layout(), Layout::column_major());
  expect_memory(q, Array<float>(counting(6), {2, 3}),
                Array<float>({2, 3}, Device::host(), Layout::column_major()), {{"M", 2}, {"N", 3}},
                {10, 40, 20, 50, 30, 60});
}

TEST(LayoutArguments, KeepTheGapsBetweenTheirRows) {
  Param lda("lda"), ldc("ldc");
  const TenTimes p(Layout().pitch(lda), Layout::column_major().pitch(ldc));
  const Array<float> a(counting(6), {2, 3}, Device::host(), Layout().pitch(8));
  const Array<float> c({2, 3}, Device::host(), Layout::column_major().pitch(4));
  expect_memory(p, a, c, {{"M", 2}, {"N", 3}, {"lda", 8}, {"ldc", 4}},
                {10, 40, -1, -1, 20, 50, -1, -1, 30, 60, -1, -1});
}

TEST(LayoutArguments, APitchMayBeANumberOrAnExpression) {
  Param P("P");
  const TenTimes p(Layout().pitch(P * 2), Layout().pitch(4));
  const Array<float> a(counting(6), {2, 3}, Device::host(), Layout().pitch(6));
  const Array<float> c({2, 3}, Device::host(), Layout().pitch(4));
  for (const Device& device : devices) {
    compile(p.s, {.device = device}).run({a, c}, {{"P", 3}});
    EXPECT_EQ(c.to_vector(), (std::vector<float>{10, 20, 30, 40, 50, 60}));
  }
  EXPECT_EQ(p.refusal(a, c), "ten_times: no array's shape gives the size P; pass it to run()");
  EXPECT_EQ(p.refusal(a, c, {{"P", 4}}),
            "ten_times: A is f32[M, N] @pitch(P*2) with M = 2, N = 3, P = 4, got f32[2, 3] "
            "@pitch(6) on host, whose rows lie 6 elements apart; use with_layout()");
}

TEST(LayoutArguments, AnArrayWithoutGapsHasThePitchOfItsRow) {
  Param lda("lda");
  const TenTimes p(Layout().pitch(lda), Layout());
  const Array<float> a(counting(6), {2, 3}), c({2, 3});
  for (const Device& device : devices) {
    compile(p.s, {.device = device})(a, c);
    EXPECT_EQ(c.to_vector(), (std::vector<float>{10, 20, 30, 40, 50, 60}));
  }
}

TEST(LayoutArguments, OneParamMayBeThePitchOfSeveral) {
  Param pitch("pitch");
  const TenTimes p(Layout().pitch(pitch), Layout().pitch(pitch));
  const Array<float> a(counting(6), {2, 3}, Device::host(), Layout().pitch(4));
  EXPECT_EQ(p.refusal(a, Array<float>({2, 3})),
            "ten_times: C is f32[M, N] @pitch(pitch) with M = 2, N = 3, pitch = 4, got f32[2, 3] "
            "on host, whose rows lie 3 elements apart; use with_layout()");
  EXPECT_EQ(p.refusal(a, a.clone()), "nothing was thrown");
}

TEST(LayoutArguments, RefusesAnArrayInAnotherOrder) {
  const TenTimes p(Layout::column_major(), Layout());
  const Array<float> rows({2, 3}), columns = rows.with_layout(Layout::column_major());
  EXPECT_EQ(p.refusal(rows, rows.clone()),
            "ten_times: A is f32[M, N] @order(1, 0), got f32[2, 3] on host, whose dimensions lie "
            "in the order (0, 1) and not (1, 0), from the slowest to the fastest; use "
            "with_layout()");
  EXPECT_EQ(p.refusal(columns, columns.clone()),
            "ten_times: C is f32[M, N], got f32[2, 3] @order(1, 0) on host, whose dimensions lie "
            "in the order (1, 0) and not (0, 1), from the slowest to the fastest; use "
            "with_layout()");
}

TEST(LayoutArguments, RefusesGapsWhereTheTensorHasNone) {
  const TenTimes p({}, {});
  const Array<float> dense({2, 3});
  EXPECT_EQ(p.refusal(dense.with_layout(Layout().pitch(4)), dense),
            "ten_times: A is f32[M, N] with M = 2, N = 3, got f32[2, 3] @pitch(4) on host, whose "
            "rows lie 4 elements apart; use with_layout()");
}

TEST(LayoutArguments, RefusesAnotherPitchThanTheGivenOne) {
  Param lda("lda");
  const TenTimes p(Layout().pitch(lda), Layout());
  const Array<float> dense({2, 3});
  EXPECT_EQ(p.refusal(dense, dense.clone(), {{"lda", 32}}),
            "ten_times: A is f32[M, N] @pitch(lda) with M = 2, N = 3, lda = 32, got f32[2, 3] on "
            "host, whose rows lie 3 elements apart; use with_layout()");
}

TEST(LayoutArguments, GapsCountForThirtyTwoBitIndices) {
  Param M("M"), N("N"), lda("lda");
  Tensor A("A", u8, {M, N}, Layout().pitch(lda)), C("C", u8, {M});
  Axis i("i", M);
  Schedule s(Program("first", C(i) = A(i, 0)));
  s.bind(i, block.x);
  const Kernel kernel = compile(s, {.device = Device::simulated(), .index_bits = 32});
  // As large as rows need; nothing touches most of it.
  const Array<uint8_t> a({2, 1}, Device::host(), Layout().pitch(int64_t{1} << 30),
                         Fill::uninitialized);
  EXPECT_EQ(thrown_message<RuntimeError>([&] { kernel(a, Array<uint8_t>({2})); }),
            "first: the number of elements of A is 2147483648, more than the 2146435072 that a "
            "kernel with 32-bit indices takes; compile with {.index_bits = 64}, or export with "
            "--index-bits=64");
}

TEST(LayoutArguments, AnArrayForATensorIsLaidOutAsItIs) {
  Param M("M"), N("N"), lda("lda");
  const Tensor A("A", i32, {M, N}, Layout::column_major().pitch(lda));
  const AnyArray array = array_for(*A.node(), {{"M", 2}, {"N", 3}, {"lda", 4}});
  EXPECT_EQ(array.describe(), "i32[2, 3] @order(1, 0) @pitch(4) on host");
  EXPECT_EQ(to_buffer(array).bytes.size(), 4u * 3 * 4);
  EXPECT_EQ(thrown_message<RuntimeError>([&] {
              array_for(*A.node(), {{"M", 2}, {"N", 3}, {"lda", 1}});
            }),
            "the layout of A: the pitch 1 is less than a row of 2 elements");
}

TEST(LayoutArguments, TemporariesHaveLayoutsToo) {
  Param N("N"), pitch("pitch");
  Tensor A("A", f32, {N}), T("T", f32, {N, N}, Layout::column_major().pitch(pitch)),
      C("C", f32, {N});
  Axis i("i", N), j("j", N);
  ReduceAxis k("k", N);
  Schedule s(Program("sums", T(i, j) = A(i) * 10.0 + A(j), C(i) = sum(k, T(i, k))));
  const Array<float> a({1, 2, 3}, {3}), c({3});
  compile(s, {.device = Device::simulated()}).run({a, c}, {{"pitch", 5}});
  EXPECT_EQ(c.to_vector(), (std::vector<float>{36, 66, 96}));
}

/// S = scale * (the sum of A) + offset, all but A without dimensions.
TEST(LayoutArguments, MayHaveNoDimensions) {
  Param N("N");
  Tensor A("A", f32, {N}), scale("scale", f32, {}), offset("offset", f32, {}), S("S", f32, {});
  ReduceAxis k("k", N);
  const Program program("f", S() = scale() * sum(k, A(k)) + offset());
  const Array<float> scale_array({2}, {}), a({1, 2, 3}, {3}), offset_array({100}, {});
  for (const Device& device : devices) {
    const Array<float> result(std::vector<int64_t>{});
    compile(Schedule(program), {.device = device})(scale_array, a, offset_array, result);
    EXPECT_EQ(result.to_vector(), std::vector<float>{112}) << to_string(device);
  }
}

}  // namespace layout_arguments_test
}  // namespace hone
