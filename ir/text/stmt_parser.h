// The statements and declarations of IR text, for functions and for kernels.
#pragma once

#include "ir/core/instr.h"
#include "ir/text/tensor_parser.h"

namespace hone {

/// The common part of `func` and `kernel`.
struct Signature {
  std::string name;
  llvm::SmallVector<ParamPtr, 4> params;
  llvm::SmallVector<TensorPtr, 4> arguments;
  bool may_alias = false;
  bool launches_early = false;                  ///< of a func
  llvm::SmallVector<Numbers, 1> required = {};  ///< of a func
  llvm::SmallVector<Expr, 2> assumptions;
};

class StmtParser : public TensorParser {
 public:
  /// `has_unique_names`: a second declaration of a name is refused at its place. Without that it is
  /// left to what verifies the whole.
  explicit StmtParser(llvm::StringRef text, bool has_unique_names = false)
      : TensorParser(text), has_unique_names_(has_unique_names) {}

  /// operators := operator*          in scope from here on
  void parse_operators();
  /// The params and the arguments are in scope from here on.
  Signature parse_signature();
  /// Statements in braces; their declarations end with them.
  Stmt parse_block();
  /// True where '@' and this word follow, behind which it goes on.
  bool accept_attribute(llvm::StringRef word);
  /// Its number; nothing where there is no such attribute here.
  std::optional<int64_t> parse_attribute(const LoopAttribute& attribute);
  void expect_end();

 private:
  Stmt parse_stmts();
  Stmt parse_stmt();
  Stmt parse_for();
  Stmt parse_if();
  Stmt parse_let();
  Stmt parse_named(const Token& name, const Expr& value);
  Stmt parse_alloc();
  Stmt parse_copy();
  void parse_execution(CopyExecution& execution);
  void parse_multicast(CopyExecution& execution);
  void parse_copy_attributes(CopyOptions& options);
  void expect_arrow();
  Stmt parse_store(bool is_atomic = false);
  CombineLevels parse_combine();
  CombineLevels parse_method();
  CombineLevels parse_levels();

  TensorPtr parse_declaration();
  TensorPtr checked(const Token& name, TensorPtr tensor) const;
  Stmt parse_value(const Token& name, const TensorNode& declared);
  int64_t parse_alignment();
  Binding parse_binding(const Expr& extent);
  Binding parse_roles();
  std::optional<Binding> parse_threads(const Token& name, const Expr& extent);
  ThreadDigit parse_digit(const Token& name, ThreadUnit unit, const Expr& extent);
  uint8_t parse_index_dim();
  Binding parse_place(const Expr& extent);
  int64_t parse_unroll_count();
  OperatorPtr parse_operator();
  TensorPtr parse_operand();
  Token expect_name(llvm::StringRef what);
  Token declare_axis();
  void declare(const Token& name, llvm::StringRef what, llvm::StringSet<>& known) const;

  // instr_parser.cpp
  struct InstrParts {
    llvm::SmallVector<ElementRef, 3> places;
    llvm::SmallVector<Expr, 2> values;
    llvm::SmallVector<int64_t, 6> constants;
  };
  Stmt parse_instr();
  const Opcode& find_opcode();
  void parse_part(const FormatPart& part, InstrParts& parts);
  void parse_literal(llvm::StringRef text);
  ElementRef parse_place(const FormatPart& part);
  void parse_box(llvm::SmallVectorImpl<int64_t>& constants);

  const bool has_unique_names_;
  unsigned block_depth_ = 0;
};

}  // namespace hone
