// What changes nothing.
#pragma once

#include "ir/stmt.h"

namespace hone {

/// What `update` leaves every element of the type as it is with; undefined for a plain store.
Expr identity_of(Update update, DType type);

}  // namespace hone
