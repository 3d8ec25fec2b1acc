// Instructions: the ones that the simulated device has code of its own for.
#include "ir/interpret/ring_form.h"
#include "ir/opcodes/opcodes.h"
#include "ir/text/meaning.h"
#include "runtime/sim/collective.h"
#include "runtime/sim/compile/compiler.h"
#include "runtime/sim/meaning.h"
#include "runtime/sim/memory.h"

namespace hone {
namespace {

/// The elements of each place that lanes have: over the dimensions of memory. Registers are each
/// lane's own.
llvm::SmallVector<FragmentSpread, 3> spreads_of(const Instr& instr) {
  auto spreads = instr.spreads();
  for (size_t n = 0; n < spreads.size(); ++n)
    if (instr.places[n].tensor->scope == Scope::registers)
      spreads[n] = instr.opcode.rules.spreads[n];
  return spreads;
}

}  // namespace

Function form_of_meaning(const Instr& instr) {
  const bool is_over_ring = llvm::any_of(
      instr.places, [](const ElementRef& place) { return is_ring(place.tensor->type); });
  const Function& meaning = meaning_of(instr.opcode);
  return is_over_ring ? ring_form(meaning) : meaning;
}

Access SimCompiler::place_access(Access::Kind kind, const ElementRef& place) {
  const Expr text = Load::make(place.tensor, place.indices);
  return make_access(kind, *llvm::cast<Load>(text.get()), text);
}

void SimCompiler::watch_issue(const Instr& instr) {
  if (!watch_.issue) return;
  emitter_.open_statement_scope();
  IssueDetail detail{statement_};
  if (!instr.places.empty() && instr.places[0].tensor->scope == Scope::shared)
    detail.access = add_access(place_access(Access::Kind::write, instr.places[0]));
  for (const auto& [place, spread] : llvm::zip(instr.places, instr.spreads()))
    if (spread.is_tile())
      detail.tiles.push_back(add_access(place_access(Access::Kind::read, place)));
  const bool asks = llvm::is_contained(instr.opcode.uses, Use::awaits);
  watch(watch_.issue, static_cast<uint32_t>(program_.issues.size()),
        asks ? emitter_.broadcast(compile(instr.values[0])).slot : no_slot);
  program_.issues.push_back(detail);
  emitter_.close_scope();
}

void SimCompiler::append_plain(Instruction::Execute execute, uint32_t detail) {
  Instruction instruction;
  instruction.execute = execute;
  instruction.detail = detail;
  emitter_.append(instruction);
}

/// One thread of the block arrives, and tells the others by the flag.
void SimCompiler::compile_arrive(const Instr& arrive) {
  emitter_.open_statement_scope();
  const Access access = place_access(Access::Kind::update, arrive.places[1]);
  watch(access);
  Instruction instruction;
  instruction.execute = arrive_operation();
  instruction.operands[0] = compile(arrive.values[0]).slot;
  const Value is_last = emitter_.make_value(DType::boolean, true);
  instruction.destination = is_last.slot;
  instruction.detail = add_access(access);
  emitter_.append(instruction);

  const Access target = place_access(Access::Kind::write, arrive.places[0]);
  Instruction store;
  store.execute = store_operation(DType::boolean);
  store.operands[0] = emitter_.broadcast(is_last).slot;
  store.detail = add_access(target);
  watch(watch_.arrival, instruction.detail, is_last.slot);
  watch(target, store.operands[0]);
  emitter_.append(store);
  emitter_.close_scope();
}

// ---- By meaning ---------------------------------------------------------------------------------

namespace {

/// Elements of a tile that a lane reads in one access.
constexpr int64_t tile_chunk_bytes = 16;

/// Its threads go on while it reads tiles.
bool goes_on(const Opcode& opcode) {
  return llvm::any_of(opcode.rules.spreads,
                      [](const FragmentSpread& spread) { return spread.is_tile(); });
}

}  // namespace

/// The value of that number, which a lane has at the place.
Access SimCompiler::value_access(Access::Kind kind, ElementRef place, const Opcode& opcode,
                                 int64_t number) {
  for (size_t dim = place.indices.size(); number > 0 && dim-- > 0;) {
    const int64_t extent =
        dim == 0 ? INT64_MAX : as_int(place.tensor->shape[dim]).value_or(INT64_MAX);
    place.indices[dim] = place.indices[dim] + number % extent;
    number /= extent;
  }
  Access access = place_access(kind, place);
  access.is_of_product = goes_on(opcode);
  return access;
}

/// The part of a tile that a lane reads in one access: 16 bytes of its storage.
ElementRef SimCompiler::chunk_of_tile(ElementRef place, const Opcode& opcode,
                                      const FragmentSpread& spread, int first_value) const {
  const Expr lane = ThreadIndex::make(IndexSpace::thread, 0) % opcode.rules.threads;
  const auto is_slower = [](const SpreadDigit& a, const SpreadDigit& b) { return a.dim < b.dim; };
  const size_t rank =
      std::max_element(spread.digits.begin(), spread.digits.end(), is_slower)->dim + 1;
  const size_t more = place.indices.size() - rank;
  for (const SpreadDigit& digit : spread.digits) {
    const Expr number = digit.of == SpreadDigit::Of::lane ? lane : Expr(first_value);
    Expr& index = place.indices[more + digit.dim];
    index = index + number / digit.divisor % digit.count * digit.factor;
  }
  return place;
}

/// The values that the lanes read of a tile.
llvm::SmallVector<Slot, 8> SimCompiler::read_tile(const ElementRef& place, const Opcode& opcode,
                                                  const FragmentSpread& spread) {
  const DType type = place.tensor->type;
  const int width = static_cast<int>(tile_chunk_bytes / size_of(type));
  llvm::SmallVector<Slot, 8> slots;
  for (int first = 0; first < spread.values(); first += width) {
    llvm::SmallVector<Slot, 8> chunk;
    for (int n = 0; n < width; ++n) chunk.push_back(emitter_.make_value(type, false).slot);
    append_vector(load_vector_operation(type),
                  place_access(Access::Kind::read, chunk_of_tile(place, opcode, spread, first)),
                  chunk, /*is_watched=*/false);  // no lane asks for them: hold_tile
    slots.append(chunk);
  }
  return slots;
}

/// An observer sees the tile be read until the lanes wait.
void SimCompiler::hold_tile(const ElementRef& place, const Opcode& opcode,
                            const FragmentSpread& spread) {
  if (!watch_.box_access) return;
  const DType type = place.tensor->type;
  const auto width = static_cast<int>(tile_chunk_bytes / size_of(type));
  for (int first = 0; first < spread.values(); first += width) {
    Access chunk = place_access(Access::Kind::read, chunk_of_tile(place, opcode, spread, first));
    chunk.place = Load::make(place.tensor, place.indices);  // as the text has it
    chunk.width = width;
    append_plain(start_operations, static_cast<uint32_t>(program_.operations.size()));
    AsyncDetail& reads = program_.operations.emplace_back();
    reads.timeline = Timeline::tensor_core;
    reads.type = type;
    reads.fills = false;
    reads.shared = add_access(chunk);
    reads.bytes = tile_chunk_bytes;
  }
  program_.has_engines = program_.has_fences = true;
}

/// The values that the lanes have at the place: those in memory are one access.
llvm::SmallVector<Slot, 8> SimCompiler::read_values(const ElementRef& place, const Opcode& opcode,
                                                    const FragmentSpread& spread) {
  const DType type = place.tensor->type;
  llvm::SmallVector<Slot, 8> slots;
  const bool is_in_registers = place.tensor->scope == Scope::registers;
  for (int value = 0; value < spread.values(); ++value)
    slots.push_back(
        is_in_registers
            ? emitter_.broadcast(load(value_access(Access::Kind::read, place, opcode, value), type))
                  .slot
            : emitter_.make_value(type, false).slot);
  if (is_in_registers) return slots;
  Access access = place_access(Access::Kind::read, place);
  access.own_lanes = spread.own_lanes();
  append_vector(load_vector_operation(type), access, slots);
  return slots;
}

/// Lanes without elements of their own leave memory to those that have them.
void SimCompiler::write_values(const ElementRef& place, const Opcode& opcode,
                               const FragmentSpread& spread, llvm::ArrayRef<Value> values) {
  if (place.tensor->scope == Scope::registers) {
    for (size_t number = 0; number < values.size(); ++number)
      write_register(value_access(Access::Kind::write, place, opcode, static_cast<int64_t>(number)),
                     values[number]);
    return;
  }
  llvm::SmallVector<Slot, 8> slots;
  for (const Value& value : values) slots.push_back(value.slot);
  Access access = place_access(Access::Kind::write, place);
  access.own_lanes = spread.own_lanes();
  const auto store = [&] {
    append_vector(store_vector_operation(place.tensor->type), access, slots);
  };
  if (access.own_lanes == ~uint32_t{0}) return store();
  const Expr lane = ThreadIndex::make(IndexSpace::thread, 0) % warp_size;
  branch(compile((Expr(int64_t{access.own_lanes}) >> lane & 1) == 1), true, store);
}

void SimCompiler::compile_meaning(const Instr& instr) {
  emitter_.open_statement_scope();
  if (instr.opcode.rules.threads > warp_size) append_plain(gather_warpgroups, statement_);
  MeaningDetail detail;
  detail.opcode = &instr.opcode;
  detail.function = form_of_meaning(instr);
  detail.plan = plan_of(detail.function, instr.opcode);
  detail.statement = statement_;
  const auto spreads = spreads_of(instr);
  std::vector<llvm::SmallVector<Value, 8>> results;
  for (const auto& [place, use, spread] : llvm::zip(instr.places, instr.opcode.uses, spreads)) {
    detail.before.emplace_back();
    if (spread.is_tile())
      detail.before.back() = read_tile(place, instr.opcode, spread);
    else if (use != Use::writes)
      detail.before.back() = read_values(place, instr.opcode, spread);
    detail.after.emplace_back();
    results.emplace_back();
    for (int value = 0; use != Use::reads && value < spread.values(); ++value) {
      results.back().push_back(emitter_.make_value(place.tensor->type, false));
      detail.after.back().push_back(results.back().back().slot);
    }
  }
  append_plain(run_meaning, static_cast<uint32_t>(program_.meanings.size()));
  program_.meanings.push_back(std::move(detail));
  for (const auto& [place, spread] : llvm::zip(instr.places, spreads))
    if (spread.is_tile()) hold_tile(place, instr.opcode, spread);
  for (const auto& [place, spread, values] : llvm::zip(instr.places, spreads, results))
    if (!values.empty()) write_values(place, instr.opcode, spread, values);
  emitter_.close_scope();
  watch(watch_.statement, statement_);
}

void SimCompiler::compile(const Instr& instr) {
  watch_issue(instr);
  if (is_barrier(Stmt(&instr))) return compile_barrier(instr);
  if (!instr.opcode.rules.spreads.empty()) return compile_meaning(instr);
  if (&instr.opcode == &op::arrive) return compile_arrive(instr);
  compile_for_engines(instr);  // others are a matter of GPUs
}

}  // namespace hone
