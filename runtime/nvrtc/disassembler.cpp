#include "runtime/nvrtc/disassembler.h"

#include <optional>
#include <vector>

#include "llvm/Support/Program.h"
#include "runtime/environment.h"
#include "runtime/error.h"
#include "runtime/files.h"
#include "runtime/process.h"

namespace hone {
namespace {

std::optional<std::string> find_program(const std::string& name) {
  if (auto found = llvm::sys::findProgramByName(name)) return *found;
  std::vector<std::string> folders;
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"})
    if (const auto root = environment(variable)) folders.push_back(*root + "/bin");
  folders.emplace_back("/usr/local/cuda/bin");
  const std::vector<llvm::StringRef> paths(folders.begin(), folders.end());
  if (auto found = llvm::sys::findProgramByName(name, paths)) return *found;
  return std::nullopt;
}

/// The command that disassembles the file after it.
std::vector<std::string> disassembler() {
  if (const auto found = find_program("cuobjdump")) return {*found, "--dump-sass"};
  if (const auto found = find_program("nvdisasm")) return {*found};
  throw RuntimeError(
      "no disassembler: neither cuobjdump nor nvdisasm is in PATH, CUDA_HOME, CUDA_PATH or "
      "/usr/local/cuda; a CUDA toolkit has both");
}

}  // namespace

std::string disassemble(std::string_view cubin) {
  std::vector<std::string> command = disassembler();
  const ScopedFolder folder(make_private_folder(temporary_root(), "hone-sass-"));
  command.push_back(folder.path() + "/kernel.cubin");
  write_new_file(command.back(), cubin);
  const ProcessOutcome outcome = run_program(command, folder.path() + "/log.txt");
  if (!outcome.success) throw RuntimeError("{} failed: {}", command.front(), outcome.output);
  return outcome.output;
}

}  // namespace hone
