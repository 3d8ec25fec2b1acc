#include "tools/serve/job.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/JSON.h"
#include "tools/cli/arguments.h"
#include "tools/cli/json_text.h"

namespace hone {
namespace {

using llvm::StringRef;

constexpr StringRef commands[] = {"try", "check", "counters", "explain", "draw", "exercise"};
constexpr StringRef options[] = {
    "-D",    "--steps", "--emit",  "--json",    "--all", "--seed",   "--order",  "--gpu",
    "--svg", "--grid",  "--block", "--cluster", "--arg", "--shared", "--blocks", "--kernel"};
constexpr StringRef names_of_files[] = {"steps", "kernel.cu"};

/// Files of the page are in its folder; a word that leads elsewhere is none of the page's.
void check_word(StringRef word) {
  if (word.startswith("-")) {
    const StringRef name = word.startswith("--") ? word.split('=').first : word.take_front(2);
    if (!llvm::is_contained(options, name))
      throw UsageError("the playground has no option {}", name.str());
    word = word.drop_front(name.size());
  }
  if (word.startswith("/") || word.startswith("=/") || word.contains(".."))
    throw UsageError("the playground reads no file {}", word.str());
}

std::vector<std::string> words_of(const llvm::json::Object& job) {
  const llvm::json::Array* const words = job.getArray("words");
  if (!words || words->empty()) throw UsageError("a job has words, of a command line");
  std::vector<std::string> result;
  for (const llvm::json::Value& word : *words) {
    if (!word.getAsString()) throw UsageError("words of a command line are strings");
    result.push_back(word.getAsString()->str());
  }
  if (!llvm::is_contained(commands, result[0]))
    throw UsageError("the playground has no command {}", result[0]);
  for (const std::string& word : llvm::drop_begin(result)) check_word(word);
  return result;
}

std::map<std::string, std::string> files_of(const llvm::json::Object& job) {
  std::map<std::string, std::string> result;
  const llvm::json::Object* const files = job.getObject("files");
  if (!files) return result;
  for (const auto& [name, text] : *files) {
    if (!llvm::is_contained(names_of_files, StringRef(name)) || !text.getAsString())
      throw UsageError("the playground has no file {}", StringRef(name).str());
    result[StringRef(name).str()] = text.getAsString()->str();
  }
  return result;
}

}  // namespace

Job parse_job(StringRef json) {
  auto parsed = llvm::json::parse(json);
  if (!parsed) {
    llvm::consumeError(parsed.takeError());
    throw UsageError("a job is JSON");
  }
  const llvm::json::Object* const job = parsed->getAsObject();
  if (!job) throw UsageError("a job is an object");
  return {value_or(job->getString("slot"), "").str(), words_of(*job), files_of(*job)};
}

}  // namespace hone
