// Tables of lines as DWARF 2 has them: a line for each address of machine code.
#pragma once

#include "runtime/ptx/cubin/elf.h"

namespace hone::ptx {

/// From this address on.
struct LineRow {
  uint64_t section = 0, address = 0;  ///< in that section
  int line = 0;
};

/// By section and address. `name` is that of the section with the table; without it there are none.
/// Throws RuntimeError where the table ends too early.
std::vector<LineRow> read_line_table(const ElfFile& file, llvm::StringRef name);

/// The line of an address; 0 where none is known.
int line_at(llvm::ArrayRef<LineRow> rows, uint64_t section, uint64_t address);

}  // namespace hone::ptx
