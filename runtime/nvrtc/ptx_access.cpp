#include "runtime/nvrtc/ptx_access.h"

#include <algorithm>
#include <bit>
#include <map>
#include <memory>
#include <optional>
#include <set>

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

namespace hone {
namespace {

using llvm::StringRef;

/// The assembler places shared variables so.
constexpr int symbol_zeros = 4, most_zeros = 16;

constexpr int register_bytes = 4;

/// "%rd4" and 16 of "[%rd4+16]".
struct PtxAddress {
  std::string base;
  int64_t offset = 0;
};

PtxAddress parse_address(StringRef text) {
  text = text.drop_front(1).drop_back(1).trim();
  const auto [base, digits] = text.split('+');
  PtxAddress address = {base.trim().str(), 0};
  if (digits.trim().getAsInteger(10, address.offset)) address.offset = 0;
  return address;
}

llvm::SmallVector<StringRef, 6> words_of(StringRef opcode) {
  llvm::SmallVector<StringRef, 6> words;
  opcode.split(words, '.');
  return words;
}

/// The registers that a kernel computes addresses in.
class Registers {
 public:
  explicit Registers(const PtxKernel& kernel) {
    for (const PtxBlock& block : kernel.blocks)
      for (const PtxInstruction& instruction : block.instructions)
        if (!instruction.operands.empty())
          definitions_[instruction.operands[0]].push_back(&instruction);
    find_zeros();
  }

  /// The parameters and symbols that a register's value is computed from; what is loaded from
  /// memory has no origin.
  const std::set<std::string>& origins(const std::string& name);
  /// The number of last bits that are known to be 0.
  int zeros(StringRef operand) const;

 private:
  void find_zeros();
  int zeros_of(const PtxInstruction& instruction) const;

