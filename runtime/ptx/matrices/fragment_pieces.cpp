#include <numeric>

#include "llvm/ADT/STLExtras.h"
#include "runtime/ptx/matrices/fragment.h"

namespace hone::ptx {
namespace {

constexpr int most_bytes = 16;  ///< of a lane in an access
constexpr int matrix_rows = 8;  ///< of ldmatrix, of 16 bytes

using Slots = std::vector<uint16_t>;

/// The order of elements in memory, where its lines lie one behind the other.
class Lines {
 public:
  explicit Lines(const MatrixDetail& matrix) : matrix_(matrix) {}

  int length() const { return matrix_.is_by_column ? spread().rows : spread().columns; }
  int number(int slot) const {
    const int place = spread().places[slot];
    return matrix_.is_by_column
               ? place % spread().columns * spread().rows + place / spread().columns
               : place;
  }
  /// True if each run of so many slots has neighbours of one line.
  bool have_neighbours(const Slots& slots, int run) const {
    for (size_t n = 0; n + 1 < slots.size(); ++n) {
      const int next = number(slots[n + 1]);
      const bool is_in_run = (n + 1) % run != 0;
      if (is_in_run && (next != number(slots[n]) + 1 || next % length() == 0)) return false;
    }
    return true;
  }
  Slots sorted(Slots slots) const {
    llvm::sort(slots, [&](int lhs, int rhs) { return number(lhs) < number(rhs); });
    return slots;
  }

 private:
  const Spread& spread() const { return matrix_.spread; }

  const MatrixDetail& matrix_;
};

uint16_t slot_of(const Spread& spread, int reg, int lane, int element) {
  return static_cast<uint16_t>(reg * spread.per_register() + lane * spread.packed + element);
}

/// By lane and element.
Slots slots_of_register(const Spread& spread, int reg) {
  Slots slots(spread.per_register());
  std::iota(slots.begin(), slots.end(), slot_of(spread, reg, 0, 0));
  return slots;
}

/// Those of a register and the next one, lane by lane.
Slots slots_of_pair(const Spread& spread, int reg) {
  Slots slots;
  for (int lane = 0; lane < lanes; ++lane)
    for (int half = 0; half < 2; ++half)
      for (int element = 0; element < spread.packed; ++element)
        slots.push_back(slot_of(spread, reg + half, lane, element));
  return slots;
}

/// The accesses of a matrix whose registers are all alike.
class Pieces {
 public:
  explicit Pieces(const MatrixDetail& matrix)
      : spread_(matrix.spread), lines_(matrix), bytes_(bytes_of(spread_.type)) {}

  MatrixMove elsewhere() const;
  /// By ldmatrix, so many matrices at a time.
  MatrixMove rows(int most) const;
  /// True if the 32 bits of a register are neighbours in memory, or can be turned.
  bool have_rows() const {
    return bytes_ == 2 || lines_.have_neighbours(slots_of_register(spread_, 0), spread_.packed);
  }

 private:
  bool are_pairs() const {
    return spread_.distinct() % 2 == 0 && 2 * spread_.packed * bytes_ <= most_bytes &&
           lines_.have_neighbours(slots_of_pair(spread_, 0), 2 * spread_.packed);
  }
  MatrixMove one_by_one() const;

  const Spread& spread_;
  Lines lines_;
  int bytes_;
};

MatrixMove Pieces::one_by_one() const {
  MatrixMove move;
  for (int reg = 0; reg < spread_.distinct(); ++reg)
    for (int element = 0; element < spread_.packed; ++element) {
      Slots slots;
      for (int lane = 0; lane < lanes; ++lane)
        slots.push_back(slot_of(spread_, reg, lane, element));
      move.pieces.push_back({all_lanes, std::move(slots)});
    }
  return move;
}

MatrixMove Pieces::elsewhere() const {
  if (!are_pairs() && !have_rows()) return one_by_one();
  const int step = are_pairs() ? 2 : 1;
  MatrixMove move;
  move.elements = step * spread_.packed;
  for (int reg = 0; reg < spread_.distinct(); reg += step) {
    const Slots slots = step == 2 ? slots_of_pair(spread_, reg) : slots_of_register(spread_, reg);
    const bool lies_along = lines_.have_neighbours(slots, move.elements);
    move.pieces.push_back({all_lanes, lies_along ? slots : lines_.sorted(slots)});
  }
  return move;
}

MatrixMove Pieces::rows(int most) const {
  const int matrices = std::min(most, spread_.distinct());
  MatrixMove move;
  move.elements = most_bytes / bytes_;
  move.is_of_rows = true;
  for (int reg = 0; reg < spread_.distinct(); ++reg) {
    if (reg % matrices == 0) move.pieces.push_back({});
    MatrixMove::Piece& piece = move.pieces.back();
    piece.active = piece.active << matrix_rows | ((1u << matrix_rows) - 1);
    llvm::append_range(piece.slots, lines_.sorted(slots_of_register(spread_, reg)));
  }
  return move;
}

/// The matrices that ptxas loads by one ldmatrix; 0: it does not.
int matrices_at_once(Type type, MatrixRole role) {
  if (role == MatrixRole::sum) return 0;
  if (type == Type::f16) return 4;
  return type == Type::s8 || type == Type::u8 ? 2 : 0;
}

}  // namespace

void place_pieces(MatrixDetail& matrix, MatrixRole role) {
  const Pieces pieces(matrix);
  const int at_once = matrices_at_once(matrix.spread.type, role);
  matrix.elsewhere = pieces.elsewhere();
  matrix.in_shared = at_once > 0 && pieces.have_rows() ? pieces.rows(at_once) : matrix.elsewhere;
}

}  // namespace hone::ptx
