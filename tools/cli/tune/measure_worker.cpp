#include "tools/cli/tune/measure_worker.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "runtime/error.h"
#include "runtime/files.h"

namespace hone {
namespace {

namespace json = llvm::json;

json::Object failed_answer(const char* status, const std::string& problem) {
  return json::Object{{"status", status}, {"problem", json::fixUTF8(problem)}};
}

/// A file without a name, which goes with its last descriptor.
int nameless_file() {
  std::string path = temporary_root() + "/hone-measure-XXXXXX";
  const int file = ::mkostemp(path.data(), O_CLOEXEC);
  if (file < 0)
    throw RuntimeError("cannot make a file in {}: {}", temporary_root(), error_text(errno));
  ::unlink(path.c_str());
  return file;
}

/// Starts a program in a process group of its own, whose input and output are `channel`.
pid_t spawn(const std::vector<std::string>& command, int channel, int errors) {
  std::vector<char*> argv;
  argv.reserve(command.size() + 1);
  for (const std::string& word : command) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, channel, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, channel, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  pid_t process = 0;
  const int problem =
      ::posix_spawnp(&process, argv[0], &actions, &attributes, argv.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (problem != 0) throw RuntimeError("cannot start {}: {}", command[0], error_text(problem));
  return process;
}

/// "ended by signal 11, Segmentation fault", "ended with status 3".
std::string end_text(int status) {
  if (WIFSIGNALED(status))
    return fmt::format("ended by signal {}, {}", WTERMSIG(status), ::strsignal(WTERMSIG(status)));
  return fmt::format("ended with status {}", WEXITSTATUS(status));
}

}  // namespace

bool is_stopped(const json::Object& answer) {
  return answer.getString("status") == llvm::StringRef("stopped");
}

MeasureWorker::MeasureWorker(const WorkerStart& start, llvm::StringRef first_line) : start_(start) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    throw RuntimeError("cannot make a socket: {}", error_text(errno));
  socket_ = ends[0];
  errors_ = nameless_file();
  try {
    process_ = spawn(start_.command, ends[1], errors_);
  } catch (...) {
    for (const int file : {ends[0], ends[1], errors_}) ::close(file);
    throw;
  }
  ::close(ends[1]);
  send_line(first_line);
}

MeasureWorker::~MeasureWorker() {
  end();
  ::close(socket_);
  ::close(errors_);
}

void MeasureWorker::ask() { send_line("sample"); }

/// A process that has ended takes nothing; the answer will tell.
void MeasureWorker::send_line(llvm::StringRef line) {
  const std::string text = line.rtrim().str() + "\n";
  for (size_t sent = 0; sent < text.size();) {
    const ssize_t now = ::send(socket_, text.data() + sent, text.size() - sent, MSG_NOSIGNAL);
    if (now <= 0) break;
    sent += static_cast<size_t>(now);
  }
  const std::chrono::duration<double> limit(start_.limit);
  deadline_ =
      std::min(Clock::now() + std::chrono::duration_cast<Clock::duration>(limit), start_.end);
}

void MeasureWorker::receive() {
  char bytes[4096];
  ssize_t count = 0;
  while ((count = ::recv(socket_, bytes, sizeof(bytes), MSG_DONTWAIT)) > 0)
    received_.append(bytes, static_cast<size_t>(count));
  is_at_end_ = count == 0 || (errno != EAGAIN && errno != EINTR);
}

std::optional<json::Object> MeasureWorker::next_line() {
  const size_t end_of_line = received_.find('\n');
  if (end_of_line == std::string::npos) return std::nullopt;
  const std::string line = received_.substr(0, end_of_line);
  received_.erase(0, end_of_line + 1);
  auto value = json::parse(line);
  if (value && value->getAsObject()) return std::move(*value->getAsObject());
  if (!value) llvm::consumeError(value.takeError());
  return failed_answer("crashed", "the process printed what is no result: " + line.substr(0, 200));
}

std::optional<json::Object> MeasureWorker::answer() {
  receive();
  if (auto line = next_line()) return line;
  if (is_at_end_) return ended();
  if (Clock::now() < deadline_) return std::nullopt;
  end();
  if (deadline_ == start_.end) return failed_answer("stopped", "the time for it was over");
  return failed_answer(
      "timed-out",
      fmt::format("no answer in {:g} s; --limit=SECONDS sets another limit", start_.limit));
}

json::Object MeasureWorker::wait() {
  while (true) {
    if (auto known = answer()) return std::move(*known);
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(deadline_ - Clock::now()).count();
    pollfd one = {socket_, POLLIN, 0};
    ::poll(&one, 1, static_cast<int>(std::max<int64_t>(left, 0)));
  }
}

/// The process has closed its output: it has ended, or is about to.
json::Object MeasureWorker::ended() {
  int status = 0;
  if (process_ == 0) return failed_answer("crashed", "the process has ended");
  while (::waitpid(process_, &status, 0) < 0 && errno == EINTR) {
  }
  ::kill(-process_, SIGKILL);  // what it has started
  process_ = 0;
  return failed_answer("crashed", "the process " + end_text(status) + last_words());
}

void MeasureWorker::end() {
  if (process_ == 0) return;
  ::kill(-process_, SIGKILL);
  ::waitpid(process_, nullptr, 0);
  process_ = 0;
}

/// The last line that the process complained of: "; it last wrote: ...", or nothing.
std::string MeasureWorker::last_words() const {
  std::string text(4096, '\0');
  const off_t size = ::lseek(errors_, 0, SEEK_END);
  const off_t from = std::max<off_t>(size - static_cast<off_t>(text.size()), 0);
  const ssize_t count = ::pread(errors_, text.data(), text.size(), from);
  text.resize(static_cast<size_t>(std::max<ssize_t>(count, 0)));
  const llvm::StringRef last = llvm::StringRef(text).rtrim().rsplit('\n').second;
  const llvm::StringRef line = last.empty() ? llvm::StringRef(text).rtrim() : last;
  return line.empty() ? "" : "; it last wrote: " + line.str();
}

}  // namespace hone
