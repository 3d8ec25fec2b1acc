#include "ir/schedule/rewrite/rebuild.h"

#include "ir/algebra/simplify.h"
#include "ir/schedule/rewrite/guards.h"
#include "ir/text/printer.h"
#include "ir/traverse/function_size.h"
#include "ir/traverse/rewriter.h"
#include "ir/traverse/scopes.h"
#include "ir/verify/verifier.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/ErrorHandling.h"

namespace hone {

namespace {

Function verified(Function result) {
  if (const auto problem = size_problem(result)) throw DefinitionError(*problem);
#ifndef NDEBUG
  if (const auto problem = verify(result))
    llvm::report_fatal_error("a primitive built malformed IR: " + llvm::Twine(*problem) + "\n" +
                             to_string(result));
#endif
  return result;
}

}  // namespace

Function rebuild(const Function& function, const Stmt& body) {
  const Facts facts = facts_of(function.assumptions);
  const Stmt simplified = drop_implied_guards(simplify(body, facts, function.body), facts);
  return verified(function.with_body(with_tight_scopes(simplified)));
}

Function rebind(const Function& function, const For& loop, const Binding& binding) {
  const Stmt bound = For::make(loop.axis, loop.extent, binding, loop.body);
  return verified(function.with_body(replace(function.body, &loop, bound)));
}

Function rebuild(const Function& function, const StmtNode* from, const Stmt& to) {
  return rebuild(function, replace(function.body, from, to));
}

}  // namespace hone
