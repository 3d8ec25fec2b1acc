// A process that measures one job, as the process that asks sees it.
//
// Both ends speak lines of JSON. The first line is the job; the answer is {"status": "ready"} once
// its schedule is compiled. Each further line asks for a sample, and the answer is one. Every
// answer has its own time limit. Whatever else happens is an answer too: a process that crashes,
// hangs or prints something else is ended, and the job's result says so.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/JSON.h"

namespace hone {

/// How to start a worker, and its patience.
struct WorkerStart {
  std::vector<std::string> command;  ///< the first word is a path, or a name that PATH has
  double limit = 60;                 ///< seconds for an answer
  /// No answer is waited for longer.
  std::chrono::steady_clock::time_point end = std::chrono::steady_clock::time_point::max();
};

/// The answer of a worker that was ended because its WorkerStart::end had come.
bool is_stopped(const llvm::json::Object& answer);

class MeasureWorker {
 public:
  using Clock = std::chrono::steady_clock;

  /// Starts the process, and hands it the first line. Throws RuntimeError where no process can be
  /// made.
  MeasureWorker(const WorkerStart& start, llvm::StringRef first_line);
  /// Ends the process, and what it has started.
  ~MeasureWorker();
  MeasureWorker(const MeasureWorker&) = delete;
  MeasureWorker& operator=(const MeasureWorker&) = delete;

  /// Readable when there may be an answer.
  int descriptor() const { return socket_; }
  /// When the answer is due that is waited for.
  Clock::time_point deadline() const { return deadline_; }

  /// From the next question on, WorkerStart::end.
  void stop_at(Clock::time_point end) { start_.end = end; }
  /// Asks for a sample.
  void ask();
  /// The answer if it is there, or if it will never come; does not wait.
  std::optional<llvm::json::Object> answer();
  /// The same, but waits.
  llvm::json::Object wait();

 private:
  void send_line(llvm::StringRef line);
  void receive();
  std::optional<llvm::json::Object> next_line();
  llvm::json::Object ended();
  void end();
  std::string last_words() const;

  WorkerStart start_;
  Clock::time_point deadline_;
  int socket_ = -1, errors_ = -1;  ///< errors_: a file with what the process complains of
  pid_t process_ = 0;              ///< 0: it has ended
  bool is_at_end_ = false;         ///< nothing more will be received
  std::string received_;
};

}  // namespace hone
