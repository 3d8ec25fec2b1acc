#include "runtime/host_compiler.h"

#include <filesystem>
#include <fstream>
#include <optional>

#include "fmt/ranges.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Program.h"
#include "runtime/environment.h"
#include "runtime/error.h"
#include "runtime/files.h"
#include "runtime/nvrtc/disk_cache.h"
#include "runtime/process.h"

namespace hone {
namespace {

using llvm::StringRef;

constexpr size_t max_log_shown = 2000;
constexpr size_t max_library_bytes = size_t{16} << 20;

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

/// The lines that tell what -march=native means on this machine.
std::string processor_facts() {
  constexpr const char* names[] = {"vendor_id", "cpu family", "model",    "model name",
                                   "stepping",  "flags",      "Features", "CPU part"};
  std::ifstream info("/proc/cpuinfo");
  std::string facts;
  for (std::string line; std::getline(info, line) && !line.empty();)
    if (llvm::is_contained(names, StringRef(line).split(':').first.rtrim())) facts += line + "\n";
  return facts;
}

/// The program of a compiler, as a file, with its arguments, and the machine that it compiles for.
std::string fingerprint(const std::vector<std::string>& command) {
  std::error_code error;
  const std::filesystem::path program = std::filesystem::canonical(command.front(), error);
  const auto time = std::filesystem::last_write_time(program, error).time_since_epoch().count();
  return fmt::format("C compiler {}\n{} bytes of {}\n{}\n{}", program.string(),
                     std::filesystem::file_size(program, error), time, fmt::join(command, "\n"),
                     processor_facts());
}

std::string cache_key(const HostCompiler& compiler, const HostCompileJob& job) {
  return fmt::format("{}\noptions\n{}\n{}\nname {}\n{} bytes\n{}", fingerprint(compiler.command),
                     fmt::join(host_options(compiler), "\n"), fmt::join(job.options, "\n"),
                     job.name, job.source.size(), job.source);
}

/// Opens a copy of its own, since the library may have variables, and the loader opens a file once.
SharedLibrary open_stored(const std::string& content, const HostCompileJob& job) {
  const ScopedFolder folder(make_private_folder(temporary_root(), "hone-library-"));
  const std::string path = library_path(job, folder.path());
  write_new_file(path, content);
  return SharedLibrary::open(path);
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

/// The compiler of a command, with what probes say of it: two compilations, once for each compiler.
HostCompiler probe(const std::vector<std::string>& command, DiskCache& cache) {
  const std::string key = "probes of " + fingerprint(command);
  if (auto known = cache.find(key))
    return {command, (*known)["openmp"] == "1", (*known)["gcc"] == "1"};
  HostCompiler compiler = {command};
  compiler.openmp = supports_openmp(compiler);
  compiler.gcc = is_gcc(compiler);
  cache.insert(key, {{"openmp", compiler.openmp ? "1" : "0"}, {"gcc", compiler.gcc ? "1" : "0"}});
  return compiler;
}

}  // namespace

HostCompiler find_host_compiler(DiskCache& cache) {
  std::vector<std::string> candidates = {"cc", "gcc", "clang"};
  if (auto chosen = environment("CC")) candidates.insert(candidates.begin(), *chosen);
  for (const std::string& candidate : candidates) {
    if (const auto command = resolve(candidate)) return probe(*command, cache);
  }
  throw RuntimeError(
      "no C compiler: found none of {}; install gcc or clang, or set CC to the one to use",
      fmt::join(candidates, ", "));
}

const HostCompiler& host_compiler() {
  static const HostCompiler compiler = find_host_compiler(DiskCache::of_this_process());
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
  return host_compile(job, host_compiler(), DiskCache::of_this_process());
}

SharedLibrary host_compile(const HostCompileJob& job, const HostCompiler& compiler,
                           DiskCache& cache) {
  const std::string key = cache_key(compiler, job);
  if (auto stored = cache.find(key)) return open_stored((*stored)["library"], job);
  ScopedFolder folder(
      make_private_folder(temporary_root(), fmt::format("hone-{}-", safe_file_name(job.name))));
  const ProcessOutcome outcome = compile(compiler, job, folder.path());
  if (!outcome.success) {
    folder.keep();
    throw RuntimeError(
        "{} refused the C that hone generated for '{}': this is a bug in hone, not in the "
        "schedule\n{}\nsource and log are in {}; please report them",
        compiler.command.front(), job.name, outcome.output.substr(0, max_log_shown), folder.path());
  }
  const std::string path = library_path(job, folder.path());
  if (const auto content = read_small_file(path, max_library_bytes))
    cache.insert(key, {{"library", *content}});
  return SharedLibrary::open(path);
}

}  // namespace hone
