#include <signal.h>
#include <sys/prctl.h>

#include "tools/cli/tune/line_reader.h"
#include "tools/cli/tune/measure_desk.h"
#include "tools/cli/tune/measurement.h"

namespace hone {
namespace {

/// Jobs from a file or a pipe to the desk, and results to standard output.
class JobStream {
 public:
  JobStream(const std::string& path, MeasureDesk& desk, const Session& session)
      : lines_(path), desk_(desk), session_(session) {}

  /// Ends with the input, when all jobs have their results. Jobs before a line that is refused
  /// get theirs. Returns the exit status.
  int run();

 private:
  void take_lines();
  void take(const std::string& line);
  void report(const MeasureResult& result);

  LineReader lines_;
  MeasureDesk& desk_;
  const Session& session_;
  bool has_failures_ = false;
};

void JobStream::report(const MeasureResult& result) {
  has_failures_ |= result.getString("status") != llvm::StringRef("measured");
  session_.out.print(json_line(result));
}

void JobStream::take(const std::string& line) {
  if (llvm::StringRef(line).trim().empty()) return;
  try {
    desk_.take(completed(read_measure_job(line), session_.ladders),
               [this](const MeasureResult& result) { report(result); });
  } catch (const std::exception& error) {
    throw UsageError("{}: {}", lines_.place(), error.what());
  }
}

void JobStream::take_lines() {
  while (desk_.crew().has_room()) {
    const auto line = lines_.next();
    if (!line) return;
    take(*line);
  }
}

int JobStream::run() {
  try {
    while (!lines_.has_ended() || !desk_.crew().is_idle()) {
      take_lines();
      const bool reads = desk_.crew().has_room() && !lines_.is_at_end();
      if (!reads && desk_.crew().is_idle()) continue;
      if (desk_.crew().turn(reads ? lines_.descriptor() : -1)) lines_.read();
    }
  } catch (const UsageError&) {
    desk_.crew().finish();
    throw;
  }
  return has_failures_ ? exit_failure : exit_success;
}

}  // namespace

int measure_jobs(const Arguments& arguments, const Session& session) {
  if (arguments.has("--worker")) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // a long job does not outlive who asked for it
    serve_measurements(session.ladders, session.out);
    return exit_success;
  }
  const auto& operands = arguments.positional();
  MeasureDesk desk(arguments, session);
  return JobStream(operands.empty() ? "-" : operands[0], desk, session).run();
}

}  // namespace hone
