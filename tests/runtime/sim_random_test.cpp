// Random kernels: the simulated device against the interpreter, which runs one thread after the
// other. Each thread writes elements of its own; whatever else a kernel can say is in them.
#include <gtest/gtest.h>

#include <bit>
#include <random>

#include "codegen/parse_kernel.h"
#include "fmt/format.h"
#include "ir/interpret/interpreter.h"
#include "tests/support/runtime/sim_run.h"

namespace hone {
namespace sim_random_test {

/// Writes kernels by a grammar. In a rule, $ and a letter stand for text of a kind, made from left
/// to right: $i an index, $c a condition, $v a float, $u an update, $a a name that is an index, and
/// $o and $w the element of C and the row of s that belong to the thread.
class KernelWriter {
 public:
  explicit KernelWriter(unsigned seed) : generator_(seed) {}

  std::string kernel() {
    const int x = one_of({1, 3, 8, 16, 33});
    const int y = one_of({1, 2, 4});
    const int z = one_of({1, 1, 3});
    const int lanes = x * y * z;
    names_ = {"M", "N", "block.x", "block.y", "thread.x", "thread.y", "thread.z"};
    own_row_ = fmt::format("((thread.z*{} + thread.y)*{} + thread.x)", y, x);
    own_element_ = fmt::format("((block.y*3 + block.x)*{} + {})*4", lanes, own_row_);
    std::string text = fmt::format(
        "kernel random[M, N](A: f32[7, 9], I: i32[50], C: f32[3, 2, {0}, 4]) grid(3, 2, 1) "
        "block({1}, {2}, {3}) @index32 {{\nalloc r: f32[3] @registers\nalloc n: i8[] @registers\n"
        "alloc s: f32[{0}, 2] @shared\nn[] = 3i8\nfor r0 in 0..3 {{ r[r0] = A[r0 + thread.x] }}\n"
        "for s0 in 0..2 {{ s[{4}, s0] = 1.5 }}\n",
        lanes, x, y, z, own_row_);
    return text + block(3) + "}";
  }

 private:
  int below(int bound) { return static_cast<int>(generator_() % static_cast<unsigned>(bound)); }

  template <class T>
  T one_of(std::initializer_list<T> choices) {
    return choices.begin()[below(static_cast<int>(choices.size()))];
  }

  std::string expand(llvm::StringRef rule, int depth) {
    std::string text;
    while (!rule.empty()) {
      const auto [plain, rest] = rule.split('$');
      text += plain.str();
      rule = rest.drop_front(!rest.empty());
      if (!rest.empty()) text += made(rest.front(), depth);
    }
    return text;
  }

  std::string made(char kind, int depth) {
    switch (kind) {
      case 'i':
        return index(depth);
      case 'c':
        return condition(depth);
      case 'v':
        return value(depth);
      case 'u':
        return one_of({"=", "=", "+=", "*=", "max=", "min="});
      case 'a':
        return names_[below(static_cast<int>(names_.size()))];
      case 'o':
        return own_element_;
      default:
        return own_row_;
    }
  }

  std::string index(int depth) {
    if (depth <= 0) return expand(one_of({"$a", "$a", "$a", "0", "1", "2", "5"}), 0);
    return expand(
        one_of({"$a", "($i + $i)", "($i + $i)", "($i * $i)", "($i * $i)", "($i / 2)", "($i % 8)",
                "($i / 3)", "($i % 10)", "($i / ($i + 1))", "($i % ($i + 1))", "(9 - min($i, 9))",
                "max($i, $i)", "select($i > 0, $i, $i)", "select(N > 1, $i / (N - 1), $i)",
                "select($a > 0, $i % 7, 3)", "index(I[$i % 50] % 7i32 + 7i32)"}),
        depth - 1);
  }

  std::string condition(int depth) {
    if (depth <= 0)
      return expand(one_of({"$a < $i", "$a >= $i", "$a % 2 == 0", "$a != $i", "$i <= $i"}), 0);
    return expand(one_of({"$i < $i", "$i > $i", "$v <= $v", "$v > $v", "!($c)", "($c && $c)",
                          "($c || $c)", "(N > 0 && $i % N == 1)", "(N == 0 || $i / N > 1)"}),
                  depth - 1);
  }

