#include "runtime/ptx/count/as_compiled.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

#include "llvm/ADT/STLExtras.h"
#include "runtime/ptx/text/parser.h"

namespace hone::ptx {
namespace {

using Kind = MemoryDetail::Kind;

/// By function and instruction of the program: the line in the PTX that the cubin holds. Empty of a
/// function that it has not, or in another form.
using HeldLines = std::vector<std::vector<int>>;

HeldLines held_lines(const Program& program, const MachineCode& code) {
  HeldLines lines(program.module->functions.size());
  if (code.ptx.empty()) return lines;
  const Module held = parse(code.ptx);
  for (size_t n = 0; n < lines.size(); ++n) {
    const Function& function = program.module->functions[n];
    const Function* const twin = held.find(function.name);
    if (!twin || twin->instructions.size() != function.instructions.size()) continue;
    for (const Instruction& instruction : twin->instructions) lines[n].push_back(instruction.line);
  }
  return lines;
}

/// A register that is spilled at the line of an access is none of it.
bool may_come_from(const MemoryDetail& detail, const MachineAccess& access) {
  return access.is_store == (detail.kind == Kind::store) &&
         (access.space == detail.space || access.space == Space::generic ||
          detail.space == Space::generic);
}

/// Machine accesses by the instruction of the program that they come from.
class MachineAccesses {
 public:
  MachineAccesses(const HeldLines& lines, const MachineCode& code) : lines_(lines) {
    for (const MachineAccess& access : code.accesses) by_line_.insert({access.ptx_line, &access});
    for (const std::vector<int>& function : lines)
      known_.push_back(llvm::any_of(function, [&](int line) { return by_line_.count(line) > 0; }));
  }

  bool is_empty() const { return !llvm::is_contained(known_, true); }
  bool knows(uint32_t function) const { return known_[function]; }
  /// The widths of those of an access of PTX, in bytes of a lane.
  llvm::SmallVector<int, 4> widths_of(const MemoryDetail& detail) const {
    const int line = lines_[detail.place.function][detail.place.instruction];
    const auto [first, last] = by_line_.equal_range(line);
    llvm::SmallVector<int, 4> widths;
    for (auto at = first; at != last; ++at)
      if (may_come_from(detail, *at->second)) widths.push_back(at->second->bytes);
    return widths;
  }
  bool has_generic(const MemoryDetail& detail) const {
    const auto [first, last] =
        by_line_.equal_range(lines_[detail.place.function][detail.place.instruction]);
    return std::any_of(first, last,
                       [](const auto& at) { return at.second->space == Space::generic; });
  }

 private:
  const HeldLines& lines_;
  std::multimap<int, const MachineAccess*> by_line_;
  std::vector<bool> known_;  ///< by function
};

/// Those that may be neighbours: of one function, space, direction and register of the address.
using NeighbourKey = std::tuple<uint32_t, Space, Kind, uint32_t, std::string>;

struct Neighbours {
  std::vector<size_t> changed;  ///< without an access in machine code, or with a wider one
  int width = 0;                ///< of the widest one of these
  /// Bytes of a lane, of all accesses.
  int64_t in_ptx = 0, in_machine_code = 0;
};

NeighbourKey neighbours_of(const Program& program, const MemoryDetail& detail) {
  const Instruction& instruction =
      program.module->functions[detail.place.function].instructions[detail.place.instruction];
  const auto address = llvm::find_if(instruction.operands,
                                     [](const Operand& o) { return o.is(Operand::Kind::address); });
  uint32_t reg = 0;
  std::string symbol;
  if (address != instruction.operands.end() && !address->parts.empty()) {
    const Operand& base = address->parts.front();
    reg = base.reg;
    symbol = base.name;
  }
  return {detail.place.function, detail.space, detail.kind, reg, symbol};
}

bool is_plain(const MemoryDetail& detail) {
  return detail.kind != Kind::atomic && !detail.by && !detail.is_mbarrier && detail.moved == 0 &&
         detail.space != Space::param && detail.space != Space::constant;
}

std::map<NeighbourKey, Neighbours> all_neighbours(const Program& program,
                                                  const MachineAccesses& machine) {
  std::map<NeighbourKey, Neighbours> all;
  for (size_t n = 0; n < program.memory.size(); ++n) {
    const MemoryDetail& detail = program.memory[n];
    if (!is_plain(detail) || !machine.knows(detail.place.function)) continue;
    Neighbours& neighbours = all[neighbours_of(program, detail)];
    const auto widths = machine.widths_of(detail);
    const int widest = widths.empty() ? 0 : *std::max_element(widths.begin(), widths.end());
    neighbours.in_ptx += detail.all_bytes();
    neighbours.in_machine_code += std::accumulate(widths.begin(), widths.end(), 0);
    if (widest != 0 && widest <= detail.all_bytes()) continue;
    neighbours.width = std::max(neighbours.width, widest);
    neighbours.changed.push_back(n);
  }
  return all;
}

std::vector<CompiledAccess> match_accesses(const Program& program, const HeldLines& lines,
                                           const MachineCode& code) {
  const MachineAccesses machine(lines, code);
  if (machine.is_empty()) return {};
  std::vector<CompiledAccess> accesses(program.memory.size());
  int group = 0;
  for (const auto& [key, neighbours] : all_neighbours(program, machine)) {
    // An access may stand at the line of its neighbour.
    const bool are_dropped =
        neighbours.width == 0 && neighbours.in_machine_code < neighbours.in_ptx;
    for (const size_t n : neighbours.changed)
      accesses[n] = {neighbours.width == 0 ? -1 : group, neighbours.width, are_dropped};
    ++group;
  }
  for (size_t n = 0; n < accesses.size(); ++n) {
    const MemoryDetail& detail = program.memory[n];
    accesses[n].is_generic = machine.knows(detail.place.function) && machine.has_generic(detail);
  }
  return accesses;
}

std::vector<CompiledProgram::Made> match_instructions(const HeldLines& lines,
                                                      const MachineCode& code) {
  std::map<int, Place> places;  // by line
  for (uint32_t n = 0; n < lines.size(); ++n)
    for (uint32_t m = 0; m < lines[n].size(); ++m) places[lines[n][m]] = {n, m};
  std::vector<CompiledProgram::Made> made;
  for (const MachineInstruction& instruction : code.instructions) {
    const auto from = places.find(instruction.ptx_line);
    made.push_back(
        {from == places.end() ? std::nullopt : std::optional(from->second), instruction});
  }
  return made;
}

}  // namespace

CompiledProgram match_program(const Program& program, const MachineCode& code) {
  const HeldLines lines = held_lines(program, code);
  return {match_accesses(program, lines, code), match_instructions(lines, code)};
}

}  // namespace hone::ptx
