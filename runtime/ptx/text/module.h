// PTX as it is written: the declarations of a module and the instructions of its functions, with
// registers resolved to numbers, and the lines of the source that they come from. Nothing here
// says what an instruction does.
#pragma once

#include <array>
#include <map>
#include <string>
#include <vector>

#include "llvm/ADT/SmallVector.h"
#include "runtime/ptx/text/type.h"

namespace hone::ptx {

/// A place in CUDA text, by `.loc`.
struct Location {
  int file = -1;  ///< in Module::files; -1: none is known
  int line = 0, column = 0;
  int caller = -1;         ///< in Module::locations: where its function was inlined; -1: nowhere
  std::string function{};  ///< the name of the inlined function, where that is known
};

struct Operand {
  enum class Kind : uint8_t {
    reg,      ///< %r1, !%p1
    integer,  ///< 12, 0xff, -1, WARP_SZ; the bits of 0f3F800000 and 0d...
    special,  ///< %tid.x
    symbol,   ///< a variable, a parameter, a function: `name`, and `integer` bytes behind it
    label,    ///< of a branch, or of a table of branch targets, prototypes or call targets
    address,  ///< [%rd1+8], [symbol+4], [12]: the base is `parts`, if any, `integer` bytes from it
    vector,   ///< {%r1, %r2}, and lists in parentheses
    pair,     ///< %r1|%p1
    sink,     ///< _
  };

  Kind kind = Kind::sink;
  bool negated = false;          ///< !%p1, -%r1
  uint32_t reg = 0;              ///< in Function::registers
  int64_t integer = 0;           ///< of a literal its bits
  Type literal = Type::none;     ///< f32 or f64 of such a literal; u64 of 12U
  std::string name{};            ///< of a symbol, a label, a special register; "h1" of %r1.h1
  std::vector<Operand> parts{};  ///< of an address, a vector or a pair

  bool is(Kind wanted) const { return kind == wanted; }
};

struct Guard {
  bool exists = false, negated = false;
  uint32_t reg = 0;
};

struct Instruction {
  std::string opcode;                           ///< "ld"
  llvm::SmallVector<std::string, 6> modifiers;  ///< "global", "nc", "v4", "f32"; "shared::cta"
  Guard guard;
  llvm::SmallVector<Operand, 5> operands;
  int location = -1;  ///< in Module::locations
  int line = 0;       ///< of the PTX text, from 1

  bool has(llvm::StringRef modifier) const;
  /// "ld.global.nc.v4.f32"
  std::string name() const;
};

struct Register {
  std::string name;
  Type type = Type::b32;
};

enum class Space : uint8_t { generic, global, constant, shared, local, param };

/// A variable of a module or of a function.
struct Variable {
  Space space = Space::global;
  std::string name;
  Type type = Type::b8;
  int64_t alignment = 1;
  int64_t bytes = 0;  ///< 0 of `extern .shared x[]`
  bool is_extern = false, is_visible = false;
  /// A surface, a texture or a sampler: a handle of 8 bytes.
  bool is_opaque = false;
  std::vector<uint8_t> initial;  ///< its first bytes; the others are 0
  /// Addresses in it: at the byte, that of the symbol and `addend` more.
  struct Reference {
    int64_t at = 0, addend = 0;
    std::string symbol;
    bool is_generic = false;
    int first = 0, bytes = 8;  ///< those of the address that stand there: 1 and 1 of 0xff00(symbol)
  };
  std::vector<Reference> references;
  int line = 0;
};

struct Function {
  std::string name;
  bool is_entry = false;
  bool has_body = false;  ///< or else it is a declaration
  bool never_returns = false;
  /// Of Space::param; or of Space::generic: registers of old PTX, which `registers` has as well.
  std::vector<Variable> returns, params;
  std::vector<Register> registers;
  std::vector<Variable> variables;  ///< those in its body: local, shared, param, by unique names
  std::vector<Instruction> instructions;
  std::map<std::string, size_t> labels;  ///< the number of the instruction behind it
  /// Labels of `.branchtargets`, functions of `.calltargets`.
  std::map<std::string, std::vector<std::string>> targets;
  /// Of `.callprototype`: what is called there, without name and body.
  struct Prototype {
    std::vector<Variable> returns, params;
  };
  std::map<std::string, Prototype> prototypes;
  /// Of `.maxntid`, `.reqntid`, `.reqnctapercluster`: 0 where they are not given.
  std::array<int, 3> most_threads{}, threads{}, cluster{};
  int least_blocks = 0, most_registers = 0;
  int line = 0;

  /// The first instruction of the loop that this one closes by a jump back; -1: it closes none.
  int64_t first_of_loop(size_t jump) const;
};

struct Module {
  int major = 0, minor = 0;        ///< of `.version`
  std::string target;              ///< "sm_90a"
  std::vector<std::string> files;  ///< of `.file`
  std::vector<Location> locations;
  std::vector<Variable> variables;
  std::vector<Function> functions;  ///< a function is here once, with its body if it has one
  std::map<std::string, std::string> aliases;

  const Function* find(llvm::StringRef name) const;
  /// Of a place that was inlined, the line of the kernel that it was called from; 0: not known.
  int line_of_caller(const Location* at) const;
};

}  // namespace hone::ptx
