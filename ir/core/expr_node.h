// The handle to an expression, and the base of its nodes; the nodes themselves are in
// ir/core/expr.h.
#pragma once

#include <atomic>
#include <concepts>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>

#include "ir/core/location.h"
#include "ir/core/ref_counted.h"
#include "ir/scalar/type.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/IntrusiveRefCntPtr.h"
#include "llvm/Support/Casting.h"

namespace hone {

enum class ExprKind : uint8_t {
#define HONE_EXPR(Name) Name,
#define HONE_STMT(Name)
#include "ir/core/nodes.def"
};

class Expr;

/// The size of an expression as a tree: a node that is used twice counts twice.
struct TreeSize {
  unsigned depth = 1;  ///< nodes on the longest way down
  unsigned nodes = 1;
  bool has_load = false;  ///< among the nodes
  bool has_name = false;  ///< of a value, among the nodes

  /// With one more operand. Throws DefinitionError where that is far too large to be worked with.
  TreeSize over(const Expr& operand) const;
  TreeSize over(llvm::ArrayRef<Expr> operands) const;
};

/// The limit of an expression: whatever walks one may recurse, and takes time for each node.
inline constexpr TreeSize largest_expression = {1000, 10000};

/// The problem with a larger one: "an expression of 20000 nodes; ..."; nothing with any other.
std::optional<std::string> size_problem(const TreeSize& size, const TreeSize& largest);

struct ExprNode : RefCounted<ExprNode> {
  const ExprKind kind;
  const DType type;
  const TreeSize size;
  mutable std::atomic<size_t> known_hash =
      0;  ///< of ir/traverse/equal.h, once it is asked for; 0 before
  virtual ~ExprNode() = default;

 protected:
  ExprNode(ExprKind kind, DType type, TreeSize size) : kind(kind), type(type), size(size) {}
};

/// A handle to an expression; null when default-constructed, and then an operand of nothing.
class Expr {
 public:
  Expr() = default;
  explicit Expr(const ExprNode* node) : node_(node) {}
  Expr(std::integral auto value) : Expr(int_literal(static_cast<int64_t>(value))) {}
  Expr(bool value) : Expr(bool_literal(value)) {}
  Expr(std::floating_point auto value) : Expr(float_literal(static_cast<double>(value))) {}

  bool defined() const { return node_.get() != nullptr; }
  const ExprNode* get() const { return node_.get(); }
  DType type() const { return node_->type; }
  ExprKind kind() const { return node_->kind; }
  /// The same node, not merely an equal one: see ir/traverse/equal.h.
  bool same_as(const Expr& other) const { return node_ == other.node_; }

 private:
  static Expr int_literal(int64_t value);
  static Expr bool_literal(bool value);
  static Expr float_literal(double value);

  llvm::IntrusiveRefCntPtr<const ExprNode> node_;
};

/// An expression that cannot be built: operands of different types, a wrong number of indices.
class DefinitionError : public std::invalid_argument, public LocatedError {
 public:
  explicit DefinitionError(const std::string& message)
      : std::invalid_argument(message), LocatedError(message) {}
  const char* what() const noexcept override { return text().c_str(); }
};

}  // namespace hone

/// llvm::isa, cast and dyn_cast see through the handle: `dyn_cast<Load>(expr)` is a const Load*.
template <>
struct llvm::simplify_type<hone::Expr> {
  using SimpleType = const hone::ExprNode*;
  static SimpleType getSimplifiedValue(const hone::Expr& expr) { return expr.get(); }
};
template <>
struct llvm::simplify_type<const hone::Expr> : llvm::simplify_type<hone::Expr> {};
