#include "runtime/ptx/text/locals.h"

#include "llvm/ADT/StringExtras.h"

namespace hone::ptx {

void Locals::add_param(const Declared& param) {
  if (param.variable.space == Space::generic) return add_registers(param);
  ++uses_[param.variable.name];
  scopes_.add_variable(param.name, param.variable.name);
}

void Locals::add(const Declared& declared) {
  const bool is_register = declared.variable.space == Space::generic;
  // The name %r12 does not say that it is one of %r1<5>.
  const bool is_plain_range = is_register && !llvm::isDigit(declared.variable.name.back());
  if (declared.count >= 0 && is_plain_range) return add_range(declared);
  if (declared.count >= 0)
    return context_.spell_out(declared, [this](const Declared& one) { add(one); });
  is_register ? add_registers(declared) : add_variable(declared);
}

/// A register, or a vector of them.
void Locals::add_registers(const Declared& declared) {
  const auto first = static_cast<uint32_t>(function_.registers.size());
  const auto width = static_cast<uint8_t>(declared.width);
  scopes_.add_registers(declared.name, {.width = width, .number = first}, false);
  add_elements(declared.variable.name, declared);
}

/// %r<25>
void Locals::add_range(const Declared& declared) {
  const Name all{.width = static_cast<uint8_t>(declared.width),
                 .number = static_cast<uint32_t>(function_.registers.size()),
                 .count = static_cast<uint32_t>(declared.count)};
  scopes_.add_registers(declared.name, all, true);
  const std::string& stem = declared.variable.name;
  for (int64_t i = 0; i < declared.count; ++i) add_elements(stem + std::to_string(i), declared);
}

void Locals::add_elements(const std::string& name, const Declared& declared) {
  const Type type = declared.variable.type;
  if (declared.width == 1) return void(function_.registers.push_back({name, type}));
  for (int i = 0; i < declared.width; ++i)
    function_.registers.push_back({fmt::format("{}.{}", name, "xyzw"[i]), type});
}

/// Variables of .global and .const are the module's, although only the function sees them.
void Locals::add_variable(const Declared& declared) {
  Variable variable = declared.variable;
  const bool is_static = variable.space == Space::global || variable.space == Space::constant;
  variable.name = unique_name(is_static ? function_.name + "." + variable.name : variable.name);
  scopes_.add_variable(declared.name, variable.name);
  (is_static ? context_.module.variables : function_.variables).push_back(std::move(variable));
}

std::string Locals::unique_name(const std::string& name) {
  const int uses = ++uses_[name];
  if (uses == 1 && !context_.declares(name)) return name;
  return fmt::format("{}.{}", name, uses);
}

}  // namespace hone::ptx
