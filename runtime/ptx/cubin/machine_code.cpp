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

/// The two words of an instruction.
struct MachineWords {
  uint64_t low = 0, high = 0;

  uint64_t opcode() const { return low & 0xfff; }
  bool is_for_all_lanes() const { return (low >> 12 & 0xf) == 7; }
};

constexpr uint64_t bra = 0x947, bra_if_uniform = 0x547, exit_opcode = 0x94d, call = 0x944,
                   nop = 0x918;

/// Those behind which a warp may be elsewhere: also BSYNC (0x941), at which lanes meet again.
bool is_jump(const MachineWords& words) {
  constexpr uint64_t opcodes[] = {bra,   bra_if_uniform, 0x949, 0x94a, exit_opcode,
                                  0x943, call,           0x950, 0x941};
  return llvm::is_contained(opcodes, words.opcode());
}

/// Without the form of the operands.
uint64_t operation(const MachineWords& words) { return words.low & 0x1ff; }

/// MUFU, FLO, BREV, POPC, and conversions from and to 64 bits: F2F, F2I, I2F, FRND.
bool is_special(const MachineWords& words) {
  constexpr uint64_t operations[] = {0x108, 0x100, 0x101, 0x109, 0x110, 0x111, 0x112, 0x113};
  return llvm::is_contained(operations, operation(words));
}

/// DMUL, DADD, DSETP, DFMA.
bool is_double(const MachineWords& words) {
  return operation(words) >= 0x28 && operation(words) <= 0x2b;
}

/// False of BRA, BRX, JMP, EXIT and RET of all lanes.
bool goes_on(const MachineWords& words) {
  constexpr uint64_t opcodes[] = {bra, 0x949, 0x94a, exit_opcode, 0x950};
  return !words.is_for_all_lanes() || !llvm::is_contained(opcodes, words.opcode());
}

/// The number in the lowest `bits` bits, which may be negative.
int64_t signed_field(uint64_t field, int bits) {
  return static_cast<int64_t>(field << (64 - bits)) >> (64 - bits);
}

/// Architectures have the distance of a jump in one of two forms: as bytes, or as words of four
/// bytes whose lowest eight bits stand apart.
enum class JumpForm : uint8_t { bytes, words };

/// Bytes from the instruction behind a jump.
int64_t distance(const MachineWords& jump, JumpForm form) {
  const uint64_t high = jump.high & 0x3ffff;
  if (form == JumpForm::bytes) return signed_field(high << 32 | jump.low >> 32, 50);
  return 4 * signed_field((high << 30 | jump.low >> 34) << 8 | (jump.low >> 16 & 0xff), 56);
}

/// The code of one function.
class FunctionReader {
 public:
  FunctionReader(const ElfSection& section, uint64_t number, llvm::ArrayRef<LineRow> lines)
      : text_(section.bytes), number_(number), lines_(lines) {
    drop_padding();
  }

  void read(MachineCode& code) const {
    const auto first = static_cast<int64_t>(code.instructions.size());
    for (size_t n = 0; n < count_; ++n) {
      const MachineWords words = words_at(n);
      const MachineOpcode* const opcode = opcode_of(words.low);
      const int line = line_at(lines_, number_, n * instruction_bytes);
      const int64_t target = target_of(n);
      MachineInstruction instruction;
      instruction.ptx_line = line;
      instruction.is_jump = is_jump(words);
      instruction.goes_on = goes_on(words);
      instruction.is_special = is_special(words);
      instruction.is_double = is_double(words);
      instruction.is_call = words.opcode() == call;
      instruction.is_access = opcode != nullptr;
      if (target >= 0) instruction.target = first + target;
      code.instructions.push_back(instruction);
      if (opcode)
        code.accesses.push_back(
            {opcode->space, opcode->is_store, widths[words.high >> 9 & 7], line});
    }
  }

 private:
  MachineWords words_at(size_t n) const {
    const char* const at = text_.data() + n * instruction_bytes;
    return {llvm::support::endian::read64le(at),
            llvm::support::endian::read64le(at + sizeof(uint64_t))};
  }

  /// Nothing comes to the end of the code: a jump to itself, which tells the form of jumps, and NOP
  /// up to the next line of the cache.
  void drop_padding() {
    count_ = text_.size() / instruction_bytes;
    while (count_ > 0 && words_at(count_ - 1).opcode() == nop) --count_;
    if (count_ == 0 || words_at(count_ - 1).opcode() != bra) return;
    const MachineWords last = words_at(--count_);
    for (const JumpForm form : {JumpForm::bytes, JumpForm::words})
      if (distance(last, form) == -static_cast<int64_t>(instruction_bytes)) form_ = form;
  }

  /// The number of the instruction that a jump leads to; -1 where it is none, or not known.
  int64_t target_of(size_t n) const {
    const MachineWords words = words_at(n);
    constexpr uint64_t opcodes[] = {bra, bra_if_uniform, call};
    if (!form_ || !llvm::is_contained(opcodes, words.opcode())) return -1;
    constexpr auto bytes = static_cast<int64_t>(instruction_bytes);
    const int64_t target = static_cast<int64_t>(n + 1) + distance(words, *form_) / bytes;
    return target >= 0 && target < static_cast<int64_t>(count_) ? target : -1;
  }

  llvm::StringRef text_;
  uint64_t number_;
  llvm::ArrayRef<LineRow> lines_;
  size_t count_ = 0;
  std::optional<JumpForm> form_;
};

}  // namespace

MachineCode read_cubin(llvm::StringRef cubin) {
  const ElfFile file(cubin);
  MachineCode code;
  code.ptx = file.bytes_of(".nv_debug_ptx_txt").str();
  std::replace(code.ptx.begin(), code.ptx.end(), '\0', '\n');
  const std::vector<LineRow> lines = read_line_table(file, ".nv_debug_line_sass");
  for (size_t n = 0; n < file.sections().size(); ++n)
    if (const ElfSection& section = file.sections()[n]; section.name.startswith(".text."))
      FunctionReader(section, n, lines).read(code);
  return code;
}

}  // namespace hone::ptx
