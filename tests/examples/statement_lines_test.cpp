// Every store and every barrier of every rung is found in the text of its kernel.

#include "codegen/emit/emit.h"
#include "codegen/lower.h"
#include "ir/opcodes/opcodes.h"
#include "ir/traverse/visit.h"
#include "llvm/ADT/StringRef.h"
#include "tests/support/examples/rungs.h"

namespace hone {
namespace statement_lines_test {

/// The lines of the text that a statement stands on, one behind the other.
std::string lines_of(const LinedText& text, const Stmt& stmt) {
  llvm::SmallVector<llvm::StringRef> lines;
  llvm::StringRef(text.text).split(lines, '\n');
  std::string found;
  const auto numbers = text.lines.find(stmt.get());
  if (numbers == text.lines.end()) return found;
  for (const unsigned number : numbers->second) found += lines[number - 1].str() + "\n";
  return found;
}

/// The text that a line of the statement's has in it; empty where any will do.
std::string mark_of(const Stmt& stmt, const char* barrier) {
  if (const auto* store = llvm::dyn_cast<Store>(stmt)) return store->tensor->name;
  if (const auto* copy = llvm::dyn_cast<Copy>(stmt)) return copy->destination.tensor->name;
  return is<op::barrier>(stmt) ? barrier : "";
}

std::string as_identifier(std::string name) {
  std::replace(name.begin(), name.end(), '.', '_');
  return name;
}

class StatementLines : public testing::TestWithParam<RungCase> {};

INSTANTIATE_TEST_SUITE_P(Ladders, StatementLines, testing::ValuesIn(gpu_rungs()), test_name);

TEST_P(StatementLines, TellWhereAStatementStands) {
  const Schedule schedule = GetParam().rung.build({}, GetParam().ladder.sizes);
  for (const KernelFunction& kernel : lower(schedule).kernels) {
    const LinedText printed = print_with_lines(kernel), cuda = emit_cuda_with_lines(kernel);
    EXPECT_EQ(printed.text, to_string(kernel));
    EXPECT_EQ(cuda.text, emit_cuda(kernel));
    walk(kernel.body, [&](const Stmt& stmt) {
      if (llvm::isa<Seq>(stmt)) return;
      const std::string in_kernel = lines_of(printed, stmt), in_cuda = lines_of(cuda, stmt);
      EXPECT_NE(in_kernel, "") << to_string(stmt);
      EXPECT_NE(in_cuda, "") << to_string(stmt);
      EXPECT_NE(in_kernel.find(mark_of(stmt, "barrier")), std::string::npos) << in_kernel;
      EXPECT_NE(in_cuda.find(as_identifier(mark_of(stmt, "__syncthreads();"))), std::string::npos)
          << to_string(stmt) << "\n"
          << in_cuda;
    });
  }
}

}  // namespace statement_lines_test
}  // namespace hone
