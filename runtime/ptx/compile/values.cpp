// Instructions that compute registers from registers, and those that know where variables are.

#include "fmt/format.h"
#include "runtime/ptx/compile/function_compiler.h"
#include "runtime/ptx/machine/block.h"
#include "runtime/ptx/operations/operation.h"

namespace hone::ptx {
namespace {

using Kind = Operand::Kind;

// ---- Addresses ----------------------------------------------------------------------------------

Space space_of(const Instruction& instruction) {
  for (const std::string& modifier : instruction.modifiers) {
    if (modifier.starts_with("shared")) return Space::shared;
    if (modifier == "local") return Space::local;
    if (modifier.starts_with("param")) return Space::param;
    if (modifier == "const") return Space::constant;
  }
  return Space::global;
}

template <class T>
void run_add_window(Warp& warp, const Op& op) {
  const T* const address = warp.at<T>(op.sources[0]);
  const auto window = static_cast<T>(static_cast<uint64_t>(op.detail) << 48);
  write_lanes<T>(warp, op.destination, [&](int lane) { return address[lane] + window; });
}

template <class T>
void run_drop_window(Warp& warp, const Op& op) {
  const T* const address = warp.at<T>(op.sources[0]);
  const auto window = static_cast<T>(static_cast<uint64_t>(op.detail) << 48);
  write_lanes<T>(warp, op.destination, [&](int lane) { return address[lane] - window; });
}

/// A source that is a variable lies in the space already.
void compile_cvta(FunctionCompiler& compiler, const Instruction& instruction) {
  const bool drops = instruction.has("to");
  const uint64_t window = window::of(space_of(instruction));
  const int bytes = compiler.register_bytes(instruction.operands[0], 8);
  const Ref source =
      compiler.value(instruction, instruction.operands[1], bytes == 4 ? Type::b32 : Type::b64);
  const Op::Execute execute = bytes == 4
                                  ? (drops ? run_drop_window<uint32_t> : run_add_window<uint32_t>)
                                  : (drops ? run_drop_window<uint64_t> : run_add_window<uint64_t>);
  Op& op =
      compiler.emit(instruction, execute, Op::Kind::plain, static_cast<uint32_t>(window >> 48));
  op.destination = compiler.destination(instruction.operands[0]);
  op.sources[0] = source;
}

void run_is_in_space(Warp& warp, const Op& op) {
  const auto* address = warp.at<uint64_t>(op.sources[0]);
  const uint64_t window = static_cast<uint64_t>(op.detail) << 48;
  write_predicate(warp, op.destination, [&](int lane) {
    return window != 0 ? window::has(window, address[lane]) : address[lane] < window::size;
  });
}

void compile_isspacep(FunctionCompiler& compiler, const Instruction& instruction) {
  const uint64_t window = window::of(space_of(instruction));
  const Ref source = compiler.value(instruction, instruction.operands[1], Type::b64);
  Op& op = compiler.emit(instruction, run_is_in_space, Op::Kind::plain,
                         static_cast<uint32_t>(window >> 48));
  op.destination = compiler.destination(instruction.operands[0]);
  op.sources[0] = source;
}

// ---- mov of what is no register -----------------------------------------------------------------

bool is_special_or_symbol(const Instruction& instruction) {
  const Operand& source = instruction.operands.back();
  return source.is(Kind::special) || source.is(Kind::symbol);
}

void run_copy(Warp& warp, const Op& op) {
  const auto* value = warp.at<uint64_t>(op.sources[0]);
  write_lanes<uint64_t>(warp, op.destination, [&](int lane) { return value[lane]; });
}

void run_copy_32(Warp& warp, const Op& op) {
  const auto* value = warp.at<uint32_t>(op.sources[0]);
  write_lanes<uint32_t>(warp, op.destination, [&](int lane) { return value[lane]; });
}

void run_copy_16(Warp& warp, const Op& op) {
  const auto* value = warp.at<uint16_t>(op.sources[0]);
  write_lanes<uint16_t>(warp, op.destination, [&](int lane) { return value[lane]; });
}

void compile_mov(FunctionCompiler& compiler, const Instruction& instruction) {
  if (!is_special_or_symbol(instruction)) return compile_operation(compiler, instruction);
  const int bytes = compiler.register_bytes(instruction.operands[0], 4);
  const Type type = bytes == 2 ? Type::b16 : bytes == 4 ? Type::b32 : Type::b64;
  const Ref source = compiler.value(instruction, instruction.operands[1], type);
  Op& op = compiler.emit(instruction,
                         bytes == 2   ? run_copy_16
                         : bytes == 4 ? run_copy_32
                                      : run_copy,
                         Op::Kind::plain);
  op.destination = compiler.destination(instruction.operands[0]);
  op.sources[0] = source;
}

// ---- Blocks of a cluster ------------------------------------------------------------------------

void run_map_address(Warp& warp, const Op& op) {
  const auto* address = warp.at<uint64_t>(op.sources[0]);
  const auto* rank = warp.at<uint32_t>(op.sources[1]);
  constexpr uint64_t low = (uint64_t{1} << window::rank_shift) - 1;
  write_lanes<uint64_t>(warp, op.destination, [&](int lane) {
    const uint64_t base = window::has(window::shared, address[lane]) ? window::shared : 0;
    return base | (uint64_t{rank[lane]} + 1) << window::rank_shift | (address[lane] & low);
  });
}

void run_map_address_32(Warp& warp, const Op& op) {
  const auto* address = warp.at<uint32_t>(op.sources[0]);
  const auto* rank = warp.at<uint32_t>(op.sources[1]);
  constexpr uint32_t low = (1u << window::rank_shift) - 1;
  write_lanes<uint32_t>(warp, op.destination, [&](int lane) {
    return (rank[lane] + 1) << window::rank_shift | (address[lane] & low);
  });
}

void compile_mapa(FunctionCompiler& compiler, const Instruction& instruction) {
  const int bytes = compiler.register_bytes(instruction.operands[0], 8);
  const Ref address =
      compiler.value(instruction, instruction.operands[1], bytes == 4 ? Type::b32 : Type::b64);
  const Ref rank = compiler.value(instruction, instruction.operands[2], Type::b32);
  Op& op = compiler.emit(instruction, bytes == 4 ? run_map_address_32 : run_map_address,
                         Op::Kind::plain);
  op.destination = compiler.destination(instruction.operands[0]);
  op.sources[0] = address;
  op.sources[1] = rank;
}

template <class T>
void run_rank_of_address(Warp& warp, const Op& op) {
  const T* const address = warp.at<T>(op.sources[0]);
  const auto own = static_cast<uint32_t>(warp.block->rank);
  write_lanes<uint32_t>(warp, op.destination, [&](int lane) {
    const auto rank = static_cast<uint32_t>(address[lane] >> window::rank_shift & 0xff);
    return rank == 0 ? own : rank - 1;
  });
}

void compile_getctarank(FunctionCompiler& compiler, const Instruction& instruction) {
  const int bytes = compiler.register_bytes(instruction.operands[1], 8);
  const Ref address =
      compiler.value(instruction, instruction.operands[1], bytes == 4 ? Type::b32 : Type::b64);
  Op& op = compiler.emit(instruction,
                         bytes == 4 ? run_rank_of_address<uint32_t> : run_rank_of_address<uint64_t>,
                         Op::Kind::plain);
  op.destination = compiler.destination(instruction.operands[0]);
  op.sources[0] = address;
}

// ---- Operations ---------------------------------------------------------------------------------

/// Predicates keep their `!`, which the operation knows.
Ref source_of(FunctionCompiler& compiler, const Instruction& instruction, const Operand& operand,
              Type type) {
  if (type == Type::pred && operand.is(Kind::reg)) return compiler.destination(operand);
  return compiler.value(instruction, operand, type);
}

/// The order that Operation has.
void place_operands(FunctionCompiler& compiler, const Instruction& instruction,
                    const Operation& operation, Op& op) {
  const Operand& first = instruction.operands.front();
  const bool is_pair = first.is(Kind::pair);
  const auto results = parts_of(first);
  op.destination = compiler.destination(is_pair ? first.parts[0] : results[0]);
  size_t type = results.size(), next = 0;
  for (const Operand& operand : llvm::ArrayRef<Operand>(instruction.operands).drop_front())
    for (const Operand& part : parts_of(operand)) {
      const Type wanted = type < operation.types.size() ? operation.types[type++] : Type::b32;
      if (wanted == Type::none || next == op.sources.size()) continue;
      op.sources[next++] = source_of(compiler, instruction, part, wanted);
    }
  for (const Operand& part : results.drop_front())
    if (next < op.sources.size()) op.sources[next++] = compiler.destination(part);
  if (is_pair)
    op.sources[instruction.opcode == "lop3" ? 4 : 3] = compiler.destination(first.parts[1]);
  if (operation.has_carry) op.sources[3] = compiler.carry;
}

const FunctionCompiler::Family value_handlers = {{"mov", compile_mov},
                                                 {"cvta", compile_cvta},
                                                 {"isspacep", compile_isspacep},
                                                 {"mapa", compile_mapa},
                                                 {"getctarank", compile_getctarank}};

Op::Choice choice_of(const Instruction& instruction) {
  if (instruction.opcode == "selp") return Op::Choice::selection;
  const bool joins = instruction.opcode == "setp" || instruction.opcode == "set";
  const auto is = [&](const char* word) {
    return joins ? instruction.has(word) : instruction.opcode == word && instruction.has("pred");
  };
  if (is("and")) return Op::Choice::conjunction;
  return is("or") ? Op::Choice::disjunction : Op::Choice::none;
}

}  // namespace

void compile_operation(FunctionCompiler& compiler, const Instruction& instruction) {
  const Operation operation = find_operation(instruction, compiler.function.registers);
  if (!operation.problem.empty()) return compiler.refuse(instruction, operation.problem);
  if (!operation.execute) return compiler.refuse(instruction, "the instruction is not known");
  Op op;
  op.execute = operation.execute;
  op.detail = operation.detail;
  op.choice = choice_of(instruction);
  place_operands(compiler, instruction, operation, op);
  compiler.emit(instruction, op);
}

const FunctionCompiler::Family& value_family() { return value_handlers; }

}  // namespace hone::ptx
