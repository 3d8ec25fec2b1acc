#include "runtime/nvrtc/ptxas.h"

#include "fmt/format.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

namespace hone {
namespace {

using llvm::StringRef;

/// The text between two marks; empty where either is missing.
StringRef between(StringRef line, StringRef before, StringRef after) {
  const size_t start = line.find(before);
  if (start == StringRef::npos) return "";
  const StringRef rest = line.substr(start + before.size());
  const size_t end = rest.find(after);
  return end == StringRef::npos ? "" : rest.take_front(end);
}

/// The number that stands before `unit`, as in "64 bytes smem"; 0 where there is none.
int number_before(StringRef line, StringRef unit) {
  const size_t end = line.find(unit);
  if (end == StringRef::npos) return 0;
  const StringRef head = line.take_front(end).rtrim();
  int number = 0;
  const StringRef digits = head.take_back(head.size() - (head.find_last_not_of("0123456789") + 1));
  return digits.getAsInteger(10, number) ? 0 : number;
}

void read_properties(StringRef line, PtxasInfo& info) {
  if (line.contains("bytes stack frame")) {
    info.stack_bytes = number_before(line, "bytes stack frame");
    info.spill_store_bytes = number_before(line, "bytes spill stores");
    info.spill_load_bytes = number_before(line, "bytes spill loads");
  }
  if (line.contains("registers")) {
    info.registers = number_before(line, "registers");
    info.barriers = number_before(line, "barriers");
    info.shared_bytes = number_before(line, "bytes smem");
  }
}

llvm::SmallVector<StringRef> lines_of(std::string_view text) {
  llvm::SmallVector<StringRef> lines;
  StringRef(text.data(), text.size()).split(lines, '\n', -1, /*KeepEmpty=*/false);
  return lines;
}

}  // namespace

std::string to_string(const PtxasInfo& info) {
  return fmt::format(
      "{} per thread, {}", info.registers,
      info.spills() ? fmt::format("{} bytes of spills", info.spill_store_bytes) : "no spills");
}

std::vector<PtxasInfo> parse_ptxas_log(std::string_view log) {
  std::vector<PtxasInfo> kernels;
  for (const StringRef line : lines_of(log)) {
    const StringRef entry = between(line, "Compiling entry function '", "'");
    if (!entry.empty()) kernels.emplace_back().kernel = entry.str();
    if (!kernels.empty() && line.take_front(5) == "ptxas") read_properties(line, kernels.back());
  }
  return kernels;
}

std::vector<std::string> parse_warnings(std::string_view log) {
  std::vector<std::string> warnings;
  for (const StringRef line : lines_of(log))
    if (line.contains("warning") || line.contains("Potential Performance Loss"))
      warnings.push_back(line.trim().str());
  return warnings;
}

}  // namespace hone
