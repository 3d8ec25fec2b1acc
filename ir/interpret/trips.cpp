#include "ir/interpret/trips.h"

#include <limits>

#include "ir/interpret/interpreter.h"
#include "ir/traverse/visit.h"
#include "llvm/Support/MathExtras.h"

namespace hone {
namespace {

constexpr int64_t most = std::numeric_limits<int64_t>::max();

int64_t added(int64_t lhs, int64_t rhs) {
  int64_t sum = 0;
  return llvm::AddOverflow(lhs, rhs, sum) ? most : sum;
}

int64_t multiplied(int64_t lhs, int64_t rhs) {
  int64_t product = 0;
  return llvm::MulOverflow(lhs, rhs, product) ? most : product;
}

}  // namespace

int64_t count_iterations(const For& loop, const Sizes& sizes) {
  try {
    return std::max<int64_t>(evaluate(loop.extent, sizes), 0);
  } catch (const std::exception&) {
    return 0;
  }
}

int64_t count_trips(const Stmt& stmt, const Sizes& sizes,
                    llvm::function_ref<void(const For&, int64_t)> use) {
  int64_t inside = 0;
  for_each_operand(
      stmt, [](const Expr&) {},
      [&](const Stmt& nested) { inside = added(inside, count_trips(nested, sizes, use)); });
  const auto* loop = llvm::dyn_cast<For>(stmt);
  if (!loop) return inside;
  const int64_t trips = multiplied(count_iterations(*loop, sizes), added(inside, 1));
  use(*loop, trips);
  return trips;
}

}  // namespace hone
