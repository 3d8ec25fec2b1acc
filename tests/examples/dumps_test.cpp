// What `hone show` prints is a file that compiles: of a program with several kernels, and of
// several programs, one after the other.
#include <set>

#include "runtime/host_compiler.h"
#include "runtime/nvrtc.h"
#include "tests/support/examples/rungs.h"
#include "tools/cli/forms.h"

namespace hone {
namespace {

std::string dump(const RungCase& rung, EmitForm form) {
  return text_of({&rung.ladder, &rung.rung}, form, {});
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
      if (text.find(" hone_" + program_name(rung) + "(") == std::string::npos)
        text += dump(rung, EmitForm::c) + "\n";
  host_compile({text, "dumps", {"-O0"}});
}

}  // namespace
}  // namespace hone
