#include "runtime/nvrtc/compile_report.h"

#include "fmt/ranges.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "runtime/files.h"

namespace hone {
namespace {

using llvm::StringRef;

constexpr int max_errors_shown = 3, max_errors_by_hand = 10;
constexpr size_t max_line_shown = 400;
constexpr int static_shared_bytes = 48 << 10;  ///< of a kernel
constexpr int constant_bytes = 64 << 10;       ///< of a module

std::string write_report(const CompileJob& job, const std::vector<std::string>& options,
                         const std::string& log) {
  const std::string folder = make_private_folder(
      temporary_root(), fmt::format("hone-failed-{}-", safe_file_name(job.name)));
  write_new_file(folder + "/kernel.cu", job.source);
  write_new_file(folder + "/options.txt", fmt::format("{}\n", fmt::join(options, "\n")));
  write_new_file(folder + "/log.txt", log);
  write_new_file(folder + "/schedule.txt", job.schedule);
  return folder;
}

/// The number in "saxpy.cu(31): error: ...", or 0.
unsigned line_number(StringRef message) {
  unsigned number = 0;
  const StringRef digits = message.split('(').second.split(')').first;
  return digits.getAsInteger(10, number) ? 0 : number;
}

bool is_error(StringRef message) {
  if (message.contains("warning") || message.contains("detected in the compilation")) return false;
  return message.contains("error") || message.contains("ptxas fatal");
}

/// The first errors of the log, each with the line of the source that it names. The assembler has
/// no words for memory that a kernel has too much of: then it is all of the log.
std::string first_errors(StringRef log, StringRef source, int most) {
  llvm::SmallVector<StringRef> messages, lines;
  log.split(messages, '\n', -1, /*KeepEmpty=*/false);
  source.split(lines, '\n');
  std::string text;
  if (llvm::none_of(messages, is_error))
    text = fmt::format(
        "\n  the log names no error; a kernel has at most {} bytes of shared memory "
        "that is not `extern`, and a file {} of constants",
        static_shared_bytes, constant_bytes);
  else
    llvm::erase_if(messages, [](StringRef message) { return !is_error(message); });
  for (const StringRef message : llvm::ArrayRef<StringRef>(messages).take_front(most)) {
    text += fmt::format("\n  {}", message.take_front(max_line_shown).str());
    const unsigned number = line_number(message);
    if (number > 0 && number <= lines.size())
      text += fmt::format("\n    {:>4} | {}", number,
                          lines[number - 1].take_front(max_line_shown).str());
  }
  return text;
}

/// NVRTC reports the loss of its second half in words that do not name it.
std::string advice(const std::string& result) {
  if (result != "NVRTC_ERROR_BUILTIN_OPERATION_FAILURE") {
    const std::vector<std::string> options = nvrtc_options_of_environment();
    if (options.empty()) return "this is a bug in hone, not in the schedule";
    return fmt::format("HONE_NVRTC_OPTIONS adds {}; if it fails without, it is a bug in hone",
                       fmt::join(options, " "));
  }
  return fmt::format("libnvrtc-builtins.so of the same version must lie beside {}",
                     nvrtc_info() ? nvrtc_info()->path : "libnvrtc.so");
}

}  // namespace

void throw_compile_error(const CompileJob& job, const std::vector<std::string>& options,
                         const std::string& result, const std::string& log) {
  if (job.by_hand)
    throw CompileError(fmt::format("NVRTC refuses {}.cu, compiled for {}:{}", job.name, job.arch,
                                   first_errors(log, job.source, max_errors_by_hand)),
                       "", log);
  const std::string summary = fmt::format(
      "NVRTC refused the CUDA that hone generated for '{}' ({}, {}): {}{}", job.name, job.arch,
      result, advice(result), first_errors(log, job.source, max_errors_shown));
  std::string folder;
  try {
    folder = write_report(job, options, log);
  } catch (const RuntimeError& error) {
    throw CompileError(fmt::format("{}\nthe report could not be saved: {}", summary, error.what()),
                       "", log);
  }
  throw CompileError(
      fmt::format("{}\nsource, options, log and schedule are in {}; please report them", summary,
                  folder),
      folder, log);
}

}  // namespace hone
