// Guards that the padding of tiles makes superfluous.
#pragma once

#include "ir/core/stmt.h"

namespace hone {

/// `function` without guards that change no result:
/// - under a sum of products, iterations that read only the zeros with which tiles are padded;
/// - iterations that write only elements of a tile which the copy back to its tensor clips away.
///
///   copy A.shared[0 .. +8] <- A[k.0*8 .. +8]        copy A.shared[0 .. +8] <- A[k.0*8 .. +8]
///   reduce k.1 in 0..8                        =>    reduce k.1 in 0..8
///     if (k.0*8 + k.1 < K)                            C.reg[] += A.shared[k.1] * B.shared[k.1]
///       C.reg[] += A.shared[k.1] * B.shared[k.1]
///
/// A guard around work in registers goes where all but one of its statements can do without it,
/// which then has it alone.
///
/// A guard goes only where nothing behind it leaves the bounds of its tensor without it, and where
/// two iterations of a bound loop touch no element together without it.
Function drop_padding_guards(const Function& function);

/// True if the identity leaves an element as it is that nothing has been combined into. An operator
/// of a user promises that only for values that it has combined, and a NaN loses against the
/// identity of min and max.
bool keeps_any_value(const Store& update);

}  // namespace hone
