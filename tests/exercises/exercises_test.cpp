// Every exercise has a solution that passes, a starting text that does not, and wrong answers that
// are told apart: the sentence of each stands in its file, in comments with a bar.
#include <cstdlib>
#include <map>
#include <set>

#include "examples/exercises/exercise.h"
#include "gmock/gmock.h"
#include "ir/text/parser.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "runtime/files.h"
#include "tests/exercises/answers.h"

namespace hone {
namespace exercises_test {

using llvm::StringRef;

/// The text, which lines with a bar head.
struct MarkedText {
  std::string marked, rest;
};

MarkedText marked_text(const std::string& path) {
  const std::string text = read_small_file(path, 1 << 20).value_or("");
  EXPECT_NE(text, "") << path;
  MarkedText result;
  llvm::SmallVector<StringRef> lines;
  StringRef(text).split(lines, '\n');
  if (!lines.empty() && lines.back().empty()) lines.pop_back();
  for (StringRef line : lines)
    if (line.consume_front("//|"))
      result.marked += (line.consume_front(" "), line.str()) + "\n";
    else
      result.rest += line.str() + "\n";
  return result;
}

std::string comments(StringRef text) {
  llvm::SmallVector<StringRef> lines;
  text.rtrim('\n').split(lines, '\n');
  std::string result;
  for (const StringRef line : lines) result += line.empty() ? "//|\n" : "//| " + line.str() + "\n";
  return result;
}

/// Kernels are read when the test runs.
std::vector<AnswerFile> all_answers() {
  std::vector<AnswerFile> files = answer_files();
  for (const ExerciseText& text : exercise_texts()) {
    if (!text.is_kernel) continue;
    std::string folder = "examples/exercises/" + text.number;
    folder[folder.rfind('.')] = '_';
    std::error_code error;
    for (llvm::sys::fs::directory_iterator entry(folder, error), end; entry != end && !error;
         entry.increment(error))
      if (llvm::sys::path::extension(entry->path()) == ".kernel")
        files.push_back({entry->path(), KernelText{marked_text(entry->path()).rest}});
  }
  return files;
}

StringRef stem(const AnswerFile& file) { return llvm::sys::path::stem(file.path); }

/// "5.1" of "examples/exercises/5_1/start.cpp"
std::string number_of(const AnswerFile& file) {
  std::string number = llvm::sys::path::filename(llvm::sys::path::parent_path(file.path)).str();
  number[number.find('_')] = '.';
  return number;
}

/// Expects the sentence that the file has in its comments, or, with UPDATE_GOLDEN=1, writes it.
void expect_sentence(const AnswerFile& file, const std::string& sentence) {
  const MarkedText text = marked_text(file.path);
  const char* update = std::getenv("UPDATE_GOLDEN");
  if (update && *update) return replace_file(file.path, {comments(sentence), text.rest});
  EXPECT_EQ(text.marked, sentence) << "in " << file.path << "; UPDATE_GOLDEN=1 rewrites it";
}

TEST(Exercises, TellRightAnswersFromWrongOnes) {
  for (const AnswerFile& file : all_answers()) {
    SCOPED_TRACE(file.path);
    const Judgement judgement = judge(find_exercise(number_of(file)), file.answer);
    EXPECT_EQ(judgement.has_passed, stem(file) == "solution") << judgement.text;
    if (stem(file).take_front(6) == "wrong_") expect_sentence(file, judgement.text);
  }
}

/// The judgement on the steps of a C++ answer, read as text; nothing where C++ says what text
/// cannot.
std::optional<Judgement> judgement_of_text(const Exercise& exercise, const AnswerFile& file) {
  const std::string steps = steps_in(marked_text(file.path).rest);
  try {
    Schedule(exercise.program()).replay(steps, "steps");
  } catch (const ParseError&) {
    return std::nullopt;
  } catch (const ScheduleError&) {
  }
  return judge(exercise, [&](Schedule& s) { s.replay(steps, "steps"); });
}

TEST(Exercises, TakeStepsAsText) {
  std::set<std::string> in_cpp_alone;
  int judged = 0;
  for (const AnswerFile& file : answer_files()) {
    SCOPED_TRACE(file.path);
    const Exercise& exercise = find_exercise(number_of(file));
    if (start_as_steps(exercise).empty()) {
      in_cpp_alone.insert(exercise.number);
      continue;
    }
    const auto judgement = judgement_of_text(exercise, file);
    if (!judgement) continue;
    ++judged;
    const Judgement expected = judge(exercise, file.answer);
    EXPECT_EQ(judgement->has_passed, expected.has_passed);
    const bool names_a_file = expected.text.find(".cpp:") != std::string::npos;
    EXPECT_EQ(judgement->text, names_a_file ? judgement->text : expected.text);
  }
  EXPECT_GE(judged, 100);
  EXPECT_THAT(in_cpp_alone, testing::ElementsAre("12.1", "13.1", "13.2", "15.1", "15.2"));
}

TEST(Exercises, HaveASolutionAStartAndTwoWrongAnswersEach) {
  std::map<std::string, std::vector<std::string>> answers;
  for (const AnswerFile& file : all_answers())
    answers[number_of(file)].push_back(stem(file).take_front(5).str());
  EXPECT_EQ(answers.size(), all_exercises().size());
  for (const Exercise& exercise : all_exercises()) {
    SCOPED_TRACE(exercise.number);
    const std::vector<std::string>& kinds = answers[exercise.number];
    EXPECT_EQ(std::count(kinds.begin(), kinds.end(), "solut"), 1);
    EXPECT_EQ(std::count(kinds.begin(), kinds.end(), "start"), 1);
    EXPECT_GE(std::count(kinds.begin(), kinds.end(), "wrong"), 2);
  }
}

/// The text of the lesson with that number.
std::string lesson(const std::string& number) {
  std::error_code error;
  for (llvm::sys::fs::directory_iterator entry("examples", error), end; entry != end && !error;
       entry.increment(error)) {
    const std::string name = llvm::sys::path::filename(entry->path()).ltrim('0').str();
    if (name.starts_with(number + "_") && name.ends_with(".cpp"))
      return read_small_file(entry->path(), 1 << 20).value_or("");
  }
  return "";
}

TEST(Exercises, StandAtTheEndOfTheirLessons) {
  for (const Exercise& exercise : all_exercises())
    EXPECT_THAT(lesson(exercise.number.substr(0, exercise.number.find('.'))),
                testing::HasSubstr(
                    fmt::format("//   hone exercise {}    {}\n", exercise.number, exercise.title)));
}

TEST(Exercises, HaveTextsInTheOrderOfTheLessons) {
  ASSERT_EQ(exercise_texts().size(), all_exercises().size());
  for (size_t n = 0; n < all_exercises().size(); ++n)
    EXPECT_EQ(exercise_texts()[n].number, all_exercises()[n].number);
}

}  // namespace exercises_test
}  // namespace hone
