// Exercises of a ladder of one's own, for a program that has the command `exercise`.
#pragma once

#include "examples/exercises/command.h"
#include "examples/exercises/judge.h"

namespace hone {

/// Steps on the program of a task: see docs/guide/steps.md.
struct OwnExercise {
  Exercise exercise;  ///< made by exercise(), with a number of its own
  std::string task;   ///< what to do, in sentences
  std::string start;  ///< steps to start from
};

/// Has exercise_commands() list, show and judge these, in place of those of Hone's lessons. Throws
/// DefinitionError where two have one number.
void use_exercises(std::vector<OwnExercise> exercises);
/// Has them take those of the lessons again.
void use_lesson_exercises();

}  // namespace hone
