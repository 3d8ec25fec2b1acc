// copy_async(A.shared): the copies that fill the tile go on while threads do something else.
//
//   copy A.shared[...] <- A[...]   =>   copy A.shared[...] <- A[...] @async
//
// Threads start them, by cp.async, and wait for them before the first use of the tile; in a
// pipeline that is iterations later. No registers hold the elements on their way.
//
// Preserves: everything.

#include "fmt/format.h"
#include "ir/analysis/site.h"
#include "ir/schedule/arguments.h"
#include "ir/schedule/legality/promises.h"
#include "ir/schedule/rewrite/rebuild.h"
#include "ir/traverse/rewriter.h"

namespace hone {

Rewrite copy_async(const Function& function, const TensorPtr& tile) {
  // Preconditions
  const Preconditions check("copy_async", function, tile);
  const Alloc* alloc = find_alloc(function.body, tile);
  if (!alloc)
    check.refuse(
        nullptr,
        fmt::format("{} is an argument, and an asynchronous copy fills a tile", tile->name),
        fmt::format("cache_shared({}, ...) makes one", tile->name));

  // Rewrite
  const StmtNode* known = nullptr;
  bool is_new = false;
  const Stmt body = transform_stmts(function.body, [&](const Stmt& stmt) -> Stmt {
    const auto* copy = llvm::dyn_cast<Copy>(stmt);
    if (!copy || copy->destination.tensor != tile) return {};
    known = copy;
    is_new |= !copy->is_async();
    return copy->with_engine(CopyEngine::async);
  });
  if (!known)
    check.refuse(alloc, fmt::format("no copy fills {}", tile->name),
                 "a tile that statements fill has none, and one of a single element moves by one");
  if (!is_new) check.refuse(known, fmt::format("{} is copied so already", tile->name));
  Function result = rebuild(function, body);

  // Postcondition
  check_promises(check, function, result, known);
  return {std::move(result), {}, nullptr};
}

const Primitive copy_async_primitive = {
    .name = "copy_async",
    .arguments = {argument::tensor},
    .apply = [](const Function& f, const Step& s) { return copy_async(f, s.tensor); },
};

}  // namespace hone
