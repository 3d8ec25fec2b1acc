// Copies that the copy engine makes.
#include "ir/analysis/bulk_tiles.h"
#include "runtime/sim/bulk_copies.h"
#include "runtime/sim/compiler.h"

namespace hone {

/// The elements that a copy writes, from the first one on.
Access SimCompiler::box_access(const BulkCopy& copy) {
  const Expr place = Load::make(copy.tensor, copy.indices);
  Access access = make_access(Access::Kind::write, *llvm::cast<Load>(place.get()), place);
  access.is_async = true;
  access.width = copy.box.elements();
  access.box_alignment = bulk_alignment(copy.box.swizzle);
  return access;
}

void SimCompiler::compile(const BulkCopy& copy) {
  emitter_.open_statement_scope();
  BulkDetail bulk;
  bulk.map = tensor_map_of(copy, program_.kernel);
  bulk.target = add_access(box_access(copy));
  Access source;
  source.memory = static_cast<uint32_t>(bulk.map.operand);
  source.statement = statement_;
  source.place = Load::make(program_.kernel.arguments[bulk.map.operand], copy.coordinates);
  bulk.source = add_access(source);
  for (const Expr& coordinate : coordinates_of(copy, program_.kernel))
    bulk.coordinates.push_back(emitter_.broadcast(compile(coordinate)).slot);
  bulk.mbarrier_use = add_mbarrier_use(Access::Kind::update, copy.mbarriers, copy.slot);
  Instruction instruction;
  instruction.execute = start_bulk;
  instruction.detail = static_cast<uint32_t>(program_.bulk_copies.size());
  program_.bulk_copies.push_back(std::move(bulk));
  emitter_.append(instruction);
  emitter_.close_scope();
  watch(watch_.statement, statement_);
}

}  // namespace hone
