// The names of loops: no loop has a numbered name.
#include "ir/traverse/visit.h"
#include "tests/support/examples/rungs.h"

namespace hone {
namespace names_of_loops_test {

/// A split, a tile or a copy whose parts get no names numbers them: "i.1", "A.shared.0".
bool is_numbered(llvm::StringRef name) {
  llvm::SmallVector<llvm::StringRef, 4> parts;
  name.split(parts, '.');
  return llvm::any_of(llvm::drop_begin(parts), [](llvm::StringRef part) {
    return part.find_first_not_of("0123456789") == llvm::StringRef::npos;
  });
}

std::string numbered_loops(const Function& function) {
  std::string names;
  walk(function.body, [&](const Stmt& stmt) {
    const auto* loop = llvm::dyn_cast<For>(stmt);
    if (loop && is_numbered(loop->axis->name)) names += loop->axis->name + " ";
  });
  return names;
}

TEST(NamesOfLoops, AreNumbersWhereNobodyGivesThem) {
  for (const char* const name : {"i.0", "i.1.1", "H.0.init", "A.shared.0"})
    EXPECT_TRUE(is_numbered(name)) << name;
  for (const char* const name : {"i", "block_row", "k_2", "C.reg.write_back_2", "k.scale"})
    EXPECT_FALSE(is_numbered(name)) << name;
}

class NamesOfLoops : public testing::TestWithParam<RungCase> {};

INSTANTIATE_TEST_SUITE_P(Ladders, NamesOfLoops, testing::ValuesIn(all_rungs()), test_name);

TEST_P(NamesOfLoops, AreGivenByTheSchedule) {
  const auto& [ladder, rung] = GetParam();
  if (is_given_as_text(rung)) GTEST_SKIP() << "no schedule";
  EXPECT_EQ(numbered_loops(rung.build({}, ladder.sizes).function()), "");
}

}  // namespace names_of_loops_test
}  // namespace hone
