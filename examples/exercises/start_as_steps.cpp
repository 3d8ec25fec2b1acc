#include "examples/exercises/exercise.h"
#include "ir/text/parser.h"
#include "llvm/ADT/StringRef.h"

namespace hone {
namespace {

using llvm::StringRef;

/// Between the braces of `solve`.
StringRef body_of(StringRef start) {
  const size_t begin = start.find("{\n", start.find("solve("));
  return start.slice(begin + 2, start.rfind('}'));
}

/// Lines that C++ needs, or that print.
bool is_step(StringRef line) {
  return !line.startswith("static_cast<void>(") && !line.startswith("fmt::print(") && line != "//";
}

/// A comment says nothing of printing, which steps cannot do.
StringRef without_advice(StringRef line) {
  return line.take_front(line.find("`fmt::print(")).rtrim();
}

}  // namespace

std::string steps_in(StringRef answer) {
  std::string steps;
  llvm::SmallVector<StringRef, 32> lines;
  body_of(answer).split(lines, '\n');
  for (StringRef line : lines) {
    line.consume_front("  ");
    line = without_advice(line);
    if (is_step(line)) steps += line.str() + "\n";
  }
  return StringRef(steps).rtrim().str() + "\n";
}

namespace {

bool is_readable(const Exercise& exercise, const std::string& steps) {
  try {
    Schedule s(exercise.program());
    s.replay(steps, "start");
  } catch (const ParseError&) {
    return false;
  } catch (const ScheduleError&) {  // a start may be wrong on purpose
  }
  return true;
}

}  // namespace

std::string start_as_steps(const Exercise& exercise) {
  const ExerciseText& text = text_of(exercise);
  if (text.is_steps) return text.start;
  if (!exercise.program || text.is_kernel) return "";
  const std::string steps = steps_in(text.start);
  return is_readable(exercise, steps) ? steps : "";
}

}  // namespace hone
