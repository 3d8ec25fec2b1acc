// Words of figures: numbers, lists, lines.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "llvm/ADT/ArrayRef.h"
#include "runtime/sim/finding.h"

namespace hone {

/// The words in lines of at most so many characters, but for longer words.
std::vector<std::string> wrapped(std::string_view text, size_t width);

/// "1 sector", "4 sectors", "12,800 accesses".
std::string amount(int64_t count, std::string_view what);

/// "12,800"
std::string grouped(int64_t number);

/// Numbers in ascending order, short enough for a cell: "5", "0-31", "0+16", "0..28".
std::string brief(llvm::ArrayRef<int> numbers);

/// The same in full: "0 to 3, 8, 12".
std::string list_text(llvm::ArrayRef<int> numbers);

}  // namespace hone
