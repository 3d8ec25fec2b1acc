// The expressions of IR text. Names are resolved as they are read, and trees are made by the `make`
// functions of ir/core/expr.h: a literal takes the type of the other operand.
#pragma once

#include "ir/core/stmt.h"
#include "ir/text/lexer.h"
#include "ir/text/operators.h"
#include "llvm/ADT/StringSet.h"

namespace hone {

/// The names that are known at one place of the text; the last declared one hides the rest.
struct KnownNames {
  llvm::SmallVector<AxisPtr, 8> axes;
  llvm::SmallVector<ParamPtr, 4> params;
  llvm::SmallVector<TensorPtr, 8> tensors;
  llvm::SmallVector<OperatorPtr, 2> operators;  ///< known in the whole text
  llvm::SmallVector<Expr, 2> values;            ///< those that have names, in one statement
  /// Declared so far, in scope or not.
  llvm::StringSet<> all_params, all_axes, all_tensors;
};

/// True of the words that stand for functions in all texts, types among them.
bool is_function(llvm::StringRef name);

/// Expressions and blocks nest at most so deep: whatever walks the tree may recurse.
inline constexpr unsigned max_nesting = 1000;

class ExprParser {
 public:
  explicit ExprParser(llvm::StringRef text) : tokens(text) {}
  virtual ~ExprParser() = default;

  Expr parse_expr() { return parse_binary(1).expr; }

 protected:
  /// An expression and the number of nodes on the longest way down its tree.
  struct Tree {
    Expr expr;
    unsigned height = 1;
  };

  /// Calls `make`, and gives a DefinitionError of it the place of a token.
  template <class Make>
  auto at_place(const Token& place, Make make) const -> decltype(make()) {
    try {
      return make();
    } catch (const DefinitionError& error) {
      tokens.fail(place, error.what());
    }
  }

  /// The value, the axis or the param that a name stands for; undefined where there is none.
  virtual Expr find_name(llvm::StringRef name);
  TensorPtr find_tensor(const Token& name) const;
  /// The expressions up to `close`, separated by commas.
  llvm::SmallVector<Expr, 4> parse_list(llvm::StringRef close);

  using Trees = llvm::SmallVector<Tree, 4>;

  /// A call that is none of those that all texts have; nothing where one of these comes.
  virtual std::optional<Tree> parse_own_call() { return std::nullopt; }
  /// A node over `operands`, made by `make`; errors name `place`.
  Tree build(const Token& place, llvm::ArrayRef<Tree> operands,
             llvm::function_ref<Expr()> make) const;
  Trees parse_trees(llvm::StringRef close);

  TokenStream tokens;
  KnownNames names;

 private:
  Tree parse_binary(int least_precedence);
  Tree parse_unary();
  Tree parse_primary();
  Tree parse_value();
  Expr parse_number(bool negative);
  Tree parse_call();
  Tree parse_cast();
  Tree parse_load();
  Expr parse_name();
  bool at_number() const;

  unsigned depth_ = 0;
};

}  // namespace hone
