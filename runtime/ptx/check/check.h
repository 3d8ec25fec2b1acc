// Check mode: races, values that nobody wrote, and what the machine itself reports.
#pragma once

#include "runtime/ptx/machine/block.h"

namespace hone::ptx {

/// Findings by kind and place.
std::unique_ptr<LaunchObserver> make_checker(const Run& run);

}  // namespace hone::ptx