  llvm::StringMap<llvm::SmallVector<const PtxInstruction*, 2>> definitions_;
  std::map<std::string, std::set<std::string>> origins_;
  llvm::StringMap<int> zeros_;
};

bool is_symbol(StringRef operand) {
  return !operand.empty() && (llvm::isAlpha(operand[0]) || operand[0] == '_' || operand[0] == '$');
}

bool is_load_of_param(const PtxInstruction& instruction) { return instruction.is("ld.param"); }

const std::set<std::string>& Registers::origins(const std::string& name) {
  const auto [known, is_new] = origins_.try_emplace(name);
  if (!is_new) return known->second;
  std::set<std::string> found, visited;
  std::vector<std::string> open = {name};
  while (!open.empty()) {
    const std::string one = open.back();
    open.pop_back();
    if (!visited.insert(one).second) continue;
    if (is_symbol(one)) found.insert(one);
    for (const PtxInstruction* definition : definitions_[one]) {
      if (is_load_of_param(*definition)) {
        found.insert(parse_address(definition->operands[1]).base);
      } else if (!definition->is("ld") && !definition->is("atom")) {
        open.insert(open.end(), definition->operands.begin() + 1, definition->operands.end());
      }
    }
  }
  return origins_[name] = std::move(found);
}

int Registers::zeros(StringRef operand) const {
  int64_t constant = 0;
  if (!operand.getAsInteger(10, constant))
    return constant == 0 ? most_zeros
                         : std::min(std::countr_zero(static_cast<uint64_t>(constant)), most_zeros);
  if (is_symbol(operand)) return symbol_zeros;
  return zeros_.lookup(operand);
}

/// Lowers the numbers from the most to those that all definitions allow; loops take several rounds.
void Registers::find_zeros() {
  for (const auto& entry : definitions_) zeros_[entry.first()] = most_zeros;
  for (bool has_changed = true; has_changed;) {
    has_changed = false;
    for (const auto& entry : definitions_)
      for (const PtxInstruction* definition : entry.second) {
        int& least = zeros_[entry.first()];
        const int zeros = zeros_of(*definition);
        has_changed |= zeros < least;
        least = std::min(least, zeros);
      }
  }
}

int Registers::zeros_of(const PtxInstruction& instruction) const {
  const auto& operands = instruction.operands;
  const auto of = [&](size_t number) {
    return number < operands.size() ? zeros(operands[number]) : 0;
  };
  int64_t shift = 0;
  if (instruction.is("mul.hi") || instruction.is("mad.hi")) return 0;
  if (instruction.is("mov") || instruction.is("cvta") || instruction.is("cvt")) return of(1);
  if (instruction.is("add") || instruction.is("sub") || instruction.is("or"))
    return std::min(of(1), of(2));
  if (instruction.is("and")) return std::max(of(1), of(2));
  if (instruction.is("selp")) return std::min(of(1), of(2));
  if (instruction.is("mul")) return std::min(of(1) + of(2), most_zeros);
  if (instruction.is("mad")) return std::min(of(1) + of(2), of(3));
  if (instruction.is("shl") && !StringRef(operands[2]).getAsInteger(10, shift))
    return std::min<int>(of(1) + static_cast<int>(shift), most_zeros);
  return 0;
}

std::optional<PtxAccessKind> kind_of(StringRef word) {
  if (word == "ld" || word == "ldmatrix") return PtxAccessKind::load;
  if (word == "st" || word == "stmatrix") return PtxAccessKind::store;
  if (word == "atom" || word == "red") return PtxAccessKind::atomic;
  return std::nullopt;
}

/// An atomic update without a space is one of global memory, as arrivals are.
std::optional<PtxSpace> space_of(llvm::ArrayRef<StringRef> words,
                                 std::optional<PtxAccessKind> kind) {
  for (const StringRef word : words) {
    if (word == "global") return PtxSpace::global;
    if (word == "shared") return PtxSpace::shared;
    if (word == "local") return PtxSpace::local;
  }
  if (kind == PtxAccessKind::atomic) return PtxSpace::global;
  return std::nullopt;
}

/// Of "f32": 4.
int bytes_of(StringRef type) {
  int bits = 0;
  return type.drop_front(1).getAsInteger(10, bits) ? 0 : bits / 8;
}

/// Elements of a lane: of matrices, what its registers of 32 bits hold.
int width_of(const PtxInstruction& instruction, llvm::ArrayRef<StringRef> words, int bytes) {
  if (words[0].endswith("matrix") && bytes > 0)
    for (const StringRef operand : instruction.operands)
      if (operand.startswith("{"))
        return static_cast<int>(operand.count(',') + 1) * register_bytes / bytes;
  for (const StringRef word : words)
    if (word == "v2" || word == "v4") return word == "v2" ? 2 : 4;
  return 1;
}

/// An access, and its address as it is written.
struct Addressed {
  PtxAccess access;
  PtxAddress address;
};

std::optional<Addressed> addressed(const PtxInstruction& instruction, size_t block) {
  const auto words = words_of(instruction.opcode);
  const auto kind = kind_of(words[0]);
  const auto space = space_of(words, kind);
  if (!kind || !space) return std::nullopt;
  const auto* address = llvm::find_if(instruction.operands,
                                      [](const std::string& operand) { return operand[0] == '['; });
  if (address == instruction.operands.end()) return std::nullopt;
  Addressed result;
  result.access.kind = *kind;
  result.access.space = *space;
  result.access.bytes = bytes_of(words.back());
  result.access.width = width_of(instruction, words, result.access.bytes);
  result.access.merged_width = result.access.width;
  result.access.line = instruction.line;
  result.access.block = block;
  result.address = parse_address(*address);
  return result;
}

/// cp.async [to], [from], bytes: a load and a store, of which the type is not known.
llvm::SmallVector<Addressed, 2> ends_of_copy(const PtxInstruction& copy, size_t block) {
  int bytes = 0;
  if (copy.operands.size() < 3 || StringRef(copy.operands[2]).getAsInteger(10, bytes)) return {};
  Addressed load, store;
  load.access.line = store.access.line = copy.line;
  load.access.block = store.access.block = block;
  load.access.bytes = store.access.bytes = std::min(bytes, 4);
  load.access.width = load.access.merged_width = std::max(bytes / 4, 1);
  store.access.width = store.access.merged_width = load.access.width;
  store.access.kind = PtxAccessKind::store;
  store.access.space = PtxSpace::shared;
  store.address = parse_address(copy.operands[0]);
  load.address = parse_address(copy.operands[1]);
  return {load, store};
}

llvm::SmallVector<Addressed, 2> addressed_in(const PtxInstruction& instruction, size_t block) {
  if (instruction.is("cp.async")) return ends_of_copy(instruction, block);
  const auto one = addressed(instruction, block);
  return one ? llvm::SmallVector<Addressed, 2>{*one} : llvm::SmallVector<Addressed, 2>();
}

void find_origin(const PtxKernel& kernel, Registers& registers, Addressed& one) {
  const auto& origins = registers.origins(one.address.base);
  for (size_t param = 0; param < kernel.params.size(); ++param)
    if (one.access.space == PtxSpace::global && origins.count(kernel.params[param])) {
      const bool is_pointer = one.access.param < 0;
      one.access.param = is_pointer ? static_cast<int>(param) : one.access.param;
    }
  llvm::SmallVector<std::string, 2> symbols;
  for (const std::string& origin : origins)
    if (!llvm::is_contained(kernel.params, origin)) symbols.push_back(origin);
  if (one.access.space == PtxSpace::shared && symbols.size() == 1) one.access.symbol = symbols[0];
}

/// The loads of one base register between which nothing could change the values that they read.
using Neighbours = std::map<std::string, std::vector<Addressed*>>;

/// Marks those of `loads` that lie side by side from an aligned place on.
void merge(std::vector<Addressed*> loads, int zeros) {
  llvm::stable_sort(loads, [](const Addressed* lhs, const Addressed* rhs) {
    return lhs->address.offset < rhs->address.offset;
  });
  for (size_t first = 0; first < loads.size();) {
    size_t count = 1;
    const int bytes = loads[first]->access.bytes;
    const int64_t start = loads[first]->address.offset;
    while (first + count < loads.size() && loads[first + count]->access.bytes == bytes &&
           loads[first + count]->address.offset == start + static_cast<int64_t>(count) * bytes)
      ++count;
    int width = 1;
    for (const int wider : {2, 4}) {
      const int64_t size = int64_t{wider} * bytes;
      if (size <= 16 && wider <= static_cast<int>(count) && start % size == 0 &&
          (int64_t{1} << zeros) % size == 0)
        width = wider;
    }
    for (int number = 0; number < width; ++number)
      loads[first + number]->access.merged_width = width;
    first += width;
  }
}

void merge(Neighbours& neighbours, Registers& registers) {
  for (auto& [base, loads] : neighbours) merge(std::move(loads), registers.zeros(base));
  neighbours.clear();
}

}  // namespace

std::vector<PtxAccess> accesses_of(const PtxKernel& kernel) {
  Registers registers(kernel);
  std::vector<PtxAccess> accesses;
  for (size_t number = 0; number < kernel.blocks.size(); ++number) {
    std::vector<std::unique_ptr<Addressed>> of_block;
    Neighbours neighbours;
    for (const PtxInstruction& instruction : kernel.blocks[number].instructions) {
      auto found = addressed_in(instruction, number);
      const bool is_wall =
          instruction.is("bar") || llvm::any_of(found, [](const Addressed& one) {
            return one.access.space == PtxSpace::shared && one.access.kind != PtxAccessKind::load;
          });
      if (is_wall) merge(neighbours, registers);
      for (Addressed& one : found) {
        find_origin(kernel, registers, one);
        of_block.push_back(std::make_unique<Addressed>(std::move(one)));
        const PtxAccess& access = of_block.back()->access;
        if (access.space == PtxSpace::shared && access.kind == PtxAccessKind::load &&
            access.width == 1)
          neighbours[of_block.back()->address.base].push_back(of_block.back().get());
      }
    }
    merge(neighbours, registers);
    for (const auto& one : of_block) accesses.push_back(one->access);
  }
  return accesses;
}

}  // namespace hone
