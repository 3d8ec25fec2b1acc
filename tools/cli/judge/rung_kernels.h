// The kernels of a rung: those that its schedule leads to, or those that a text spells.
#pragma once

#include "codegen/kernel.h"
#include "runtime/compile.h"
#include "tools/cli/judge/selection.h"
#include "tools/cli/user_text.h"

namespace hone {

struct RungKernels {
  /// Nothing where the kernels come from a text.
  std::optional<Schedule> schedule;
  /// The function that was scheduled; of a text, the program that its kernels are to compute.
  Function program;
  Module module;

  const Schedule* schedule_or_null() const { return schedule ? &*schedule : nullptr; }
  Kernel compile_for(const Device& device) const;
};

/// The kernels of a rung at these sizes, constants where `fixed` has them. With `edited`, those of
/// that text, which take the place of the rung's: kernels of the same arguments, in any number.
/// Throws RuntimeError, with the line and a caret where the text cannot be read, for a tensor or a
/// size that the rung's kernels do not have, or have in another shape.
RungKernels kernels_of(const RungRef& rung, const Sizes& fixed, const Sizes& expected,
                       const UserText* edited = nullptr);

/// The kernels of a text as a program of its own: all that they take are arguments, but for
/// counters.
Module module_of(const UserText& text);

/// "matmul/bind", "matmul/bind with my.kernel"
std::string name_with(const RungRef& rung, const UserText* edited);

/// The text of "--kernel", which is kernel IR; nothing where that is not given.
std::optional<UserText> edited_kernels(const Arguments& arguments);

}  // namespace hone
