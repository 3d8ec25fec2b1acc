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
#include "ir/core/opcode.h"
#include "ir/schedule/arguments.h"
#include "ir/schedule/legality/preconditions.h"
#include "ir/schedule/legality/promises.h"
#include "ir/schedule/rewrite/rebuild.h"
#include "ir/threads/instruction_copy.h"
#include "ir/threads/instruction_nest.h"

namespace hone {
namespace {

/// Those of the family that the word names, by what stands before its first '_'; of any other word
/// the first of each family.
std::vector<std::string> words_like(llvm::StringRef word) {
  std::vector<std::string> like, first;
  for (const Family& family : opcode_families())
    for (const Opcode* opcode : family.opcodes) {
      if (opcode->rules.spreads.empty()) continue;
      if (llvm::StringRef(opcode->word()).split('_').first == word.split('_').first)
        like.push_back(opcode->word());
      if (opcode == family.opcodes.front()) first.push_back(opcode->word());
    }
  return like.empty() ? first : like;
}

/// Of many, the nearest to the word.
std::string note_on_words(llvm::StringRef word) {
  constexpr size_t most = 12, few = 6;
  std::vector<std::string> words = words_like(word);
  const bool is_known = llvm::StringRef(words.front()).split('_').first == word.split('_').first;
  if (words.size() <= most)
    return fmt::format("there are {}{}", fmt::join(words, ", "),
                       is_known ? "" : " and others like these");
  llvm::stable_sort(words, [&](llvm::StringRef lhs, llvm::StringRef rhs) {
    return lhs.edit_distance(word) < rhs.edit_distance(word);
  });
  const size_t others = words.size() - few;
  words.resize(few);
  return fmt::format("there are {} and {} others", fmt::join(words, ", "), others);
}

const Opcode* find_instruction(const Preconditions& check, llvm::StringRef word) {
  const Opcode* opcode = find_opcode_with_lanes(word);
  if (!opcode)
    check.refuse(nullptr, fmt::format("no instruction has the name '{}'", word.str()),
                 note_on_words(word));
  return opcode;
}

}  // namespace

Rewrite tensorize(const Function& function, const AxisPtr& axis, llvm::StringRef instruction) {
  // Preconditions
  const Preconditions check("tensorize", function);
  const For& loop = check.find(axis).loop();
  if (loop.binding.opcode)
    check.refuse(&loop, fmt::format("{} computes {} already", to_string(loop.binding), axis->name));
  check.find_unplaced(axis);
  const Opcode* opcode = find_instruction(check, instruction);
  const InstructionMatch match = match_instruction(loop, *opcode);
  if (!match.instr.defined()) check.refuse(&loop, match.problem, match.way_out);

  // Rewrite
  const Binding binding = {.kind = Binding::Kind::instr, .opcode = opcode};
  Function result = rebind(function, loop, binding);

  // Postcondition: whole warps come to the nest, and its registers are those of the lanes.
  check_promises(check, function, result, &loop);
  return {std::move(result), {axis}, nullptr};
}

Rewrite tensorize(const Function& function, const TensorPtr& tile, llvm::StringRef instruction) {
  // Preconditions
  const Preconditions check("tensorize", function, tile);
  const Opcode* opcode = find_instruction(check, instruction);
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
  if (const auto problem = tiles_problem(copy, *opcode, site.facts()))
    check.refuse(&copy, problem->message, problem->note);

  // Rewrite
  CopyExecution execution = copy.execution;
  execution.opcode = opcode;
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
