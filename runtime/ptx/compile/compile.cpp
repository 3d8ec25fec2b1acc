#include "runtime/ptx/compile/compile.h"

#include <algorithm>
#include <set>

#include "llvm/ADT/STLExtras.h"
#include "runtime/ptx/compile/function_compiler.h"
#include "runtime/ptx/compile/issue_slots.h"
#include "runtime/ptx/machine/control.h"

namespace hone::ptx {

std::shared_ptr<const Program> compile(std::shared_ptr<const Module> module,
                                       const Addresses& addresses) {
  auto program = std::make_shared<Program>();
  program->module = module;
  ModuleCompiler common = {
      *module, addresses, *program, shared_layout(*module), ConstantPool(program->constants), {}};
  for (size_t n = 0; n < module->functions.size(); ++n)
    common.functions[module->functions[n].name] = n;
  for (size_t n = 0; n < module->functions.size(); ++n) {
    program->codes.push_back(FunctionCompiler(common, n).compile());
    count_issue_slots(program->codes.back());
  }
  return program;
}

namespace {

/// The functions that one may call; all of those with a body, where it calls one by address.
std::set<size_t> callees(const Program& program, size_t function) {
  std::set<size_t> all;
  for (const Op& op : program.codes[function].ops) {
    if (op.execute != run_call) continue;
    const CallDetail& call = program.calls[op.detail];
    if (call.function >= 0) {
      all.insert(static_cast<size_t>(call.function));
      continue;
    }
    for (size_t n = 0; n < program.codes.size(); ++n)
      if (!program.codes[n].function->is_entry && program.codes[n].function->has_body)
        all.insert(n);
  }
  return all;
}

void add_reached(const Program& program, size_t function, std::set<size_t>& reached) {
  if (!reached.insert(function).second) return;
  for (const size_t callee : callees(program, function)) add_reached(program, callee, reached);
}

/// The function, and those that it may call, by calls of calls, too.
std::set<size_t> reached_from(const Program& program, size_t function) {
  std::set<size_t> reached;
  add_reached(program, function, reached);
  return reached;
}

constexpr int64_t bytes_of_recursion = 32 << 10;

struct Stack {
  int64_t bytes = 0;
  bool is_recursive = false;
};

Stack stack_of(const Program& program, size_t function, std::set<size_t>& around) {
  if (!around.insert(function).second) return {0, true};
  Stack most;
  for (const size_t callee : callees(program, function)) {
    const Stack stack = stack_of(program, callee, around);
    most.bytes = std::max(most.bytes, stack.bytes);
    most.is_recursive |= stack.is_recursive;
  }
  around.erase(function);
  most.bytes += program.codes[function].local_bytes;
  return most;
}

}  // namespace

int64_t local_bytes(const Program& program, size_t function) {
  std::set<size_t> around;
  const Stack stack = stack_of(program, function, around);
  return stack.is_recursive ? bytes_of_recursion : stack.bytes;
}

std::string unsupported_forms(const Program& program, size_t function) {
  std::string all;
  for (const size_t each : reached_from(program, function)) all += program.codes[each].unsupported;
  return all;
}

bool has_grid_barrier(const Program& program, size_t function) {
  return llvm::any_of(reached_from(program, function),
                      [&](size_t each) { return program.codes[each].has_grid_barrier; });
}

}  // namespace hone::ptx
