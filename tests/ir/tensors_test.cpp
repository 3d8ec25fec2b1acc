// The tensors that statements name.
#include "ir/traverse/tensors.h"

#include <gmock/gmock.h>

#include "ir/opcodes/opcodes.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"
#include "ir/traverse/visit.h"

namespace hone {
namespace tensors_test {

using testing::ElementsAre;

TensorPtr tensor(const std::string& name, Scope scope, DType type = DType::f32) {
  return make_tensor(name, type, {}, scope);
}

/// "writes C, reads A", statement by statement.
std::vector<std::string> tensors_in(const Stmt& body) {
  constexpr const char* uses[] = {"allocates ", "reads ", "writes "};
  std::vector<std::string> lines;
  walk(body, [&](const Stmt& stmt) {
    std::string line;
    for_each_tensor(stmt, [&](const TensorPtr& named, TensorUse use) {
      line += (line.empty() ? "" : ", ") + (uses[static_cast<int>(use)] + named->name);
    });
    if (!line.empty()) lines.push_back(line);
  });
  return lines;
}

TEST(Tensors, AreNamedByStatementsThemselves) {
  const Function f = parse_function(R"(func f[n](A: i32[n], B: f32[n], C: f32[n]) {
    for i in 0..n {
      alloc r: f32[4] @registers
      copy r[0 .. +4] <- B[i .. +4]
      if (A[i] < 3i32) {
        let j = index(A[i])
        C[j] += r[0] * B[index(A[j])] } } })");
  EXPECT_THAT(tensors_in(f.body), ElementsAre("allocates r", "writes r, reads B", "reads A",
                                              "reads A", "writes C, reads r, reads A, reads B"));
}

Stmt arrive(const TensorPtr& flag, const TensorPtr& counter, const TensorPtr& published) {
  return Instr::make(op::arrive, {{flag}, {counter}, {published}}, Expr(4));
}

TEST(Tensors, OfAnArriveAreThree) {
  const TensorPtr flag = tensor("flag", Scope::shared, DType::boolean);
  const TensorPtr counter = tensor("counter", Scope::global, DType::i32);
  const TensorPtr parts = tensor("parts", Scope::global);
  const Stmt stmt = arrive(flag, counter, parts);
  EXPECT_THAT(tensors_in(stmt), ElementsAre("writes flag, writes counter, reads parts"));
  for (const TensorPtr& one : {flag, counter, parts}) EXPECT_TRUE(names_tensor(stmt, one.get()));
  EXPECT_FALSE(names_tensor(stmt, tensor("flag", Scope::shared, DType::boolean).get()));
}

TEST(Tensors, AreReplacedWhereverTheyStand) {
  const TensorPtr flag = tensor("flag", Scope::shared, DType::boolean);
  const TensorPtr counter = tensor("counter", Scope::global, DType::i32);
  const TensorPtr parts = tensor("parts", Scope::global);
  const TensorPtr other = tensor("other", Scope::global);
  const Stmt body = Seq::make(
      {arrive(flag, counter, parts),
       Store::make(parts, {}, Update::set, Load::make(parts, {}) + Load::make(other, {}))});
  const Stmt replaced = replace_tensors(
      body, [&](const TensorPtr& named) { return named == parts ? other : nullptr; });
  EXPECT_EQ(to_string(replaced),
            "arrive flag[] at counter[] of 4 after other\n"
            "other[] = other[] + other[]");
  EXPECT_TRUE(replace_tensors(body, [](const TensorPtr&) { return nullptr; }).same_as(body));
}

}  // namespace tensors_test
}  // namespace hone
