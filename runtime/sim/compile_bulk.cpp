// Copies and stores that the copy engine makes.
#include "ir/analysis/bulk_tiles.h"
#include "runtime/sim/bulk_copies.h"
#include "runtime/sim/bulk_stores.h"
#include "runtime/sim/compiler.h"

namespace hone {

/// The elements of the tile, from the first one on.
Access SimCompiler::tile_access(const BulkMove& move, Access::Kind kind) {
  Access access = place_access(kind, move.tile);
  access.is_async = move.fills();
  access.width = move.elements();
  access.box_alignment = bulk_alignment(move.swizzle());
  return access;
}

/// The box in global memory.
Access SimCompiler::box_access(const BulkMove& move, size_t operand, Access::Kind kind) const {
  Access access;
  access.kind = kind;
  access.memory = static_cast<uint32_t>(operand);
  access.statement = statement_;
  access.place = Load::make(program_.kernel.arguments[operand], move.memory.indices);
  return access;
}

void SimCompiler::compile_bulk(const Instr& instr) {
  const BulkMove move = *bulk_move(Stmt(&instr));
  const bool fills = move.fills();
  using Kind = Access::Kind;
  emitter_.open_statement_scope();
  BulkDetail bulk;
  bulk.map = tensor_map_of(move, program_.kernel);
  const uint32_t tile = add_access(tile_access(move, fills ? Kind::write : Kind::read));
  const uint32_t box =
      add_access(box_access(move, bulk.map.operand, fills ? Kind::read : Kind::write));
  bulk.target = fills ? tile : box;
  bulk.source = fills ? box : tile;
  if (fills)
    bulk.mbarrier_use = add_mbarrier_use(Kind::update, instr.places[2]);
  else
    program_.uses_engine = true;
  for (const Expr& coordinate : coordinates_of(move, program_.kernel))
    bulk.coordinates.push_back(emitter_.broadcast(compile(coordinate)).slot);
  append_plain(fills ? start_bulk : start_store, static_cast<uint32_t>(program_.bulk_moves.size()));
  program_.bulk_moves.push_back(std::move(bulk));
  emitter_.close_scope();
  watch(watch_.statement, statement_);
}

}  // namespace hone
