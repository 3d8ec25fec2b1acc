// The initial values of variables.
#include <bit>

#include "llvm/ADT/ArrayRef.h"
#include "runtime/ptx/text/constant.h"
#include "runtime/ptx/text/variables.h"

namespace hone::ptx {
namespace {

class InitialValues {
 public:
  InitialValues(Lexer& lexer, const Token& name, Variable& variable,
                llvm::ArrayRef<int64_t> extents)
      : lexer_(lexer), name_(name), variable_(variable), bytes_(bytes_of(variable.type)) {
    int64_t stride = bytes_;
    for (size_t i = extents.size(); i-- > 0; stride *= extents[i])
      strides_.insert(strides_.begin(), stride);
    most_bytes_ = stride;
  }

  /// Behind "=": the bytes that are given.
  int64_t parse() {
    if (lexer_.accept('{')) return parse_list(0, 0);
    parse_element(0);
    return bytes_;
  }

  /// Of an element of the whole array.
  int64_t first_stride() const { return strides_.empty() ? bytes_ : strides_.front(); }

 private:
  /// Behind "{": the bytes up to which it goes.
  int64_t parse_list(size_t level, int64_t at) {
    if (level >= strides_.size()) fail_at(lexer_.peek().line, "too many braces for {}", name());
    for (bool goes_on = !lexer_.at('}'); goes_on; goes_on = lexer_.accept(',')) {
      if (lexer_.accept('{')) {
        parse_list(level + 1, at);
        at += strides_[level];
      } else {
        parse_element(at);
        at += bytes_;
      }
    }
    lexer_.expect('}');
    return at;
  }

  void parse_element(int64_t at) {
    if (most_bytes_ != 0 && at + bytes_ > most_bytes_)
      fail_at(lexer_.peek().line, "{} has {} bytes, and more initial values", name(), most_bytes_);
    if (lexer_.at(TokenKind::word) && lexer_.peek().text != "WARP_SZ")
      return parse_reference(at, 0, bytes_);
    const Constant value = parse_constant(lexer_);
    if (lexer_.at('(')) return parse_masked(at, static_cast<uint64_t>(value.bits));
    store(at, is_real(variable_.type) ? bits_of(value) : value.bits);
  }

  /// As the type of floating point has it.
  int64_t bits_of(const Constant& value) const {
    if (variable_.type == Type::f64) return std::bit_cast<int64_t>(value.real());
    if (variable_.type == Type::f32)
      return std::bit_cast<int32_t>(static_cast<float>(value.real()));
    fail_at(name_.line, "initial values of .{} are not understood", name_of(variable_.type).str());
  }

  void store(int64_t at, int64_t bits) {
    std::vector<uint8_t>& bytes = variable_.initial;
    if (static_cast<int64_t>(bytes.size()) < at + bytes_) bytes.resize(at + bytes_);
    for (int i = 0; i < bytes_; ++i)
      bytes[at + i] = i < 8 ? static_cast<uint8_t>(static_cast<uint64_t>(bits) >> 8 * i) : 0;
  }

  /// 0xff00(symbol): the bytes of the address that the mask has.
  void parse_masked(int64_t at, uint64_t mask) {
    const int first = std::countr_zero(mask);
    const int count = std::popcount(mask);
    const bool is_whole = mask != 0 && first % 8 == 0 && count % 8 == 0 &&
                          mask >> first == ~uint64_t{0} >> (64 - count);
    if (!is_whole) fail_at(lexer_.peek().line, "0x{:x} is no mask of bytes of an address", mask);
    lexer_.expect('(');
    parse_reference(at, first / 8, std::min(bytes_, count / 8));
    lexer_.expect(')');
  }

  /// symbol, symbol+4, generic(symbol)+4
  void parse_reference(int64_t at, int first, int bytes) {
    Variable::Reference& result = variable_.references.emplace_back();
    result.at = at;
    result.first = first;
    result.bytes = bytes;
    result.is_generic = lexer_.accept(TokenKind::word, "generic");
    if (result.is_generic) lexer_.expect('(');
    result.symbol = lexer_.expect(TokenKind::word, "a symbol").text.str();
    if (result.is_generic) lexer_.expect(')');
    if (lexer_.at('-') || lexer_.accept('+')) result.addend = parse_integer(lexer_);
  }

  std::string name() const { return name_.text.str(); }

  Lexer& lexer_;
  const Token& name_;
  Variable& variable_;
  int bytes_;                           ///< of an element
  int64_t most_bytes_ = 0;              ///< 0: any
  llvm::SmallVector<int64_t> strides_;  ///< by level of braces: from one to the next in it
};

}  // namespace

void parse_initial(Lexer& lexer, const Token& name, Variable& variable,
                   llvm::SmallVectorImpl<int64_t>& extents) {
  InitialValues values(lexer, name, variable, extents);
  const int64_t bytes = values.parse();
  const int64_t stride = values.first_stride();
  if (!extents.empty() && extents.front() == 0) extents.front() = (bytes + stride - 1) / stride;
}

}  // namespace hone::ptx
