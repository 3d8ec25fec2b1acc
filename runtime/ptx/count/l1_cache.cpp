#include "runtime/ptx/count/l1_cache.h"

#include <algorithm>
#include <bit>

#include "llvm/ADT/STLExtras.h"

namespace hone::ptx {
namespace {

constexpr int line_bytes = 128;

/// Sectors by the number of their line. Neighbouring lanes mostly ask for one line.
llvm::SmallVector<std::pair<int64_t, uint8_t>, 8> lines_in(const WarpAccess& access) {
  llvm::SmallVector<std::pair<int64_t, uint8_t>, 8> lines;
  for (uint32_t rest = access.active; rest != 0; rest &= rest - 1) {
    const int64_t address = access.addresses[std::countr_zero(rest)];
    const auto sector = static_cast<uint8_t>(1 << (address % line_bytes / sector_bytes));
    const int64_t number = address / line_bytes;
    if (lines.empty() || lines.back().first != number) {
      const auto known =
          std::find_if(lines.begin(), lines.end(), [&](auto& one) { return one.first == number; });
      if (known != lines.end())
        std::rotate(known, known + 1, lines.end());
      else
        lines.emplace_back(number, 0);
    }
    lines.back().second |= sector;
  }
  return lines;
}

}  // namespace

L1Cache::L1Cache(int64_t bytes)
    : lines_(bytes / line_bytes / ways * ways), sets_(bytes / line_bytes / ways) {}

/// The line, if it is there, or else the one that it takes the place of, emptied.
L1Cache::Line& L1Cache::line_of(int64_t number) {
  const auto begin = lines_.begin() + number % sets_ * ways, end = begin + ways;
  const auto found = std::find_if(begin, end, [&](const Line& l) { return l.number == number; });
  if (found != end) return *found;
  const auto oldest = std::min_element(
      begin, end, [](const Line& lhs, const Line& rhs) { return lhs.used < rhs.used; });
  *oldest = {number, 0, 0};
  return *oldest;
}

MissedSectors L1Cache::load(const WarpAccess& access, bool is_cached) {
  MissedSectors missed;
  for (const auto& [number, sectors] : lines_in(access)) {
    uint8_t missing = sectors;
    if (is_cached && sets_ > 0) {
      Line& line = line_of(number);
      missing &= static_cast<uint8_t>(~line.sectors);
      line.sectors |= sectors;
      line.used = ++now_;
    }
    if (missing == 0) continue;
    uint8_t& seen = seen_[number];
    missed.sectors += std::popcount(missing);
    missed.first += std::popcount(static_cast<uint8_t>(missing & ~seen));
    seen |= missing;
  }
  return missed;
}

int64_t L1Cache::stretches() const {
  return llvm::count_if(seen_, [&](const auto& line) { return !seen_.count(line.first - 1); });
}

}  // namespace hone::ptx
