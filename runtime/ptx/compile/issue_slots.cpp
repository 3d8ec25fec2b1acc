#include "runtime/ptx/compile/issue_slots.h"

#include <algorithm>

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

/// By instruction: it is a part of a loop that does nothing but wait.
std::vector<bool> waiting_loops(const Function& function) {
  constexpr int64_t most = 12;  // instructions
  std::vector<bool> waits(function.instructions.size());
  for (size_t jump = 0; jump < waits.size(); ++jump) {
    const int64_t first = function.first_of_loop(jump), end = static_cast<int64_t>(jump) + 1;
    if (first < 0 || end - first > most) continue;
    const auto begin = function.instructions.begin();
    if (std::any_of(begin + first, begin + end, waits_for_phase))
      std::fill(waits.begin() + first, waits.begin() + end, true);
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
