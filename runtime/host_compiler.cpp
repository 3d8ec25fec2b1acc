#include "runtime/host_compiler.h"

#include <optional>

#include "fmt/ranges.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Program.h"
#include "runtime/environment.h"
#include "runtime/error.h"
#include "runtime/files.h"
#include "runtime/process.h"

namespace hone {
namespace {

using llvm::StringRef;

constexpr size_t max_log_shown = 2000;

ProcessOutcome compile(const HostCompiler& compiler, const HostCompileJob& job,
                       const std::string& folder) {
  const std::string file = fmt::format("{}/{}", folder, safe_file_name(job.name));
  write_new_file(file + ".c", job.source);
  std::vector<std::string> command = compiler.command;
  command.insert(command.end(), {"-o", file + ".so", file + ".c"});
  for (const auto& options : {host_options(compiler), job.options})
    command.insert(command.end(), options.begin(), options.end());
  return run_program(command, folder + "/log.txt");
}

std::string library_path(const HostCompileJob& job, const std::string& folder) {
  return fmt::format("{}/{}.so", folder, safe_file_name(job.name));
}

/// True where a library that uses OpenMP compiles, links and can be opened.
bool supports_openmp(HostCompiler compiler) {
  compiler.openmp = true;
  const HostCompileJob probe = {
      "#include <omp.h>\nint probe(void) { return omp_get_max_threads(); }\n", "openmp", {}};
  const ScopedFolder folder(make_private_folder(temporary_root(), "hone-probe-"));
  if (!compile(compiler, probe, folder.path()).success) return false;
  try {
    SharedLibrary::open(library_path(probe, folder.path()));
    return true;
  } catch (const RuntimeError&) {
    return false;
  }
}

bool is_gcc(const HostCompiler& compiler) {
  const HostCompileJob probe = {
      "#if !defined(__GNUC__) || defined(__clang__)\n#error not GCC\n#endif\n", "gcc", {}};
  const ScopedFolder folder(make_private_folder(temporary_root(), "hone-probe-"));
  return compile(compiler, probe, folder.path()).success;
}

/// The command with its program's full path; nothing where there is no such program.
std::optional<std::vector<std::string>> resolve(StringRef command) {
  llvm::SmallVector<StringRef> words;
  command.split(words, ' ', -1, /*KeepEmpty=*/false);
  if (words.empty()) return std::nullopt;
  const auto program = llvm::sys::findProgramByName(words.front());
  if (!program) return std::nullopt;
  std::vector<std::string> result = {*program};
  for (const StringRef word : llvm::drop_begin(words)) result.push_back(word.str());
  return result;
}

HostCompiler find_compiler() {
  std::vector<std::string> candidates = {"cc", "gcc", "clang"};
  if (auto chosen = environment("CC")) candidates.insert(candidates.begin(), *chosen);
  for (const std::string& candidate : candidates) {
    const auto command = resolve(candidate);
    if (!command) continue;
    HostCompiler compiler = {*command};
    compiler.openmp = supports_openmp(compiler);
    compiler.gcc = is_gcc(compiler);
    return compiler;
  }
  throw RuntimeError(
      "no C compiler: found none of {}; install gcc or clang, or set CC to the one to use",
      fmt::join(candidates, ", "));
}

}  // namespace

const HostCompiler& host_compiler() {
  static const HostCompiler compiler = find_compiler();
  return compiler;
}

/// -fno-tree-loop-if-convert: with AVX, GCC 12 vectorises nests of guarded copies wrongly
/// (tests/runtime/host_compiler_test.cpp has two).
std::vector<std::string> host_options(const HostCompiler& compiler) {
  std::vector<std::string> options = {"-std=gnu11", "-O3", "-march=native", "-fwrapv", "-fPIC",
                                      "-shared",    "-lm"};
  if (compiler.openmp) options.push_back("-fopenmp");
  if (compiler.gcc) options.push_back("-fno-tree-loop-if-convert");
  return options;
}

SharedLibrary host_compile(const HostCompileJob& job) {
  const HostCompiler& compiler = host_compiler();
  ScopedFolder folder(
      make_private_folder(temporary_root(), fmt::format("hone-{}-", safe_file_name(job.name))));
  const ProcessOutcome outcome = compile(compiler, job, folder.path());
  if (outcome.success) return SharedLibrary::open(library_path(job, folder.path()));
  folder.keep();
  throw RuntimeError(
      "{} refused the C that hone generated for '{}': this is a bug in hone, not in the "
      "schedule\n{}\nsource and log are in {}; please report them",
      compiler.command.front(), job.name, outcome.output.substr(0, max_log_shown), folder.path());
}

}  // namespace hone
