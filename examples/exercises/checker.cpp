#include "examples/exercises/checker.h"

#include "examples/exercises/build_flags.h"
#include "examples/exercises/judgement_file.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "runtime/files.h"
#include "runtime/process.h"
#include "tools/cli/arguments.h"
#include "tools/cli/command/steps.h"
#include "tools/cli/user_text.h"

namespace hone {
namespace {

constexpr size_t most_lines_shown = 40;

bool is_cpp(llvm::StringRef text) { return text.contains("#include") || text.contains("solve("); }

/// Refuses an answer in the other language.
void check_language(const Exercise& exercise, const std::string& path, llvm::StringRef text) {
  const bool is_kernel = text_of(exercise).is_kernel;
  if (is_kernel && is_cpp(text))
    throw UsageError("{} is C++, and {} takes kernel IR; `--start` prints some", path,
                     exercise.number);
  if (!is_kernel && text.ltrim().take_front(7) == "kernel ")
    throw UsageError("{} is kernel IR, and {} takes C++; `--start` prints some", path,
                     exercise.number);
}

std::string first_lines(llvm::StringRef text) {
  size_t end = 0;
  for (size_t line = 0; line < most_lines_shown && end < text.size(); ++line)
    end = std::min(text.find('\n', end), text.size() - 1) + 1;
  if (end >= text.size()) return text.str();
  return text.take_front(end).str() + "...\n";
}

/// "void solve(Schedule& s)", as the starting text has it.
std::string wanted_signature(const Exercise& exercise) {
  if (text_of(exercise).is_steps) return "void solve(Schedule& s)";
  const llvm::StringRef start = text_of(exercise).start;
  const size_t name = start.find(" solve(");
  const size_t begin = start.rfind('\n', name) + 1;
  return start.slice(begin, start.find(" {", name)).str();
}

std::string quoted(const std::string& path) {
  std::string text;
  for (const char c : path) {
    if (c == '"' || c == '\\') text += '\\';
    text += c;
  }
  return text;
}

std::string absolute(const std::string& path) {
  llvm::SmallString<256> result(path);
  llvm::sys::fs::make_absolute(result);
  return result.str().str();
}

/// The program: the answer, and a main function that hands it to the judge.
std::string program_of(const std::string& path) {
  return fmt::format(
      "#include <hone/exercises/answer.h>\n#include \"{}\"\n"
      "int main(int argc, char** argv) {{ return hone::judge_main(argc, argv, &solve); }}\n",
      quoted(absolute(path)));
}

std::optional<Judgement> compile_problem(const Exercise& exercise, const std::string& path,
                                         const std::string& folder, const AnswerLimits& limits) {
  write_new_file(folder + "/main.cpp", program_of(path));
  std::vector<std::string> command = compile_command(folder + "/main.cpp", folder + "/answer");
  command.push_back(fmt::format("-fmacro-prefix-map={}={}", absolute(path), path));
  const ProcessOutcome outcome = run_program(command, folder + "/log.txt", limits.compile_seconds);
  if (outcome.success) return std::nullopt;
  if (outcome.timed_out)
    return Judgement{false, fmt::format("not yet: the compiler was stopped after {} seconds\n",
                                        limits.compile_seconds)};
  return Judgement{false, "not yet: it does not compile\n" +
                              compile_error_text(outcome.output, path, wanted_signature(exercise))};
}

/// The judgement on an answer that was stopped, or that ended before it was judged.
Judgement early_end(const ProcessOutcome& outcome, const AnswerLimits& limits) {
  if (outcome.timed_out)
    return {false, fmt::format("not yet: it was stopped after {} seconds; does a loop of `solve` "
                               "go on for ever?\n",
                               limits.run_seconds)};
  if (outcome.output.size() >= most_printed_bytes)
    return {false, "not yet: it was stopped because it prints more than a mebibyte\n"};
  if (outcome.success || outcome.signal.empty())
    return {false, "not yet: it ended the program before it was judged; `solve` has to return\n"};
  return {false, fmt::format("not yet: it crashed: {}\n", outcome.signal)};
}

/// `subject`: what judge_main() takes.
CheckedAnswer run_answer(const std::string& subject, const std::string& folder,
                         const AnswerLimits& limits) {
  const std::string result = folder + "/judgement.json";
  const ProcessOutcome outcome = run_program({folder + "/answer", subject, result},
                                             folder + "/printed.txt", limits.run_seconds);
  const auto judgement = read_judgement(result);
  return {outcome.success && judgement ? *judgement : early_end(outcome, limits),
          first_lines(read_small_file(folder + "/printed.txt", most_printed_bytes).value_or(""))};
}

Judgement judge_steps(const Exercise& exercise, const std::string& steps, const char* path) {
  return judge(exercise, [&](Schedule& s) { s.replay(steps, path); });
}

/// The text of the program that an answer to an exercise of a user's own schedules.
std::string program_for(const Exercise& exercise, const std::string& path) {
  std::string text = exercise.program ? readable_program_text(exercise.program().function()) : "";
  if (text.empty())
    throw UsageError(
        "{} is C++, and {} takes steps, as no text says its program; `--start` prints "
        "some",
        path, exercise.number);
  return text;
}

/// Judges C++. The program that is made of it knows the exercises of the lessons; of one of a
/// user's own it takes the steps alone.
CheckedAnswer judge_cpp(const Exercise& exercise, const std::string& path,
                        const AnswerLimits& limits) {
  const bool is_own = text_of(exercise).is_steps;
  const std::string subject = is_own ? program_for(exercise, path) : exercise.number;
  const ScopedFolder folder(make_private_folder(temporary_root(), "hone-exercise-"));
  if (const auto problem = compile_problem(exercise, path, folder.path(), limits))
    return {*problem, ""};
  CheckedAnswer checked = run_answer(subject, folder.path(), limits);
  if (is_own && checked.judgement.has_passed)
    checked.judgement = judge_steps(exercise, checked.judgement.text, path.c_str());
  return checked;
}

}  // namespace

CheckedAnswer check_answer(const Exercise& exercise, const std::string& path,
                           const AnswerLimits& limits) {
  const std::string text = read_user_file(path).text;
  check_language(exercise, path, text);
  if (text_of(exercise).is_kernel) return {judge(exercise, KernelText{text}), ""};
  if (!is_cpp(text)) return {judge_steps(exercise, text, path.c_str()), ""};
  return judge_cpp(exercise, path, limits);
}

}  // namespace hone
