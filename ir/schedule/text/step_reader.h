// Calls of primitives, as traces print them, read as steps.
#pragma once

#include "ir/schedule/text/step_printer.h"
#include "ir/text/expr_parser.h"
#include "llvm/ADT/StringMap.h"

namespace hone {

/// A call, and the place of it.
struct StepCall {
  Step step;
  int line;  ///< from 1
};

/// Reads the text of a schedule, a call after the other. Names are those of the program that the
/// calls before have made, so each call is to be applied before the next one is read.
///
///   calls   := (call | name '=' (axis | tensor) [';'] | 'Param' name '(' '"' name '"' ')' [';'])*
///   call    := [results '='] ['s.'] primitive '(' [argument (',' argument)*] ')' [';']
///   results := ['const'] ['auto' | type] (name | '[' names ']') | names
///   names   := name (',' name)*
///   axis    := variable | name | ['s.'] 'axis' '(' '"' name '"' ')'        i_0, i.0, s.axis("i.0")
///   tensor  := variable | name | ['s.'] 'tensor' '(' '"' name '"' ')'
///
/// The arguments stand in ir/schedule/arguments.h. Throws ParseError.
class StepReader : private ExprParser {
 public:
  explicit StepReader(llvm::StringRef text) : ExprParser(text) {}

  /// The next call; nothing at the end. `variables` are those of the calls before. Names that the
  /// text gives to axes, tensors and new params, row = s.axis("i.0"), are read on the way.
  std::optional<StepCall> read(const Function& function, const StepPrinter& variables);

  // For the arguments of a call, which stand in argument_readers.cpp.
  using ExprParser::parse_expr;
  using ExprParser::tokens;

  AxisPtr read_axis();
  TensorPtr read_tensor();
  bool at_tensor() const { return tokens.peek().is_identifier() && !names_axis(); }
  bool at_axis() const { return tokens.peek().is_identifier() && names_axis(); }

  bool at_list() const { return tokens.at("{") || tokens.at("["); }
  /// Calls `read_part` for each part of a list: {i, j} or [i, j].
  void read_list(llvm::function_ref<void()> read_part);

  /// A word of a C++ enumeration, with the name of that or without: Tail::exact.
  Token read_word(llvm::StringRef type, llvm::StringRef what);
  /// The number of the word among `words`.
  template <class Enum>
  Enum read_enum(llvm::StringRef type, llvm::StringRef what, llvm::ArrayRef<const char*> words) {
    return static_cast<Enum>(read_number_of_word(type, what, words));
  }

  struct Option {
    llvm::StringRef name;
    llvm::function_ref<void()> read;
  };
  bool at_options() const { return tokens.at("{") || tokens.peek(1).is("="); }
  /// {.tail = Tail::exact}, or tail = exact; or numbers in the order of the options, {1, 32}. False
  /// where no options come.
  bool read_options(llvm::ArrayRef<Option> options);

 private:
  Expr find_name(llvm::StringRef name) override;
  std::optional<Tree> parse_own_call() override;
  AxisPtr find_axis(llvm::StringRef name) const;
  std::string name_of(const AxisPtr& axis) const;
  AxisPtr find_loop(llvm::StringRef name) const;
  TensorPtr find_tensor(llvm::StringRef name) const;
  bool names_axis() const;
  bool at_lookup(llvm::StringRef method) const;
  llvm::StringRef read_lookup();
  size_t read_number_of_word(llvm::StringRef type, llvm::StringRef what,
                             llvm::ArrayRef<const char*> words);
  void read_values(llvm::ArrayRef<Option> options);
  void read_option(llvm::ArrayRef<Option> options);
  using Results = llvm::SmallVector<Token, 4>;

  void read_param();
  bool at_results() const;
  Results read_results();
  /// Refuses a name that no variable can have, or that one has.
  std::string new_variable(const Token& name) const;
  void read_alias(const Token& name);
  const Primitive& read_primitive();
  void read_arguments(Step& step);
  void know(const Function& function, const StepPrinter& variables);

  llvm::SmallVector<ParamPtr, 2> params_;      ///< that the text declares
  llvm::StringMap<AxisPtr> axes_;              ///< that the text names, besides variables
  llvm::StringMap<std::string> tensor_names_;  ///< of variables that the text declares
  const Function* function_ = nullptr;
  const StepPrinter* variables_ = nullptr;
};

}  // namespace hone
