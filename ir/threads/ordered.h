// The statements whose order in the machine code a schedule can keep: one instruction each.
#pragma once

#include "ir/core/stmt.h"

namespace hone {

/// C.reg[i] += x * y, of f32 or f64.
bool is_sum_of_products(const Store& store);

/// T.reg[i] = T.shared[j], of f32 or f64.
bool is_shared_load(const Store& store);
/// The same of several elements.
bool is_shared_load(const Copy& copy);

/// True if one of these stands in the body.
bool has_ordered_statements(const Stmt& body);

/// True if one of these stands in a loop that keeps their order.
bool keeps_order(const Stmt& body);

}  // namespace hone
