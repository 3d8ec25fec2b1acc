#include "runtime/ptx/matrices/matrix.h"

#include "runtime/ptx/machine/access.h"
#include "runtime/ptx/machine/block.h"
#include "runtime/ptx/machine/exchange.h"
#include "runtime/ptx/machine/observer.h"
#include "runtime/ptx/machine/unset.h"

namespace hone::ptx {

// ---- Spreads ------------------------------------------------------------------------------------

bool is_element(Type type) {
  return type == Type::f32 || with_element(type, []<DType t>() { return t != DType::f32; });
}

namespace {

constexpr int half_rows = 8, tall = 16;

/// The rows of A or the columns of B are the outer index, along which lanes are in groups of four.
struct Outer {
  int extent = 0;
  int halves = 1;  ///< of a piece: 16 neighbours or 8
};

/// The outer and the inner index: a register has `packed` neighbours. Registers go by halves, along
/// the inner index, and by pieces.
std::pair<int, int> place_of_factor(const Spread& spread, Outer outer, int reg, int lane,
                                    int element) {
  const int run = 4 * spread.packed;
  const int runs = std::max(spread.elements() / outer.extent / run, 1);
  const int half = reg % outer.halves, rest = reg / outer.halves;
  return {lane / 4 + half_rows * (half + outer.halves * (rest / runs)),
          spread.packed * (lane % 4) + element + run * (rest % runs)};
}

/// Pairs of neighbours are in one register or in two.
std::pair<int, int> place_of_sum(const Spread& spread, Outer outer, int reg, int lane,
                                 int element) {
  const int pair = spread.packed == 2 ? reg : reg / 2;
  const int next = spread.packed == 2 ? element : reg % 2;
  const int runs = spread.elements() / outer.extent / half_rows;
  const int half = pair % outer.halves, rest = pair / outer.halves;
  return {lane / 4 + half_rows * (half + outer.halves * (rest / runs)),
          2 * (lane % 4) + next + half_rows * (rest % runs)};
}

/// The place of an element, row by row. A turned product is that of the transposed matrices.
int place_of_element(const Spread& spread, MatrixRole role, int reg, int lane, int element) {
  const bool is_right = role == MatrixRole::right, is_sum = role == MatrixRole::sum;
  const bool is_by_columns = is_right || (is_sum && spread.is_turned);
  const int extent = is_by_columns ? spread.columns : spread.rows;
  const bool has_halves = extent >= tall && (!is_right || spread.is_turned);
  const Outer outer = {extent, has_halves ? 2 : 1};
  const auto [major, minor] = is_sum ? place_of_sum(spread, outer, reg, lane, element)
                                     : place_of_factor(spread, outer, reg, lane, element);
  return is_by_columns ? minor * spread.columns + major : major * spread.columns + minor;
}

}  // namespace

void place_elements(Spread& spread, MatrixRole role) {
  spread.places.clear();
  for (int reg = 0; reg < static_cast<int>(spread.registers.size()); ++reg)
    for (int lane = 0; lane < lanes; ++lane)
      for (int element = 0; element < spread.packed; ++element)
        spread.places.push_back(static_cast<uint16_t>(
            place_of_element(spread, role, reg % spread.distinct(), lane, element)));
}

bool fits(const Spread& spread, bool may_repeat) {
  const int room = static_cast<int>(spread.registers.size()) * spread.per_register();
  if (!is_element(spread.type) || spread.elements() == 0) return false;
  return may_repeat ? room % spread.elements() == 0 && room > 0 : room == spread.elements();
}

// ---- Values that are not set --------------------------------------------------------------------

namespace {

/// Rows and columns of D that come from values which nobody set.
struct UnsetParts {
  std::vector<bool> rows, columns, elements;
  uint32_t origin = 0;
  bool exist = false;
};

/// Calls `use(place)` for the elements without a value.
template <class Use>
void for_each_unset(const Warp& warp, const Spread& spread, uint32_t& origin, const Use& use) {
  const uint16_t* place = spread.places.data();
  for (const Ref ref : spread.registers) {
    const LaneMask unset = unset_lanes(warp, ref);
    if (unset != 0) origin = origin_of_unset(warp, ref);
    for_each_lane(unset, [&](int lane) {
      for (int n = 0; n < spread.packed; ++n) use(place[lane * spread.packed + n]);
    });
    place += spread.per_register();
  }
}

UnsetParts unset_parts(const Warp& warp, const ProductDetail& detail) {
  UnsetParts parts = {std::vector<bool>(detail.rows), std::vector<bool>(detail.columns),
                      std::vector<bool>(static_cast<size_t>(detail.rows) * detail.columns)};
  for_each_unset(warp, detail.left, parts.origin,
                 [&](int place) { parts.exist = parts.rows[place / detail.depth] = true; });
  for_each_unset(warp, detail.right, parts.origin,
                 [&](int place) { parts.exist = parts.columns[place % detail.columns] = true; });
  for_each_unset(warp, detail.sum, parts.origin,
                 [&](int place) { parts.exist = parts.elements[place] = true; });
  return parts;
}

/// Marks the registers of D.
void follow_product(Warp& warp, const ProductDetail& detail, const UnsetParts& parts) {
  const Spread& result = detail.result;
  const uint16_t* place = result.places.data();
  for (const Ref ref : result.registers) {
    LaneMask unset = 0;
    for (int n = 0; parts.exist && n < result.per_register(); ++n) {
      const int at = place[n];
      const bool is_unset = parts.rows[at / detail.columns] || parts.columns[at % detail.columns] ||
                            parts.elements[at];
      unset |= LaneMask{is_unset} << n / result.packed;
    }
    mark_unset(warp, ref, unset, parts.origin);
    place += result.per_register();
  }
}

}  // namespace

// ---- Products -----------------------------------------------------------------------------------

int32_t rounded_sum(int64_t sum, bool saturates) {
  if (!saturates) return static_cast<int32_t>(sum);
  return static_cast<int32_t>(std::clamp<int64_t>(sum, INT32_MIN, INT32_MAX));
}

namespace {

template <class Value>
void multiply(const Warp& warp, const ProductDetail& detail) {
  if (warp.block->run.options.skips_products) return;
  std::vector<Value> left(detail.left.elements()), right(detail.right.elements()),
      sums(detail.sum.elements());
  gather_elements(warp, detail.left, left.data());
  gather_elements(warp, detail.right, right.data());
  gather_elements(warp, detail.sum, sums.data());
  add_product(detail, left.data(), right.data(), sums.data());
  if constexpr (std::is_same_v<Value, int64_t>)
    for (Value& sum : sums) sum = rounded_sum(sum, detail.saturates);
  scatter_elements(warp, detail.result, sums.data());
}

}  // namespace

void run_product(Warp& warp, const Op& op) {
  if (!gather(warp, op, op.sources[4])) return;
  const ProductDetail& detail = warp.block->run.program.products[op.detail];
  const bool follows = !warp.at_hand.frame->unset.empty();
  const UnsetParts unset = follows ? unset_parts(warp, detail) : UnsetParts();
  if (detail.sum.type == Type::s32)
    multiply<int64_t>(warp, detail);
  else if (detail.sum.type == Type::f64)
    multiply<double>(warp, detail);
  else
    multiply<float>(warp, detail);
  if (follows) follow_product(warp, detail, unset);
}

}  // namespace hone::ptx
