// Kinds of instructions, for people.

#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/Twine.h"
#include "runtime/ptx/trace/event_reader.h"

namespace hone::ptx {

Deed deed_of(const Instruction& instruction) {
  const bool is_of_parameter = !instruction.modifiers.empty() &&
                               llvm::StringRef(instruction.modifiers[0]).startswith("param");
  if (is_of_parameter) return Deed::hidden;
  if (instruction.opcode == "cp" && instruction.operands.size() < 2) return Deed::other;
  if (instruction.opcode == "mov")
    return special_name(instruction).empty() ? Deed::hidden : Deed::special;
  return llvm::StringSwitch<Deed>(instruction.opcode)
      .Cases("ld", "ldu", "st", "atom", "red", Deed::access)
      .Case("cp", Deed::copy)
      .Cases("shfl", "vote", "match", "redux", Deed::exchange)
      .Cases("elect", "activemask", Deed::exchange)
      .Case("setp", Deed::compare)
      .Cases("bar", "barrier", Deed::barrier)
      .Case("call", Deed::call)
      .Cases("membar", "fence", "mbarrier", "wgmma", Deed::other)
      .Cases("ldmatrix", "stmatrix", "mma", "wmma", Deed::other)
      .Cases("trap", "nanosleep", "prefetch", "discard", Deed::other)
      .Cases("tex", "tld4", "suld", "sust", Deed::other)
      .Cases("bra", "brx", "ret", "exit", Deed::hidden)
      .Default(instruction.operands.empty() ? Deed::other : Deed::result);
}

std::string special_name(const Instruction& instruction) {
  const Operand& source = instruction.operands.back();
  if (!source.is(Operand::Kind::special)) return "";
  const auto [name, dimension] = llvm::StringRef(source.name).split('.');
  const llvm::StringRef in_text = llvm::StringSwitch<llvm::StringRef>(name)
                                      .Case("%tid", "threadIdx")
                                      .Case("%ctaid", "blockIdx")
                                      .Case("%ntid", "blockDim")
                                      .Case("%nctaid", "gridDim")
                                      .Default(name);
  return dimension.empty() ? in_text.str() : (in_text + "." + dimension).str();
}

namespace {

struct Relation {
  llvm::StringRef name;  ///< of PTX
  const char* holds;
  const char* fails;
};
constexpr Relation relations[] = {{"eq", "==", "!="}, {"ne", "!=", "=="}, {"lt", "<", ">="},
                                  {"le", "<=", ">"},  {"gt", ">", "<="},  {"ge", ">=", "<"},
                                  {"lo", "<", ">="},  {"ls", "<=", ">"},  {"hi", ">", "<="},
                                  {"hs", ">=", "<"},  {"neu", "!=", "=="}};

}  // namespace

std::string relation_of(const Instruction& instruction, bool holds) {
  if (instruction.has("and") || instruction.has("or") || instruction.has("xor")) return "";
  for (const Relation& relation : relations)
    if (instruction.modifiers.front() == relation.name)
      return holds ? relation.holds : relation.fails;
  return "";
}

}  // namespace hone::ptx
