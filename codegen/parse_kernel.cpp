#include "codegen/parse_kernel.h"

#include "fmt/format.h"
#include "ir/core/layout.h"
#include "ir/target/gpu_limits.h"
#include "ir/text/parser.h"
#include "ir/text/stmt_parser.h"

namespace hone {
namespace {

class KernelParser : public StmtParser {
 public:
  using StmtParser::StmtParser;

  /// kernels := kernel kernel*
  llvm::SmallVector<KernelFunction, 1> parse_kernels() {
    llvm::SmallVector<KernelFunction, 1> kernels;
    do {
      names = {};
      kernels.push_back(parse_kernel(kernels));
    } while (!tokens.at_end());
    return kernels;
  }

  /// kernel := operator* 'kernel' signature 'grid' sizes ['cluster' '(' integer ')'] 'block' sizes
  ///           [resident] ('@index32' | '@index64') block
  KernelFunction parse_kernel(llvm::ArrayRef<KernelFunction> others = {}) {
    parse_operators();
    tokens.expect("kernel");
    const Token name = tokens.peek();
    check_is_new(name, others);
    Signature signature = parse_signature();
    if (!signature.required.empty())
      tokens.fail(name, fmt::format("@{} is of a func", hone::name(signature.required[0]).str()));
    if (signature.launches_early)
      tokens.fail(name, "@launch_early is of a func; a kernel says wait_kernel_before");
    KernelFunction kernel;
    kernel.name = std::move(signature.name);
    kernel.params = std::move(signature.params);
    kernel.arguments = std::move(signature.arguments);
    kernel.may_alias = signature.may_alias;
    kernel.assumptions = std::move(signature.assumptions);
    kernel.grid = parse_sizes("grid");
    if (tokens.at("cluster")) kernel.cluster = parse_cluster();
    kernel.block = parse_sizes("block");
    kernel.resident_blocks = parse_attribute(attr::resident).value_or(0);
    kernel.index_bits = parse_index_bits();
    for (TensorPtr& argument : names.tensors) argument = flattened(*argument);
    kernel.body = parse_block();
    return kernel;
  }

 private:
  void check_is_new(const Token& name, llvm::ArrayRef<KernelFunction> others) const {
    for (const KernelFunction& other : others)
      if (name.is(other.name))
        tokens.fail(name, fmt::format("there are two kernels {}", other.name));
  }

  /// sizes := '(' expr ',' expr ',' expr ')'
  std::array<Expr, 3> parse_sizes(llvm::StringRef word) {
    const Token place = tokens.expect(word);
    tokens.expect("(");
    const auto sizes = parse_list(")");
    if (sizes.size() != 3)
      tokens.fail(place, fmt::format("{} has 3 sizes, found {}", word.str(), sizes.size()));
    return {sizes[0], sizes[1], sizes[2]};
  }

  int64_t parse_cluster() {
    const Token place = tokens.expect("cluster");
    tokens.expect("(");
    const int64_t blocks = tokens.expect_integer("the blocks of a cluster");
    const int64_t most = widest_architecture().blocks_per_cluster;
    if (blocks < 1 || blocks > most)
      tokens.fail(place, fmt::format("a cluster has 1 to {} blocks, not {}", most, blocks));
    tokens.expect(")");
    return blocks;
  }

  int parse_index_bits() {
    if (!tokens.accept("@")) tokens.fail_expected("'@index32' or '@index64'");
    if (tokens.accept("index32")) return 32;
    if (tokens.accept("index64")) return 64;
    tokens.fail_expected("'index32' or 'index64'");
  }
};

}  // namespace

KernelFunction parse_kernel(llvm::StringRef text) {
  KernelParser parser(text);
  KernelFunction kernel = parser.parse_kernel();
  parser.expect_end();
  return kernel;
}

llvm::SmallVector<KernelFunction, 1> parse_kernels(llvm::StringRef text) {
  return KernelParser(text, /*has_unique_names=*/true).parse_kernels();
}

}  // namespace hone
