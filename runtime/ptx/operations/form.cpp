#include "runtime/ptx/operations/form.h"

#include "llvm/ADT/StringMap.h"

namespace hone::ptx {
namespace {

struct NamedModifier {
  llvm::StringLiteral name;
  Modifier modifier;
};
constexpr NamedModifier named_modifiers[] = {{"rn", Modifier::rn},
                                             {"rz", Modifier::rz},
                                             {"rm", Modifier::rm},
                                             {"rp", Modifier::rp},
                                             {"rna", Modifier::rna},
                                             {"rni", Modifier::rni},
                                             {"rzi", Modifier::rzi},
                                             {"rmi", Modifier::rmi},
                                             {"rpi", Modifier::rpi},
                                             {"ftz", Modifier::ftz},
                                             {"noftz", Modifier::noftz},
                                             {"sat", Modifier::sat},
                                             {"satfinite", Modifier::satfinite},
                                             {"relu", Modifier::relu},
                                             {"NaN", Modifier::NaN},
                                             {"xorsign", Modifier::xorsign},
                                             {"abs", Modifier::abs},
                                             {"approx", Modifier::approx},
                                             {"full", Modifier::full},
                                             {"lo", Modifier::lo},
                                             {"hi", Modifier::hi},
                                             {"wide", Modifier::wide},
                                             {"cc", Modifier::cc},
                                             {"shiftamt", Modifier::shiftamt},
                                             {"add", Modifier::add},
                                             {"l", Modifier::l},
                                             {"r", Modifier::r},
                                             {"wrap", Modifier::wrap},
                                             {"clamp", Modifier::clamp},
                                             {"f4e", Modifier::f4e},
                                             {"b4e", Modifier::b4e},
                                             {"rc8", Modifier::rc8},
                                             {"ecl", Modifier::ecl},
                                             {"ecr", Modifier::ecr},
                                             {"rc16", Modifier::rc16},
                                             {"pack", Modifier::pack},
                                             {"u2", Modifier::few_bits},
                                             {"s2", Modifier::few_bits},
                                             {"u4", Modifier::few_bits},
                                             {"s4", Modifier::few_bits},
                                             {"finite", Modifier::finite},
                                             {"infinite", Modifier::infinite},
                                             {"number", Modifier::number},
                                             {"notanumber", Modifier::notanumber},
                                             {"normal", Modifier::normal},
                                             {"subnormal", Modifier::subnormal},
                                             {"eq", Modifier::eq},
                                             {"ne", Modifier::ne},
                                             {"lt", Modifier::lt},
                                             {"le", Modifier::le},
                                             {"gt", Modifier::gt},
                                             {"ge", Modifier::ge},
                                             {"ls", Modifier::ls},
                                             {"hs", Modifier::hs},
                                             {"equ", Modifier::equ},
                                             {"neu", Modifier::neu},
                                             {"ltu", Modifier::ltu},
                                             {"leu", Modifier::leu},
                                             {"gtu", Modifier::gtu},
                                             {"geu", Modifier::geu},
                                             {"num", Modifier::num},
                                             {"nan", Modifier::nan},
                                             {"and", Modifier::conjunction},
                                             {"or", Modifier::disjunction},
                                             {"xor", Modifier::exclusion}};

std::optional<Modifier> modifier_named(llvm::StringRef name) {
  static const llvm::StringMap<Modifier> modifiers = [] {
    llvm::StringMap<Modifier> result;
    for (const auto& [known, modifier] : named_modifiers) result[known] = modifier;
    return result;
  }();
  const auto found = modifiers.find(name);
  if (found == modifiers.end()) return std::nullopt;
  return found->second;
}

using Entries = llvm::SmallVector<const Entry*, 4>;

const llvm::StringMap<Entries>& entries_by_opcode() {
  static const llvm::StringMap<Entries> all = [] {
    llvm::StringMap<Entries> result;
    for (const auto& family :
         {integer_entries(), carry_entries(), bit_entries(), field_entries(), real_entries(),
          approximation_entries(), half_entries(), sign_entries(), comparison_entries(),
          conversion_entries(), move_entries(), video_entries()})
      for (const Entry& entry : family) result[entry.opcode].push_back(&entry);
    return result;
  }();
  return all;
}

/// The first modifier or type of the form that the entry has not got; empty: it has them all.
std::string surplus(const Form& form, const Entry& entry) {
  if (!entry.types.has(form.type())) return "." + name_of(form.type()).str();
  for (const std::string& name : form.instruction.modifiers) {
    const std::optional<Modifier> modifier = modifier_named(name);
    if (modifier && !entry.modifiers.has(*modifier)) return "." + name;
  }
  const Type next = form.type(entry.most_types);
  return next == Type::none ? "" : "." + name_of(next).str();
}

Operation made(const Form& form, llvm::ArrayRef<const Entry*> entries) {
  if (!form.unknown.empty()) return refusal(form, form.unknown);
  if (form.types.empty()) return refusal(form, "a form without a type");
  std::string what;
  for (const Entry* entry : entries) {
    const std::string more = surplus(form, *entry);
    if (more.empty()) return entry->make(form);
    if (what.empty() || entry->types.has(form.type())) what = more;
  }
  return refusal(form, what);
}

/// Notes the operands with a minus or a `!`, which only predicates may have.
void note_negations(const Form& form, Operation& operation) {
  int source = -1;
  for (size_t n = 0; n < operation.types.size(); ++n) {
    if (operation.types[n] == Type::none) continue;
    const bool is_negated = form.instruction.operands[n].negated;
    if (is_negated && (source < 0 || operation.types[n] != Type::pred)) {
      operation = refusal(form, "a negated operand");
      return;
    }
    if (is_negated) operation.detail |= negated_source << source;
    ++source;
  }
}

}  // namespace

Form::Form(const Instruction& of, llvm::ArrayRef<Register> among)
    : instruction(of), registers(among) {
  for (const std::string& name : of.modifiers) {
    const std::optional<Type> type = type_named(name);
    const std::optional<Modifier> modifier = modifier_named(name);
    if (type)
      types.push_back(*type);
    else if (modifier)
      modifiers.add(*modifier);
    else if (unknown.empty())
      unknown = "." + name;
  }
}

Type Form::register_type(size_t operand, Type wanted) const {
  if (operand >= instruction.operands.size()) return wanted;
  const Operand& named = instruction.operands[operand];
  if (!named.is(Operand::Kind::reg) || named.reg >= registers.size()) return wanted;
  return registers[named.reg].type;
}

Operation refusal(const Form& form, const std::string& what) {
  return {.problem = form.instruction.name() + ": " + what + " is not known"};
}

Operation find_operation(const Instruction& instruction, llvm::ArrayRef<Register> registers) {
  const auto found = entries_by_opcode().find(instruction.opcode);
  if (found == entries_by_opcode().end()) return {};
  const Form form(instruction, registers);
  Operation operation = made(form, found->second);
  if (!operation.problem.empty()) return operation;
  if (instruction.operands.size() != operation.types.size())
    return refusal(form,
                   "a form with " + std::to_string(instruction.operands.size()) + " operands");
  note_negations(form, operation);
  return operation;
}

}  // namespace hone::ptx
