#include "codegen/emit/cuda_instr.h"

#include <map>

#include "fmt/format.h"
#include "ir/traverse/visit.h"

namespace hone {
namespace {

/// Fills in what a spelling leaves open.
class Speller {
 public:
  Speller(const Instr& instr, const KernelFunction& kernel, const CText& text)
      : instr_(instr), kernel_(kernel), text_(text) {}

  std::string spelled(llvm::StringRef call) const {
    std::string result;
    while (true) {
      const auto [before, rest] = call.split('{');
      result += before;
      if (rest.empty()) return result;
      const auto [key, behind] = rest.split('}');
      result += text_of(key);
      call = behind;
    }
  }

 private:
  std::string text_of(llvm::StringRef key) const {
    size_t number = 0;
    if (!key.getAsInteger(10, number))
      return number < instr_.places.size()
                 ? element(instr_.places[number])
                 : text_.expression(instr_.values[number - instr_.places.size()]);
    if (key == "from") return element({source().tensor, source().indices});
    if (key == "condition") return text_.expression(source().condition);
    const BoxMove move = *box_move(Stmt(&instr_));
    if (key == "map") return text_.names().map(tensor_map_of(move, kernel_), kernel_);
    assert(key == "coordinates" && "a key that spellings do not have");
    std::string list;
    for (const Expr& coordinate : coordinates_of(move, kernel_))
      list += (list.empty() ? "" : ", ") + text_.expression(coordinate);
    return list;
  }

  std::string element(const ElementRef& place) const {
    return place.indices.empty() ? text_.names().of(*place.tensor)
                                 : text_.element(*place.tensor, place.indices);
  }

  Operand source() const {
    const auto operands = instr_.operands();
    return *llvm::find_if(operands, [](const Operand& one) { return one.use == Use::reads; });
  }

  const Instr& instr_;
  const KernelFunction& kernel_;
  const CText& text_;
};

}  // namespace

std::string cuda_statement(const Instr& instr, const KernelFunction& kernel, const CText& text) {
  const Speller speller(instr, kernel, text);
  const std::string call = instr.opcode.rules.spelling(instr).call;
  const auto [first, second] = llvm::StringRef(call).split('|');
  const std::string begin = speller.spelled(first), end = speller.spelled(second.ltrim());
  if (end.empty()) return begin;
  return begin + (begin.size() + end.size() > longest_statement ? "\n    " : " ") + end;
}

std::string cuda_instr_helpers(const KernelFunction& kernel, llvm::ArrayRef<Family> families) {
  std::map<std::pair<size_t, int>, std::string> functions;
  walk(kernel.body, [&](const Stmt& stmt) {
    const auto* instr = llvm::dyn_cast<Instr>(stmt);
    const auto* family = llvm::find_if(families, [&](const Family& one) {
      return instr && llvm::is_contained(one.opcodes, &instr->opcode);
    });
    if (!instr || family == families.end()) return;
    for (const Helper& helper : instr->opcode.rules.spelling(*instr).helpers)
      functions[{family - families.begin(), helper.order}] = helper.text;
  });
  std::string text;
  for (const auto& [order, function] : functions) text += function;
  return text;
}

llvm::SmallVector<std::string, 2> cuda_map_parameters(const KernelFunction& kernel,
                                                      const Identifiers& names) {
  llvm::SmallVector<std::string, 2> parameters;
  for (const TensorMap& map : tensor_maps(kernel))
    parameters.push_back("const __grid_constant__ TensorMap " + names.map(map, kernel));
  return parameters;
}

}  // namespace hone
