#include "runtime/ptx/compile/issue_slots.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"

namespace hone::ptx {
namespace {

bool becomes_instruction(const Instruction& instruction) {
  const std::string& opcode = instruction.opcode;
  return opcode != "mov" && opcode != "cvta" && !(opcode == "ld" && instruction.has("param"));
}

bool waits_for_phase(const Instruction& instruction) {
  return instruction.opcode == "mbarrier" &&
         (instruction.has("try_wait") || instruction.has("test_wait"));
}

/// The first instruction of the loop that a jump closes; behind the jump where it closes none.
size_t first_of_loop(const Function& function, size_t jump) {
  const Instruction& instruction = function.instructions[jump];
  if (instruction.opcode != "bra" || instruction.operands.empty()) return jump + 1;
  const auto label = function.labels.find(instruction.operands.front().name);
  return label == function.labels.end() ? jump + 1 : label->second;
}

/// By instruction: it is a part of a loop that does nothing but wait.
std::vector<bool> waiting_loops(const Function& function) {
  constexpr size_t most = 12;  // instructions
  std::vector<bool> waits(function.instructions.size());
  for (size_t jump = 0; jump < waits.size(); ++jump) {
    const size_t first = first_of_loop(function, jump);
    if (first > jump || jump - first >= most) continue;
    const auto loop = llvm::ArrayRef(function.instructions).slice(first, jump - first);
    if (llvm::any_of(loop, waits_for_phase))
      std::fill(waits.begin() + static_cast<int64_t>(first),
                waits.begin() + static_cast<int64_t>(jump) + 1, true);
  }
  return waits;
}

}  // namespace

void count_issue_slots(Code& code) {
  const std::vector<bool> waits = waiting_loops(*code.function);
  for (size_t n = 0; n < code.ops.size(); ++n) {
    const uint32_t number = code.instruction_of[n];
    const bool is_first = n == 0 || code.instruction_of[n - 1] != number;
    if (number >= waits.size()) continue;
    code.ops[n].is_counted =
        is_first && !waits[number] && becomes_instruction(code.function->instructions[number]);
  }
}

}  // namespace hone::ptx
