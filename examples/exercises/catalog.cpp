#include "examples/exercises/catalog.h"

#include "examples/exercises/own.h"
#include "ir/core/error.h"
#include "llvm/ADT/STLExtras.h"
#include "tools/cli/arguments.h"

namespace hone {
namespace {

std::vector<Exercise> collect() {
  std::vector<Exercise> exercises;
  for (const auto part :
       {exercises_of_lessons_1_to_3, exercises_of_lessons_4_to_6, exercises_of_lessons_7_to_9,
        exercises_of_lessons_10_to_12, exercises_of_lesson_13, exercises_of_lesson_14,
        exercises_of_lesson_15, exercises_of_lesson_16})
    llvm::append_range(exercises, part());
  return exercises;
}

/// The exercises of this program, and their texts.
struct Catalog {
  std::vector<Exercise> exercises = collect();
  std::vector<ExerciseText> texts = exercise_texts().vec();
};

Catalog& catalog() {
  static Catalog catalog;
  return catalog;
}

/// "15", of "15.2".
std::string lesson_of(const std::string& number) { return number.substr(0, number.find('.')); }

}  // namespace

const std::vector<Exercise>& all_exercises() { return catalog().exercises; }

void use_exercises(std::vector<OwnExercise> exercises) {
  Catalog own = {{}, {}};
  for (OwnExercise& one : exercises) {
    const std::string& number = one.exercise.number;
    if (llvm::any_of(own.texts, [&](const ExerciseText& text) { return text.number == number; }))
      throw DefinitionError(fmt::format("two exercises have the number {}", number));
    own.texts.push_back({number, one.task, one.start, /*is_kernel=*/false, /*is_steps=*/true});
    own.exercises.push_back(std::move(one.exercise));
  }
  catalog() = std::move(own);
}

void use_lesson_exercises() { catalog() = {}; }

const Exercise& find_exercise(const std::string& number) {
  std::vector<std::string> known;
  for (const Exercise& exercise : all_exercises()) {
    if (exercise.number == number) return exercise;
    known.push_back(exercise.number);
  }
  const std::string last = known.empty() ? "" : lesson_of(known.back());
  int64_t lesson = 0, most = 0;
  if (!llvm::StringRef(lesson_of(number)).getAsInteger(10, lesson) &&
      !llvm::StringRef(last).getAsInteger(10, most) && lesson > most)
    throw UsageError("there is no exercise '{}': {} go to {}", number,
                     number == lesson_of(number) ? "they" : "lessons", last);
  throw unknown("exercise", number, known);
}

const ExerciseText& text_of(const Exercise& exercise) {
  const auto found = llvm::find_if(
      catalog().texts, [&](const ExerciseText& text) { return text.number == exercise.number; });
  assert(found != catalog().texts.end() && "each exercise has a text");
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
