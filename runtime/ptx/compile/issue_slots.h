// The ops that stand for an instruction of the machine, as a count of instructions has them.
#pragma once

#include "runtime/ptx/machine/program.h"

namespace hone::ptx {

/// Sets Op::is_counted. An instruction of PTX counts once. Those that only name or place a value
/// count as none, as do loops that wait for an mbarrier, whose number of trips says nothing.
void count_issue_slots(Code& code);

}  // namespace hone::ptx
