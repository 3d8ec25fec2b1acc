#include "runtime/ptx/trace/choice.h"

#include "fmt/format.h"
#include "llvm/ADT/STLExtras.h"
#include "runtime/error.h"
#include "runtime/ptx/machine/report.h"
#include "runtime/sim/finding.h"

namespace hone::ptx {
namespace {

using Triple = std::array<int64_t, 3>;

bool is_within(const Triple& index, const Triple& extents) {
  for (size_t dim = 0; dim < 3; ++dim)
    if (index[dim] < 0 || index[dim] >= extents[dim]) return false;
  return true;
}

/// "saxpy.cu" names "/x/saxpy.cu".
bool is_called(llvm::StringRef path, llvm::StringRef name) {
  return path == name || (path.endswith(name) && path.drop_back(name.size()).endswith("/"));
}

/// "3, 5 to 7, 12"
std::string ranges_text(const std::set<int>& lines) {
  std::string text;
  for (auto line = lines.begin(); line != lines.end();) {
    const int first = *line;
    int last = first;
    while (++line != lines.end() && *line == last + 1) last = *line;
    text += text.empty() ? "" : ", ";
    text += first == last ? fmt::format("{}", first) : fmt::format("{} to {}", first, last);
  }
  return text;
}

}  // namespace

int64_t number_of_thread(const ThreadChoice& choice, const LaunchShape& shape) {
  const Triple &block = choice.block, &thread = choice.thread;
  if (!is_within(block, shape.grid))
    throw RuntimeError("there is no block {} in a grid of {}", triple(block), triple(shape.grid));
  if (!is_within(thread, shape.block))
    throw RuntimeError("there is no thread {} in a block of {}", triple(thread),
                       triple(shape.block));
  return (thread[2] * shape.block[1] + thread[1]) * shape.block[0] + thread[0];
}

LinesOfText::LinesOfText(const Run& run, const LineChoice& choice) : file_(choice.file) {
  const auto kernel = static_cast<uint32_t>(&run.kernel - run.program.codes.data());
  const bool has_code = !run.kernel.function->instructions.empty();
  if (file_.empty() && has_code) file_ = site_of_text(run.program, {kernel, 0}).file;
  std::set<int> known;
  for (const Function& function : run.program.module->functions)
    if (&function == run.kernel.function || !function.is_entry) find(run, function, choice, known);
  if (!chosen_.empty()) return;
  const std::string name = file_.substr(file_.rfind('/') + 1);
  if (known.empty()) throw RuntimeError("the kernel has no code of a file {}", name);
  throw RuntimeError("the kernel has no code of line {} of {}; lines with code are {}", choice.line,
                     name, ranges_text(known));
}

void LinesOfText::find(const Run& run, const Function& function, const LineChoice& choice,
                       std::set<int>& known) {
  const Module& module = *run.program.module;
  for (uint32_t n = 0; n < function.instructions.size(); ++n)
    for (int at = function.instructions[n].location; at >= 0; at = module.locations[at].caller) {
      const Location& location = module.locations[at];
      if (location.file < 0 || location.line == 0) continue;
      if (!is_called(module.files[location.file], file_)) continue;
      known.insert(location.line);
      if (location.line == choice.line) chosen_.insert({&function, n});
    }
}

}  // namespace hone::ptx
