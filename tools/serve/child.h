// A job of the playground in a process of its own.
#pragma once

#include <sys/types.h>

#include "llvm/Support/JSON.h"
#include "runtime/files.h"
#include "tools/serve/job.h"

namespace hone {

/// This program, run once more on the words of a job, in a folder with its files. The process ends
/// with the object.
class Child {
 public:
  /// Throws RuntimeError where no process can be made.
  explicit Child(const Job& job);
  ~Child();
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  /// True once the process has ended.
  bool has_ended();
  void kill();
  /// {"status": 0, "printed": "...", "complained": "...", "drawings": ["<svg>..."]}
  llvm::json::Value answer() const;

 private:
  /// Without the folder, of which the page knows nothing.
  std::string text_of(const char* file) const;

  ScopedFolder folder_;
  pid_t process_ = 0;  ///< 0: it has ended
  int status_ = 0;     ///< as waitpid has it
};

}  // namespace hone
