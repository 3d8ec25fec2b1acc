// Instructions, by the formats of their opcodes.
#include "fmt/format.h"
#include "fmt/ranges.h"
#include "ir/core/instr.h"
#include "ir/text/stmt_parser.h"
#include "llvm/ADT/DenseMap.h"

namespace hone {
namespace {

using Kind = FormatPart::Kind;

/// The tokens of a text, which has no numbers.
llvm::SmallVector<std::string, 4> spellings_in(llvm::StringRef text) {
  llvm::SmallVector<std::string, 4> spellings;
  const TokenStream tokens(text);
  for (size_t n = 0; tokens.peek(n).kind != Token::Kind::end; ++n)
    spellings.push_back(tokens.peek(n).text.str());
  return spellings;
}

/// The tokens before all operands, by which opcodes are told apart.
const llvm::SmallVector<std::string, 4>& head_of(const Opcode& opcode) {
  thread_local llvm::DenseMap<const Opcode*, llvm::SmallVector<std::string, 4>> known;
  auto& head = known[&opcode];
  if (head.empty()) head = spellings_in(opcode.format.front().text);
  return head;
}

}  // namespace

/// An instruction whose head is the longest that stands here.
const Opcode& StmtParser::find_opcode() {
  std::vector<const Opcode*> fitting, longer;
  for (const Family& family : opcode_families()) llvm::append_range(longer, family.opcodes);
  size_t length = 0;
  for (; !longer.empty(); ++length) {
    fitting = std::exchange(longer, {});
    for (const Opcode* opcode : fitting)
      if (head_of(*opcode).size() > length && tokens.peek(length).is(head_of(*opcode)[length]))
        longer.push_back(opcode);
  }
  if (--length == 0) tokens.fail_expected("a statement");
  std::vector<std::string> expected;
  for (const Opcode* opcode : fitting) {
    if (head_of(*opcode).size() == length) return *opcode;
    expected.push_back(fmt::format("'{}'", head_of(*opcode)[length]));
  }
  for (; length > 0; --length) tokens.next();
  const std::string last = expected.back();
  expected.pop_back();
  tokens.fail_expected(expected.empty() ? last
                                        : fmt::format("{} or {}", fmt::join(expected, ", "), last));
}

/// instr := the parts of a format, one after the other
Stmt StmtParser::parse_instr() {
  const Opcode& opcode = find_opcode();
  const Token place = tokens.peek(1);
  InstrParts parts;
  for (const FormatPart& part : opcode.format) parse_part(part, parts);
  return at_place(place,
                  [&] { return Instr::make(opcode, parts.places, parts.values, parts.constants); });
}

void StmtParser::parse_part(const FormatPart& part, InstrParts& parts) {
  switch (part.kind) {
    case Kind::literal:
      return parse_literal(part.text);
    case Kind::value:
      return parts.values.push_back(parse_expr());
    case Kind::integer:
      return parts.constants.push_back(tokens.expect_integer(part.text));
    case Kind::box:
      return parse_box(parts.constants);
    case Kind::word: {
      const bool is_tensor = tokens.peek(1).is("[");  // of that name, in the next statement
      return parts.constants.push_back(!is_tensor && tokens.accept(part.text) ? 1 : 0);
    }
    default:
      return parts.places.push_back(parse_place(part));
  }
}

void StmtParser::parse_literal(llvm::StringRef text) {
  for (const std::string& spelling : spellings_in(text)) {
    if (spelling == "<") {
      expect_arrow();
      return parse_literal(text.split("<-").second);
    }
    tokens.expect(spelling);
  }
}

/// place := name '[' [expr (',' expr)*] ']', or a name alone
ElementRef StmtParser::parse_place(const FormatPart& part) {
  const Kind kind = part.kind;
  ElementRef place = {
      find_tensor(tokens.expect_identifier(part.text.empty() ? "a tensor" : part.text))};
  if (kind == Kind::tensor) return place;
  tokens.expect("[");
  if (kind == Kind::flag || kind == Kind::slot) {
    if (kind == Kind::slot) place.indices.push_back(parse_expr());
    tokens.expect("]");
  } else {
    place.indices = parse_list("]");
  }
  return place;
}

/// box := integer ('x' integer)* ['swizzle' integer]
void StmtParser::parse_box(llvm::SmallVectorImpl<int64_t>& constants) {
  do constants.push_back(tokens.expect_integer("an extent of a box"));
  while (tokens.accept("x"));
  const bool has_swizzle = tokens.accept("swizzle");
  constants.push_back(has_swizzle ? tokens.expect_integer("the bytes of a swizzle") : 0);
}

}  // namespace hone
