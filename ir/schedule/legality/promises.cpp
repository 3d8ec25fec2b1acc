#include "ir/schedule/legality/promises.h"

#include "ir/schedule/legality/combine.h"
#include "ir/schedule/legality/digits.h"
#include "ir/schedule/legality/shared.h"
#include "ir/schedule/legality/vectors.h"

namespace hone {

void check_promises(const Preconditions& check, const Function& before, const Function& result,
                    const StmtNode* culprit) {
  check_digits(check, result, culprit);
  check_vectors(check, before, result, culprit);
  check_combinations(check, result, culprit);
  check_tiles_of_threads(check, result, culprit);
  check_shared_total(check, result, culprit);
}

}  // namespace hone
