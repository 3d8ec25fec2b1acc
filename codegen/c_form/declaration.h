// Declarations that give their tensor a value: float c = 0.0f;
#pragma once

#include "ir/core/stmt.h"

namespace hone {

/// The condition and the body of an `if` that may have others right inside it, as one.
struct JoinedIf {
  Expr condition;
  Stmt body;
};
JoinedIf joined(const If& branch);

/// The C declaration of an allocated tensor, with the statements behind the alloc that it covers.
struct Declaration {
  /// The store to a scalar, or the loops of it to all of an array; null for a declaration without a
  /// value.
  Stmt first;
  Expr value;  ///< of a scalar; an array is all 0
  /// Behind that, a load of a vector to all of the registers, under a condition: they become the
  /// vector or zeros in one statement, for which loads of other vectors need not wait. Null
  /// otherwise.
  Stmt load;
  Stmt rest;  ///< the statements behind those; null for none
};

/// A tensor in registers that is set first is declared with its value.
///
///   alloc r: f32[4] @registers
///   for v in 0..4 { r[v] = 0.0 }                                =>   float r[4];
///   if (t < n) { copy r[0 .. +4] <- A[t*4 .. +4] @vector(4) }        r = t < n ? A[t*4...] : 0;
Declaration declaration_of(const Alloc& alloc);

}  // namespace hone
