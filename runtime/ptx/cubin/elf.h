// The sections of an ELF file of 64 bits, lowest byte first, as cubins are.
#pragma once

#include <cstdint>
#include <vector>

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace hone::ptx {

struct ElfSection {
  llvm::StringRef name, bytes;
};

/// An address that stands in a section: that of a symbol, and `addend` more.
struct ElfRelocation {
  uint64_t at = 0;       ///< in the section that it is about
  uint64_t section = 0;  ///< of the symbol
  uint64_t value = 0;    ///< in that section
};

/// Of a file that lives longer.
class ElfFile {
 public:
  /// Throws RuntimeError where the bytes are no such file.
  explicit ElfFile(llvm::StringRef bytes);

  llvm::ArrayRef<ElfSection> sections() const { return sections_; }
  /// Empty where there is none.
  llvm::StringRef bytes_of(llvm::StringRef name) const;
  std::vector<ElfRelocation> relocations_of(llvm::StringRef name) const;

 private:
  template <class Record>
  std::vector<ElfRelocation> relocations_in(llvm::StringRef records) const;

  llvm::StringRef bytes_;
  std::vector<ElfSection> sections_;
};

}  // namespace hone::ptx
