#include "runtime/cudart/assemble.h"

#include "fmt/format.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include "runtime/cudart/findings.h"
#include "runtime/files.h"
#include "runtime/process.h"

namespace hone::cudart {
namespace {

constexpr size_t most_bytes = size_t{1} << 30;

/// "sm_90a" of ".target sm_90a, debug"
std::string target_of(llvm::StringRef ptx) {
  const llvm::StringRef behind = ptx.split(".target").second.ltrim();
  return behind.take_while([](char c) { return llvm::isAlnum(c) || c == '_'; }).str();
}

}  // namespace

std::vector<char> assembled(const std::string& ptx, const std::string& ptxas) {
  if (ptxas.empty()) return {};
  const ScopedFolder folder(make_private_folder(temporary_root(), "hone-cubin-"));
  const std::string source = folder.path() + "/program.ptx",
                    code = folder.path() + "/program.cubin";
  write_new_file(source, ptx);
  const ProcessOutcome outcome = run_program(
      {ptxas, "-arch=" + target_of(ptx), "-lineinfo", "-o", code, source}, folder.path() + "/log");
  const auto bytes = read_small_file(code, most_bytes);
  if (outcome.success && bytes) return {bytes->begin(), bytes->end()};
  say(fmt::format("{} fails, so the accesses of PTX are counted: {}", ptxas,
                  llvm::StringRef(outcome.output).trim().str()));
  return {};
}

}  // namespace hone::cudart
