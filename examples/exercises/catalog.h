// The exercises, by lesson.
#pragma once

#include "examples/exercises/exercise.h"

namespace hone {

std::vector<Exercise> exercises_of_lessons_1_to_3();
std::vector<Exercise> exercises_of_lessons_4_to_6();
std::vector<Exercise> exercises_of_lessons_7_to_9();
std::vector<Exercise> exercises_of_lessons_10_to_12();
std::vector<Exercise> exercises_of_lesson_13();
std::vector<Exercise> exercises_of_lesson_14();
std::vector<Exercise> exercises_of_lesson_15();
std::vector<Exercise> exercises_of_lesson_16();

}  // namespace hone
