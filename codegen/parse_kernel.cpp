#include "codegen/parse_kernel.h"

#include "fmt/format.h"
#include "ir/layout.h"
#include "ir/parser.h"
#include "ir/stmt_parser.h"

namespace hone {
namespace {

class KernelParser : public StmtParser {
 public:
  using StmtParser::StmtParser;

  /// kernel := operator* 'kernel' signature 'grid' sizes 'block' sizes ('@index32' | '@index64')
  /// block
  KernelFunction parse_kernel() {
    parse_operators();
    tokens.expect("kernel");
    Signature signature = parse_signature();
    KernelFunction kernel;
    kernel.name = std::move(signature.name);
    kernel.params = std::move(signature.params);
    kernel.arguments = std::move(signature.arguments);
    kernel.may_alias = signature.may_alias;
    kernel.assumptions = std::move(signature.assumptions);
    kernel.grid = parse_sizes("grid");
    kernel.block = parse_sizes("block");
    kernel.index_bits = parse_index_bits();
    for (TensorPtr& argument : names.tensors) argument = flattened(*argument);
    kernel.body = parse_block();
    expect_end();
    return kernel;
  }

 private:
  /// sizes := '(' expr ',' expr ',' expr ')'
  std::array<Expr, 3> parse_sizes(llvm::StringRef word) {
    const Token place = tokens.expect(word);
    tokens.expect("(");
    const auto sizes = parse_list(")");
    if (sizes.size() != 3)
      tokens.fail(place, fmt::format("{} has 3 sizes, found {}", word.str(), sizes.size()));
    return {sizes[0], sizes[1], sizes[2]};
  }

  int parse_index_bits() {
    if (!tokens.accept("@")) tokens.fail_expected("'@index32' or '@index64'");
    if (tokens.accept("index32")) return 32;
    if (tokens.accept("index64")) return 64;
    tokens.fail_expected("'index32' or 'index64'");
  }
};

}  // namespace

KernelFunction parse_kernel(llvm::StringRef text) { return KernelParser(text).parse_kernel(); }

}  // namespace hone
