// Loads, stores and atomic updates, of memory and of parameters.

#include "fmt/format.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "runtime/ptx/compile/address.h"
#include "runtime/ptx/machine/access.h"
#include "runtime/ptx/machine/control.h"

namespace hone::ptx {
namespace {

using Kind = Operand::Kind;

/// The content of the modifiers of an access.
struct Form {
  Space space = Space::generic;
  Type type = Type::none;
  bool is_strong = false, acquires = false, releases = false;
  std::string operation{};  ///< of an atomic update
  std::string unknown{};
};

bool is_about_caches(llvm::StringRef modifier) {
  return std::string_view(modifier).starts_with("L1::") ||
         std::string_view(modifier).starts_with("L2::") ||
         llvm::StringSwitch<bool>(modifier)
             .Cases("ca", "cg", "cs", "lu", true)
             .Cases("cv", "wb", "wt", "nc", true)
             .Cases("level", "unified", "noftz", "v2", "v4", true)
             .Cases("v8", "weak", "cta", "cluster", true)
             .Cases("gpu", "sys", "global", true)
             .Default(false);
}

bool read_space(llvm::StringRef modifier, Form& form) {
  const auto space = llvm::StringSwitch<Space>(modifier)
                         .Cases("shared", "shared::cta", "shared::cluster", Space::shared)
                         .Case("local", Space::local)
                         .Case("const", Space::constant)
                         .Cases("param", "param::entry", "param::func", Space::param)
                         .Case("global", Space::global)
                         .Default(Space::generic);
  if (space != Space::generic) form.space = space;
  return space != Space::generic;
}

bool read_order(llvm::StringRef modifier, Form& form) {
  if (modifier == "volatile" || modifier == "relaxed" || modifier == "mmio") {
    form.is_strong = true;
    return true;
  }
  form.acquires |= modifier == "acquire" || modifier == "acq_rel";
  form.releases |= modifier == "release" || modifier == "acq_rel";
  form.is_strong |= form.acquires || form.releases;
  return modifier == "acquire" || modifier == "release" || modifier == "acq_rel";
}

Form form_of(const Instruction& instruction) {
  Form form;
  for (const std::string& modifier : instruction.modifiers) {
    if (read_space(modifier, form) || read_order(modifier, form)) continue;
    if (const std::optional<Type> type = type_named(modifier))
      form.type = *type;
    else if (atomic_op(modifier, Type::u32) || modifier == "cas")
      form.operation = modifier;
    else if (!is_about_caches(modifier))
      form.unknown = modifier;
  }
  return form;
}

Type bits_of(int bytes) {
  return bytes == 1   ? Type::b8
         : bytes == 2 ? Type::b16
         : bytes == 4 ? Type::b32
         : bytes == 8 ? Type::b64
                      : Type::b128;
}

/// One access as it is compiled.
struct AccessCompiler {
  FunctionCompiler& compiler;
  const Instruction& instruction;
  Form form;
  MemoryDetail detail{};
  Op op{};

  AccessCompiler(FunctionCompiler& compiler, const Instruction& instruction)
      : compiler(compiler), instruction(instruction), form(form_of(instruction)) {
    detail.space = form.space;
    detail.type = form.type;
    detail.bytes = bytes_of(form.type);
    detail.is_strong = form.is_strong;
    detail.acquires = form.acquires;
    detail.releases = form.releases;
    detail.is_volatile = instruction.has("volatile");
    detail.is_non_coherent = instruction.has("nc");
    detail.place = compiler.place(instruction);
    op.kind = Op::Kind::memory;
  }

  bool refuses() const {
    if (form.unknown.empty() && form.type != Type::none) return false;
    compiler.refuse(instruction, form.unknown.empty()
                                     ? "the type is missing"
                                     : fmt::format(".{} is not known", form.unknown));
    return true;
  }

  void set_values(const Operand& operand, bool are_read) {
    for (const Operand& part : parts_of(operand)) {
      detail.values.push_back(are_read ? compiler.value(instruction, part, bits_of(detail.bytes))
                                       : compiler.destination(part));
      if (part.is(Kind::reg)) detail.register_bytes = compiler.register_bytes(part, 4);
    }
    const bool has_register =
        llvm::any_of(parts_of(operand), [](const Operand& part) { return part.is(Kind::reg); });
    if (!has_register) detail.register_bytes = std::max(detail.bytes, 2);
  }

  void set_address(const Operand& address) {
    detail.offset = address.integer;
    if (address.parts.empty()) return;
    const Operand& base = address.parts.front();
    if (base.is(Kind::reg)) {
      op.sources[0] = compiler.destination(base);
      detail.address_bytes = compiler.register_bytes(base, 8);
      return;
    }
    const auto symbol = compiler.find_symbol(base.name);
    if (!symbol) return compiler.refuse(instruction, base.name + " is not declared");
    detail.offset += base.integer;
    set_address(*symbol);
  }

