// tensorize(i, instruction): one instruction of a warp computes the loop and those in it.
//
//   for i in 0..16                        for i in 0..16 @mma_m16n8k16_bf16
//     for j in 0..8                =>       for j in 0..8
//       reduce k in 0..16                     reduce k in 0..16
//         C.reg[i, j] += ...                    C.reg[i, j] += ...
//
// The nest is what the instruction means, loop by loop and index by index. It stays as it is, with
// the meaning that it has; each later step is refused that would make another nest of it. The
// lanes of a warp have the elements of its tensors among them, as the instruction has spread them.
//
// Preserves: everything, but for the order in which the products of an instruction are added up.

#include "fmt/format.h"
#include "ir/core/opcode.h"
#include "ir/schedule/arguments.h"
#include "ir/schedule/legality/promises.h"
#include "ir/schedule/rewrite/rebuild.h"
#include "ir/threads/instruction_nest.h"

namespace hone {
namespace {

std::string all_words() {
  std::string words;
  for (const Family& family : opcode_families())
    for (const Opcode* opcode : family.opcodes)
      if (!opcode->rules.spreads.empty())
        words += (words.empty() ? "there are " : ", ") + opcode->word();
  return words;
}

}  // namespace

Rewrite tensorize(const Function& function, const AxisPtr& axis, llvm::StringRef instruction) {
  // Preconditions
  const Preconditions check("tensorize", function);
  const For& loop = check.find(axis).loop();
  if (loop.binding.opcode)
    check.refuse(&loop, fmt::format("{} computes {} already", to_string(loop.binding), axis->name));
  if (!loop.binding.is_unrolled_in_full()) check.find_serial(axis);
  const Opcode* opcode = find_opcode_with_lanes(instruction);
  if (!opcode)
    check.refuse(&loop, fmt::format("no instruction has the name '{}'", instruction.str()),
                 all_words());
  const InstructionMatch match = match_instruction(loop, *opcode);
  if (!match.instr.defined()) check.refuse(&loop, match.problem, match.way_out);

  // Rewrite
  const Binding binding = {.kind = Binding::Kind::instr, .opcode = opcode};
  Function result = rebind(function, loop, binding);

  // Postcondition: whole warps come to the nest, and its registers are those of the lanes.
  check_promises(check, function, result, &loop);
  return {std::move(result), {axis}, nullptr};
}

const Primitive tensorize_primitive = {
    .name = "tensorize",
    .arguments = {argument::axis, argument::name},
    .apply = [](const Function& f, const Step& s) { return tensorize(f, s.axes[0], s.name); },
};

}  // namespace hone
