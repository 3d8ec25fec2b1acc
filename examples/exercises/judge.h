// Judging an answer: right results at odd sizes, no findings of check, and then the goals.
#pragma once

#include "examples/exercises/exercise.h"
#include "examples/exercises/goals.h"

namespace hone {

struct Task {
  Program program;
  std::vector<Sizes> sizes;  ///< results are compared, and check runs, at all of these
  Sizes counted;             ///< the goals are about these
  std::vector<Goal> goals;
};

/// A part of a judgement: nothing, or the sentence that fails the answer.
using Complaint = std::optional<std::string>;

/// Judges steps on the task's own program.
Exercise exercise(const char* number, const char* title, std::function<Task()> task);
/// Judges a program of one's own with the arguments and results of the task's.
Exercise program_exercise(const char* number, const char* title, std::function<Task()> task);
/// Judges a kernel that nobody scheduled, with the name and the arguments of the task's program. No
/// barrier may stand in it that nothing needs.
Exercise kernel_exercise(const char* number, const char* title, std::function<Task()> task);

/// The same of a schedule, for judges that see several.
Complaint complaint_about(const Task& task, const Schedule& schedule);
/// "passed", and the goals.
Judgement passed(llvm::ArrayRef<std::string> goals);
Judgement failed(std::string sentence);

}  // namespace hone
