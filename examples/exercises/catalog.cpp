#include "examples/exercises/catalog.h"

#include "llvm/ADT/STLExtras.h"
#include "tools/cli/arguments.h"

namespace hone {
namespace {

std::vector<Exercise> collect() {
  std::vector<Exercise> exercises;
  for (const auto part : {exercises_of_lessons_1_to_3, exercises_of_lessons_4_to_6,
                          exercises_of_lessons_7_to_9, exercises_of_lessons_10_to_12,
                          exercises_of_lesson_13, exercises_of_lesson_14, exercises_of_lesson_15})
    llvm::append_range(exercises, part());
  return exercises;
}

}  // namespace

const std::vector<Exercise>& all_exercises() {
  static const std::vector<Exercise> exercises = collect();
  return exercises;
}

const Exercise& find_exercise(const std::string& number) {
  std::vector<std::string> known;
  for (const Exercise& exercise : all_exercises()) {
    if (exercise.number == number) return exercise;
    known.push_back(exercise.number);
  }
  const std::string last = known.back().substr(0, known.back().find('.'));
  if (int64_t lesson = 0; !llvm::StringRef(number).split('.').first.getAsInteger(10, lesson) &&
                          lesson > std::stoll(last))
    throw UsageError("there is no exercise '{}': lessons go to {}", number, last);
  throw unknown("exercise", number, known);
}

const ExerciseText& text_of(const Exercise& exercise) {
  const auto* const found = llvm::find_if(
      exercise_texts(), [&](const ExerciseText& text) { return text.number == exercise.number; });
  assert(found != exercise_texts().end() && "each exercise has a folder");
  return *found;
}

Judgement judge(const Exercise& exercise, const Answer& answer) {
  try {
    return exercise.judge(answer);
  } catch (const ScheduleError& error) {
    return {false, fmt::format("not yet: a step was refused\n{}\n", error.what())};
  } catch (const std::exception& error) {
    return {false, fmt::format("not yet: {}\n", error.what())};
  }
}

}  // namespace hone
