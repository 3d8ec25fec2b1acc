// The vocabulary of the primitives' tests: IR text before, the call, IR text after.
#pragma once

#include <functional>

#include "ir/core/error.h"
#include "ir/schedule/primitives.h"

namespace hone {

using Rewriting = std::function<Function(const Function&)>;

/// The axis of that name, which has a loop in the function.
AxisPtr axis(const Function& function, llvm::StringRef name);
llvm::SmallVector<AxisPtr, 4> axes(const Function& function,
                                   std::initializer_list<llvm::StringRef> names);
/// The argument or the allocated tensor of that name.
TensorPtr tensor(const Function& function, llvm::StringRef name);

/// Expects of what `rewrite` makes of `before`
/// - that it prints as `after` does;
/// - that it is well formed, and parses to itself;
/// - that it computes the same values, for random small integers in all arguments and for many
///   sizes, also when bound loops run backwards. Sizes at which `before` itself fails do not count,
///   nor those that `after` does not take; a param that only `after` has is never 0;
/// - that the guide shows both texts, where it names the test.
void expect_rewrite(llvm::StringRef before, const Rewriting& rewrite, llvm::StringRef after,
                    Location location = Location::current());

/// Expects a ScheduleError with exactly this message, and `before` as it was.
void expect_refusal(llvm::StringRef before, const Rewriting& rewrite, llvm::StringRef message,
                    Location location = Location::current());

/// Expects two functions to compute the same values, as above.
void expect_same_values(const Function& before, const Function& after);

}  // namespace hone
