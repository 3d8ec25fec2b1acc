#include "runtime/cuda_text/compile_apart.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>

#include "llvm/ADT/StringRef.h"
#include "runtime/files.h"

namespace hone::ptx {
namespace {

// The reply passes a pipe as texts, each behind its length. The first says what the others are.
constexpr char compiled[] = "compiled", refused[] = "refused", failed[] = "failed";

void append(std::string& message, const std::string& text) {
  const uint64_t size = text.size();
  message.append(reinterpret_cast<const char*>(&size), sizeof size);
  message += text;
}

/// Nothing where the message ends too early.
std::vector<std::string> texts_in(llvm::StringRef message) {
  std::vector<std::string> texts;
  while (message.size() >= sizeof(uint64_t)) {
    uint64_t size = 0;
    std::memcpy(&size, message.data(), sizeof size);
    message = message.drop_front(sizeof size);
    if (size > message.size()) return {};
    texts.push_back(message.take_front(size).str());
    message = message.drop_front(size);
  }
  return texts;
}

std::string message_of(const CompileJob& job) {
  std::string message;
  try {
    const Compiled result = nvrtc_compile(job);
    const std::string cubin(result.cubin.begin(), result.cubin.end());
    for (const std::string& text : {std::string(compiled), result.ptx, result.log, cubin})
      append(message, text);
    for (const std::string& name : result.mangled) append(message, name);
  } catch (const CompileError& error) {
    append(message, refused);
    append(message, error.log().empty() ? error.what() : error.log());
  } catch (const std::exception& error) {
    append(message, failed);
    append(message, error.what());
  }
  return message;
}

bool write_all(int file, llvm::StringRef text) {
  while (!text.empty()) {
    const ssize_t written = ::write(file, text.data(), text.size());
    if (written < 0 && errno != EINTR) return false;
    text = text.drop_front(std::max<ssize_t>(written, 0));
  }
  return true;
}

std::string read_all(int file) {
  std::string text;
  char part[1 << 16];
  for (;;) {
    const ssize_t count = ::read(file, part, sizeof part);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return text;
    text.append(part, static_cast<size_t>(count));
  }
}

/// NVRTC complains of itself on standard error when it crashes.
[[noreturn]] void be_child(int pipe, const CompileJob& job, unsigned seconds) {
  const rlimit no_core = {0, 0}, processor_time = {seconds, seconds + 1};
  ::setrlimit(RLIMIT_CORE, &no_core);
  ::setrlimit(RLIMIT_CPU, &processor_time);
  const int nothing = ::open("/dev/null", O_WRONLY);
  if (nothing >= 0) ::dup2(nothing, STDERR_FILENO);
  for (const int signal : {SIGALRM, SIGXCPU, SIGSEGV, SIGABRT, SIGBUS}) ::signal(signal, SIG_DFL);
  ::alarm(10 * seconds);  // where it waits for something
  ::_exit(write_all(pipe, message_of(job)) ? 0 : 1);
}

int status_of(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

void check_end(int status, const CompileJob& job, unsigned seconds) {
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return;
  const int signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  const std::string& name = job.schedule.empty() ? job.name : job.schedule;
  if (signal == SIGALRM || signal == SIGXCPU)
    throw RuntimeError("NVRTC takes longer than {} seconds for {}", seconds, name);
  if (signal != 0)
    throw CompileCrash("NVRTC crashes on {}: {}; a smaller text, with the kernels alone, may help",
                       name, ::strsignal(signal));
  throw RuntimeError("the process that compiles {} has failed", name);
}

CompileReply reply_of(std::vector<std::string> texts) {
  if (texts.size() < 2) throw RuntimeError("the process that compiles has sent no result");
  if (texts[0] == failed) throw RuntimeError("{}", texts[1]);
  CompileReply reply;
  reply.is_compiled = texts[0] == compiled && texts.size() > 3;
  reply.log = texts.back();
  if (!reply.is_compiled) return reply;
  reply.ptx = std::move(texts[1]);
  reply.log = std::move(texts[2]);
  reply.cubin.assign(texts[3].begin(), texts[3].end());
  reply.mangled.assign(texts.begin() + 4, texts.end());
  return reply;
}

std::string message_of_child(const CompileJob& job, unsigned seconds) {
  // Loaded once, here, and not by each child.
  if (!nvrtc_info()) throw RuntimeError("{}", nvrtc_missing());
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0)
    throw RuntimeError("cannot make a pipe: {}", error_text(errno));
  const pid_t child = ::fork();
  if (child == 0) be_child(ends[1], job, seconds);
  ::close(ends[1]);
  const std::string message = child > 0 ? read_all(ends[0]) : "";
  ::close(ends[0]);
  if (child < 0) throw RuntimeError("cannot start a process: {}", error_text(errno));
  check_end(status_of(child), job, seconds);
  return message;
}

std::string key_of(const CompileJob& job, const NvrtcInfo& compiler) {
  std::string parts;
  for (const std::string& text : {compiler.fingerprint, job.arch, job.name, job.source})
    append(parts, text);
  for (const auto& [name, text] : job.headers) {
    append(parts, name);
    append(parts, text);
  }
  for (const auto& list : {nvrtc_options(job), job.expressions}) {
    append(parts, std::to_string(list.size()));
    for (const std::string& one : list) append(parts, one);
  }
  return "PTX and machine code of CUDA text " + sha256_hex(parts);
}

}  // namespace

CompileReply compile_apart(const CompileJob& job, unsigned seconds) {
  return reply_of(texts_in(message_of_child(job, seconds)));
}

CompileReply compile_kept(const CompileJob& job, DiskCache& cache) {
  const NvrtcInfo* const compiler = nvrtc_info();
  if (!compiler) return compile_apart(job);
  const std::string key = key_of(job, *compiler);
  if (const auto kept = cache.find(key); kept && kept->count("reply") != 0) {
    CompileReply reply = reply_of(texts_in(kept->at("reply")));
    reply.is_kept = true;
    return reply;
  }
  const std::string message = message_of_child(job, default_seconds);
  CompileReply reply = reply_of(texts_in(message));
  cache.insert(key, {{"reply", message}});
  return reply;
}

}  // namespace hone::ptx
