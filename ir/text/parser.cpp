#include "ir/text/parser.h"

#include "ir/text/stmt_parser.h"
#include "ir/traverse/scopes.h"

namespace hone {
namespace {

class FunctionParser : public StmtParser {
 public:
  using StmtParser::StmtParser;

  /// function := operator* 'func' signature block
  Function parse_function() {
    parse_operators();
    tokens.expect("func");
    Signature signature = parse_signature();
    Function function;
    function.name = std::move(signature.name);
    function.params = std::move(signature.params);
    function.arguments = std::move(signature.arguments);
    function.may_alias = signature.may_alias;
    function.launches_early = signature.launches_early;
    function.required = std::move(signature.required);
    function.assumptions = std::move(signature.assumptions);
    function.body = with_tight_scopes(parse_block());
    expect_end();
    return function;
  }
};

}  // namespace

Function parse_function(llvm::StringRef text) { return FunctionParser(text).parse_function(); }

}  // namespace hone
