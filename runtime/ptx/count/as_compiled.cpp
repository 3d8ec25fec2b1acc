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

/// The numbers of instructions by the lines of the PTX that a cubin holds, of one function.
std::map<int, uint32_t> instructions_by_line(const Function& function) {
  std::map<int, uint32_t> numbers;
  for (size_t n = 0; n < function.instructions.size(); ++n)
    numbers[function.instructions[n].line] = static_cast<uint32_t>(n);
  return numbers;
}

using PlaceKey = std::pair<uint32_t, uint32_t>;  // of a Place

/// A register that is spilled at the line of an access is none of it.
bool may_come_from(const MemoryDetail& detail, const MachineAccess& access) {
  return access.is_store == (detail.kind == Kind::store) &&
         (access.space == detail.space || access.space == Space::generic ||
          detail.space == Space::generic);
}

/// Machine accesses by the instruction of the program that they come from.
class MachineAccesses {
 public:
  MachineAccesses(const Program& program, const MachineCode& code) {
    if (code.ptx.empty()) return;
    const Module held = parse(code.ptx);
    for (size_t n = 0; n < program.module->functions.size(); ++n)
      add(program.module->functions[n], static_cast<uint32_t>(n), held, code);
  }

  bool is_empty() const { return known_.empty(); }
  bool knows(uint32_t function) const { return llvm::is_contained(known_, function); }
  /// The widths of those of an access of PTX, in bytes of a lane.
  llvm::SmallVector<int, 4> widths_of(const MemoryDetail& detail) const {
    const auto [first, last] =
        by_place_.equal_range({detail.place.function, detail.place.instruction});
    llvm::SmallVector<int, 4> widths;
    for (auto at = first; at != last; ++at)
      if (may_come_from(detail, *at->second)) widths.push_back(at->second->bytes);
    return widths;
  }

 private:
  void add(const Function& function, uint32_t number, const Module& held, const MachineCode& code) {
    const Function* const twin = held.find(function.name);
    if (!twin || twin->instructions.size() != function.instructions.size()) return;
    const std::map<int, uint32_t> instructions = instructions_by_line(*twin);
    size_t found = 0;
    for (const MachineAccess& access : code.accesses)
      if (const auto at = instructions.find(access.ptx_line); at != instructions.end()) {
        by_place_.insert({{number, at->second}, &access});
        ++found;
      }
    if (found > 0) known_.push_back(number);
  }

  std::multimap<PlaceKey, const MachineAccess*> by_place_;
  std::vector<uint32_t> known_;  ///< functions
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

}  // namespace

std::vector<CompiledAccess> match_accesses(const Program& program, const MachineCode& code) {
  const MachineAccesses machine(program, code);
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
  return accesses;
}

}  // namespace hone::ptx
