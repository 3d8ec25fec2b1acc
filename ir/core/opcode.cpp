#include "ir/core/opcode.h"

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

}  // namespace hone
