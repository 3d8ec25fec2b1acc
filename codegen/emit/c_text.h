// The common part of CUDA and C: expressions by precedence, statements with braces. A dialect says
// how types, constants and functions are spelled.
#pragma once

#include <optional>

#include "codegen/c_form/c_form.h"
#include "codegen/c_form/identifiers.h"
#include "codegen/c_form/shared_loads.h"
#include "ir/algebra/facts.h"

namespace hone {

class CText;

/// Characters of a statement; more goes to the next line, as statements stand in loops.
constexpr size_t longest_statement = 84;

/// The spelling of all that differs between languages.
class Dialect {
 public:
  virtual ~Dialect() = default;
  /// The name of the kernel's function.
  virtual std::string symbol(const KernelFunction& kernel) const = 0;
  /// The prefix of the names of the functions that the kernel calls.
  virtual std::string function_prefix(const KernelFunction&) const { return ""; }
  virtual std::string type(DType type) const = 0;
  virtual std::string float_constant(double value, DType type) const = 0;
  virtual std::string call(Intrinsic intrinsic, DType type,
                           llvm::ArrayRef<std::string> arguments) const = 0;
  virtual std::string min_max(bool is_max, DType type, llvm::StringRef lhs,
                              llvm::StringRef rhs) const = 0;
  virtual std::string cast(DType to, DType from, llvm::StringRef operand) const = 0;
  /// A value of a tuple type, of components that are separated by commas.
  virtual std::string tuple(DType type, const std::string& components) const = 0;
  /// The declaration of a tuple type, which is a struct with members `first`, `second`...
  virtual std::string tuple_struct(DType type) const = 0;
  virtual std::string thread_index(const ThreadIndex& index) const = 0;
  /// A sum that the language has an idiom for; nothing for any other.
  virtual std::optional<std::string> idiom(const Binary&) const { return std::nullopt; }
  /// True where signed sums and products wrap around; elsewhere an overflow has no meaning.
  virtual bool wraps() const { return false; }
  /// A quotient or a remainder that the operator has no value for: by 0, or of the least integer by
  /// -1. Nothing where the operator is as good.
  virtual std::optional<std::string> division(const Binary&, const std::string&,
                                              const std::string&) const {
    return std::nullopt;
  }
  /// The line before a loop; empty where there is none.
  virtual std::string loop_pragma(const For& loop) const = 0;
  /// The `value` of another lane of the warp.
  virtual std::string shuffle(const Shuffle& shuffle, const std::string& value,
                              const std::string& offset, const std::string& lanes) const = 0;
  /// The statement of a loop that keeps its order; nothing where the language has none for it.
  virtual std::optional<std::string> ordered_sum(const std::string&, const std::string&,
                                                 const std::string&) const {
    return std::nullopt;
  }
  /// `from` is a sum of addresses and bytes.
  virtual std::string ordered_load(const std::string&, const std::string&, int64_t) const {
    llvm_unreachable("kernels of this language have no addresses in shared memory");
  }
  /// The lines that declare an address in shared memory, that of an element, and a number of bytes;
  /// empty where the language has no such addresses.
  virtual std::string declared_address(const std::string&, const std::string&) const { return ""; }
  virtual std::string declared_bytes(const std::string&, const std::string&) const { return ""; }
  /// The statement that updates an element at once.
  virtual std::string atomic(const Store& store, const Identifiers& names,
                             const std::string& element, const std::string& value) const = 0;
  /// The line of a statement that kernels of the language have.
  virtual std::string statement(const Instr& instr, const CText& text) const;
  /// The address of an element in the shared memory of a block of the cluster, from that in the
  /// thread's own block.
  virtual std::string in_block(const std::string& address, const std::string& block) const;
  /// The declaration of a shared tensor: `dims` as in "[32][33]".
  virtual std::string shared(const TensorNode& tensor, const std::string& name,
                             const std::string& dims) const = 0;
  virtual std::string registers(const TensorNode& tensor, const std::string& name,
                                const std::string& dims) const = 0;
  /// Of an array that is declared with zeros: "{}".
  virtual std::string zeros() const = 0;
  /// `count` elements from an address on, as one value.
  virtual std::string vector(const std::string& address, DType type, int64_t count,
                             bool is_read) const = 0;
  /// Such a value, of zeros.
  virtual std::string zero_vector(DType type, int64_t count) const = 0;
};

class CText {
 public:
  /// The form of && and ||: with a branch, which may save work or avoid a forbidden access, or as
  /// operations on two values that are at hand.
  enum class Logic : uint8_t { short_circuit, eager };

