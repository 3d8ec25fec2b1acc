// The tokens of CUDA text, as far as its declarations need them.
#pragma once

#include <cstdint>
#include <vector>

#include "llvm/ADT/StringRef.h"

namespace hone::ptx {

enum class CudaTokenKind : uint8_t {
  word,       ///< an identifier or a keyword
  number,     ///< 12, 0x1p3f
  text,       ///< a string or a character, raw ones too, with its quotes
  mark,       ///< one character of punctuation, or `::`, or `->`
  directive,  ///< `#include <x>`: to the end of its line, or of those that it goes on in
};

struct CudaToken {
  CudaTokenKind kind = CudaTokenKind::mark;
  llvm::StringRef text;  ///< lies in the source
  int line = 0;          ///< from 1

  bool is(llvm::StringRef what) const { return text == what; }
};

/// The tokens of a source, which outlives them. Any text has some: what is not closed ends with it.
std::vector<CudaToken> tokens_of(llvm::StringRef source);

/// "include" of `#include <x>`.
llvm::StringRef name_of_directive(llvm::StringRef directive);

}  // namespace hone::ptx
