#include "dsl/name.h"

#include "fmt/format.h"
#include "ir/core/expr.h"
#include "ir/text/operators.h"

namespace hone {

void check_name(llvm::StringRef what, llvm::StringRef name) {
  if (!is_identifier(name) || name.contains('.'))
    throw DefinitionError(
        fmt::format("'{}' is no name for {}: letters, digits and '_', not starting "
                    "with a digit",
                    name.str(), what.str()));
}

void check_name_of_value(llvm::StringRef what, llvm::StringRef name) {
  check_name(what, name);
  if (is_reserved(name))
    throw DefinitionError(
        fmt::format("'{}' is no name for {}: it is a constant", name.str(), what.str()));
}

}  // namespace hone
