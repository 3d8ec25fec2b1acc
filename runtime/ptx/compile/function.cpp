// Registers, variables and blocks of a function.

#include "fmt/format.h"
#include "llvm/Support/MathExtras.h"
#include "runtime/ptx/compile/function_compiler.h"
#include "runtime/ptx/machine/block.h"
#include "runtime/ptx/machine/control.h"
#include "runtime/ptx/machine/special.h"

namespace hone::ptx {
namespace {

/// Of a register in a lane; a predicate is one number for all.
int bytes_in_lane(Type type) { return type == Type::pred ? 0 : std::max(bytes_of(type), 2); }

uint32_t bytes_in_frame(int lane_bytes) {
  return lane_bytes == 0 ? Ref::unit
                         : static_cast<uint32_t>(llvm::alignTo(lane_bytes * lanes, Ref::unit));
}

}  // namespace

Ref ConstantPool::get(uint64_t bits, int bytes) {
  const auto [known, is_new] = known_.try_emplace({bytes, bits});
  if (!is_new) return known->second;
  const size_t at = bytes_.size();
  bytes_.resize(at + llvm::alignTo(bytes * lanes, Ref::unit));
  for (int lane = 0; lane < lanes; ++lane)
    std::memcpy(bytes_.data() + at + static_cast<size_t>(lane) * bytes, &bits,
                std::min<size_t>(bytes, sizeof bits));
  return known->second = Ref::constant(static_cast<uint32_t>(at));
}

FunctionCompiler::FunctionCompiler(ModuleCompiler& module, size_t number)
    : common(module),
      program(module.program),
      number(number),
      function(module.module.functions[number]) {
  code.function = &function;
}

// ---- Places -------------------------------------------------------------------------------------

Ref FunctionCompiler::new_register(int bytes) {
  const Ref place = Ref::reg(code.frame_bytes);
  code.frame_bytes += bytes_in_frame(bytes);
  return place;
}

void FunctionCompiler::place_registers() {
  for (const Register& reg : function.registers)
    code.registers.push_back(new_register(bytes_in_lane(reg.type)));
  carry = new_register(0);
}

Ref FunctionCompiler::area(const Variable& variable) {
  const Ref place = Ref::reg(code.frame_bytes);
  code.frame_bytes += static_cast<uint32_t>(llvm::alignTo(variable.bytes * lanes, Ref::unit));
  symbols_[variable.name] = {Symbol::Kind::area, Space::param, 0, place.offset(), variable.bytes};
  return place;
}

void FunctionCompiler::add_areas() {
  int64_t end = 0;
  for (const Variable& param : function.params) {
    if (!function.is_entry) {
      code.params.push_back({area(param), param.bytes});
      continue;
    }
    symbols_[param.name] = {Symbol::Kind::kernel_param, Space::param, place_behind(end, param), 0,
                            param.bytes};
  }
  for (const Variable& result : function.returns)
    code.returns.push_back({area(result), result.bytes});
}

void FunctionCompiler::place_variables() {
  if (function.is_entry)
    for (const auto& [variable, at] : shared_of(common.module, function, common.shared).variables)
      symbols_[variable->name] = {Symbol::Kind::address, Space::shared, at};
  for (const Variable& variable : function.variables) {
    if (variable.space == Space::param)
      area(variable);
    else if (variable.space == Space::local)
      symbols_[variable.name] = {Symbol::Kind::local, Space::local,
                                 place_behind(code.local_bytes, variable)};
    else if (variable.space == Space::shared && variable.bytes == 0)
      symbols_[variable.name] = {Symbol::Kind::dynamic_shared, Space::shared};
  }
  code.local_bytes = static_cast<int64_t>(llvm::alignTo(code.local_bytes, 16));
}

std::optional<Symbol> FunctionCompiler::find_symbol(const std::string& name) const {
  if (const auto own = symbols_.find(name); own != symbols_.end()) return own->second;
  if (const auto shared = common.shared.of_module.find(name);
      shared != common.shared.of_module.end())
    return Symbol{Symbol::Kind::address, Space::shared, shared->second.at};
  if (const auto known = common.addresses.find(name); known != common.addresses.end())
    return Symbol{Symbol::Kind::address, Space::global, known->second};
  if (const auto called = common.functions.find(name); called != common.functions.end())
    return Symbol{Symbol::Kind::address, Space::generic, address_of_function(called->second)};
  for (const Variable& variable : common.module.variables)
    if (variable.name == name && variable.space == Space::shared)
      return Symbol{Symbol::Kind::dynamic_shared, Space::shared};
  return std::nullopt;
}

// ---- Operands -----------------------------------------------------------------------------------

int FunctionCompiler::register_bytes(const Operand& operand, int otherwise) const {
  return operand.is(Operand::Kind::reg) ? bytes_in_lane(type_of(operand)) : otherwise;
}

Ref FunctionCompiler::destination(const Operand& operand) {
  return operand.is(Operand::Kind::reg) ? code.registers[operand.reg] : Ref();
}

namespace {

void run_not(Warp& warp, const Op& op) {
  const LaneMask holds = warp.predicate(op.sources[0]);
  LaneMask& result = warp.predicate(op.destination);
  result = (result & ~warp.active) | (~holds & warp.active);
}

void run_local_address(Warp& warp, const Op& op) {
  const uint64_t at = warp.at_hand.frame->local_base + op.detail;
  write_lanes<uint64_t>(warp, op.destination, [&](int) { return at; });
}

void run_dynamic_shared(Warp& warp, const Op& op) {
  const uint64_t at = warp.block->run.dynamic_shared() + op.detail;
  write_lanes<uint64_t>(warp, op.destination, [&](int) { return at; });
}

void run_low_half(Warp& warp, const Op& op) {
  const auto* wide = warp.at<uint64_t>(op.sources[0]);
  write_lanes<uint32_t>(warp, op.destination,
                        [&](int lane) { return static_cast<uint32_t>(wide[lane]); });
}

/// The bits of a literal, for a register of that type.
uint64_t bits_for(const Operand& operand, Type type) {
  if (operand.literal == Type::f64 && type == Type::f32)
    return std::bit_cast<uint32_t>(static_cast<float>(std::bit_cast<double>(operand.integer)));
  return static_cast<uint64_t>(operand.integer);
}

}  // namespace

/// Of 64 bits, whose lower half is what a register of 32 bits gets.
Ref FunctionCompiler::address_of(const Instruction& instruction, const Symbol& symbol,
                                 int64_t offset, int bytes) {
  const uint64_t at = symbol.value + static_cast<uint64_t>(offset);
  if (symbol.kind == Symbol::Kind::address || symbol.kind == Symbol::Kind::kernel_param)
    return common.constants.get(at, bytes);
  Op op;
  op.execute = symbol.kind == Symbol::Kind::local ? run_local_address : run_dynamic_shared;
  op.destination = new_register(8);
  op.detail = static_cast<uint32_t>(at);
  const Ref wide = emit(instruction, op).destination;
  if (bytes == 8) return wide;
  Op low;
  low.execute = run_low_half;
  low.destination = new_register(4);
  low.sources[0] = wide;
  return emit(instruction, low).destination;
}

Ref FunctionCompiler::predicate(const Instruction& instruction, const Operand& operand) {
  if (operand.is(Operand::Kind::integer)) return common.constants.predicate(operand.integer != 0);
  if (!operand.negated) return destination(operand);
  Op op;
  op.execute = run_not;
  op.sources[0] = code.registers[operand.reg];
  op.destination = new_register(0);
  return emit(instruction, op).destination;
}

Ref FunctionCompiler::value(const Instruction& instruction, const Operand& operand, Type type) {
  const int bytes = bytes_in_lane(type);
  switch (operand.kind) {
    case Operand::Kind::reg:
      return type == Type::pred ? predicate(instruction, operand) : code.registers[operand.reg];
    case Operand::Kind::integer:
      return type == Type::pred ? predicate(instruction, operand)
                                : common.constants.get(bits_for(operand, type), bytes);
    case Operand::Kind::special: {
      std::optional<Op> op = special_op(operand.name, bytes);
      if (!op) {
        refuse(instruction, operand.name + " is not known");
        return Ref();
      }
      if (is_of_grid_barrier(operand.name)) code.has_grid_barrier = true;
      op->destination = new_register(bytes);
      return emit(instruction, *op).destination;
    }
    case Operand::Kind::symbol:
      if (const auto symbol = find_symbol(operand.name))
        return address_of(instruction, *symbol, operand.integer, bytes);
      refuse(instruction, operand.name + " is not declared");
      return Ref();
    default:
      return Ref();
  }
}

// ---- Ops ----------------------------------------------------------------------------------------

void FunctionCompiler::refuse(const Instruction& instruction, const std::string& why) {
  const std::string text = fmt::format("{}: {}", instruction.name(), why);
  if (refused_.insert(text).second)
    code.unsupported += fmt::format("line {}: {}\n", instruction.line, text);
}

Op& FunctionCompiler::emit(const Instruction& instruction, Op op) {
  if (instruction.guard.exists) {
    op.guard = code.registers[instruction.guard.reg];
    op.is_guard_negated = instruction.guard.negated;
  }
  code.ops.push_back(op);
  code.instruction_of.push_back(static_cast<uint32_t>(&instruction - function.instructions.data()));
  return code.ops.back();
}

Op& FunctionCompiler::emit(const Instruction& instruction, Op::Execute execute, Op::Kind kind,
                           uint32_t detail) {
  Op op;
  op.execute = execute;
  op.kind = kind;
  op.detail = detail;
  return emit(instruction, op);
}

void FunctionCompiler::compile(const Instruction& instruction) {
  for (const Family* family :
       {&value_family(), &memory_family(), &control_family(), &exchange_family(), &copy_family(),
        &mbarrier_family(), &matrix_family(), &wgmma_family(), &image_family()})
    if (const auto known = family->find(instruction.opcode); known != family->end())
      return known->second(*this, instruction);
  compile_operation(*this, instruction);
}

// ---- Blocks -------------------------------------------------------------------------------------

uint32_t FunctionCompiler::block_of(const std::string& label) const {
  const auto at = function.labels.find(label);
  const auto block = at == function.labels.end() ? block_at_.end() : block_at_.find(at->second);
  return block == block_at_.end() ? ~uint32_t{0} : static_cast<uint32_t>(block->second);
}

/// Jumps have the numbers of blocks until all of them have a place.
void FunctionCompiler::compile_block(size_t number_of_block, size_t next_block) {
  const BasicBlock& block = blocks_[number_of_block];
  first_op_[number_of_block] = static_cast<uint32_t>(code.ops.size());
  code.ops.push_back({.execute = run_join, .kind = Op::Kind::control});
  code.instruction_of.push_back(static_cast<uint32_t>(block.first));
  for (size_t n = block.first; n < block.end; ++n) compile(function.instructions[n]);
  const uint32_t last = static_cast<uint32_t>(block.end - 1);
  if (block.falls_through && number_of_block + 1 != next_block) {
    code.ops.push_back({.execute = run_branch,
                        .kind = Op::Kind::control,
                        .detail = static_cast<uint32_t>(number_of_block + 1)});
    code.instruction_of.push_back(last);
  }
  if (block.successors.empty()) {
    code.ops.push_back({.execute = run_exit, .kind = Op::Kind::control});
    code.instruction_of.push_back(last);
  }
}

void FunctionCompiler::resolve_jumps() {
  for (Op& op : code.ops) {
    if (op.execute == run_branch) op.detail = first_op_[op.detail];
    if (op.execute == run_branch_by_index)
      for (uint32_t& target : program.targets[op.detail]) target = first_op_[target];
  }
}

Code FunctionCompiler::compile() {
  place_registers();
  add_areas();
  place_variables();
  if (function.instructions.empty()) {
    if (function.has_body) code.ops.push_back({.execute = run_return, .kind = Op::Kind::control});
    code.instruction_of.assign(code.ops.size(), 0);
    return std::move(code);
  }
  blocks_ = basic_blocks(function);
  first_op_.resize(blocks_.size());
  for (size_t n = 0; n < blocks_.size(); ++n) block_at_[blocks_[n].first] = n;
  const std::vector<size_t> order = order_of(blocks_);
  for (size_t n = 0; n < order.size(); ++n)
    compile_block(order[n], n + 1 < order.size() ? order[n + 1] : blocks_.size());
  resolve_jumps();
  return std::move(code);
}

}  // namespace hone::ptx
