// The labels of a function, and what uses them, which may stand in front of them.
#pragma once

#include "runtime/ptx/text/context.h"
#include "runtime/ptx/text/scopes.h"

namespace hone::ptx {

class Labels {
 public:
  Labels(Context& context, Function& function, Scopes& scopes)
      : context_(context), lexer_(context.lexer), function_(function), scopes_(scopes) {}

  /// Behind the ':': it stands here, or it names the table that follows.
  void parse(const Token& name);
  /// The last instruction uses labels, as the text has them.
  void use() { uses_.push_back({function_.instructions.size() - 1, scopes_.current()}); }
  /// At the end of the function: throws PtxError where nothing has such a name.
  void resolve();

 private:
  struct Use {
    size_t instruction;
    int scope;
  };
  struct Table {
    std::string name;
    std::vector<Token> labels;
    int scope;
  };

  std::vector<Token> parse_names();
  void parse_prototype(const std::string& name);
  void resolve(Operand& operand, int line, int scope) const;

  Context& context_;
  Lexer& lexer_;
  Function& function_;
  Scopes& scopes_;
  std::vector<Use> uses_;
  std::vector<Table> tables_;
};

}  // namespace hone::ptx
