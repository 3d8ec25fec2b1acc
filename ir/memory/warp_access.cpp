#include "ir/memory/warp_access.h"

#include <algorithm>
#include <cassert>
#include <optional>

namespace hone {
namespace {

constexpr int sector_shift = std::countr_zero(unsigned{sector_bytes});
constexpr int word_shift = 2, line_shift = 7, banks = 32;
constexpr int phase_bytes = 128;

/// The different aligned pieces of 2^shift bytes that lanes touch.
class Pieces {
 public:
  explicit Pieces(int shift) : shift_(shift) {}

  void add(int64_t address, int width) {
    for (int64_t piece = address >> shift_; piece <= (address + width - 1) >> shift_; ++piece)
      add(piece);
  }

  /// In ascending order.
  void make_unique() {
    if (!ascends_) std::sort(begin(), end());
    size_ = static_cast<int>(std::unique(begin(), end()) - begin());
  }

  int size() const { return size_; }
  int64_t* begin() { return pieces_.data(); }
  int64_t* end() { return begin() + size_; }

 private:
  void add(int64_t piece) {
    if (size_ > 0 && pieces_[size_ - 1] == piece) return;
    ascends_ &= size_ == 0 || pieces_[size_ - 1] < piece;
    pieces_[size_++] = piece;
  }

  /// A misaligned access touches one piece more than its width has: a phase of 16 lanes, which pair
  /// up, is the one with most words.
  static constexpr int most = phase_bytes / widest_access * 2 * (widest_access / 4 + 1);
  static_assert(most >= warp_size * 2);

  int shift_;
  int size_ = 0;
  bool ascends_ = true;
  std::array<int64_t, most> pieces_;
};

Pieces pieces_of(const WarpAccess& access, uint32_t lanes, int shift) {
  Pieces pieces(shift);
  for (uint32_t left = lanes; left != 0; left &= left - 1)
    pieces.add(access.addresses[std::countr_zero(left)], access.width);
  pieces.make_unique();
  return pieces;
}

/// Different words in the fullest bank.
int passes_of(Pieces words) {
  std::array<uint8_t, banks> count{};
  for (const int64_t word : words) ++count[word & (banks - 1)];
  return *std::max_element(count.begin(), count.end());
}

/// Bits of those of the `count` lanes from `start` on that a warp has.
uint32_t lanes_from(int start, int count) {
  return static_cast<uint32_t>(((uint64_t{1} << count) - 1) << start);
}

/// True if each of the lanes has the address of the lane whose number differs in that bit, if that
/// one is among them.
bool pairs_up(const WarpAccess& access, uint32_t lanes, int bit) {
  for (uint32_t left = lanes; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left), other = lane ^ bit;
    if ((lanes >> other & 1) != 0 && access.addresses[lane] != access.addresses[other])
      return false;
  }
  return true;
}

/// The bit by which they do; 0 where they do not.
int pairing_bit(const WarpAccess& access, uint32_t lanes) {
  return pairs_up(access, lanes, 1) ? 1 : pairs_up(access, lanes, 2) ? 2 : 0;
}

/// The number of the lanes, a pair counted as one.
int count_pairs(uint32_t lanes, int bit) {
  constexpr uint32_t without_1 = 0x55555555, without_2 = 0x33333333;
  const uint32_t lower = bit == 1 ? without_1 : without_2;
  return std::popcount((lanes | lanes >> bit) & lower);
}

/// True if lanes with numbers that grow by 1 have addresses that grow by `step`.
bool has_step(const WarpAccess& access, int64_t step) {
  const int first = std::countr_zero(access.active);
  const int64_t begin = access.addresses[first] - step * first;
  bool holds = true;
  for (int lane = 0; lane < warp_size; ++lane)
    holds &= (access.active >> lane & 1) == 0 || access.addresses[lane] == begin + step * lane;
  return holds;
}

/// Of lanes that all ask for the same 8 or 16 bytes, which pair up in each half of the warp.
Wavefronts of_broadcast(const WarpAccess& access) {
  const uint32_t halves[] = {access.active & lanes_from(0, 16), access.active & lanes_from(16, 16)};
  const int asked = count_pairs(access.active, 1) * access.width;
  return {access.width == 16 ? (halves[0] != 0) + (halves[1] != 0) : 1,
          (asked + phase_bytes - 1) / phase_bytes};
}

/// The common cases, which need no look at banks: one place for all, and words in a row.
std::optional<Wavefronts> simple_wavefronts(const WarpAccess& access) {
  constexpr int word = 1 << word_shift;
  if (access.active == 0 || access.width < word) return std::nullopt;
  if (has_step(access, 0)) return access.width == word ? Wavefronts{1, 1} : of_broadcast(access);
  if (access.width == word && has_step(access, word)) return Wavefronts{1, 1};
  return std::nullopt;
}

}  // namespace

int64_t count_data_bytes(const WarpAccess& access) {
  const int shift = std::countr_zero(static_cast<unsigned>(access.width));
  return int64_t{pieces_of(access, access.active, shift).size()} * access.width;
}

int count_sectors(const WarpAccess& access) {
  return pieces_of(access, access.active, sector_shift).size();
}

int count_lines(const WarpAccess& access) {
  return pieces_of(access, access.active, line_shift).size();
}

Phases phases_of(const WarpAccess& access) {
  assert(access.width <= widest_access && "wider than an instruction");
  Phases phases;
  const auto serve = [&](uint32_t lanes) {
    if (lanes != 0) phases.lanes.push_back(lanes);
  };
  const int phase = std::min<int>(warp_size, phase_bytes / access.width);
  for (int start = 0; start < warp_size; start += 2 * phase) {
    const uint32_t first = access.active & lanes_from(start, phase);
    const uint32_t second = access.active & lanes_from(start + phase, phase);
    const int bit = phase < warp_size ? pairing_bit(access, first | second) : 0;
    phases.asking += bit != 0 ? count_pairs(first | second, bit) : std::popcount(first | second);
    if (bit != 0) {
      serve(first | second);
    } else {
      serve(first);
      serve(second);
    }
  }
  return phases;
}

Wavefronts count_wavefronts(const WarpAccess& access) {
  if (const auto simple = simple_wavefronts(access)) return *simple;
  const Phases phases = phases_of(access);
  Wavefronts wavefronts;
  for (const uint32_t lanes : phases.lanes)
    wavefronts.actual += passes_of(pieces_of(access, lanes, word_shift));
  wavefronts.ideal = (phases.asking * std::max(access.width, 4) + phase_bytes - 1) / phase_bytes;
  return wavefronts;
}

}  // namespace hone
