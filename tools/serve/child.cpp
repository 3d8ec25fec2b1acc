#include "tools/serve/child.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fmt/format.h"
#include "runtime/error.h"

namespace hone {
namespace {

constexpr size_t most_bytes = 16 << 20;
constexpr const char *printed = "/.printed", *complained = "/.complained";

/// Words that name files of the job name those of the folder.
std::vector<std::string> command_of(const Job& job, const std::string& folder) {
  std::vector<std::string> words = {"/proc/self/exe"};
  for (const std::string& word : job.words) {
    const size_t equals = word.find('=');
    const std::string option = word.substr(0, equals == std::string::npos ? 0 : equals + 1);
    const std::string value = word.substr(option.size());
    const bool is_file = job.files.count(value) != 0 || option == "--svg=";
    words.push_back(is_file ? option + folder + "/" + value : word);
  }
  return words;
}

/// Input from nowhere, output to files.
struct Redirections {
  posix_spawn_file_actions_t actions;

  explicit Redirections(const std::string& folder) {
    posix_spawn_file_actions_init(&actions);
    constexpr int flags = O_WRONLY | O_CREAT | O_TRUNC;
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 1, (folder + printed).c_str(), flags, 0600);
    posix_spawn_file_actions_addopen(&actions, 2, (folder + complained).c_str(), flags, 0600);
  }
  ~Redirections() { posix_spawn_file_actions_destroy(&actions); }
};

}  // namespace

Child::Child(const Job& job) : folder_(make_private_folder(temporary_root(), "hone-serve-")) {
  for (const auto& [name, text] : job.files) replace_file(folder_.path() + "/" + name, {text});
  std::vector<std::string> words = command_of(job, folder_.path());
  std::vector<char*> argv;
  argv.reserve(words.size() + 1);
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const Redirections redirections(folder_.path());
  const int problem = posix_spawn(&process_, words[0].c_str(), &redirections.actions, nullptr,
                                  argv.data(), environ);
  if (problem != 0) throw RuntimeError("cannot start a process: {}", error_text(problem));
}

Child::~Child() {
  if (process_ == 0) return;
  kill();
  waitpid(process_, nullptr, 0);
}

bool Child::has_ended() {
  if (process_ != 0 && waitpid(process_, &status_, WNOHANG) == process_) process_ = 0;
  return process_ == 0;
}

void Child::kill() {
  if (process_ != 0) ::kill(process_, SIGKILL);
}

std::string Child::text_of(const char* file) const {
  std::string text = read_small_file(folder_.path() + file, most_bytes).value_or("");
  const std::string folder = folder_.path() + "/";
  for (size_t at = text.find(folder); at != std::string::npos; at = text.find(folder, at))
    text.erase(at, folder.size());
  return text;
}

llvm::json::Value Child::answer() const {
  llvm::json::Array drawings;
  const auto add = [&](const std::string& file) {
    const std::string drawing = text_of(file.c_str());
    if (!drawing.empty()) drawings.push_back(drawing);
    return !drawing.empty();
  };
  add("/drawing.svg");
  for (int n = 1; add(fmt::format("/drawing-{}.svg", n));) ++n;
  return llvm::json::Object{{"status", WIFEXITED(status_) ? WEXITSTATUS(status_) : -1},
                            {"printed", llvm::json::fixUTF8(text_of(printed))},
                            {"complained", llvm::json::fixUTF8(text_of(complained))},
                            {"drawings", std::move(drawings)}};
}

}  // namespace hone
