// Exercises: a task, a text to start from, and a judge of answers.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "examples/exercises/answer.h"
#include "llvm/ADT/ArrayRef.h"

namespace hone {

struct Judgement {
  bool has_passed = false;
  std::string text;  ///< lines: what is reached, or the first thing that is not, and a hint
};

struct Exercise {
  std::string number;  ///< "5.1": of the lesson, and in it
  std::string title;   ///< a line
  /// Throws what the answer throws.
  std::function<Judgement(const Answer&)> judge;
  /// The one that the answers' steps schedule; empty where the task asks for another kind.
  std::function<Program()> program = {};
};

/// The texts of an exercise, which are the files of examples/exercises/N_M.
struct ExerciseText {
  std::string number;
  std::string task;   ///< task.md
  std::string start;  ///< start.cpp, or start.kernel
  bool is_kernel = false;
  bool is_steps = false;  ///< the start is the text of steps
};

/// In the order of the lessons.
const std::vector<Exercise>& all_exercises();
llvm::ArrayRef<ExerciseText> exercise_texts();

/// Throws UsageError where there is none of that number.
const Exercise& find_exercise(const std::string& number);
const ExerciseText& text_of(const Exercise& exercise);

/// The steps of `void solve(Schedule& s)` in a C++ answer, as text.
std::string steps_in(llvm::StringRef answer);

/// The start as the text of steps, see docs/guide/steps.md: an answer that no compiler has to read.
/// Empty where the answer is something else, or the start has steps that only C++ can say.
std::string start_as_steps(const Exercise& exercise);

/// The judgement, also where the answer throws: a refused step is what there is to say then.
Judgement judge(const Exercise& exercise, const Answer& answer);

}  // namespace hone
