// The outcome of `hone tune`, as text and as JSON.
#pragma once

#include "tools/cli/tune/tuning.h"

namespace hone {

/// "rows=64 columns=128", "its own schedule"
std::string name_of(const TuneCandidate& candidate);

/// Lines of comments: what was ranked and measured, and the best schedules.
std::string summary(const Tuning& tuning, const std::string& rung);

llvm::json::Value to_json(const Tuning& tuning, const std::string& rung);

}  // namespace hone
