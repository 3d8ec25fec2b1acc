#include "runtime/ptx/trace/register_use.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "runtime/ptx/machine/report.h"

namespace hone::ptx {
namespace {

using Kind = Operand::Kind;

/// Instructions that move bits: their modifiers say nothing about what these mean.
bool moves_bits(const Instruction& instruction) {
  return llvm::StringSwitch<bool>(instruction.opcode)
      .Cases("ld", "st", "mov", "atom", "red", true)
      .Cases("selp", "shfl", "cvta", "prmt", "ldu", true)
      .Default(false);
}

/// PTX has one form of these for numbers with and without a sign.
bool ignores_sign(const Instruction& instruction) {
  return llvm::StringSwitch<bool>(instruction.opcode)
             .Cases("add", "sub", "neg", "shl", true)
             .Default(false) ||
         instruction.has("lo");
}

/// An index becomes as wide as an address.
bool widens(const Instruction& instruction) {
  return instruction.opcode == "cvt" && (instruction.has("s64") || instruction.has("u64")) &&
         (instruction.has("s32") || instruction.has("u32"));
}

bool is_plain(const Instruction& instruction) {
  return has_result(instruction) && !widens(instruction) &&
         !llvm::StringSwitch<bool>(instruction.opcode)
              .Cases("ld", "ldu", "atom", "shfl", "vote", true)
              .Case("mov", true)
              .Cases("setp", "cvta", "activemask", "match", "redux", true)
              .Cases("ldmatrix", "mma", "wmma", "elect", "mbarrier", true)
              .Cases("mapa", "isspacep", "testp", true)
              .Default(false);
}

/// By which an address comes of another.
bool moves_address(const Instruction& instruction) {
  return llvm::StringSwitch<bool>(instruction.opcode)
      .Cases("add", "sub", "mov", "cvta", true)
      .Default(false);
}

bool has_no_sign(Type type) {
  return type == Type::u8 || type == Type::u16 || type == Type::u32 || type == Type::u64;
}

/// Of two types of one register, the one that says more.
Type stronger(Type lhs, Type rhs) {
  const auto strength = [](Type type) {
    return is_real(type) ? 3 : is_signed(type) ? 2 : has_no_sign(type) ? 1 : 0;
  };
  return strength(rhs) > strength(lhs) ? rhs : lhs;
}

/// Numbers of which nobody says more are signed.
Type without_doubt(Type type) {
  switch (type) {
    case Type::b8:
      return Type::s8;
    case Type::b16:
      return Type::s16;
    case Type::b32:
      return Type::s32;
    case Type::b64:
      return Type::s64;
    default:
      return type;
  }
}

}  // namespace

bool has_result(const Instruction& instruction) {
  return !llvm::StringSwitch<bool>(instruction.opcode)
              .Cases("st", "red", "bra", "brx", "call", true)
              .Cases("bar", "barrier", "ret", "exit", "cp", true)
              .Cases("membar", "fence", "prefetch", "stmatrix", "wgmma", true)
              .Case("sust", true)
              .Default(false);
}

void for_each_register(const Operand& operand, llvm::function_ref<void(uint32_t)> use) {
  if (operand.is(Kind::reg)) use(operand.reg);
  for (const Operand& part : operand.parts) for_each_register(part, use);
}

// ---- Reading the function -----------------------------------------------------------------------

RegisterUse::RegisterUse(const Program& program, const Code& code) : function_(*code.function) {
  const auto number = static_cast<uint32_t>(&code - program.codes.data());
  for (const Register& reg : function_.registers) types_.push_back(reg.type);
  addresses_.resize(types_.size());
  used_.resize(types_.size());
  for (uint32_t n = 0; n < function_.instructions.size(); ++n) {
    const Site site = site_of_text(program, {number, n});
    lines_.emplace_back(site.file, site.line);
    read(n);
  }
  for (int round = 0; round < 2; ++round)
    for (const Instruction& instruction : function_.instructions) share_types(instruction);
  for (Type& type : types_) type = without_doubt(type);
  mark_addresses();
  mark_leaving();
}

void RegisterUse::read(uint32_t number) {
  const Instruction& instruction = function_.instructions[number];
  if (instruction.guard.exists && instruction.opcode == "bra")
    branches_.insert(instruction.guard.reg);
  else if (instruction.guard.exists)
    used_[instruction.guard.reg] = true;
  for (size_t n = has_result(instruction) ? 1 : 0; n < instruction.operands.size(); ++n)
    read_operand(instruction.operands[n], number, false);
  if (!moves_bits(instruction)) read_types(instruction);
}

void RegisterUse::read_operand(const Operand& operand, uint32_t number, bool is_address) {
  is_address |= operand.is(Kind::address);
  if (operand.is(Kind::reg)) {
    uses_.push_back({operand.reg, number, is_address});
    used_[operand.reg] = true;
  }
  for (const Operand& part : operand.parts) read_operand(part, number, is_address);
}

void RegisterUse::give_type(const Operand& operand, Type type) {
  for_each_register(operand, [&](uint32_t reg) {
    if (bytes_of(types_[reg]) == bytes_of(type)) types_[reg] = stronger(types_[reg], type);
  });
}

/// Of cvt, the first type is that of the result.
void RegisterUse::read_types(const Instruction& instruction) {
  std::vector<Type> named;
  for (const std::string& modifier : instruction.modifiers)
    if (const auto type = type_named(modifier)) named.push_back(*type);
  if (named.empty()) return;
  if (ignores_sign(instruction) && !is_real(named.back())) return;
  for (size_t n = 0; n < instruction.operands.size(); ++n)
    give_type(instruction.operands[n], n == 0 ? named.front() : named.back());
}

/// Bits that move keep their meaning.
void RegisterUse::share_types(const Instruction& instruction) {
  const bool shares = llvm::StringSwitch<bool>(instruction.opcode)
                          .Cases("mov", "selp", "shfl", true)
                          .Default(false);
  if (!shares) return;
  const Operand& result = instruction.operands.front();
  const size_t sources = instruction.opcode == "selp" ? 2 : 1;
  const Operand& to = result.is(Kind::pair) ? result.parts.front() : result;
  for (size_t n = 1; n <= sources && n < instruction.operands.size(); ++n) {
    const Operand& from = instruction.operands[n];
    if (to.is(Kind::reg) && from.is(Kind::reg)) {
      give_type(to, types_[from.reg]);
      give_type(from, types_[to.reg]);
    }
  }
}

void RegisterUse::mark_addresses() {
  for (const Use& use : uses_)
    if (use.is_address) addresses_[use.reg] = true;
  for (bool has_changed = true; std::exchange(has_changed, false);)
    for (const Use& use : uses_) {
      const Instruction& user = function_.instructions[use.instruction];
      if (addresses_[use.reg] || !moves_address(user) || !user.operands[0].is(Kind::reg)) continue;
      const uint32_t to = user.operands[0].reg;
      if (!addresses_[to] || bytes_of(types_[use.reg]) != bytes_of(types_[to])) continue;
      has_changed = addresses_[use.reg] = true;
    }
}

// ---- Results ------------------------------------------------------------------------------------

std::optional<uint32_t> RegisterUse::result(size_t number) const {
  const Instruction& instruction = function_.instructions[number];
  if (instruction.operands.empty() || !is_plain(instruction)) return std::nullopt;
  const Operand& to = instruction.operands.front();
  if (!to.is(Kind::reg) || addresses_[to.reg] || types_[to.reg] == Type::pred) return std::nullopt;
  return to.reg;
}

void RegisterUse::mark_leaving() {
  std::vector<llvm::SmallVector<uint32_t, 1>> results(types_.size());
  leave_.resize(function_.instructions.size());
  for (uint32_t n = 0; n < function_.instructions.size(); ++n)
    if (const auto reg = result(n)) results[*reg].push_back(n);
  for (const Use& use : uses_)
    for (const uint32_t number : results[use.reg])
      if (use.instruction <= number || lines_[use.instruction] != lines_[number])
        leave_[number] = true;
}

}  // namespace hone::ptx
