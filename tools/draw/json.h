// Figures as JSON; docs/json.md names the fields.
#pragma once

#include "llvm/Support/JSON.h"
#include "tools/draw/figure.h"

namespace hone {

llvm::json::Object to_json(const Figure& figure);

}  // namespace hone
