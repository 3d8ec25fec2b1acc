#include "bench/gpu/machine_code.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Program.h"
#include "runtime/environment.h"
#include "runtime/error.h"
#include "runtime/files.h"

namespace hone {
namespace {

/// The instruction of a line such as "/*0040*/  @!P0 LDG.E.128.CONSTANT R4, [R2.64] ;".
llvm::StringRef instruction_in(llvm::StringRef line) {
  line = line.trim();
  if (!line.consume_front("/*") || line.empty() || !llvm::isHexDigit(line[0])) return "";
  line = line.split("*/").second.ltrim();
  if (line.take_front() == ".") return "";  // data, not code
  if (line.consume_front("@")) line = line.split(' ').second.ltrim();
  return line.take_until([](char c) { return c == ' ' || c == ';'; });
}

/// "LDG.128" for "LDG.E.128.CONSTANT".
std::string with_width(llvm::StringRef instruction) {
  const llvm::StringRef name = instruction.split('.').first;
  const bool is_access = name.take_front(2) == "LD" || name.take_front(2) == "ST";
  for (const char* width : {".64", ".128"})
    if (is_access && instruction.contains(width)) return name.str() + width;
  return name.str();
}

std::string find_disassembler() {
  const std::string toolkit = environment("CUDA_HOME").value_or("/usr/local/cuda") + "/bin";
  if (auto path = llvm::sys::findProgramByName("nvdisasm")) return *path;
  if (auto path = llvm::sys::findProgramByName("nvdisasm", llvm::StringRef(toolkit))) return *path;
  return "";
}

}  // namespace

InstructionCounts count_instructions(std::string_view disassembly) {
  InstructionCounts counts;
  llvm::StringRef rest(disassembly.data(), disassembly.size());
  while (!rest.empty()) {
    llvm::StringRef line;
    std::tie(line, rest) = rest.split('\n');
    const llvm::StringRef instruction = instruction_in(line);
    if (!instruction.empty() && instruction != "NOP") ++counts[with_width(instruction)];
  }
  return counts;
}

std::optional<InstructionCounts> disassemble(const std::vector<char>& cubin) {
  static const std::string program = find_disassembler();
  if (program.empty()) return std::nullopt;
  const ScopedFolder folder(make_private_folder(temporary_root(), "hone-sass-"));
  const std::string input = folder.path() + "/kernel.cubin";
  const std::string output = folder.path() + "/kernel.sass";
  write_new_file(input, {cubin.data(), cubin.size()});
  const int status = llvm::sys::ExecuteAndWait(program, {program, input}, {},
                                               {llvm::StringRef(""), llvm::StringRef(output), {}});
  if (status != 0) throw RuntimeError("{} ends with status {}", program, status);
  return count_instructions(read_small_file(output, size_t{64} << 20).value_or(""));
}

}  // namespace hone
