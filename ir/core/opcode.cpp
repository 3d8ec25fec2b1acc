#include "ir/core/opcode.h"

#include <set>

#include "ir/target/gpu_limits.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSwitch.h"

namespace hone {
namespace {

using Kind = FormatPart::Kind;

Kind kind_of(llvm::StringRef name) {
  return llvm::StringSwitch<Kind>(name)
      .Case("element", Kind::element)
      .Case("corner", Kind::corner)
      .Case("slot", Kind::slot)
      .Case("flag", Kind::flag)
      .Case("tensor", Kind::tensor)
      .Case("value", Kind::value)
      .Case("integer", Kind::integer)
      .Case("box", Kind::box)
      .Case("word", Kind::word);
}

/// "wait_group {integer:the groups}" is a literal and an integer.
llvm::SmallVector<FormatPart, 8> parts_of(llvm::StringRef format) {
  llvm::SmallVector<FormatPart, 8> parts;
  while (!format.empty()) {
    const auto [literal, rest] = format.split('{');
    if (!literal.empty()) parts.push_back({Kind::literal, literal.str()});
    const auto [part, behind] = rest.split('}');
    const auto [kind, text] = part.split(':');
    if (!kind.empty()) parts.push_back({kind_of(kind), text.str()});
    format = behind;
  }
  return parts;
}

bool is_place(FormatPart::Kind kind) {
  return kind == Kind::element || kind == Kind::corner || kind == Kind::slot ||
         kind == Kind::flag || kind == Kind::tensor;
}

}  // namespace

Opcode::Opcode(std::string_view format, llvm::ArrayRef<Use> uses, const Rules& rules)
    : format(parts_of(format)), uses(uses.begin(), uses.end()), rules(rules) {}

std::string Opcode::word() const {
  return llvm::StringRef(format.front().text).split(' ').first.str();
}

llvm::SmallVector<FormatPart::Kind, 3> Opcode::place_kinds() const {
  llvm::SmallVector<Kind, 3> kinds;
  for (const FormatPart& part : format)
    if (is_place(part.kind)) kinds.push_back(part.kind);
  return kinds;
}

const Opcode* find_opcode_with_lanes(std::string_view word) {
  for (const Family& family : opcode_families())
    for (const Opcode* opcode : family.opcodes)
      if (!opcode->rules.spreads.empty() && opcode->word() == word) return opcode;
  return nullptr;
}

size_t FragmentSpread::rank() const {
  if (is_tile()) return tile.size();
  int last = -1;
  for (const SpreadDigit& digit : digits) last = std::max(last, digit.dim);
  return last + 1;
}

int FragmentSpread::values() const {
  int product = 1;
  for (const SpreadDigit& digit : digits)
    if (digit.of == SpreadDigit::Of::value) product *= digit.count;
  return product;
}

llvm::SmallVector<int64_t, 4> FragmentSpread::extents() const {
  if (is_tile()) return {tile.begin(), tile.end()};
  llvm::SmallVector<int64_t, 4> result(rank(), 1);
  for (const SpreadDigit& digit : digits)
    if (digit.of == SpreadDigit::Of::value) result[digit.dim] *= digit.count;
  return result;
}

Layout FragmentSpread::layout(DType type) const {
  const int64_t panel = columns(type);
  const Layout rows = tile.back() > panel
                          ? Layout::order({IndexDigit(1) / panel, 0, IndexDigit(1) % panel})
                          : Layout();
  return rows.swizzle_bytes(swizzle, type);
}

uint32_t FragmentSpread::own_lanes() const {
  uint32_t own = 0;
  std::set<llvm::SmallVector<int64_t, 4>> seen;
  for (int lane = 0; lane < warp_size; ++lane)
    own |= uint32_t{seen.insert(element(lane, 0)).second} << lane;
  return own;
}

llvm::SmallVector<int64_t, 4> FragmentSpread::element(int lane, int value) const {
  llvm::SmallVector<int64_t, 4> indices;
  for (const SpreadDigit& digit : digits) {
    const int number = digit.of == SpreadDigit::Of::lane ? lane : value;
    if (indices.size() <= static_cast<size_t>(digit.dim)) indices.resize(digit.dim + 1);
    indices[digit.dim] += int64_t{number / digit.divisor % digit.count} * digit.factor;
  }
  return indices;
}

}  // namespace hone
