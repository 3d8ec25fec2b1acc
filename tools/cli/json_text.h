// The output of commands as JSON; docs/json.md names the fields.
#pragma once

#include "ir/interpret/buffer.h"
#include "llvm/Support/JSON.h"
#include "tools/cli/output.h"

namespace hone {

void print_json(const llvm::json::Value& value, Output& out);

llvm::json::Object to_json(const Sizes& sizes);
llvm::json::Array to_json(const std::vector<std::string>& lines);

/// The value of a field, or another one where there is none. The type of `found` is LLVM's own
/// before LLVM 16, which has no value_or.
template <class Optional, class Value>
auto value_or(const Optional& found, const Value& otherwise) {
  return found ? *found : otherwise;
}

}  // namespace hone
