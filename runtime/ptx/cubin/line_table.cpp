#include "runtime/ptx/cubin/line_table.h"

#include <algorithm>
#include <array>

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/DataExtractor.h"
#include "runtime/error.h"

namespace hone::ptx {
namespace {

/// Opcodes of DWARF 2; those from the base of a table on advance address and line together.
namespace opcode {
constexpr uint8_t extended = 0, copy = 1, advance_address = 2, advance_line = 3, advance_fixed = 9;
constexpr uint8_t end_sequence = 1, set_address = 2;  // behind `extended`
}  // namespace opcode

/// The head of a table, in front of its program.
struct Prologue {
  uint64_t program = 0, end = 0;  ///< of the program, in the section
  uint8_t least_instruction = 1, line_range = 1, opcode_base = 1;
  int8_t line_base = 0;
  std::array<uint8_t, 256> operands{};  ///< of the opcodes below the base
};

class LineProgram {
 public:
  LineProgram(llvm::StringRef bytes, llvm::ArrayRef<ElfRelocation> relocations,
              std::vector<LineRow>& rows)
      : data_(bytes, /*IsLittleEndian=*/true, /*AddressSize=*/8),
        relocations_(relocations),
        rows_(rows) {}

  void read_all() {
    for (uint64_t at = 0; at < data_.size();) {
      const Prologue prologue = read_prologue(at);
      llvm::DataExtractor::Cursor cursor(prologue.program);
      row_ = {0, 0, 1};
      while (cursor && cursor.tell() < prologue.end) step(cursor, prologue);
      if (llvm::Error error = cursor.takeError())
        throw RuntimeError("a table of lines: {}", llvm::toString(std::move(error)));
      at = prologue.end;
    }
  }

 private:
  Prologue read_prologue(uint64_t at) const {
    llvm::DataExtractor::Cursor cursor(at);
    Prologue prologue;
    prologue.end = data_.getU32(cursor);
    prologue.end += cursor.tell();
    data_.getU16(cursor);  // the version
    prologue.program = data_.getU32(cursor);
    prologue.program += cursor.tell();
    prologue.least_instruction = data_.getU8(cursor);
    data_.getU8(cursor);  // statements by default
    prologue.line_base = static_cast<int8_t>(data_.getU8(cursor));
    prologue.line_range = std::max<uint8_t>(data_.getU8(cursor), 1);
    prologue.opcode_base = data_.getU8(cursor);
    for (int n = 1; n < prologue.opcode_base; ++n) prologue.operands[n] = data_.getU8(cursor);
    if (llvm::Error error = cursor.takeError())
      throw RuntimeError("a table of lines: {}", llvm::toString(std::move(error)));
    return prologue;
  }

  void step(llvm::DataExtractor::Cursor& cursor, const Prologue& prologue) {
    const uint8_t code = data_.getU8(cursor);
    if (code >= prologue.opcode_base) {
      const int both = code - prologue.opcode_base;
      row_.address +=
          static_cast<uint64_t>(both / prologue.line_range) * prologue.least_instruction;
      row_.line += prologue.line_base + both % prologue.line_range;
      return rows_.push_back(row_);
    }
    switch (code) {
      case opcode::extended:
        return extended(cursor);
      case opcode::copy:
        return rows_.push_back(row_);
      case opcode::advance_address:
        row_.address += data_.getULEB128(cursor) * prologue.least_instruction;
        return;
      case opcode::advance_line:
        row_.line += static_cast<int>(data_.getSLEB128(cursor));
        return;
      case opcode::advance_fixed:
        row_.address += data_.getU16(cursor);
        return;
      default:
        for (int n = 0; n < prologue.operands[code]; ++n) data_.getULEB128(cursor);
    }
  }

  void extended(llvm::DataExtractor::Cursor& cursor) {
    const uint64_t bytes = data_.getULEB128(cursor), begin = cursor.tell();
    const uint8_t code = data_.getU8(cursor);
    if (code == opcode::set_address) {
      row_.address = data_.getU64(cursor);
      relocate(begin + 1);
    } else if (code == opcode::end_sequence) {
      rows_.push_back({row_.section, row_.address, 0});
      row_ = {0, 0, 1};
    }
    cursor.seek(begin + bytes);
  }

  void relocate(uint64_t at) {
    const auto found = llvm::find_if(relocations_, [&](const auto& r) { return r.at == at; });
    if (found == relocations_.end()) return;
    row_.section = found->section;
    row_.address += found->value;
  }

  llvm::DataExtractor data_;
  llvm::ArrayRef<ElfRelocation> relocations_;
  std::vector<LineRow>& rows_;
  LineRow row_;
};

bool is_before(const LineRow& lhs, const LineRow& rhs) {
  return std::pair(lhs.section, lhs.address) < std::pair(rhs.section, rhs.address);
}

}  // namespace

std::vector<LineRow> read_line_table(const ElfFile& file, llvm::StringRef name) {
  std::vector<LineRow> rows;
  LineProgram(file.bytes_of(name), file.relocations_of(name), rows).read_all();
  llvm::stable_sort(rows, is_before);
  return rows;
}

int line_at(llvm::ArrayRef<LineRow> rows, uint64_t section, uint64_t address) {
  const auto* const behind =
      std::upper_bound(rows.begin(), rows.end(), LineRow{section, address, 0}, is_before);
  if (behind == rows.begin() || (behind - 1)->section != section) return 0;
  return (behind - 1)->line;
}

}  // namespace hone::ptx
