// The dependences that are reported for a program, against the reads and writes of a run.
#include "ir/schedule/legality/dependences.h"

#include <gmock/gmock.h>

#include "ir/interpret/interpreter.h"
#include "tests/support/examples/rungs.h"
#include "tests/support/ir/traced_run.h"
#include "tests/support/runtime/interpreted.h"
#include "tools/cli/judge/selection.h"

namespace hone {
namespace dependences_test {

class RungDependences : public testing::TestWithParam<RungCase> {};

/// Sizes that all differ, and one where all are 2.
std::vector<Sizes> small_sizes(const Ladder& ladder, const Function& function) {
  std::vector<Sizes> all(2, ladder.sizes);
  int64_t size = 2;
  for (auto& [name, value] : all[0]) value = size++;
  for (auto& [name, value] : all[1]) value = 2;
  for (Sizes& sizes : all)
    for (const ParamPtr& param : function.params) sizes.emplace(param->name, 8);  // a pitch
  return all;
}

TEST_P(RungDependences, OfItsProgramAreThoseOfARun) {
  const auto& [ladder, rung] = GetParam();
  const Function function = program_of({&ladder, &rung}, {}).function();
  for (const Sizes& sizes : small_sizes(ladder, function))
    EXPECT_EQ(disagreements(function, sizes, small_integers(function, sizes)), "");
}

INSTANTIATE_TEST_SUITE_P(Ladders, RungDependences, testing::ValuesIn(all_rungs()), test_name);

}  // namespace dependences_test
}  // namespace hone
