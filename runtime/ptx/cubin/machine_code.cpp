#include "runtime/ptx/cubin/machine_code.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Endian.h"
#include "runtime/ptx/cubin/line_table.h"

namespace hone::ptx {
namespace {

constexpr size_t instruction_bytes = 16;

/// The lowest eight bits of an instruction say what it does, the four above them the form of its
/// operands.
struct MachineOpcode {
  uint8_t bits;
  Space space;
  bool is_store;
};

constexpr MachineOpcode opcodes[] = {
    {0x80, Space::generic, false}, {0x85, Space::generic, true}, {0x81, Space::global, false},
    {0x86, Space::global, true},   {0x83, Space::local, false},  {0x87, Space::local, true},
    {0x84, Space::shared, false},  {0x88, Space::shared, true},
};

/// Forms of operands that these opcodes have; others have the same bits for something else.
bool is_form_of_memory(uint64_t form) { return form == 0x3 || form == 0x9; }

/// By the field that says how wide an access is.
constexpr int widths[] = {1, 1, 2, 2, 4, 8, 16, 16};

const MachineOpcode* opcode_of(uint64_t low) {
  if (!is_form_of_memory(low >> 8 & 0xf)) return nullptr;
  for (const MachineOpcode& opcode : opcodes)
    if (opcode.bits == (low & 0xff)) return &opcode;
  return nullptr;
}

/// BRA, BRX, JMP, EXIT, CALL, RET, and BSYNC, at which lanes meet again.
bool is_jump(uint64_t low) {
  constexpr uint64_t opcodes[] = {0x947, 0x949, 0x94a, 0x94d, 0x943, 0x944, 0x950, 0x941};
  return llvm::is_contained(opcodes, low & 0xfff);
}

/// The bits that say what the instruction at that byte does.
uint64_t low_bits(llvm::StringRef text, size_t at) {
  return llvm::support::endian::read64le(text.data() + at);
}

/// The code without its end, where nothing comes to: a jump to itself, and NOP up to the next line
/// of the cache.
llvm::StringRef without_padding(llvm::StringRef text) {
  constexpr uint64_t nop = 0x918, bra = 0x947;
  const auto ends_with = [&](uint64_t opcode) {
    return text.size() >= instruction_bytes &&
           (low_bits(text, text.size() - instruction_bytes) & 0xfff) == opcode;
  };
  text = text.drop_back(text.size() % instruction_bytes);
  while (ends_with(nop)) text = text.drop_back(instruction_bytes);
  return ends_with(bra) ? text.drop_back(instruction_bytes) : text;
}

void read_function(const ElfSection& section, uint64_t number, llvm::ArrayRef<LineRow> lines,
                   MachineCode& code) {
  const llvm::StringRef text = without_padding(section.bytes);
  for (size_t at = 0; at < text.size(); at += instruction_bytes) {
    const uint64_t low = low_bits(text, at);
    const uint64_t high = llvm::support::endian::read64le(text.data() + at + sizeof low);
    const int line = line_at(lines, number, at);
    const MachineOpcode* const opcode = opcode_of(low);
    code.instructions.push_back({line, is_jump(low), opcode != nullptr});
    if (opcode)
      code.accesses.push_back({opcode->space, opcode->is_store, widths[high >> 9 & 7], line});
  }
}

}  // namespace

MachineCode read_cubin(llvm::StringRef cubin) {
  const ElfFile file(cubin);
  MachineCode code;
  code.ptx = file.bytes_of(".nv_debug_ptx_txt").str();
  std::replace(code.ptx.begin(), code.ptx.end(), '\0', '\n');
  const std::vector<LineRow> lines = read_line_table(file, ".nv_debug_line_sass");
  for (size_t n = 0; n < file.sections().size(); ++n)
    if (const ElfSection& section = file.sections()[n]; section.name.startswith(".text."))
      read_function(section, n, lines, code);
  return code;
}

}  // namespace hone::ptx
