// The exercises, by lesson.
#pragma once

#include "examples/exercises/exercise.h"

namespace hone {

std::vector<Exercise> exercises_of_lessons_1_to_3();
std::vector<Exercise> exercises_of_lessons_4_to_6();

}  // namespace hone
