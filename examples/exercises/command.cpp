#include "examples/exercises/command.h"

#include <algorithm>

#include "examples/exercises/checker.h"
#include "tools/cli/command/commands.h"
#include "tools/cli/json_text.h"

namespace hone {
namespace {

constexpr Option options[] = {
    {"--start", "", "print the text to start from"},
    {"--start-steps", "", "print the start as steps, for an answer without a compiler"},
    {"--limit", "SECONDS", "how long the answer may run; default 20"},
    {"--json", "", "an array of exercises, a task, or a judgement; docs/json.md"},
    {"--help", "", "show this text"}};

int list_exercises(const Arguments& arguments, Output& out) {
  llvm::json::Array rows;
  for (const Exercise& exercise : all_exercises()) {
    rows.push_back(llvm::json::Object{{"number", exercise.number}, {"title", exercise.title}});
    if (!arguments.has("--json"))
      out.print(fmt::format("{:<5} {}\n", exercise.number, exercise.title));
  }
  if (arguments.has("--json")) print_json(std::move(rows), out);
  return exit_success;
}

/// "5_1.cpp"
std::string file_name(const ExerciseText& text) {
  std::string name = text.number;
  std::replace(name.begin(), name.end(), '.', '_');
  return name + (text.is_kernel ? ".kernel" : text.is_steps ? ".txt" : ".cpp");
}

/// The form of an answer that the start does not have; empty where there is one form.
std::string other_way(const Exercise& exercise, const Session& session) {
  if (text_of(exercise).is_steps)
    return "Or in C++: a file that includes <hone/exercises/answer.h> and defines `void "
           "solve(hone::Schedule& s)`\n";
  if (start_as_steps(exercise).empty()) return "";
  return fmt::format(
      "Or without a compiler, by steps alone: `{0} exercise {1} --start-steps > steps.txt`, and "
      "`{0} exercise {1} steps.txt`\n",
      session.tool, exercise.number);
}

int show_task(const Exercise& exercise, const Arguments& arguments, const Session& session) {
  const ExerciseText& text = text_of(exercise);
  if (arguments.has("--json")) {
    print_json(llvm::json::Object{{"number", exercise.number},
                                  {"title", exercise.title},
                                  {"task", text.task},
                                  {"start", text.start},
                                  {"steps", start_as_steps(exercise)}},
               session.out);
    return exit_success;
  }
  if (arguments.has("--start")) {
    session.out.print(text.start);
    return exit_success;
  }
  if (arguments.has("--start-steps")) {
    const std::string steps = start_as_steps(exercise);
    if (steps.empty()) throw UsageError("{} takes no steps alone; see --start", exercise.number);
    session.out.print(steps);
    return exit_success;
  }
  session.out.print(fmt::format(
      "Exercise {}: {}\n\n{}\nTo start from, `{} exercise {} --start > {}`:\n\n{}\n"
      "To have it judged: `{} exercise {} {}`\n{}",
      exercise.number, exercise.title, text.task, session.tool, exercise.number, file_name(text),
      text.start, session.tool, exercise.number, file_name(text), other_way(exercise, session)));
  return exit_success;
}

AnswerLimits chosen_limits(const Arguments& arguments) {
  AnswerLimits limits;
  const auto asked = arguments.value("--limit");
  if (!asked) return limits;
  if (llvm::StringRef(*asked).getAsInteger(10, limits.run_seconds) || limits.run_seconds < 1 ||
      limits.run_seconds > 3600)
    throw UsageError("--limit takes 1 to 3600 seconds, got '{}'", *asked);
  return limits;
}

int judge_file(const Exercise& exercise, const std::string& path, const Arguments& arguments,
               Output& out) {
  const CheckedAnswer checked = check_answer(exercise, path, chosen_limits(arguments));
  const Judgement& judgement = checked.judgement;
  if (arguments.has("--json")) {
    print_json(llvm::json::Object{{"number", exercise.number},
                                  {"has_passed", judgement.has_passed},
                                  {"text", judgement.text},
                                  {"printed", llvm::json::fixUTF8(checked.printed)}},
               out);
  } else {
    out.print(checked.printed);
    out.print(fmt::format("{} {}", exercise.number, judgement.text));
  }
  return judgement.has_passed ? exit_success : exit_failure;
}

int run_exercise(const Arguments& arguments, const Session& session) {
  const std::vector<std::string>& words = arguments.positional();
  if (words.empty()) return list_exercises(arguments, session.out);
  const Exercise& exercise = find_exercise(words[0]);
  if (words.size() == 1) return show_task(exercise, arguments, session);
  return judge_file(exercise, words[1], arguments, session.out);
}

constexpr Command commands[] = {
    {"exercise", "[NUMBER [FILE]]", 0, 2, "exercises of the lessons, and a judge of answers",
     "Without a number a list; with one the task and the text to start from. A file with an "
     "answer\n"
     "is compiled with the C++ compiler of this machine and run for a limited time; or it is the\n"
     "text of steps, as `try` takes it; or a kernel, as the task says. It passes where its results "
     "are right at odd sizes, `check` finds\n"
     "nothing, and the goals of the task are reached. Exits with 0 if it passes.",
     run_exercise, options}};

}  // namespace

llvm::ArrayRef<Command> exercise_commands() { return commands; }

}  // namespace hone
