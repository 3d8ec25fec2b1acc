#include "runtime/process.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Program.h"
#include "runtime/files.h"

namespace hone {

ProcessOutcome run_program(const std::vector<std::string>& command, const std::string& log_path,
                           unsigned seconds) {
  using llvm::StringRef;
  constexpr size_t max_log_bytes = size_t{16} << 20;
  const llvm::SmallVector<StringRef> words(command.begin(), command.end());
  std::string problem;
  const int status = llvm::sys::ExecuteAndWait(
      words.front(), words, {}, {StringRef(""), StringRef(log_path), StringRef(log_path)}, seconds,
      /*MemoryLimit=*/0, &problem);
  const bool was_ended = status == -2;  // by a signal, or by us
  const bool timed_out = was_ended && problem.starts_with("Child timed out");
  return {status == 0, read_small_file(log_path, max_log_bytes).value_or("") + problem, timed_out,
          was_ended && !timed_out ? problem : ""};
}

}  // namespace hone
