// rename(axis, name): the axis prints under another name, in IR text and in CUDA.
//
//   for i.0 in 0..N       =>     for row in 0..N
//     body(i.0)                    body(row)
//
// Preserves: everything.

#include "ir/traverse/rename.h"

#include "fmt/format.h"
#include "ir/schedule/arguments.h"
#include "ir/schedule/legality/preconditions.h"
#include "ir/schedule/rewrite/rebuild.h"
#include "ir/text/operators.h"
#include "ir/traverse/rewriter.h"

namespace hone {
namespace {

/// A name as a user gives it: derived axes alone have a '.'.
bool is_plain_identifier(llvm::StringRef name) {
  return is_identifier(name) && !name.contains('.');
}

/// A part of a declared axis stays one of it. A declared axis, or one of several, is another one by
/// its new name.
llvm::SmallVector<std::string, 1> roots_after_renaming(const AxisNode& axis, llvm::StringRef name) {
  if (axis.roots.size() == 1 && axis.roots.front() != axis.name) return axis.roots;
  return {name.str()};
}

/// "k_2 is free", for a note.
std::string free_name(const Function& function, llvm::StringRef wanted) {
  return Names(function).fresh(wanted) + " is free";
}

}  // namespace

Rewrite rename(const Function& function, const AxisPtr& axis, llvm::StringRef name) {
  // Preconditions
  const Preconditions check("rename", function);
  const Site site = check.find(axis);
  if (!is_plain_identifier(name))
    check.refuse(site.statement.get(), fmt::format("'{}' is not an identifier", name.str()),
                 "letters, digits and '_', not starting with a digit");
  if (is_reserved(name))
    check.refuse(site.statement.get(), fmt::format("'{}' is reserved", name.str()),
                 free_name(function, name));
  if (Names(function).contains(name))
    check.refuse(site.statement.get(), fmt::format("the name {} is taken", name.str()),
                 free_name(function, name));

  // Rewrite
  const For& loop = site.loop();
  const AxisPtr renamed = make_axis(name, axis->kind, roots_after_renaming(*axis, name));
  const Stmt body = substitute(loop.body, axis.get(), AxisRef::make(renamed));
  return {rebuild(function, &loop, For::make(renamed, loop.extent, loop.binding, body)),
          {renamed},
          nullptr};
}

const Primitive rename_primitive = {
    .name = "rename",
    .arguments = {argument::axis, argument::name},
    .made = {.axes = 1},
    .apply = [](const Function& f, const Step& s) { return rename(f, s.axes[0], s.name); },
};

}  // namespace hone
