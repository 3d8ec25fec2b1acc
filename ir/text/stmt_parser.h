// The statements and declarations of IR text, for functions and for kernels.
#pragma once

#include "ir/kernel_stmt.h"
#include "ir/text/tensor_parser.h"

namespace hone {

/// The common part of `func` and `kernel`.
struct Signature {
  std::string name;
  llvm::SmallVector<ParamPtr, 4> params;
  llvm::SmallVector<TensorPtr, 4> arguments;
  bool may_alias = false;
  bool launches_early = false;  ///< of a func
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
  /// The blocks that a multiprocessor holds; 0 where nothing is said.
  int64_t parse_resident();
  void expect_end();

 private:
  Stmt parse_stmts();
  Stmt parse_stmt();
  Stmt parse_for();
  Stmt parse_if();
  Stmt parse_let();
  Stmt parse_alloc();
  Stmt parse_copy();
  void parse_makers(CopyMaker& maker);
  void parse_copy_attributes(CopyOptions& options);
  void expect_arrow();
  Stmt parse_store(bool is_atomic = false);
  CombineLevels parse_combine();
  CombineLevels parse_method();
  CombineLevels parse_levels();

  TensorPtr parse_declaration();
  TensorPtr checked(const Token& name, TensorPtr tensor) const;
  int64_t parse_alignment();
  Binding parse_binding(const Expr& extent);
  Binding parse_roles();
  std::optional<Binding> parse_threads(const Token& name, const Expr& extent);
  ThreadDigit parse_digit(const Token& name, ThreadUnit unit, const Expr& extent);
  uint8_t parse_index_dim();
  Binding parse_unroll();
  int64_t parse_unroll_count();
  OperatorPtr parse_operator();
  TensorPtr parse_operand();
  Token expect_name(llvm::StringRef what);
  Token declare_axis();
  void declare(const Token& name, llvm::StringRef what, llvm::StringSet<>& known) const;

  // kernel_stmt_parser.cpp
  struct Mbarrier {
    Token place;  ///< of the statement
    TensorPtr tensor;
    Expr slot;
  };
  Stmt parse_kernel_stmt();
  Stmt parse_copy_async();
  Stmt parse_arrive();
  Stmt parse_init_mbarrier();
  Stmt parse_arrive_mbarrier();
  Stmt parse_wait_mbarrier();
  Stmt parse_test_mbarrier();
  Stmt parse_expect_bytes();
  struct Element {
    TensorPtr tensor;
    llvm::SmallVector<Expr, 4> indices;
  };
  Stmt parse_copy_bulk();
  Stmt parse_store_bulk();
  Element parse_element();
  BulkMove::Box parse_box();
  TensorPtr parse_flag();
  Mbarrier parse_mbarrier();
  Mbarrier parse_mbarrier_element();
  BarrierScope parse_barrier_scope();

  const bool has_unique_names_;
  unsigned block_depth_ = 0;
};

}  // namespace hone
