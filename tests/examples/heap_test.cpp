// Texts do not depend on where things lie in memory, nor on the order in which users make them.
#include <gtest/gtest.h>

#include "codegen/emit/emit.h"
#include "codegen/lower.h"
#include "dsl/schedule.h"
#include "ir/text/printer.h"
#include "tests/support/examples/rungs.h"
#include "tests/support/ir/garbage.h"

namespace hone {
namespace heap_test {

/// The loops, the steps, the kernels, and their CUDA.
std::string text_of(const Schedule& schedule) {
  std::string text = to_string(schedule.function());
  for (const TraceEntry& entry : schedule.trace()) text += entry.text + "\n";
  for (const KernelFunction& kernel : lower(schedule).kernels)
    text += to_string(kernel) + emit_cuda(kernel);
  return text;
}

TEST(Heap, HasNoPartInTheTextOfAnyRung) {
  for (const RungCase& one : gpu_rungs()) {
    const std::string text = text_of(one.rung.build({}, one.ladder.sizes));
    const Garbage garbage(static_cast<unsigned>(text.size()));
    EXPECT_EQ(text_of(one.rung.build({}, one.ladder.sizes)), text) << one.name();
  }
}

/// A product in tiles, of things that are made in this order.
std::string product_text(llvm::ArrayRef<int> order) {
  const Param M("M"), N("N"), K("K");
  std::optional<Tensor> A, B, C;
  std::optional<Axis> i, j;
  std::optional<ReduceAxis> k;
  for (const int n : order) switch (n) {
      case 0:
        A.emplace("A", f32, std::initializer_list<Expr>{M, K});
        break;
      case 1:
        B.emplace("B", f32, std::initializer_list<Expr>{K, N});
        break;
      case 2:
        C.emplace("C", f32, std::initializer_list<Expr>{M, N});
        break;
      case 3:
        i.emplace("i", M);
        break;
      case 4:
        j.emplace("j", N);
        break;
      case 5:
        k.emplace("k", K);
        break;
    }
  Schedule s(Program("product", (*C)(*i, *j) = sum(*k, (*A)(*i, *k) * (*B)(*k, *j))));
  auto [i_0, j_0, i_1, j_1] = s.tile({*i, *j}, {16, 16});
  auto [k_0, k_1] = s.split(*k, 8);
  s.bind(i_0, block.y);
  s.bind(j_0, block.x);
  s.bind(i_1, thread.y);
  s.bind(j_1, thread.x);
  s.cache_registers(*C, j_1);
  s.cache_shared(*A, k_0);
  s.cache_shared(*B, k_0);
  return text_of(s);
}

TEST(Heap, HasNoPartInWhatIsMadeInAnotherOrder) {
  llvm::SmallVector<int, 6> order = {0, 1, 2, 3, 4, 5};
  const std::string text = product_text(order);
  while (std::next_permutation(order.begin(), order.end())) {
    if (order[0] + order[5] != 5) continue;  // enough of them
    EXPECT_EQ(product_text(order), text);
  }
}

}  // namespace heap_test
}  // namespace hone
