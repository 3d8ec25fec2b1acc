// Advice in refusals of launches: it speaks to those who compile the program, or to those who have
// files of it.
#pragma once

#include "codegen/contract/launch_contract.h"

namespace hone {

/// For an index that does not fit its bits.
inline constexpr const char* advice_on_bits =
    "compile with {.index_bits = 64}, or export with --index-bits=64";

/// The contract of files that are given away: their callers have no schedule to compile again.
LaunchContract contract_for_callers(LaunchContract contract);

}  // namespace hone
