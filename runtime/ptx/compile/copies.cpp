// Asynchronous copies: cp.async, cp.async.bulk, boxes of tensors.

#include "llvm/ADT/STLExtras.h"
#include "runtime/ptx/compile/address.h"
#include "runtime/ptx/machine/control.h"
#include "runtime/ptx/machine/engine.h"
#include "runtime/ptx/machine/mbarrier.h"

namespace hone::ptx {
namespace {

using AccessKind = MemoryDetail::Kind;

void emit_copy(FunctionCompiler& compiler, const Instruction& instruction, Op::Execute execute,
               AsyncDetail detail) {
  const auto number = static_cast<uint32_t>(compiler.program.copies.size());
  compiler.program.copies.push_back(std::move(detail));
  compiler.emit(instruction, execute, Op::Kind::control, number);
}

// ---- cp.async -----------------------------------------------------------------------------------

bool is_predicate(const FunctionCompiler& compiler, const Operand& operand) {
  return operand.is(Operand::Kind::reg) && compiler.type_of(operand) == Type::pred;
}

/// [to], [from], size, then the bytes that are read, or a predicate; the hint about the cache last.
void compile_copy_async(FunctionCompiler& compiler, const Instruction& instruction) {
  const auto& operands = instruction.operands;
  AsyncDetail detail;
  detail.to = address_operand(compiler, instruction, operands[0], Space::shared);
  detail.from = address_operand(compiler, instruction, operands[1], Space::global);
  detail.size = operands[2].integer;
  const size_t end = operands.size() - (instruction.has("L2::cache_hint") ? 1 : 0);
  if (end > 3 && is_predicate(compiler, operands[3]))
    detail.ignored = compiler.predicate(instruction, operands[3]);
  else if (end > 3)
    detail.bytes = compiler.value(instruction, operands[3], Type::b32);
  detail.reads =
      add_access(compiler, instruction, AccessKind::load, Space::global, detail.size, "cp.async");
  detail.writes =
      add_access(compiler, instruction, AccessKind::store, Space::shared, detail.size, "cp.async");
  emit_copy(compiler, instruction, run_copy_async, std::move(detail));
}

/// The groups of cp.async, and the bulk ones.
void compile_wait(FunctionCompiler& compiler, const Instruction& instruction) {
  uint32_t detail = instruction.has("bulk") ? GroupWait::bulk : 0;
  if (instruction.has("read")) detail |= GroupWait::reads_only;
  detail |= instruction.has("wait_all") ? GroupWait::all
                                        : static_cast<uint32_t>(instruction.operands[0].integer);
  compiler.emit(instruction, run_wait_group, Op::Kind::control, detail);
}

void compile_arrival(FunctionCompiler& compiler, const Instruction& instruction) {
  const Op::Execute execute =
      instruction.has("noinc") ? run_arrive_behind_copies_noinc : run_arrive_behind_copies;
  emit_mbarrier(compiler, instruction, execute, instruction.operands[0], AccessKind::atomic);
}

// ---- Bulk ---------------------------------------------------------------------------------------

/// The spaces, the destination first.
struct Spaces {
  Space to = Space::generic, from = Space::generic;
};

Spaces spaces_of(const Instruction& instruction) {
  Spaces spaces;
  for (const std::string& modifier : instruction.modifiers) {
    const Space space = modifier_space(modifier);
    if (space == Space::generic) continue;
    (spaces.to == Space::generic ? spaces.to : spaces.from) = space;
  }
  return spaces;
}

bool is_load_of_box(const Spaces& spaces) { return spaces.to == Space::shared; }

/// The common part of bulk operations: behind the addresses, the mbarrier, and blocks.
class BulkCompiler {
 public:
  BulkCompiler(FunctionCompiler& compiler, const Instruction& instruction)
      : compiler_(compiler), instruction_(instruction), spaces_(spaces_of(instruction)) {
    detail.is_bulk = true;
  }

  const Operand& operand(size_t n) const { return instruction_.operands[n]; }

  /// The operands from `next` on: the mbarrier, and the blocks of a multicast.
  void read_completion(size_t next) {
    if (!instruction_.has("mbarrier::complete_tx::bytes")) return;
    detail.mbarrier = address_operand(compiler_, instruction_, operand(next), Space::shared);
    if (instruction_.has("multicast::cluster"))
      detail.blocks = compiler_.value(instruction_, operand(next + 1), Type::b16);
  }

  /// False where it is refused.
  bool read_combination() {
    const bool combines = instruction_.opcode == "red" || instruction_.has("reduce");
    if (!combines) return true;
    for (const std::string& modifier : instruction_.modifiers) {
      if (const auto type = type_named(modifier)) detail.type = *type;
      if (combine_of(modifier, Type::u32)) detail.combination = modifier;
    }
    const Type type = detail.coordinates.empty() ? detail.type : Type::u32;
    if (combine_of(detail.combination, type)) return true;
    compiler_.refuse(instruction_, "the operation is not known");
    return false;
  }

