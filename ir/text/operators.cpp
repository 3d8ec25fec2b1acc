#include "ir/text/operators.h"

#include <array>

#include "ir/text/lexer.h"
#include "ir/text/literal.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace hone {
namespace {

constexpr std::array<InfixOperator, 18> infix_operators = {{
    {BinaryOp::logical_or, "||", 1},
    {BinaryOp::logical_and, "&&", 2},
    {BinaryOp::bit_or, "|", 3},
    {BinaryOp::bit_xor, "^", 4},
    {BinaryOp::bit_and, "&", 5},
    {BinaryOp::eq, "==", 6},
    {BinaryOp::ne, "!=", 6},
    {BinaryOp::lt, "<", 7},
    {BinaryOp::le, "<=", 7},
    {BinaryOp::gt, ">", 7},
    {BinaryOp::ge, ">=", 7},
    {BinaryOp::shl, "<<", 8},
    {BinaryOp::shr, ">>", 8},
    {BinaryOp::add, "+", 9},
    {BinaryOp::sub, "-", 9},
    {BinaryOp::mul, "*", product_precedence},
    {BinaryOp::div, "/", product_precedence},
    {BinaryOp::mod, "%", product_precedence},
}};

template <class Matches>
const InfixOperator* find_infix_if(Matches matches) {
  const auto* found = llvm::find_if(infix_operators, matches);
  return found == infix_operators.end() ? nullptr : found;
}

constexpr int intrinsic_count = static_cast<int>(Intrinsic::fma) + 1;

}  // namespace

const InfixOperator* find_infix(BinaryOp op) {
  return find_infix_if([&](const InfixOperator& infix) { return infix.op == op; });
}

const InfixOperator* find_infix(llvm::StringRef spelling) {
  return find_infix_if([&](const InfixOperator& infix) { return infix.spelling == spelling; });
}

std::optional<Intrinsic> parse_intrinsic(llvm::StringRef word) {
  for (int i = 0; i < intrinsic_count; ++i)
    if (name(static_cast<Intrinsic>(i)) == word) return static_cast<Intrinsic>(i);
  return std::nullopt;
}

std::string list_of_intrinsics() {
  std::string list;
  for (int i = 0; i < intrinsic_count; ++i) list += name(static_cast<Intrinsic>(i)).str() + ", ";
  return list;
}

std::optional<IndexName> parse_index_name(llvm::StringRef name) {
  const auto [space, dim] = name.split('.');
  const size_t position = dim.size() == 1 ? llvm::StringRef("xyz").find(dim) : std::string::npos;
  if (position == llvm::StringRef::npos) return std::nullopt;
  const auto index = static_cast<unsigned>(position);
  if (space == "block") return IndexName{IndexSpace::block, index};
  if (space == "thread") return IndexName{IndexSpace::thread, index};
  return std::nullopt;
}

bool is_reserved(llvm::StringRef word) { return is_constant_word(word) || parse_index_name(word); }

bool is_identifier(llvm::StringRef word) {
  if (word.empty() || llvm::isDigit(word.front())) return false;
  llvm::SmallVector<llvm::StringRef, 4> parts;
  word.split(parts, '.');
  return llvm::all_of(parts, [](llvm::StringRef part) {
    return !part.empty() && llvm::all_of(part, is_word_character);
  });
}

}  // namespace hone
