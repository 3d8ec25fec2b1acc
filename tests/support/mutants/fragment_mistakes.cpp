#include <deque>

#include "fmt/format.h"
#include "tests/support/mutants/changes.h"

namespace hone {
namespace {

bool has_lanes(const Stmt& stmt) {
  const auto* instr = llvm::dyn_cast<Instr>(stmt);
  return instr && !instr->opcode.rules.spreads.empty();
}

// ---- Spreads ------------------------------------------------------------------------------------

using Of = SpreadDigit::Of;

/// Changes two digits of a spread, so that all elements stay within its extents; returns false
/// where it is not about these.
using DigitChange = bool (*)(SpreadDigit& lhs, SpreadDigit& rhs);

/// A lane has what a value had: as many.
bool exchange_numbers(SpreadDigit& lhs, SpreadDigit& rhs) {
  if (lhs.count != rhs.count || lhs.of == rhs.of) return false;
  std::swap(lhs.of, rhs.of);
  std::swap(lhs.divisor, rhs.divisor);
  return true;
}

/// Digits of the same number change places: the slower one becomes the faster one.
bool exchange_places(SpreadDigit& lhs, SpreadDigit& rhs) {
  if (lhs.of != rhs.of || lhs.divisor * lhs.count != rhs.divisor) return false;
  rhs.divisor = lhs.divisor;
  lhs.divisor = rhs.divisor * rhs.count;
  return true;
}

/// Digits of the same dimension do: the nearer elements become the farther ones.
bool exchange_factors(SpreadDigit& lhs, SpreadDigit& rhs) {
  if (lhs.dim != rhs.dim || lhs.factor * lhs.count != rhs.factor) return false;
  rhs.factor = lhs.factor;
  lhs.factor = rhs.factor * rhs.count;
  return true;
}

struct OtherSpread {
  std::string what;
  FragmentSpread spread;
};

/// The spread with two of its digits exchanged, in each way that keeps its elements.
std::vector<OtherSpread> with_other_digits(const FragmentSpread& spread) {
  const std::pair<const char*, DigitChange> changes[] = {
      {"numbers", exchange_numbers}, {"places", exchange_places}, {"factors", exchange_factors}};
  std::vector<OtherSpread> others;
  for (const auto& [what, change] : changes)
    for (size_t lhs = 0; lhs < spread.digits.size(); ++lhs)
      for (size_t rhs = 0; rhs < spread.digits.size(); ++rhs) {
        FragmentSpread other = spread;
        if (lhs == rhs || !change(other.digits[lhs], other.digits[rhs])) continue;
        others.push_back({fmt::format("{}_{}_{}", what, lhs, rhs), other});
      }
  return others;
}

/// A tile is taken whole, whichever lane a chunk belongs to: what matters is how it lies.
std::vector<OtherSpread> with_other_swizzle(const FragmentSpread& spread) {
  std::vector<OtherSpread> others;
  for (const int swizzle : {32, 64}) {
    others.push_back({fmt::format("swizzle_{}", swizzle), spread});
    others.back().spread.swizzle = swizzle;
  }
  return others;
}

std::vector<OtherSpread> others_of(const FragmentSpread& spread) {
  return spread.is_tile() ? with_other_swizzle(spread) : with_other_digits(spread);
}

/// The opcode with another spread of an operand, whose name says which. Kernels refer to it.
const Opcode& with_spread(const Opcode& opcode, size_t operand, const OtherSpread& other) {
  static std::deque<Opcode> opcodes;
  Opcode::Rules rules = opcode.rules;
  rules.spreads[operand] = other.spread;
  std::string format =
      fmt::format("{}.{}.{} {{element}} <- {{element}}", opcode.word(), operand, other.what);
  for (size_t place = 2; place < opcode.uses.size(); ++place) format += ", {element}";
  return opcodes.emplace_back(format, opcode.uses, rules);
}

/// One instruction of the kernel has another spread of one operand.
void add_spreads(const Collector& add, const KernelFunction& kernel) {
  std::vector<const Opcode*> seen;
  walk(kernel.body, [&](const Stmt& stmt) {
    const auto* instr = llvm::dyn_cast<Instr>(stmt);
    if (!has_lanes(stmt) || llvm::is_contained(seen, &instr->opcode)) return;
    const Opcode& opcode = *seen.emplace_back(&instr->opcode);
    for (size_t operand = 0; operand < opcode.rules.spreads.size(); ++operand)
      for (const OtherSpread& other : others_of(opcode.rules.spreads[operand])) {
        const Opcode& wrong = with_spread(opcode, operand, other);
        add.each(has_lanes, "another spread", [&](const Instr& each) {
          return &each.opcode == &opcode
                     ? Instr::make(wrong, each.places, each.values, each.constants)
                     : Stmt();
        });
      }
  });
}

// ---- Instructions and operands ------------------------------------------------------------------

/// As many values of each operand, of the same types, by as many threads.
bool takes_the_same(const Opcode& lhs, const Opcode& rhs) {
  if (lhs.rules.threads != rhs.rules.threads || lhs.uses != rhs.uses) return false;
  if (lhs.rules.spreads.size() != rhs.rules.spreads.size()) return false;
  return llvm::all_of(llvm::zip(lhs.rules.spreads, rhs.rules.spreads), [](const auto& pair) {
    const auto& [left, right] = pair;
    return left.scope == right.scope && left.values() == right.values();
  });
}

void add_other_instructions(const Collector& add) {
  for (const Family& family : opcode_families())
    for (const Opcode* other : family.opcodes)
      add.each(has_lanes, "another instruction", [&](const Instr& instr) {
        return &instr.opcode != other && takes_the_same(instr.opcode, *other)
                   ? Instr::make(*other, instr.places, instr.values, instr.constants)
                   : Stmt();
      });
}

/// A fragment, or a tile, one element or one tile further along a dimension.
class PlaceMoved : public Mutation {
 public:
  using Mutation::Mutation;
  using Mutation::rewrite;
  Stmt rewrite(const Stmt& stmt) override {
    if (!has_lanes(stmt)) return rewrite_operands(stmt);
    const Instr& instr = *llvm::cast<Instr>(stmt);
    llvm::SmallVector<ElementRef, 3> places = instr.places;
    for (ElementRef& place : places)
      for (Expr& index : place.indices) {
        if (!is_here()) continue;
        describe(head(stmt));
        index = index + 1;
        return instr.with(places, instr.values);
      }
    return stmt;
  }
};

void add_operands(const Collector& add) {
  add.each(has_lanes, "product or load dropped", [](const Instr&) { return nothing(); });
  add.each(has_lanes, "product or load twice", [](const Instr& instr) {
    return Seq::make({Stmt(&instr), Stmt(&instr)});
  });
  add.each(has_lanes, "operands exchanged", [](const Instr& instr) -> Stmt {
    llvm::SmallVector<ElementRef, 3> places = instr.places;
    if (places.size() < 3) return {};
    std::swap(places[1], places[2]);
    return instr.with(places, instr.values);
  });
}

}  // namespace

void add_fragment_mistakes(std::vector<SeededMistake>& mistakes, const KernelFunction& kernel) {
  const Collector add(mistakes, kernel, SeededMistake::About::values);
  add_spreads(add, kernel);
  add_other_instructions(add);
  add_operands(add);
  add_each<PlaceMoved>(mistakes, kernel, "operand one further", SeededMistake::About::values);
  for (Mutant& mutant : layout_mutants_of(kernel)) {
    const llvm::StringRef text = mutant.mistake;
    const auto [kind, place] =
        text.split(text.contains(" on the left of ") ? " on the left of " : " in ");
    mistakes.push_back({kind.str(), place.str(), SeededMistake::About::values, mutant.kernel});
  }
}

}  // namespace hone
