// PTX in tests: short texts that become modules, and operands that become text again.
#pragma once

#include <string>
#include <vector>

#include "fmt/format.h"
#include "fmt/ranges.h"
#include "runtime/ptx/text/parser.h"
#include "tests/support/runtime/errors.h"

namespace hone::ptx {

/// The next lines stand in the first line, too.
inline const std::string ptx_header = ".version 9.0 .target sm_90a .address_size 64 ";

inline Module module_of(const std::string& declarations) {
  return parse(ptx_header + declarations);
}

/// Of a kernel with a parameter k_param_0.
inline Function function_of(const std::string& body) {
  return module_of(".entry k(.param .u64 k_param_0) {" + body + "}").functions.back();
}

inline std::string refusal_of(const std::string& declarations) {
  return thrown_message<PtxError>([&] { module_of(declarations); });
}

inline std::string refusal_of_body(const std::string& body) {
  return thrown_message<PtxError>([&] { function_of(body); });
}

std::string to_text(const Operand& operand, const Function& function);

inline std::vector<std::string> texts_of(llvm::ArrayRef<Operand> operands,
                                         const Function& function) {
  std::vector<std::string> result;
  for (const Operand& operand : operands) result.push_back(to_text(operand, function));
  return result;
}

/// "[%rd1+8 {%r1 %r2}]", "0x3f800000:f32", "symbol+4", "special %tid.x", "label L"
inline std::string to_text(const Operand& operand, const Function& function) {
  const std::string sign = operand.negated ? "!" : "";
  const std::string parts = fmt::format("{}", fmt::join(texts_of(operand.parts, function), " "));
  const std::string offset = operand.integer == 0 ? "" : fmt::format("{:+}", operand.integer);
  switch (operand.kind) {
    case Operand::Kind::reg:
      return sign + function.registers[operand.reg].name +
             (operand.name.empty() ? "" : "." + operand.name);
    case Operand::Kind::integer:
      return operand.literal == Type::none
                 ? fmt::format("{}", operand.integer)
                 : fmt::format("0x{:x}:{}", static_cast<uint64_t>(operand.integer),
                               name_of(operand.literal).str());
    case Operand::Kind::special:
      return "special " + operand.name;
    case Operand::Kind::symbol:
      return operand.name + offset;
    case Operand::Kind::label:
      return "label " + operand.name;
    case Operand::Kind::address:
      return operand.parts.empty()
                 ? fmt::format("[{}]", operand.integer)
                 : fmt::format("[{}{}{}]", to_text(operand.parts[0], function), offset,
                               parts.substr(to_text(operand.parts[0], function).size()));
    case Operand::Kind::vector:
      return "{" + parts + "}";
    case Operand::Kind::pair:
      return to_text(operand.parts[0], function) + "|" + to_text(operand.parts[1], function);
    case Operand::Kind::sink:
      return "_";
  }
  return "?";
}

/// "@!%p1 ld.global.u32 %r1, [%rd1+8]"
inline std::string to_text(const Instruction& instruction, const Function& function) {
  const Guard& guard = instruction.guard;
  const std::string front = guard.exists ? fmt::format("@{}{} ", guard.negated ? "!" : "",
                                                       function.registers[guard.reg].name)
                                         : "";
  const std::vector<std::string> operands = texts_of(instruction.operands, function);
  return front + instruction.name() + (operands.empty() ? "" : " ") +
         fmt::format("{}", fmt::join(operands, ", "));
}

inline std::vector<std::string> texts_of(const Function& function) {
  std::vector<std::string> result;
  for (const Instruction& instruction : function.instructions)
    result.push_back(to_text(instruction, function));
  return result;
}

}  // namespace hone::ptx
