// Bytes of shared memory that one tensor has after another: kernels compute what the loops mean,
// and mistakes in the plan, or in the waits at a reuse, are found.
#include <gtest/gtest.h>

#include "codegen/lower.h"
#include "codegen/shared_memory.h"
#include "dsl/schedule.h"
#include "fmt/format.h"
#include "ir/text/parser.h"
#include "ir/traverse/tensors.h"
#include "runtime/compile.h"
#include "runtime/sim/check/check.h"
#include "tests/support/codegen/barriers.h"
#include "tests/support/codegen/races.h"
#include "tests/support/runtime/sim_run.h"

namespace hone {
namespace shared_reuse_test {

/// Blocks of 48 threads with two tiles; `turn` is what they do in each turn of a loop.
std::string program_of(const std::string& turn, const std::string& alignment = "") {
  return fmt::format(
      "func reuse[n](A: f32[n], C: f32[n]) {{ for b in 0..(n + 47) / 48 @block.x {{\n"
      "alloc s: f32[48] @shared\nalloc u: f32[48] @shared {}\n"
      "copy s[0 .. +48] <- A[b*48 .. +48]\nfor k in 0..3 {{ {} }} }} }}",
      alignment, turn);
}

const std::string fill_s = "copy s[0 .. +48] <- A[b*48 .. +48]\n",
                  fill_u = "for t in 0..48 @thread.x { u[t] = select(b*48 + t < n, 2.0, 3.0) }\n",
                  use_s =
                      "for v in 0..48 @thread.x { if (b*48 + v < n) { "
                      "C[b*48 + v] += s[47 - v] } }\n",
                  use_u =
                      "for w in 0..48 @thread.x { if (b*48 + w < n) { "
                      "C[b*48 + w] += u[47 - w] * 5.0 } }\n";

/// s is read, and filled again for the next turn; between the two it holds nothing.
const std::string takes_turns = use_s + fill_u + use_u + fill_s;
/// s holds what the next turn reads while u is filled.
const std::string lives_on = fill_u + use_s + fill_s + use_u;

KernelFunction kernel_of(const std::string& text) {
  return lower(parse_function(text)).kernels.front();
}

Buffers buffers_of(int64_t n) { return {{"A", counting(f32, {n})}, {"C", Buffer(f32, {n})}}; }

Values meant(const std::string& text, int64_t n) {
  Buffers buffers = buffers_of(n);
  interpret(parse_function(text), {{"n", n}}, buffers);
  return values_of(buffers.at("C"));
}

Values computed(const KernelFunction& kernel, int64_t n) {
  Buffers buffers = buffers_of(n);
  run_on_sim(kernel, {{"n", n}}, buffers);
  return values_of(buffers.at("C"));
}

/// The findings of check mode, warps in a random order.
std::string found(const KernelFunction& kernel, int64_t n) {
  Buffers buffers = buffers_of(n);
  CheckOptions options;
  options.order = 7;
  const CheckReport report = check(kernel, {{"n", n}},
                                   {{"A", buffers.at("A").bytes.data(), n, false},
                                    {"C", buffers.at("C").bytes.data(), n, false}},
                                   options);
  std::string text;
  for (const Finding& finding : report.findings) text += to_string(finding) + "\n";
  return text;
}

std::string addresses(const KernelFunction& kernel) {
  std::string text;
  for (const TensorPtr& tensor : shared_memory(kernel).tensors)
    text += fmt::format("{}{} at {}", text.empty() ? "" : ", ", tensor->name, tensor->address);
  return text;
}

/// The kernel with u at another address.
KernelFunction with_u_at(KernelFunction kernel, int64_t address) {
  TensorPtr moved;
  kernel.body = replace_tensors(kernel.body, [&](const TensorPtr& tensor) -> TensorPtr {
    if (tensor->name != "u" || tensor == moved) return nullptr;
    if (!moved) moved = make_form(*tensor, tensor->shape, tensor->scope, tensor->layout, address);
    return moved;
  });
  return kernel;
}

constexpr int64_t odd_sizes[] = {1, 47, 48, 49, 143};

TEST(SharedReuse, KernelsComputeWhatTheLoopsMean) {
  for (const std::string& turn : {takes_turns, lives_on})
    for (const char* alignment : {"", "@align(32)", "@align(1024)"}) {
      const std::string text = program_of(turn, alignment);
      const KernelFunction kernel = kernel_of(text);
      for (const int64_t n : odd_sizes) {
        EXPECT_EQ(computed(kernel, n), meant(text, n)) << text << to_string(kernel);
        EXPECT_EQ(found(kernel, n), "") << to_string(kernel);
        EXPECT_EQ(find_race(kernel, {{"n", n}}), std::nullopt) << to_string(kernel);
      }
    }
}

TEST(SharedReuse, IsPlannedFromWhatIsHeld) {
  EXPECT_EQ(addresses(kernel_of(program_of(takes_turns))), "s at 0, u at 0");
  EXPECT_EQ(addresses(kernel_of(program_of(lives_on))), "s at 0, u at 192");
  EXPECT_EQ(addresses(kernel_of(program_of(takes_turns, "@align(1024)"))), "s at 0, u at 0");
  EXPECT_EQ(addresses(kernel_of(program_of(lives_on, "@align(1024)"))), "s at 0, u at 1024");
}

/// The reuse is an edge: between the last reads of one tensor and the writes of the other.
TEST(SharedReuse, EachWaitIsMissed) {
  for (const std::string& turn : {takes_turns, lives_on}) {
    const KernelFunction kernel = kernel_of(program_of(turn));
    const int waits = count_barriers(kernel);
    EXPECT_EQ(waits, turn == takes_turns ? 4 : 2) << to_string(kernel);
    for (int n = 0; n < waits; ++n) {
      const KernelFunction mutant = without_barrier(kernel, n);
      EXPECT_NE(find_race(mutant, {{"n", 143}}), std::nullopt) << n << to_string(kernel);
      EXPECT_NE(found(mutant, 143), "") << n << to_string(kernel);
    }
  }
}

TEST(SharedReuse, TensorsThatAreHeldAtOnceAreMissed) {
  const std::string text = program_of(lives_on);
  const KernelFunction kernel = kernel_of(text);
  for (const int64_t address : {0, 16, 176}) {
    const KernelFunction mutant = with_u_at(kernel, address);
    EXPECT_NE(computed(mutant, 143), meant(text, 143)) << address;
    EXPECT_NE(found(mutant, 143), "") << address;
  }
  EXPECT_EQ(computed(with_u_at(kernel, 1024), 143), meant(text, 143));
}

/// A tile that is filled through another one, in the same bytes, by the threads of thread.z == 0
/// alone: all threads come to the barrier between the two.
TEST(SharedReuse, BarriersOfWhatSomeThreadsDoAreOfAll) {
  const Axis i("i", 5), j("j", 3);
  const Tensor A("A", f64, {3, 5}), C("C", f64, {5, 3});
  const Program program("transposed", C(i, j) = A(j, i));
  Schedule s(program);
  auto [i_0, j_0, i_1, j_1] = s.tile({i, j}, {8, 4});
  const std::vector<Axis> loops = s.copy_loops(s.cache_shared(A, j_0));
  s.bind(loops[0], thread.y);
  s.bind(loops[1], thread.x);
  s.cache_registers(A, loops[1]);
  s.bind(i_1, thread.z);
  s.cache_shared(A, loops[1]);
  const Kernel kernel = compile(s, {.device = Device::simulated()});
  std::vector<double> values(15), expected(15);
  for (int n = 0; n < 15; ++n) expected[n % 5 * 3 + n / 5] = values[n] = n;
  const Array<double> from(values, {3, 5}, kernel.device());
  Array<double> to({5, 3}, kernel.device());
  kernel(from, to);
  EXPECT_EQ(to.to_vector(), expected);
}

}  // namespace shared_reuse_test
}  // namespace hone