  std::string value(int depth) {
    if (depth <= 0)
      return expand(
          one_of({"r[$i % 3]", "r[0]", "r[1]", "r[2]", "s[$w, $i % 2]", "A[$i % 63]",
                  "C[$o + $i % 4]", "A[thread.x + 7]", "A[$a * 3]", "1.0", "-0.5", "1e-3"}),
          1);
    return expand(one_of({"($v + $v)", "($v - $v)", "($v * $v)", "($v / $v)", "min($v, $v)",
                          "max($v, $v)", "select($c, $v, $v)", "f32(f16($v))", "f32(bf16($v))",
                          "f32(f64($v))", "f32(i32($v))", "f32(u8($v))", "f32($i)", "abs($v)",
                          "tanh($v)", "f32(n[]*i8($v))"}),
                  depth - 1);
  }

  /// Names made inside are forgotten at the end.
  std::string block(int depth) {
    const size_t known = names_.size();
    std::string text;
    for (int count = 2 + below(4); count > 0; --count) text += statement(depth) + "\n";
    names_.resize(known);
    return text;
  }

  std::string statement(int depth) {
    switch (depth == 0 ? 5 : below(8)) {
      case 0:
        return expand("if ($c) {\n", 2) + block(depth - 1) + "}";
      case 1:
      case 2:
        return loop(depth);
      case 3:
      case 4:
        return let();
      default:
        return expand(one_of({"r[$i % 3] $u $v", "r[0] $u $v", "r[1] $u $v", "r[2] $u $v",
                              "s[$w, $i % 2] $u $v", "n[] $u i8($v)", "C[$o + $i % 4] $u $v"}),
                      2);
    }
  }

  std::string loop(int depth) {
    const std::string axis = fmt::format("k{}", next_name_++);
    const std::string extent = one_of({"M", "N", "3", "2", "N / 2 + 1"});
    names_.push_back(axis);
    const std::string body = block(depth - 1);
    names_.pop_back();
    return fmt::format("for {} in 0..{} {{\n{}}}", axis, extent, body);
  }

  std::string let() {
    const std::string value = index(3);
    names_.push_back(fmt::format("v{}", next_name_++));
    return fmt::format("let {} = {}", names_.back(), value);
  }

  std::mt19937 generator_;
  std::vector<std::string> names_;
  std::string own_element_, own_row_;
  int next_name_ = 0;
};

Buffers random_buffers(const KernelFunction& kernel, unsigned seed) {
  std::mt19937 generator(seed);
  Buffers buffers;
  for (const TensorPtr& argument : kernel.arguments) {
    int64_t size = 1;
    for (const Expr& extent : argument->shape) size *= *as_int(extent);
    Buffer buffer(argument->type, {size});
    for (int64_t position = 0; position < size; ++position)
      buffer.set(position, static_cast<double>(generator() % 2000) / 64 - 15);
    buffers[argument->name] = buffer;
  }
  return buffers;
}

bool same(double lhs, double rhs) {
  return (lhs != lhs && rhs != rhs) || std::bit_cast<int64_t>(lhs) == std::bit_cast<int64_t>(rhs);
}

/// Expects both to run, to the same values. Kernels that fail must fail on both.
void compare(const std::string& text, unsigned seed, int& failures) {
  const KernelFunction kernel = parse_kernel(text);
  const Sizes sizes = {{"M", seed % 4}, {"N", seed / 4 % 6}};
  Buffers expected = random_buffers(kernel, seed), actual = expected;
  const std::string expected_error =
      message_of<InterpretError>([&] { interpret(as_loops(kernel), sizes, expected); });
  const std::string actual_error = message_of<SimError>(
      [&] { run_on_sim(kernel, sizes, actual, {.threads = static_cast<int>(1 + seed % 2)}); });
  ASSERT_EQ(expected_error == "no error", actual_error == "no error")
      << "seed " << seed << ": " << expected_error << " / " << actual_error << "\n"
      << text;
  if (expected_error != "no error") {
    ++failures;
    return;
  }
  for (int64_t position = 0; position < expected["C"].size(); ++position)
    ASSERT_TRUE(same(actual["C"].get(position), expected["C"].get(position)))
        << "seed " << seed << ", C[" << position << "] is " << actual["C"].get(position) << ", not "
        << expected["C"].get(position) << "\n"
        << text;
}

TEST(SimRandom, AgreesWithTheInterpreter) {
  constexpr unsigned kernels = 300;
  int failures = 0;
  for (unsigned seed = 0; seed < kernels && !HasFatalFailure(); ++seed)
    compare(KernelWriter(seed).kernel(), seed, failures);
  EXPECT_GT(failures, 0);
  EXPECT_LT(failures, static_cast<int>(kernels) / 4);
}

}  // namespace sim_random_test
}  // namespace hone
