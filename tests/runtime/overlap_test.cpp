// Arrays of one run that share memory.
#include <gtest/gtest.h>

#include "dsl/schedule.h"
#include "runtime/compile.h"
#include "tests/support/runtime/errors.h"

namespace hone {
namespace overlap_test {

std::string outcome(const Schedule& s, const std::vector<AnyArray>& arrays,
                    const Device& device = Device::simulated()) {
  const Kernel kernel = compile(s, {.device = device});
  return thrown_message<RuntimeError>([&] { kernel.run(arrays); });
}

enum class Run { serial, threads };

/// C(i) = value(A, i) for i in 0..n.
template <class Value>
Schedule elementwise(const Value& value, Run run = Run::threads) {
  Param n("n");
  Tensor A("A", f32, {n}), C("C", f32, {n});
  Axis i("i", n);
  Schedule s(Program("f", C(i) = value(A, Expr(i))));
  s.may_alias();
  if (run == Run::serial) return s;
  const auto [outer, inner] = s.split(i, 32);
  s.bind(outer, block.x);
  s.bind(inner, thread.x);
  return s;
}

Array<float> three() { return Array<float>({1, 2, 3}, {3}); }

const char* nothing = "nothing was thrown";

TEST(Overlap, OfElementsThatAreReadWhereTheyAreWrittenIsTaken) {
  const Schedule s = elementwise([](const Tensor& A, const Expr& i) { return A(i) * A(i) + 1.0; });
  const Array<float> a = three();
  EXPECT_EQ(outcome(s, {a, a}), nothing);
  EXPECT_EQ(a.to_vector(), (std::vector<float>{2, 5, 10}));
}

TEST(Overlap, OfElementsThatOtherIterationsWriteIsRefused) {
  const auto before = [](const Tensor& A, const Expr& i) { return A(max(i - 1, 0)) + 1.0; };
  const Schedule s = elementwise(before), serial = elementwise(before, Run::serial);
  const Array<float> a = three();
  EXPECT_EQ(outcome(s, {a, a}),
            "f: A and C are one array, and C[i.0*32 + i.1] is written by one iteration of i.0, and "
            "another one reads A[max(i.0*32 + i.1 - 1, 0)]; copy one of them with clone()");
  EXPECT_EQ(outcome(s, {a, a.clone()}), nothing);
  EXPECT_EQ(outcome(serial, {a, a}, Device::host()),
            "f: A and C are one array, and C[i] is written by one iteration of i, and another one "
            "reads A[max(i - 1, 0)]; copy one of them with clone()");
  EXPECT_EQ(a.to_vector(), (std::vector<float>{1, 2, 3}));
}

TEST(Overlap, OfWhatIsOnlyReadIsTaken) {
  Param n("n");
  Tensor A("A", f32, {n}), B("B", f32, {n}), C("C", f32, {n});
  Axis i("i", n);
  Schedule s(Program("f", C(i) = A(i) + B(n - 1 - i)));
  s.bind(i, block.x);
  const Array<float> a = three(), c({3});
  EXPECT_EQ(outcome(s, {a, a, c}), nothing);
  EXPECT_EQ(c.to_vector(), (std::vector<float>{4, 4, 4}));
}

TEST(Overlap, OfTwoThatAreWrittenIsRefused) {
  Param n("n");
  Tensor A("A", f32, {n}), C("C", f32, {n}), D("D", f32, {n});
  Axis i("i", n);
  Schedule s(Program("f", C(i) = A(i), D(i) = A(i)));
  s.may_alias();
  const Array<float> a = three(), c({3});
  EXPECT_EQ(outcome(s, {a, c, c}),
            "f: C and D are one array, and both are written; copy one of them with clone()");
}

TEST(Overlap, OfATransposedMatrixIsRefused) {
  Param n("n");
  Tensor A("A", f32, {n, n}), C("C", f32, {n, n});
  Axis i("i", n), j("j", n);
  Schedule s(Program("f", C(i, j) = A(j, i)));
  s.may_alias();
  const Array<float> square({3, 3});
  EXPECT_EQ(outcome(s, {square, square}),
            "f: A and C are one array, and C[i, j] is written by one iteration of i, and another "
            "one reads A[j, i]; copy one of them with clone()");
}

TEST(Overlap, OfASumAndItsOperandIsRefused) {
  Param n("n");
  Tensor A("A", f32, {n}), C("C", f32, {n});
  Axis i("i", n);
  ReduceAxis k("k", n);
  Schedule s(Program("f", C(i) = sum(k, A(k))));
  s.may_alias();
  const Array<float> a = three();
  EXPECT_EQ(outcome(s, {a, a}),
            "f: A and C are one array, and C[i] is written by one iteration of i, and another one "
            "reads A[k]; copy one of them with clone()");
  EXPECT_EQ(a.to_vector(), (std::vector<float>{1, 2, 3}));
}

/// C(i, j) = A(i, j) - the largest of the row.
struct Rows {
  Param m{"m"}, n{"n"};
  Tensor A{"A", f32, {m, n}}, largest{"largest", f32, {m}}, C{"C", f32, {m, n}};
  Axis i{"i", m}, j{"j", n};
  ReduceAxis k{"k", n};
  Schedule s{Program("rows", largest(i) = max(k, A(i, k)), C(i, j) = A(i, j) - largest(i))};
  Rows() { s.may_alias(); }
};

TEST(Overlap, OfKernelsThatFollowEachOtherIsTaken) {
  Rows p;
  p.s.bind(p.i, block.x);
  p.s.bind(p.s.axis(p.C, p.i), block.x);
  p.s.bind(p.s.axis(p.C, p.j), thread.x);
  const Array<float> a({1, 5, 3, 4, 2, 2}, {2, 3});
  EXPECT_EQ(outcome(p.s, {a, a}), nothing);
  EXPECT_EQ(a.to_vector(), (std::vector<float>{-4, 0, -2, 0, -2, -2}));
}

TEST(Overlap, OfThreadsThatReadForEachOtherIsRefused) {
  Rows p;
  const Axis i = p.s.axis(p.C, p.i), j = p.s.axis(p.C, p.j);
  p.s.bind(i, block.x);
  p.s.bind(j, thread.x);
  p.s.compute_at(p.largest, i, {.scope = Scope::shared});
  const Array<float> a({1, 5, 3, 4, 2, 2}, {2, 3});
  EXPECT_EQ(outcome(p.s, {a, a}),
            "rows: A and C are one array, and A[i.C, k] may be read by one thread after another "
            "one has written C[i.C, j]; copy one of them with clone()");
}

TEST(Overlap, OfWhatIsStagedInSharedMemoryIsRefused) {
  Param n("n");
  Tensor A("A", f32, {n}), C("C", f32, {n});
  Axis i("i", n);
  Schedule s(Program("f", C(i) = A(i) + 1.0));
  s.may_alias();
  const auto [outer, inner] = s.split(i, 32);
  s.cache_shared(A, outer);
  s.bind(outer, block.x);
  s.bind(inner, thread.x);
  const Array<float> a = three();
  EXPECT_EQ(outcome(s, {a, a}),
            "f: A and C are one array, and A is read into shared memory by several threads; copy "
            "one of them with clone()");
}

TEST(Overlap, OfWhatIsHeldInRegistersIsTaken) {
  Param n("n");
  Tensor A("A", f32, {n}), C("C", f32, {n});
  Axis i("i", n);
  Schedule s(Program("f", C(i) = A(i) + 1.0));
  s.may_alias();
  const auto [outer, inner] = s.split(i, 4);
  s.cache_registers(A, outer);
  s.bind(outer, thread.x);
  const Array<float> a = three();
  EXPECT_EQ(outcome(s, {a, a}), nothing);
  EXPECT_EQ(a.to_vector(), (std::vector<float>{2, 3, 4}));
}

TEST(Overlap, IsRefusedWhereTheScheduleDoesNotAllowIt) {
  Param n("n");
  Tensor A("A", f32, {n}), C("C", f32, {n});
  Axis i("i", n);
  Schedule s(Program("f", C(i) = A(i) + 1.0));
  const Array<float> a = three();
  EXPECT_EQ(outcome(s, {a, a}),
            "f: A and C share memory, and the kernel was compiled for arrays that do not; schedule "
            "it with may_alias()");
}

}  // namespace overlap_test
}  // namespace hone
