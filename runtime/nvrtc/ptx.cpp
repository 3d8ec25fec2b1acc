#include "runtime/nvrtc/ptx.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"

namespace hone {
namespace {

using llvm::StringRef;

bool begins_with(StringRef text, StringRef start) { return text.take_front(start.size()) == start; }

StringRef first_word(StringRef text) { return text.take_front(text.find_first_of(" \t")); }

/// The parts between commas that stand in no brackets.
llvm::SmallVector<std::string, 4> split_operands(StringRef text) {
  llvm::SmallVector<std::string, 4> operands;
  int depth = 0;
  size_t start = 0;
  for (size_t at = 0; at <= text.size(); ++at) {
    const char c = at < text.size() ? text[at] : ',';
    depth += (c == '{' || c == '[' || c == '(') - (c == '}' || c == ']' || c == ')');
    if (c != ',' || depth > 0) continue;
    const StringRef operand = text.slice(start, at).trim();
    if (!operand.empty()) operands.push_back(operand.str());
    start = at + 1;
  }
  return operands;
}

/// "@!%p3 bra $L__BB0_2"
PtxInstruction parse_instruction(StringRef text, unsigned line) {
  PtxInstruction instruction;
  instruction.line = line;
  if (text.consume_front("@")) {
    const StringRef guard = first_word(text);
    instruction.guard = guard.str();
    text = text.drop_front(guard.size()).ltrim();
  }
  const StringRef opcode = first_word(text);
  instruction.opcode = opcode.str();
  instruction.operands = split_operands(text.drop_front(opcode.size()));
  return instruction;
}

/// A place of the source: file, line, column.
using PtxPlace = std::array<unsigned, 3>;

/// The numbers that a text begins with.
std::optional<PtxPlace> parse_place(StringRef text) {
  PtxPlace place = {};
  for (unsigned& number : place) {
    text = text.ltrim();
    if (text.consumeInteger(10, number)) return std::nullopt;
  }
  return place;
}

/// From `.loc` directives to lines of the kernel.
class Lines {
 public:
  /// The rest of a directive: "1 25 3, function_name $L__info_string0, inlined_at 1 65 11".
  unsigned line_of(StringRef text) {
    const auto place = parse_place(text);
    if (!place) return 0;
    if (file_ == 0) file_ = (*place)[0];
    const size_t inlined = text.find("inlined_at");
    if (inlined == StringRef::npos) return line_in_kernel(*place);
    const auto caller = parse_place(text.drop_front(inlined + StringRef("inlined_at").size()));
    if (!caller) return 0;
    const auto outer = callers_.find(*caller);
    return callers_[*place] = outer == callers_.end() ? line_in_kernel(*caller) : outer->second;
  }

 private:
  unsigned line_in_kernel(const PtxPlace& place) const { return place[0] == file_ ? place[1] : 0; }

  unsigned file_ = 0;  ///< of the kernel: the first that is named
  std::map<PtxPlace, unsigned> callers_;
};

/// Reads line by line; a statement may take several, and a line may hold several.
class Reader {
 public:
  std::vector<PtxKernel> kernels;

  void read(StringRef line) {
    line = line.take_front(line.find("//")).trim();
    if (line.empty()) return;
    if (line.consume_front(".loc")) {
      line_ = lines_.line_of(line);
    } else if (depth_ == 0) {
      read_declaration(line);
    } else {
      read_statements(line);
    }
  }

 private:
  void read_declaration(StringRef line);
  void read_statements(StringRef line);
  void end_statement();
  void end_kernel();

  PtxBlock& block() { return kernels.back().blocks.back(); }
  void start_block() {
    if (!block().instructions.empty() || !block().label.empty())
      kernels.back().blocks.emplace_back();
  }

