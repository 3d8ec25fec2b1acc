// Copies and stores that the copy engine makes.
#include "ir/analysis/bulk_tiles.h"
#include "runtime/sim/bulk_copies.h"
#include "runtime/sim/bulk_stores.h"
#include "runtime/sim/compiler.h"

namespace hone {

/// The elements of the tile, from the first one on.
Access SimCompiler::tile_access(const BulkMove& move, Access::Kind kind) {
  const Expr place = Load::make(move.tensor, move.indices);
  Access access = make_access(kind, *llvm::cast<Load>(place.get()), place);
  access.width = move.box.elements();
  access.box_alignment = bulk_alignment(move.box.swizzle);
  return access;
}

/// The box in global memory.
Access SimCompiler::box_access(const BulkMove& move, size_t operand, Access::Kind kind) const {
  Access access;
  access.kind = kind;
  access.memory = static_cast<uint32_t>(operand);
  access.statement = statement_;
  access.place = Load::make(program_.kernel.arguments[operand], move.coordinates);
  return access;
}

void SimCompiler::add_move(const BulkMove& move, BulkDetail bulk, Instruction::Execute execute) {
  for (const Expr& coordinate : coordinates_of(move, program_.kernel))
    bulk.coordinates.push_back(emitter_.broadcast(compile(coordinate)).slot);
  Instruction instruction;
  instruction.execute = execute;
  instruction.detail = static_cast<uint32_t>(program_.bulk_moves.size());
  program_.bulk_moves.push_back(std::move(bulk));
  emitter_.append(instruction);
}

void SimCompiler::compile(const BulkCopy& copy) {
  emitter_.open_statement_scope();
  BulkDetail bulk;
  bulk.map = tensor_map_of(copy, program_.kernel);
  Access tile = tile_access(copy, Access::Kind::write);
  tile.is_async = true;
  bulk.target = add_access(tile);
  bulk.source = add_access(box_access(copy, bulk.map.operand, Access::Kind::read));
  bulk.mbarrier_use = add_mbarrier_use(Access::Kind::update, copy.mbarriers, copy.slot);
  add_move(copy, std::move(bulk), start_bulk);
  emitter_.close_scope();
  watch(watch_.statement, statement_);
}

void SimCompiler::compile(const BulkStore& store) {
  program_.uses_engine = true;
  emitter_.open_statement_scope();
  BulkDetail bulk;
  bulk.map = tensor_map_of(store, program_.kernel);
  bulk.source = add_access(tile_access(store, Access::Kind::read));
  bulk.target = add_access(box_access(store, bulk.map.operand, Access::Kind::write));
  add_move(store, std::move(bulk), start_store);
  emitter_.close_scope();
  watch(watch_.statement, statement_);
}

void SimCompiler::compile(const WaitStores& wait) {
  append_plain(wait_stores, static_cast<uint32_t>(wait.written));
}
void SimCompiler::compile(const FenceEngine&) {
  program_.uses_engine = true;
  append_plain(fence_engine);
}

void SimCompiler::append_plain(Instruction::Execute execute, uint32_t detail) {
  Instruction instruction;
  instruction.execute = execute;
  instruction.detail = detail;
  emitter_.append(instruction);
}

}  // namespace hone