  void finish(Op::Execute execute) {
    for (const char* unknown : {"cp_mask", "im2col", "im2col::w", "tile::gather4", "cta_group::2"})
      if (instruction_.has(unknown))
        return compiler_.refuse(instruction_, std::string(".") + unknown + " is not known");
    if (!read_combination()) return;
    constexpr int64_t chunk = 16;
    const bool copies = detail.combination.empty(), is_bulk = instruction_.opcode == "cp";
    const char* by = is_bulk  ? copies ? "cp.async.bulk" : "cp.reduce.async.bulk"
                     : copies ? "st.async"
                              : "red.async";
    detail.reads = add_access(compiler_, instruction_, AccessKind::load, spaces_.from, chunk, by);
    detail.writes = add_access(compiler_, instruction_,
                               detail.combination.empty() ? AccessKind::store : AccessKind::atomic,
                               spaces_.to, chunk, by);
    emit_copy(compiler_, instruction_, execute, std::move(detail));
  }

  AsyncDetail detail;
  Spaces spaces() const { return spaces_; }

 private:
  FunctionCompiler& compiler_;
  const Instruction& instruction_;
  Spaces spaces_;
};

/// [to], [from], size, [mbarrier], blocks
void compile_bulk(FunctionCompiler& compiler, const Instruction& instruction) {
  BulkCompiler bulk(compiler, instruction);
  AsyncDetail& detail = bulk.detail;
  detail.to = address_operand(compiler, instruction, bulk.operand(0), bulk.spaces().to);
  detail.from = address_operand(compiler, instruction, bulk.operand(1), bulk.spaces().from);
  detail.bytes = compiler.value(instruction, bulk.operand(2), Type::b32);
  bulk.read_completion(3);
  bulk.finish(run_copy_bulk);
}

/// Loads: [tile], [map, {coordinates}], [mbarrier], blocks. Stores: [map, {coordinates}], [tile]
void compile_box(FunctionCompiler& compiler, const Instruction& instruction) {
  BulkCompiler bulk(compiler, instruction);
  AsyncDetail& detail = bulk.detail;
  const bool loads = is_load_of_box(bulk.spaces());
  const Operand& map = bulk.operand(loads ? 1 : 0);
  const AddressOperand tile =
      address_operand(compiler, instruction, bulk.operand(loads ? 0 : 1), Space::shared);
  const AddressOperand tensor = address_operand(compiler, instruction, map, Space::generic);
  detail.to = loads ? tile : tensor;
  detail.from = loads ? tensor : tile;
  if (map.parts.size() < 2) return compiler.refuse(instruction, "the coordinates are missing");
  for (const Operand& coordinate : parts_of(map.parts[1]))
    detail.coordinates.push_back(compiler.value(instruction, coordinate, Type::b32));
  bulk.read_completion(2);
  bulk.finish(run_copy_box);
}

}  // namespace

/// [to], values, [mbarrier]
void compile_store_async(FunctionCompiler& compiler, const Instruction& instruction) {
  BulkCompiler store(compiler, instruction);
  AsyncDetail& detail = store.detail;
  detail.to = address_operand(compiler, instruction, store.operand(0), Space::shared);
  for (const std::string& modifier : instruction.modifiers)
    if (const auto type = type_named(modifier)) detail.type = *type;
  detail.value_bytes = bytes_of(detail.type);
  const Type registers = detail.value_bytes == 8 ? Type::b64 : Type::b32;
  for (const Operand& value : parts_of(store.operand(1)))
    detail.values.push_back(compiler.value(instruction, value, registers));
  if (detail.value_bytes < 4 || !instruction.has("mbarrier::complete_tx::bytes"))
    return compiler.refuse(instruction, "the form is not known");
  store.read_completion(2);
  store.finish(run_store_async);
}

namespace {

// ---- By form ------------------------------------------------------------------------------------

void compile_copy(FunctionCompiler& compiler, const Instruction& instruction) {
  if (!instruction.has("async")) return compiler.refuse(instruction, "the form is not known");
  if (instruction.has("prefetch")) return;
  if (instruction.has("mbarrier")) return compile_arrival(compiler, instruction);
  if (instruction.has("commit_group")) {
    compiler.emit(instruction, run_commit_group, Op::Kind::control,
                  instruction.has("bulk") ? 1 : 0);
    return;
  }
  if (instruction.has("wait_group") || instruction.has("wait_all"))
    return compile_wait(compiler, instruction);
  if (!instruction.has("bulk")) return compile_copy_async(compiler, instruction);
  if (instruction.has("tensor")) return compile_box(compiler, instruction);
  compile_bulk(compiler, instruction);
}

const FunctionCompiler::Family copy_handlers = {{"cp", compile_copy}};

}  // namespace

const FunctionCompiler::Family& copy_family() { return copy_handlers; }

}  // namespace hone::ptx
