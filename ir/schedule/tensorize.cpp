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
// tensorize(tile, instruction): an instruction moves the tiles of the copy that fills it.
//
//   copy A.reg[0 .. +64, 0 .. +16]        copy A.reg[0 .. +64, 0 .. +16]
//        <- A.shared[w*64 .. +64, ..]  =>      <- A.shared[w*64 .. +64, ..] @ldmatrix_x4_bf16
//
// Preserves: everything, but for the order in which the products of an instruction are added up.

#include "fmt/format.h"
#include "ir/analysis/site.h"
#include "ir/analysis/tiles.h"
#include "ir/schedule/arguments.h"
#include "ir/schedule/instructions.h"
#include "ir/schedule/legality/promises.h"
#include "ir/schedule/rewrite/rebuild.h"
#include "ir/threads/instruction_copy.h"
#include "ir/threads/instruction_nest.h"

namespace hone {
Rewrite tensorize(const Function& function, const AxisPtr& axis, llvm::StringRef instruction) {
  // Preconditions
  const Preconditions check("tensorize", function);
  const For& loop = check.find(axis).loop();
  if (loop.binding.opcode)
    check.refuse(&loop, fmt::format("{} computes {} already", to_string(loop.binding), axis->name));
  check.find_unplaced(axis);
  const Opcode& opcode = find_instruction(check, instruction);
  const InstructionMatch match = match_instruction(loop, opcode);
  if (!match.instr.defined()) check.refuse(&loop, match.problem, match.way_out);

  // Rewrite
  const Binding binding = {.kind = Binding::Kind::instr, .opcode = &opcode};
  Function result = rebind(function, loop, binding);

  // Postcondition: whole warps come to the nest, and its registers are those of the lanes.
  check_promises(check, function, result, &loop);
  return {std::move(result), {axis}, nullptr};
}

Rewrite tensorize(const Function& function, const TensorPtr& tile, llvm::StringRef instruction) {
  // Preconditions
  const Preconditions check("tensorize", function, tile);
  const Opcode& opcode = find_instruction(check, instruction);
  const Tiles tiles(function.body);
  const Tile* uses = tiles.find(tile.get());
  const auto is_copy = [](const TileUse& use) { return llvm::isa<Copy>(use.stmt); };
  const auto* fill = uses ? llvm::find_if(uses->writers, is_copy) : nullptr;
  if (!uses || fill == uses->writers.end())
    check.refuse(nullptr, fmt::format("no copy fills {}", tile->name));
  const auto& copy = *llvm::cast<Copy>(fill->stmt.get());
  if (copy.uses_engine() || copy.vector > 1 || copy.execution.opcode)
    check.refuse(&copy, fmt::format("the copy to {} says already how it is made", tile->name));
  const Site site = *find_site(function.body, &copy);
  if (const auto problem = tiles_problem(copy, opcode, site.facts()))
    check.refuse(&copy, problem->message, problem->note);

  // Rewrite
  CopyExecution execution = copy.execution;
  execution.opcode = &opcode;
  Rewrite result = {rebuild(function, &copy, copy.with_execution(execution)), {}, tile};

  // Postcondition
  check_promises(check, function, result.function, &copy);
  return result;
}

const Primitive tensorize_primitive = {
    .name = "tensorize",
    .arguments = {argument::any_axis, argument::any_tensor, argument::name},
    .apply =
        [](const Function& f, const Step& s) {
          return s.axes.empty() ? tensorize(f, s.tensor, s.name) : tensorize(f, s.axes[0], s.name);
        },
};

}  // namespace hone
