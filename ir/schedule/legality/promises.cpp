#include "ir/schedule/legality/promises.h"

#include "ir/schedule/legality/clusters/cluster.h"
#include "ir/schedule/legality/clusters/multicast.h"
#include "ir/schedule/legality/combine.h"
#include "ir/schedule/legality/digits.h"
#include "ir/schedule/legality/engine_copies.h"
#include "ir/schedule/legality/numbers.h"
#include "ir/schedule/legality/owner.h"
#include "ir/schedule/legality/residence.h"
#include "ir/schedule/legality/roles.h"
#include "ir/schedule/legality/shared.h"
#include "ir/schedule/legality/vectors.h"
#include "ir/verify/verifier.h"

namespace hone {
namespace {

/// All but vectors, which depend on the function before as well.
void check_kernels(const Preconditions& check, const Function& result, const StmtNode* culprit) {
  check_digits(check, result, culprit);
  check_combinations(check, result, culprit);
  check_tiles_of_threads(check, result, culprit);
  check_shared_total(check, result, culprit);
  check_register_owners(check, result, culprit);
  check_engine_copies(check, result, culprit);
  check_roles(check, result, culprit);
  check_residence(check, result, culprit);
  check_clusters(check, result, culprit);
  check_multicast(check, result, culprit);
}

}  // namespace

void check_promises(const Preconditions& check, const Function& before, const Function& result,
                    const StmtNode* culprit) {
  check_vectors(check, before, result, culprit);
  check_kernels(check, result, culprit);
  check_numbers(check, before, result, culprit);
}

void check_function(const Function& function) {
  if (const auto problem = verify(function)) throw ScheduleError("check", *problem);
  const Preconditions check("check", function);
  check_vectors(check, function.with_body(Seq::make({})), function, nullptr);
  check_kernels(check, function, nullptr);
}

}  // namespace hone
