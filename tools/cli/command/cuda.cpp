#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>

#include "fmt/ranges.h"
#include "llvm/ADT/StringRef.h"
#include "runtime/environment.h"
#include "runtime/error.h"
#include "runtime/files.h"
#include "runtime/process.h"
#include "tools/cli/command/commands.h"
#include "tools/cli/command/nvcc.h"

namespace hone {
namespace fs = std::filesystem;
namespace {

using Settings = std::vector<std::pair<std::string, std::string>>;

/// The wishes of the options to the CUDA runtime, as variables of the program's environment.
Settings settings_of(const Arguments& arguments) {
  Settings settings;
  if (const auto blocks = arguments.value("--blocks"))
    settings.emplace_back("HONE_CUDA_BLOCKS", *blocks);
  if (arguments.has("--all"))
    for (const char* name : {"HONE_CUDA_BLOCKS", "HONE_CUDA_LAUNCHES"})
      settings.emplace_back(name, "all");
  if (const auto launches = arguments.value("--launches"))
    settings.emplace_back("HONE_CUDA_LAUNCHES", *launches);
  if (arguments.has("--run")) settings.emplace_back("HONE_CUDA_MODE", "run");
  if (arguments.has("--count")) {
    settings.emplace_back("HONE_CUDA_MODE", "count");
    settings.emplace_back("HONE_CUDA_PTXAS", find_ptxas(nvcc_places()));
  }
  if (arguments.has("--fail")) settings.emplace_back("HONE_CUDA_FAIL", "1");
  return settings;
}

void check_settings(const Arguments& arguments) {
  for (const char* option : {"--blocks", "--launches"}) {
    int64_t number = 0;
    const auto value = arguments.value(option);
    if (value && (llvm::StringRef(*value).getAsInteger(10, number) || number < 1))
      throw UsageError("{} is a number from 1 on, got '{}'", option, *value);
  }
  if (arguments.has("--all") && (arguments.has("--blocks") || arguments.has("--launches")))
    throw UsageError("--all checks all, --blocks and --launches some; give one of them");
  for (const char* option : {"--run", "--all", "--blocks", "--launches"})
    if (arguments.has("--count") && arguments.has(option))
      throw UsageError("--count counts all launches and checks none; leave {} out", option);
}

/// In front of those that the loader looks in already.
std::string library_path(const std::string& folder) {
  const auto former = environment("LD_LIBRARY_PATH");
  return former ? folder + ":" + *former : folder;
}

/// In single quotes, as a shell reads it.
std::string quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

int print_environment(const Arguments& arguments, const Session& session) {
  const std::string cudart = find_cudart();
  Settings settings = settings_of(arguments);
  const auto given = split_words(arguments.value("--nvcc-options").value_or(""));
  settings.emplace_back("LD_LIBRARY_PATH", library_path(cudart));
  settings.emplace_back("NVCC_APPEND_FLAGS",
                        fmt::format("{}", fmt::join(nvcc_options(cudart, given), " ")));
  for (const auto& [name, value] : settings)
    session.out.print(fmt::format("export {}={}\n", name, quoted(value)));
  return exit_success;
}

bool is_source(const std::string& path) {
  const std::string extension = fs::path(path).extension().string();
  return extension == ".cu" || extension == ".cpp" || extension == ".cc" || extension == ".cxx";
}

/// Compiles to `program`; what nvcc says goes to standard error.
void compile(const std::string& source, const std::string& program, const Arguments& arguments,
             const std::string& cudart, Output& out) {
  std::vector<std::string> command = {find_nvcc(nvcc_places()), "-o", program, source};
  const auto given = split_words(arguments.value("--nvcc-options").value_or(""));
  for (std::string& option : nvcc_options(cudart, given)) command.push_back(std::move(option));
  const ProcessOutcome outcome = run_program(command, program + ".log");
  if (!outcome.output.empty()) out.complain(outcome.output);
  if (!outcome.success) throw RuntimeError("nvcc does not compile {}", source);
}

/// Throws RuntimeError for a program that would not load our runtime.
void check_binary(const std::string& path) {
  constexpr size_t most_bytes = size_t{1} << 30;
  const auto bytes = read_small_file(fs::canonical(path).string(), most_bytes);
  if (!bytes || !llvm::StringRef(*bytes).startswith("\177ELF"))
    throw RuntimeError("{} is neither a CUDA source (.cu) nor a program", path);
  if (bytes->find("libcudart.so.13") != std::string::npos) return;
  throw RuntimeError(
      "{} does not load libcudart.so.13, so it can not run on the simulated device; compile it "
      "with "
      "nvcc of CUDA 13 and `-cudart shared`: after `eval \"$(hone cuda --env)\"` nvcc does so, in "
      "makefiles too",
      path);
}

/// The environment of this process with other values of some variables.
std::vector<std::string> environment_with(const Settings& settings) {
  std::vector<std::string> result;
  for (char** entry = environ; *entry; ++entry) {
    const llvm::StringRef name = llvm::StringRef(*entry).split('=').first;
    if (llvm::none_of(settings, [&](const auto& setting) { return setting.first == name; }))
      result.emplace_back(*entry);
  }
  for (const auto& [name, value] : settings) result.push_back(name + "=" + value);
  return result;
}

std::vector<char*> pointers_to(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  pointers.reserve(words.size() + 1);
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

/// Runs it on our own streams. Returns its status, of one that a signal ended as a shell does.
int run_in_place(std::vector<std::string> command, const Settings& settings) {
  std::vector<std::string> variables = environment_with(settings);
  pid_t process = 0;
  std::fflush(nullptr);
  const int problem = posix_spawn(&process, command[0].c_str(), nullptr, nullptr,
                                  pointers_to(command).data(), pointers_to(variables).data());
  if (problem != 0) throw RuntimeError("{} does not start: {}", command[0], std::strerror(problem));
  int status = 0;
  while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  constexpr int of_signals = 128;
  return WIFEXITED(status) ? WEXITSTATUS(status) : of_signals + WTERMSIG(status);
}

}  // namespace

int run_cuda(const Arguments& arguments, const Session& session) {
  check_settings(arguments);
  if (arguments.has("--env")) return print_environment(arguments, session);
  if (arguments.positional().empty())
    throw UsageError("cuda takes a CUDA source or a program; `{} cuda --help` says more",
                     session.tool);
  std::vector<std::string> command = arguments.positional();
  const std::string cudart = find_cudart();
  const std::string path = command[0];
  if (!fs::exists(path)) throw RuntimeError("there is no file {}", path);
  const ScopedFolder folder(make_private_folder(temporary_root(), "hone-cuda-"));
  if (is_source(path)) {
    command[0] = folder.path() + "/" + fs::path(path).stem().string();
    compile(path, command[0], arguments, cudart, session.out);
  } else {
    check_binary(path);
    command[0] = fs::absolute(path).string();
  }
  Settings settings = settings_of(arguments);
  settings.emplace_back("LD_LIBRARY_PATH", library_path(cudart));
  return run_in_place(std::move(command), settings);
}

}  // namespace hone