  void set_address(const Symbol& symbol) {
    if (detail.space == Space::generic)
      detail.space = symbol.space == Space::global ? Space::global : symbol.space;
    if (symbol.kind == Symbol::Kind::address || symbol.kind == Symbol::Kind::kernel_param) {
      detail.offset += static_cast<int64_t>(symbol.value);
      return;
    }
    op.sources[0] = compiler.address_of(instruction, symbol, 0, 8);
  }

  void finish(Op::Execute execute) {
    if (!execute) return compiler.refuse(instruction, "the form is not known");
    op.execute = execute;
    op.detail = static_cast<uint32_t>(compiler.program.memory.size());
    compiler.program.memory.push_back(std::move(detail));
    compiler.emit(instruction, op);
  }
};

/// The area of a parameter that an address names, if it names one.
std::optional<Symbol> area_of(const FunctionCompiler& compiler, const Operand& address) {
  if (address.parts.empty() || !address.parts.front().is(Kind::symbol)) return std::nullopt;
  const auto symbol = compiler.find_symbol(address.parts.front().name);
  return symbol && symbol->kind == Symbol::Kind::area ? symbol : std::nullopt;
}

void set_area(AccessCompiler& access, const Symbol& symbol, const Operand& address) {
  access.detail.offset = address.integer + address.parts.front().integer;
  access.op.sources[1] = Ref::reg(symbol.area);
  access.op.sources[2] = Ref{static_cast<uint32_t>(symbol.bytes)};
  access.op.kind = Op::Kind::control;  // no value is followed through it
}

bool is_kernel_param(const FunctionCompiler& compiler, const Operand& address) {
  if (address.parts.empty() || !address.parts.front().is(Kind::symbol)) return false;
  const auto symbol = compiler.find_symbol(address.parts.front().name);
  return symbol && symbol->kind == Symbol::Kind::kernel_param;
}

void compile_load(FunctionCompiler& compiler, const Instruction& instruction) {
  AccessCompiler access(compiler, instruction);
  if (access.refuses()) return;
  const Operand& address = instruction.operands[1];
  access.set_values(instruction.operands[0], false);
  const MemoryDetail& detail = access.detail;
  const bool is_signed_type = is_signed(detail.type);
  if (const auto symbol = area_of(compiler, address)) {
    set_area(access, *symbol, address);
    return access.finish(load_area_op(detail.bytes, detail.register_bytes, is_signed_type));
  }
  access.set_address(address);
  access.finish(is_kernel_param(compiler, address)
                    ? load_param_op(detail.bytes, detail.register_bytes, is_signed_type)
                    : load_op(detail.bytes, detail.register_bytes, is_signed_type));
}

void compile_store(FunctionCompiler& compiler, const Instruction& instruction) {
  if (instruction.has("async")) return compile_store_async(compiler, instruction);
  AccessCompiler access(compiler, instruction);
  if (access.refuses()) return;
  access.detail.kind = MemoryDetail::Kind::store;
  access.set_values(instruction.operands[1], true);
  const MemoryDetail& detail = access.detail;
  const Operand& address = instruction.operands[0];
  if (const auto symbol = area_of(compiler, address)) {
    set_area(access, *symbol, address);
    return access.finish(store_area_op(detail.bytes, detail.register_bytes));
  }
  access.set_address(address);
  access.finish(store_op(detail.bytes, detail.register_bytes));
}

// ---- Atomic updates -----------------------------------------------------------------------------

void finish_atomic(AccessCompiler& access) {
  access.detail.kind = MemoryDetail::Kind::atomic;
  access.detail.is_strong = true;
  if (access.form.space != Space::shared) access.compiler.program.is_sequential = true;
  access.finish(atomic_op(access.form.operation, access.form.type));
}

void compile_atom(FunctionCompiler& compiler, const Instruction& instruction) {
  AccessCompiler access(compiler, instruction);
  if (access.refuses()) return;
  for (const Operand& part : parts_of(instruction.operands[0]))
    access.detail.results.push_back(compiler.destination(part));
  access.set_values(instruction.operands[2], true);
  access.set_address(instruction.operands[1]);
  if (instruction.operands.size() > 3)
    access.op.sources[2] =
        compiler.value(instruction, instruction.operands[3], bits_of(access.detail.bytes));
  finish_atomic(access);
}

void compile_red(FunctionCompiler& compiler, const Instruction& instruction) {
  if (instruction.has("async")) return compile_store_async(compiler, instruction);
  AccessCompiler access(compiler, instruction);
  if (access.refuses()) return;
  access.set_values(instruction.operands[1], true);
  access.set_address(instruction.operands[0]);
  finish_atomic(access);
}

void compile_nothing(FunctionCompiler&, const Instruction&) {}

const FunctionCompiler::Family memory_handlers = {{"ld", compile_load},
                                                  {"ldu", compile_load},
                                                  {"st", compile_store},
                                                  {"atom", compile_atom},
                                                  {"red", compile_red},
                                                  {"prefetch", compile_nothing},
                                                  {"prefetchu", compile_nothing},
                                                  {"discard", compile_nothing},
                                                  {"applypriority", compile_nothing}};

}  // namespace

const FunctionCompiler::Family& memory_family() { return memory_handlers; }

}  // namespace hone::ptx
