#include "tools/watch/watch.h"

#include <csignal>

#include "ir/core/error.h"
#include "runtime/files.h"
#include "runtime/nvrtc/disk_cache.h"
#include "runtime/process.h"
#include "tools/cli/watched_files.h"
#include "tools/watch/user_program.h"

namespace hone {
namespace {

/// As long as it lives, Ctrl-C ends the watch, and not this process: what was made is removed.
class Interruption {
 public:
  Interruption() {
    former_ = std::signal(SIGINT, [](int) { has_come = 1; });
  }
  ~Interruption() {
    std::signal(SIGINT, former_);
    has_come = 0;
  }
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;

  bool is_asked_for() const { return has_come != 0; }

 private:
  static volatile std::sig_atomic_t has_come;
  void (*former_)(int) = nullptr;
};

volatile std::sig_atomic_t Interruption::has_come = 0;

std::vector<std::string> chosen_sources(const Arguments& arguments) {
  std::vector<std::string> sources = {arguments.positional().front()};
  for (const std::string& more : arguments.values("--with")) sources.push_back(more);
  for (const std::string& source : sources) {
    const llvm::StringRef name = source;
    if (!name.endswith(".cpp") && !name.endswith(".cc") && !name.endswith(".cxx"))
      throw UsageError("{} is no C++ source: its name ends in .cpp, .cc or .cxx", source);
  }
  return sources;
}

unsigned chosen_limit(const Arguments& arguments) {
  const std::string text = arguments.value("--limit").value_or("60");
  unsigned seconds = 0;
  if (llvm::StringRef(text).getAsInteger(10, seconds) || seconds < 1 || seconds > 86400)
    throw UsageError("--limit takes 1 to 86400 seconds, got '{}'", text);
  return seconds;
}

/// A watch of one command line.
class Watch {
 public:
  Watch(const Arguments& arguments, const Session& session, const std::string& folder)
      : arguments_(arguments.positional()),
        limit_(chosen_limit(arguments)),
        out_(session.out),
        log_(folder + "/printed"),
        program_(chosen_sources(arguments), folder, default_cache_folder().value_or(folder)) {}

  /// Builds and runs the program.
  int run_once() {
    if (program_.lacks_headers() && out_.shows_progress())
      out_.complain("compiling the headers of Hone, once\n");
    if (const std::string said = program_.build(out_.shows_progress()); !said.empty())
      out_.complain(said);
    if (!program_.is_built()) return exit_failure;
    std::vector<std::string> command = {program_.path()};
    command.insert(command.end(), arguments_.begin() + 1, arguments_.end());
    const ProcessOutcome outcome = run_program(command, log_, limit_);
    complain_about(outcome);
    return outcome.success ? exit_success : exit_failure;
  }

  int run_until_gone() {
    const Interruption interruption;
    const std::set<std::string> sources = program_.files();
    WatchedFiles watched({sources.begin(), sources.end()});
    for (int status = exit_success;;) {
      out_.print(fmt::format("---- {}\n", arguments_.front()));
      try {
        status = run_once();
      } catch (const std::exception& error) {
        out_.complain(report_of(error) + "\n");
        status = exit_failure;
      }
      for (const std::string& file : program_.files()) watched.add(file);
      const auto changed = watched.wait([&] { return interruption.is_asked_for(); });
      if (changed.empty()) return status;
      for (const std::string& file : changed) program_.mark_changed(file);
    }
  }

 private:
  void complain_about(const ProcessOutcome& outcome) {
    const bool is_ours = outcome.timed_out || !outcome.signal.empty();  // behind what it printed
    out_.print(is_ours ? read_small_file(log_, size_t{16} << 20).value_or("") : outcome.output);
    if (outcome.timed_out)
      out_.complain(
          fmt::format("error: {} was stopped after {} seconds; --limit=SECONDS gives it more\n",
                      arguments_.front(), limit_));
    else if (is_ours)
      out_.complain(fmt::format("error: {} crashed: {}\n", arguments_.front(), outcome.signal));
  }

  const std::vector<std::string>& arguments_;
  unsigned limit_;
  Output& out_;
  std::string log_;
  UserProgram program_;
};

int watch(const Arguments& arguments, const Session& session) {
  const ScopedFolder folder(make_private_folder(temporary_root(), "hone-watch-"));
  Watch watch(arguments, session, folder.path());
  return arguments.has("--once") ? watch.run_once() : watch.run_until_gone();
}

constexpr Option options[] = {{"--once", "", "build and run it once, and end"},
                              {"--with", "FILE.cpp", "another source of the program", true},
                              {"--limit", "SECONDS", "how long the program may run; default 60"},
                              {"--help", "", "show this text"}};
constexpr Command commands[] = {
    {"watch", "FILE.cpp [ARGUMENT]...", 1, SIZE_MAX,
     "build and run a C++ program of your own again at every save",
     "The program has a function main and uses the headers of hone/: it prints a schedule, runs "
     "it,\n"
     "or has the commands for a ladder. It is compiled without optimisation, linked with this "
     "Hone,\n"
     "and run with the arguments; those that begin with a dash stand behind `--`. The headers of\n"
     "Hone are precompiled once, and kept in the user's cache folder. When the file is saved, or\n"
     "one that it includes, the program is built and run again, until the file is removed or "
     "Ctrl-C\n"
     "is pressed. The compiler is the one that Hone was built with, or that of CXX.",
     watch, options}};

}  // namespace

llvm::ArrayRef<Command> watch_commands() { return commands; }

}  // namespace hone
