// The output of `hone show` is a file that compiles: of a program with several kernels, and of
// several programs, one after the other.
#include <set>

#include "codegen/c_form/owned_words.h"
#include "codegen/emit/emit.h"
#include "codegen/lower.h"
#include "ir/traverse/visit.h"
#include "llvm/ADT/StringExtras.h"
#include "runtime/host_compiler.h"
#include "runtime/nvrtc/nvrtc.h"
#include "tests/support/examples/rungs.h"
#include "tools/cli/judge/forms.h"

namespace hone {
namespace dumps_test {

std::string dump(const RungCase& rung, EmitForm form) {
  return text_of({&rung.ladder, &rung.rung}, form, {{{}, rung.ladder.sizes}, ""});
}

std::string program_name(const RungCase& rung) {
  return rung.rung.build({}, rung.ladder.sizes).function().name;
}

/// The last of the rungs of each program: a file has one function of a name.
std::vector<RungCase> one_rung_of_each_program(bool for_gpu) {
  const std::vector<RungCase> all = all_rungs();
  std::vector<RungCase> rungs;
  std::set<std::string> known;
  for (const RungCase& rung : llvm::reverse(all))
    if (rung.is_for_gpu() == for_gpu && known.insert(program_name(rung)).second)
      rungs.push_back(rung);
  return rungs;
}

/// The names of the kernel, as its text has them where nothing stands in their way.
std::set<std::string> names_in(const KernelFunction& kernel) {
  std::set<std::string> names = {kernel.name};
  for (const TensorPtr& tensor : kernel.arguments) names.insert(tensor->name);
  for (const ParamPtr& param : kernel.params) names.insert(param->name);
  walk(kernel.body, [&](const Stmt& stmt) {
    if (const auto* loop = llvm::dyn_cast<For>(stmt)) names.insert(loop->axis->name);
    if (const auto* let = llvm::dyn_cast<Let>(stmt)) names.insert(let->axis->name);
    if (const auto* alloc = llvm::dyn_cast<Alloc>(stmt)) names.insert(alloc->tensor->name);
  });
  std::set<std::string> spelled;
  for (std::string name : names) {
    std::replace(name.begin(), name.end(), '.', '_');
    spelled.insert(name);
  }
  return spelled;
}

/// The name; where another one differs in dots alone, it ends in a '_'.
bool is_name(llvm::StringRef word, const std::set<std::string>& names) {
  return names.count(word.str()) != 0 || names.count(word.rtrim('_').str()) != 0;
}

/// A counter, an address or a map of something that has a name.
bool is_made_of_name(llvm::StringRef word, const std::set<std::string>& names) {
  return llvm::any_of(llvm::ArrayRef<const char*>({"_slot", "_parity", "_at", "_flip", "_map"}),
                      [&](llvm::StringRef suffix) {
                        llvm::StringRef name = word;
                        return name.consume_back(suffix) && names.count(name.str()) != 0;
                      });
}

bool is_word_character(char c) { return llvm::isAlnum(c) || c == '_'; }

/// The words of a kernel that are not behind a '.', nor in a line for the compiler or PTX.
std::set<std::string> words_in(llvm::StringRef text) {
  std::set<std::string> words;
  llvm::SmallVector<llvm::StringRef, 64> lines;
  text.split(lines, '\n');
  for (const llvm::StringRef line : lines)
    for (size_t at = 0; at < line.size() && line.ltrim().take_front(1) != "#" &&
                        !line.ltrim().startswith("asm volatile");) {
      const llvm::StringRef word = line.substr(at).take_while(is_word_character);
      const bool is_member = at > 0 && line[at - 1] == '.';
      if (!word.empty() && !llvm::isDigit(word.front()) && !is_member) words.insert(word.str());
      at += std::max<size_t>(word.size(), 1);
    }
  return words;
}

/// A word that is neither could be hidden by a name of a user's.
TEST(Dumps, EveryWordIsANameOrOwned) {
  for (const RungCase& rung : gpu_rungs())
    for (const KernelFunction& kernel : lower(rung.rung.build({}, rung.ladder.sizes)).kernels) {
      const std::set<std::string> names = names_in(kernel);
      const std::string cuda = emit_cuda(kernel);
      for (const std::string& word :
           words_in(llvm::StringRef(cuda).split("\nextern \"C\"").second.split("\n}\n").first))
        EXPECT_TRUE(is_owned(word) || is_name(word, names) || is_made_of_name(word, names) ||
                    word.starts_with("combine_") || word.starts_with("atomic_"))
            << word << " in " << rung.name();
    }
}

TEST(Dumps, OfAnyRungAreOneFile) {
  if (!nvrtc_info()) GTEST_SKIP() << nvrtc_missing();
  for (const RungCase& rung : gpu_rungs()) {
    const std::string text = dump(rung, EmitForm::cuda);
    if (llvm::StringRef(text).count("__global__") < 2) continue;
    EXPECT_FALSE(nvrtc_compile({text, "rung", "sm_90", {}, ""}).cubin.empty()) << rung.name();
  }
}

TEST(Dumps, OfSeveralProgramsAreOneFile) {
  if (!nvrtc_info()) GTEST_SKIP() << nvrtc_missing();
  std::string text;
  const auto rungs = one_rung_of_each_program(true);
  for (const RungCase& rung : rungs) text += dump(rung, EmitForm::cuda) + "\n";
  EXPECT_GT(rungs.size(), 10u);
  EXPECT_FALSE(nvrtc_compile({text, "dumps", "compute_90", {}, ""}).ptx.empty());
}

TEST(Dumps, OfSeveralProgramsAreOneFileInC) {
  std::string text;
  for (const bool for_gpu : {false, true})
    for (const RungCase& rung : one_rung_of_each_program(for_gpu))
      if (is_for_c(rung.ladder.program({}).function()) &&
          text.find(" hone_" + program_name(rung) + "(") == std::string::npos)
        text += dump(rung, EmitForm::c) + "\n";
  host_compile({text, "dumps", {"-O0"}});
}

}  // namespace dumps_test
}  // namespace hone