  Lines lines_;
  unsigned line_ = 0;
  int depth_ = 0;  ///< of braces
  unsigned scope_ = 0, scopes_ = 0;
  bool is_kernel_ = false;  ///< the next braces are a kernel's
  std::string statement_;   ///< as far as it was read
};

/// The label of a pair of braces inside of a kernel is another one than that of the next pair.
std::string in_scope(StringRef label, unsigned scope) {
  return scope == 0 ? label.str() : label.str() + "@" + std::to_string(scope);
}

/// "matmul_param_0" of ".param .u64 matmul_param_0,"
StringRef last_word(StringRef line) {
  line = line.take_front(line.find('[')).rtrim(" \t,)(");
  return line.drop_front(line.find_last_of(" \t") + 1);
}

/// Of ".param .u64 .ptr .align 1 f_param_0,", and of a struct ".param .align 4 .b8 f_param_1[12]".
int bytes_of_param(StringRef line) {
  int bits = 8, elements = 1;
  llvm::SmallVector<StringRef, 8> words;
  line.split(words, ' ', -1, /*KeepEmpty=*/false);
  for (const StringRef word : words) {
    int number = 0;
    if (begins_with(word, ".") && !word.drop_front(2).getAsInteger(10, number)) bits = number;
  }
  const StringRef extent = line.split('[').second.split(']').first;
  if (extent.getAsInteger(10, elements)) elements = 1;
  return bits / 8 * elements;
}

void Reader::read_declaration(StringRef line) {
  const size_t entry = line.find(".entry");
  if (entry != StringRef::npos) {
    is_kernel_ = true;
    lines_ = {};
    line_ = 0;
    kernels.emplace_back().blocks.emplace_back();
    StringRef name = line.drop_front(entry + StringRef(".entry").size()).ltrim();
    kernels.back().name = name.take_until([](char c) { return c == '(' || c == ' '; }).str();
    line = name.drop_front(name.find('('));
  } else if (line.contains(".func")) {
    is_kernel_ = false;
  }
  if (is_kernel_ && begins_with(line, ".param")) {
    kernels.back().params.push_back(last_word(line).str());
    kernels.back().param_bytes.push_back(bytes_of_param(line));
  }
  if (line.back() == '{') ++depth_;
}

void Reader::read_statements(StringRef line) {
  if (statement_.empty() && line.back() == ':' && !line.contains(' ')) {
    if (!is_kernel_) return;
    start_block();
    block().label = in_scope(line.drop_back(), scope_);
    return;
  }
  for (const char c : line) {
    const bool is_start = StringRef(statement_).trim().empty();
    if (c == ';') {
      end_statement();
    } else if (is_start && (c == '{' || c == '}')) {
      depth_ += c == '{' ? 1 : -1;
      scope_ = depth_ > 1 ? ++scopes_ : 0;
      if (depth_ == 0) return end_kernel();
    } else {
      statement_ += c;
    }
  }
  if (!statement_.empty()) statement_ += ' ';
}

bool ends_block(const PtxInstruction& instruction) {
  return instruction.is("bra") || instruction.is("ret") || instruction.is("exit");
}

void Reader::end_statement() {
  const std::string statement = std::move(statement_);
  statement_.clear();
  const StringRef text = StringRef(statement).trim();
  if (!is_kernel_ || text.empty() || text.front() == '.') return;
  block().instructions.push_back(parse_instruction(text, line_));
  block().scope = scope_;
  if (ends_block(block().instructions.back())) kernels.back().blocks.emplace_back();
}

/// Fills in where the blocks of a kernel lead to.
void connect(std::vector<PtxBlock>& blocks) {
  llvm::StringMap<size_t> labels;
  for (size_t number = 0; number < blocks.size(); ++number)
    if (!blocks[number].label.empty()) labels[blocks[number].label] = number;
  for (size_t number = 0; number < blocks.size(); ++number) {
    PtxBlock& block = blocks[number];
    const auto* last = block.instructions.empty() ? nullptr : &block.instructions.back();
    const bool jumps = last && last->is("bra");
    if (jumps && !last->operands.empty()) {
      for (const unsigned scope : {block.scope, 0U})
        if (const auto found = labels.find(in_scope(last->operands.back(), scope));
            found != labels.end()) {
          block.successors.push_back(found->second);
          break;
        }
    }
    const bool leaves = last && ends_block(*last) && last->guard.empty();
    if (!leaves && number + 1 < blocks.size()) block.successors.push_back(number + 1);
  }
}

void Reader::end_kernel() {
  statement_.clear();
  if (!is_kernel_) return;
  PtxKernel& kernel = kernels.back();
  if (kernel.blocks.size() > 1 && block().instructions.empty() && block().label.empty())
    kernel.blocks.pop_back();
  connect(kernel.blocks);
  kernel.loops = find_loops(kernel.blocks);
  is_kernel_ = false;
}

}  // namespace

bool PtxInstruction::is(StringRef word) const {
  const StringRef text = opcode;
  return begins_with(text, word) && (text.size() == word.size() || text[word.size()] == '.');
}

int PtxKernel::loop_of(size_t block) const {
  for (size_t number = loops.size(); number-- > 0;)
    if (std::binary_search(loops[number].blocks.begin(), loops[number].blocks.end(), block))
      return static_cast<int>(number);
  return -1;
}

std::vector<PtxKernel> read_ptx(std::string_view text) {
  llvm::SmallVector<StringRef, 0> lines;
  StringRef(text.data(), text.size()).split(lines, '\n', -1, /*KeepEmpty=*/false);
  Reader reader;
  for (const StringRef line : lines) reader.read(line);
  return std::move(reader.kernels);
}

}  // namespace hone