  CText(const KernelFunction& kernel, const Dialect& dialect, Logic logic = Logic::short_circuit)
      : dialect_(dialect),
        names_(kernel, dialect.symbol(kernel), dialect.function_prefix(kernel)),
        index_bits_(kernel.index_bits),
        cluster_(kernel.cluster),
        facts_(facts_in(kernel)),
        logic_(logic) {}
  /// Of a function beside the kernel, in whose text `names` are: those of `scope` come to them.
  CText(const Identifiers& names, const KernelFunction& scope, const Dialect& dialect,
        Logic logic = Logic::short_circuit)
      : dialect_(dialect),
        names_(names, scope),
        index_bits_(scope.index_bits),
        facts_(facts_in(scope)),
        logic_(logic) {}

  std::string expression(const Expr& expr) const { return print(expr, 0); }
  std::string element(const TensorNode& tensor, llvm::ArrayRef<Expr> indices) const;
  std::string address(const TensorNode& tensor, llvm::ArrayRef<Expr> indices) const;
  /// The value of the element after an update.
  std::string updated(const Store& store) const;
  /// The lines of the kernel's statements, indented by `indent` spaces.
  std::string statements(const KernelFunction& kernel, unsigned indent);
  /// On which lines the statements stand that were printed, and all that stand in them.
  StatementLines take_lines() { return std::move(lines_); }
  const Identifiers& names() const { return names_; }

 private:
  /// The dimensions of the memory of one block. Where there are no clusters, as on a host, it has
  /// all parts.
  llvm::ArrayRef<Expr> own_dims(const TensorNode& tensor, llvm::ArrayRef<Expr> dims) const {
    return cluster_ == 1 ? dims : within_block(tensor, dims);
  }
  std::string own_element(const TensorNode& tensor, llvm::ArrayRef<Expr> indices) const;
  bool may_lie_elsewhere(const TensorNode& tensor, llvm::ArrayRef<Expr> indices) const;
  std::string print(const Expr& expr, int precedence) const;
  std::optional<std::string> ring_count(const Expr& expr, int precedence) const;
  std::string print_unary(const Unary& unary, int precedence) const;
  std::string print_component(const Expr& component) const;
  std::string print_cast(const Cast& cast, int precedence) const;
  std::string print_conversion(const Cast& cast, int precedence) const;
  std::string print_binary(const Binary& binary, int precedence) const;
  std::string print_eagerly(const Binary& binary, int precedence) const;
  bool may_lack_value(const Binary& division) const;
  bool may_overflow(BinaryOp op, DType type) const;
  std::string print_wrapped(const Expr& expr, int precedence) const;
  std::string print_unsigned(const Expr& expr, int precedence) const;
  void write(const Stmt& stmt);
  void write_if(const If& branch);
  void write_loop(const For& loop);
  void declare(const RingCounter& ring);
  void move_on(const RingCounter& ring);
  void write_store(const Store& store);
  std::optional<std::string> ordered(const Store& store) const;
  std::optional<std::string> ordered(const Copy& copy) const;
  std::optional<std::string> ordered_load(const StmtNode* stmt, const std::string& to,
                                          int64_t count) const;
  void declare_addresses(const For& loop);
  std::string address(const Region& region) const;
  void write_alloc(const Alloc& alloc);
  void write_vector(const Copy& copy);
  void write_guarded_vector(const If& branch);
  void write_assignment(const std::string& target, const std::string& value);
  std::string vector(const Region& region, int64_t count, bool is_read) const;
  void line(const std::string& text);
  void mark(const StmtNode* stmt);
  void mark_all(const Stmt& stmt);

  const Dialect& dialect_;
  Identifiers names_;
  int index_bits_;
  int64_t cluster_ = 1;  ///< blocks
  Facts facts_;
  Logic logic_;
  std::string out_;
  unsigned indent_ = 0;
  unsigned next_line_ = 1;
  bool has_order_ = false;    ///< somewhere in the kernel
  bool keeps_order_ = false;  ///< the loop around what is printed
  SharedLoads loads_;         ///< of the outermost loop around that
  /// The variables of their bases: addresses, and bits to flip.
  llvm::SmallVector<std::pair<std::string, std::string>, 2> bases_;
  const RingCounter* ring_ = nullptr;  ///< of that loop; null where it has none
  StatementLines lines_;
  CForm form_;  ///< of the kernel whose statements are printed
};

}  // namespace hone
