// Verdicts that outlive a process: what has been judged right is not judged again.
#pragma once

#include <string>

#include "llvm/ADT/STLFunctionalExtras.h"

namespace hone {

/// Calls `judge`, unless it has found nothing wrong before with the same `text`, which says all
/// that it depends on but for its own code. HONE_JUDGE names that code, as ctest does: a digest of
/// all sources but those of the passes, which have made the kernels in the text. Without it,
/// nothing is remembered.
void judge_once(const std::string& text, llvm::function_ref<void()> judge);

}  // namespace hone
