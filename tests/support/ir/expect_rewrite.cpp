#include "tests/support/ir/expect_rewrite.h"

#include <random>

#include "gtest/gtest.h"
#include "ir/analysis/site.h"
#include "ir/core/layout.h"
#include "ir/interpret/interpreter.h"
#include "ir/interpret/promised_sizes.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"
#include "ir/traverse/equal.h"
#include "ir/traverse/rewriter.h"
#include "ir/verify/verifier.h"
#include "tests/support/ir/kernels.h"
#include "tests/support/ir/run.h"
#include "tests/support/ir/shown_pairs.h"

namespace hone {
namespace {

/// Small integers in every argument, the outputs too: what is not written has to stay.
Buffers random_buffers(const Function& function, const Sizes& sizes, std::mt19937& random) {
  Buffers buffers;
  for (const TensorPtr& argument : function.arguments) {
    const auto shape = storage_shape(*argument, sizes).shape;
    Buffer buffer = argument->rank() == 0 ? Buffer(argument->type, shape)
                                          : Buffer(argument->type, shape, fastest_dim(*argument),
                                                   evaluate(row_pitch(*argument), sizes));
    const int low = is_float(argument->type) ? -3 : 0;
    std::uniform_int_distribution<int> element(low, argument->type == DType::boolean ? 1 : 3);
    fill_with(buffer, [&] { return element(random); });
    buffers[argument->name] = std::move(buffer);
  }
  return buffers;
}

/// The message of the error, or nothing.
std::string run(const Function& function, const Sizes& sizes, Buffers& buffers) {
  try {
    interpret(function, sizes, buffers);
    return "";
  } catch (const InterpretError& error) {
    return error.what();
  }
}

/// Iterations that run at the same time may as well run backwards.
Function with_bound_loops_reversed(const Function& function) {
  Stmt body = function.body;
  for (const For* loop : loops_of(function.body)) {
    if (!loop->binding.is_parallel()) continue;
    const Site site = *find_site(function.with_body(body), loop->axis.get());
    const Expr last = site.loop().extent - 1;
    const Stmt reversed =
        substitute(site.loop().body, loop->axis.get(), last - AxisRef::make(loop->axis));
    body = replace(body, &site.loop(), site.loop().with_body(reversed));
  }
  return function.with_body(body);
}

std::string describe(const Sizes& sizes) {
  std::string text;
  for (const auto& [name, size] : sizes) text += fmt::format(" {} = {}", name, size);
  return "with" + (text.empty() ? " constant sizes" : text);
}

/// False where `before` fails, so that nothing is expected.
bool expect_same_values(const Function& before, const Function& after, const Sizes& sizes,
                        std::mt19937& random) {
  const Buffers inputs = random_buffers(before, sizes, random);
  Buffers expected = inputs;
  if (!run(before, sizes, expected).empty()) return false;
  for (const Function& function : {after, with_bound_loops_reversed(after)}) {
    Buffers actual = inputs;
    EXPECT_EQ(run(function, sizes, actual), "") << describe(sizes) << "\n" << to_string(function);
    for (const auto& [name, buffer] : expected)
      EXPECT_TRUE(buffer.bytes == actual.at(name).bytes)
          << name << " differs " << describe(sizes) << "\n"
          << to_string(function);
  }
  return true;
}

/// Sizes to try for each of the params. Assumptions about them are about multiples, most often.
std::vector<int64_t> candidates(const Function& function) {
  const size_t params = function.params.size();
  if (!function.assumptions.empty()) return {0, 4, 5, 8, 12, 16};
  if (params < 2) return {0, 1, 2, 3, 4, 7, 8, 13, 16, 33};
  if (params < 4) return {0, 1, 2, 7, 13};
  return {0, 1, 5};
}

/// Calls `use` for all combinations of sizes.
void for_each_size(const Function& before, const Function& after,
                   const std::function<void(const Sizes&)>& use) {
  const auto& params = after.params;
  const auto values = candidates(after);
  Sizes sizes;
  const std::function<void(size_t)> choose = [&](size_t n) {
    if (n == params.size()) return use(sizes);
    const bool is_new = n >= before.params.size();
    for (const int64_t value : values) {
      if (is_new && value == 0) continue;
      sizes[params[n]->name] = value;
      choose(n + 1);
    }
  };
  choose(0);
}

void expect_round_trip(const Function& function) {
  const std::string text = to_string(function);
  const Function parsed = parse_function(text);
  EXPECT_EQ(to_string(parsed), text);
  EXPECT_TRUE(equal(parsed, function)) << text;
  EXPECT_TRUE(have_same_nests(parsed, function)) << text;
}

}  // namespace

AxisPtr axis(const Function& function, llvm::StringRef name) {
  for (const For* loop : loops_of(function.body))
    if (loop->axis->name == name) return loop->axis;
  ADD_FAILURE() << "there is no axis " << name.str() << " in\n" << to_string(function);
  return make_axis(name, AxisKind::spatial);
}

llvm::SmallVector<AxisPtr, 4> axes(const Function& function,
                                   std::initializer_list<llvm::StringRef> names) {
  llvm::SmallVector<AxisPtr, 4> result;
  for (llvm::StringRef name : names) result.push_back(axis(function, name));
  return result;
}

TensorPtr tensor(const Function& function, llvm::StringRef name) {
  for (const TensorPtr& argument : function.arguments)
    if (argument->name == name) return argument;
  const StmtNode* found = find_stmt(function.body, [&](const Stmt& stmt) {
    const auto* alloc = llvm::dyn_cast<Alloc>(stmt);
    return alloc && alloc->tensor->name == name;
  });
  if (found) return llvm::cast<Alloc>(found)->tensor;
  ADD_FAILURE() << "there is no tensor " << name.str() << " in\n" << to_string(function);
  return make_tensor(name, DType::f32, {});
}

void expect_same_values(const Function& before, const Function& after) {
  std::mt19937 random(1);
  int runs = 0;
  for_each_size(before, after, [&](const Sizes& sizes) {
    if (::testing::Test::HasFailure() || !keeps_promises(after, sizes)) return;
    runs += expect_same_values(before, after, sizes, random);
  });
  EXPECT_GT(runs, 0) << "no sizes at which this runs:\n" << to_string(before);
}

void expect_rewrite(llvm::StringRef before, const Rewriting& rewrite, llvm::StringRef after,
                    Location location) {
  const testing::ScopedTrace trace(location.file, location.line, "expect_rewrite");
  const Function function = parse_function(before);
  const std::string text = to_string(function);
  const Function result = rewrite(function);
  EXPECT_EQ(to_string(function), text) << "the function before the rewrite has changed";
  EXPECT_EQ(to_string(result), to_string(parse_function(after)));
  EXPECT_EQ(verify(result).value_or(""), "");
  expect_round_trip(result);
  expect_same_values(function, result);
  expect_shown_pair(text, to_string(result));
}

void expect_refusal(llvm::StringRef before, const Rewriting& rewrite, llvm::StringRef message,
                    Location location) {
  const testing::ScopedTrace trace(location.file, location.line, "expect_refusal");
  const Function function = parse_function(before);
  const std::string text = to_string(function);
  try {
    const Function result = rewrite(function);
    ADD_FAILURE() << "accepted:\n" << to_string(result);
  } catch (const ScheduleError& error) {
    EXPECT_EQ(std::string(error.what()), message.str());
  }
  EXPECT_EQ(to_string(function), text) << "the refused function has changed";
}

}  // namespace hone
