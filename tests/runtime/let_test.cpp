// A bilinear resize with named values, on all devices.
#include <gmock/gmock.h>

#include "codegen/emit/emit.h"
#include "codegen/lower.h"
#include "dsl/schedule.h"
#include "tests/support/ir/golden.h"
#include "tests/support/runtime/interpreted.h"

namespace hone {
namespace let_test {

/// Each of the H x W elements of Y lies between four of the h x w of X, which end at the edges.
struct Resize {
  Param h{"h"}, w{"w"}, H{"H"}, W{"W"};
  Tensor X{"X", f32, {h, w}}, Y{"Y", f32, {H, W}};
  Axis i{"i", H}, j{"j", W};

  /// A value under a name, or as it is.
  using Naming = Expr (*)(const char* name, const Expr& value);

  Program program(Naming named) const {
    const auto place = [&](const char* name, const Axis& axis, const Param& from, const Param& to) {
      return named(name, (cast(f32, axis) + 0.5) * (cast(f32, from) / cast(f32, to)) - 0.5);
    };
    const auto clamped = [](const Expr& at, const Param& size) {
      return max(min(cast(DType::index, at), size - 1), 0);
    };
    const Expr fy = place("fy", i, h, H), fx = place("fx", j, w, W);
    const Expr y0 = named("y0", cast(i32, floor(fy))), x0 = named("x0", cast(i32, floor(fx)));
    const Expr dy = named("dy", fy - cast(f32, y0)), dx = named("dx", fx - cast(f32, x0));
    const auto row = [&](const char* name, const Expr& y) {
      const Expr at = clamped(y, h);
      return named(name, X(at, clamped(x0, w)) * (1.0 - dx) + X(at, clamped(x0 + 1, w)) * dx);
    };
    return Program("resize", Y(i, j) = row("upper", y0) * (1.0 - dy) + row("lower", y0 + 1) * dy);
  }
};

Expr with_name(const char* name, const Expr& value) { return let(name, value); }
Expr as_it_is(const char*, const Expr& value) { return value; }

Function on_blocks(const Resize& resize, Resize::Naming named) {
  Schedule s(resize.program(named));
  auto [by, bx, ty, tx] = s.tile({resize.i, resize.j}, {4, 32});
  s.bind(by, block.y);
  s.bind(bx, block.x);
  s.bind(ty, thread.y);
  s.bind(tx, thread.x);
  return s.function();
}

/// Input and output of 1, of primes, and smaller and larger than the other.
const std::vector<Sizes> all_sizes = {{{"h", 1}, {"w", 1}, {"H", 1}, {"W", 1}},
                                      {{"h", 1}, {"w", 5}, {"H", 7}, {"W", 3}},
                                      {{"h", 3}, {"w", 1}, {"H", 2}, {"W", 37}},
                                      {{"h", 13}, {"w", 11}, {"H", 5}, {"W", 43}}};

/// Twice or half as large as the other, so that no result is rounded: compilers for CPUs make one
/// operation of a product and a sum, which rounds once.
const std::vector<Sizes> exact_sizes = {{{"h", 1}, {"w", 1}, {"H", 1}, {"W", 1}},
                                        {{"h", 1}, {"w", 5}, {"H", 2}, {"W", 5}},
                                        {{"h", 26}, {"w", 11}, {"H", 13}, {"W", 44}},
                                        {{"h", 7}, {"w", 86}, {"H", 28}, {"W", 43}}};

TEST(Let, OfAResizeIsThereOnceInCuda) {
  const Resize resize;
  const KernelFunction kernel = lower(on_blocks(resize, with_name)).kernels.front();
  expect_golden("tests/runtime/golden/resize.cu", emit_cuda(kernel));
}

TEST(Let, OfAResizeComputesTheSameOnTheSimulatedDevice) {
  const Resize resize;
  for (const Sizes& sizes : all_sizes) expect_as_interpreted(on_blocks(resize, with_name), sizes);
}

TEST(Let, OfAResizeComputesTheSameOnTheHost) {
  const Resize resize;
  Schedule s(resize.program(with_name));
  s.bind(resize.i, parallel);
  for (const Sizes& sizes : exact_sizes) expect_as_interpreted_on_host(s.function(), sizes);
}

TEST(Let, OfAResizeComputesWhatItDoesWithoutNames) {
  const Resize resize;
  const Function named = resize.program(with_name).function();
  const Function plain = resize.program(as_it_is).function();
  for (const Sizes& sizes : all_sizes) {
    Buffers with_names = small_integers(named, sizes), without = small_integers(plain, sizes);
    interpret(named, sizes, with_names);
    interpret(plain, sizes, without);
    EXPECT_EQ(with_names.at("Y").bytes, without.at("Y").bytes);
  }
}

/// A value that is read under a condition alone has no place in front of it.
TEST(Let, IsEvaluatedWhereItStands) {
  const Param n("n");
  const Tensor A("A", f32, {n}), C("C", f32, {n});
  const Axis i("i", n);
  const Expr before = let("before", A(i - 1)), after = let("after", A(i + 1));
  Schedule s(Program(
      "edges", C(i) = select(i > 0, before * before, 0.0) + select(i < n - 1, after * after, 0.0)));
  expect_as_interpreted_on_host(s.function(), {{"n", 7}});
  s.bind(i, thread.x);
  for (const int64_t size : {1, 2, 31}) expect_as_interpreted(s.function(), {{"n", size}});
}

}  // namespace let_test
}  // namespace hone
