// A file with an answer, on its way to a judgement: compiled with the C++ compiler of this machine,
// linked with Hone, and run apart from this process, for a limited time.
#pragma once

#include "examples/exercises/exercise.h"

namespace hone {

struct CheckedAnswer {
  Judgement judgement;
  std::string printed;  ///< by the answer, the first lines of it
};

struct AnswerLimits {
  int run_seconds = 20;
  int compile_seconds = 180;
};

/// Judges the file. Throws UsageError where it cannot be read, and RuntimeError where there is no
/// compiler, or this Hone's libraries are not where they were installed.
CheckedAnswer check_answer(const Exercise& exercise, const std::string& path,
                           const AnswerLimits& limits = {});

/// The first error of a compiler's log as a sentence about the answer, with its line and text.
/// `wanted` is the signature of the function that the exercise asks for.
std::string compile_error_text(const std::string& log, const std::string& path,
                               const std::string& wanted);

}  // namespace hone
