#include "tests/support/ir/kernels.h"

#include "ir/analysis/nests.h"
#include "ir/traverse/equal.h"

namespace hone {

bool have_same_nests(const Function& lhs, const Function& rhs) {
  const auto left = nests_of(lhs.body), right = nests_of(rhs.body);
  return std::equal(left.begin(), left.end(), right.begin(), right.end(),
                    [](const Stmt& one, const Stmt& other) { return equal(one, other); });
}

}  // namespace hone
