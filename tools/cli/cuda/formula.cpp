#include "tools/cli/cuda/formula.h"

#include <algorithm>

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "tools/cli/arguments.h"

namespace hone {
namespace {

using llvm::StringRef;

// Each returns true where the result does not fit.
bool add(int64_t lhs, int64_t rhs, int64_t* result) {
  return __builtin_add_overflow(lhs, rhs, result);
}
bool subtract(int64_t lhs, int64_t rhs, int64_t* result) {
  return __builtin_sub_overflow(lhs, rhs, result);
}
bool multiply(int64_t lhs, int64_t rhs, int64_t* result) {
  return __builtin_mul_overflow(lhs, rhs, result);
}
bool divide(int64_t lhs, int64_t rhs, int64_t* result) {
  if (rhs == -1) return subtract(0, lhs, result);
  *result = lhs / rhs;
  return false;
}
bool remain(int64_t lhs, int64_t rhs, int64_t* result) {
  *result = rhs == -1 ? 0 : lhs % rhs;
  return false;
}

class FormulaReader {
 public:
  FormulaReader(StringRef formula, const Sizes& sizes)
      : formula_(formula), rest_(formula.ltrim()), sizes_(sizes) {}

  std::vector<int64_t> run() {
    std::vector<int64_t> values = read_list();
    if (!rest_.empty()) refuse("'" + rest_.str() + "' is not understood");
    return values;
  }

 private:
  [[noreturn]] void refuse(const std::string& what) const {
    throw UsageError("the formula '{}': {}", formula_.str(), what);
  }

  bool takes(StringRef mark) {
    if (!rest_.consume_front(mark)) return false;
    rest_ = rest_.ltrim();
    return true;
  }

  std::vector<int64_t> read_list() {
    std::vector<int64_t> values;
    do values.push_back(read_sum());
    while (takes(","));
    return values;
  }

  int64_t read_sum() {
    int64_t value = read_product();
    for (;;) {
      if (takes("+"))
        value = exact(value, read_product(), add);
      else if (takes("-"))
        value = exact(value, read_product(), subtract);
      else
        return value;
    }
  }

  int64_t read_product() {
    int64_t value = read_factor();
    for (;;) {
      if (takes("*"))
        value = exact(value, read_factor(), multiply);
      else if (takes("/"))
        value = exact(value, read_divisor(), divide);
      else if (takes("%"))
        value = exact(value, read_divisor(), remain);
      else
        return value;
    }
  }

  int64_t exact(int64_t lhs, int64_t rhs, bool (*operation)(int64_t, int64_t, int64_t*)) const {
    int64_t result = 0;
    if (operation(lhs, rhs, &result)) refuse("its value does not fit in 64 bits");
    return result;
  }

  int64_t read_divisor() { return checked_divisor(read_factor()); }
  int64_t checked_divisor(int64_t value) const {
    if (value == 0) refuse("it divides by zero");
    return value;
  }

  int64_t read_factor() {
    if (takes("-")) return exact(0, read_factor(), subtract);
    if (takes("(")) {
      const int64_t value = read_sum();
      if (!takes(")")) refuse("a ) is missing");
      return value;
    }
    const StringRef word =
        rest_.take_while([](char c) { return llvm::isAlnum(c) || c == '_' || c == '.'; });
    if (word.empty())
      refuse(rest_.empty() ? "it ends where a value should be"
                           : "'" + rest_.str() + "' is no value");
    takes(word);
    if (takes("(")) return call(word);
    return value_of(word);
  }

  int64_t value_of(StringRef word) const {
    int64_t value = 0;
    if (!word.getAsInteger(0, value)) return value;
    if (llvm::isDigit(word.front())) refuse("'" + word.str() + "' is no integer");
    const auto size = sizes_.find(word.str());
    if (size != sizes_.end()) return size->second;
    std::vector<std::string> known;
    for (const auto& [name, number] : sizes_) known.push_back(name);
    if (known.empty())
      refuse("it has the size " + word.str() + "; give it with -D " + word.str() + "=SIZE");
    throw unknown("size", word.str(), known, "-D");
  }

  int64_t call(StringRef function) {
    const std::vector<int64_t> values = read_list();
    if (!takes(")")) refuse("a ) is missing");
    if (function == "cdiv" && values.size() == 2) {
      const int64_t by = checked_divisor(values[1]), whole = exact(values[0], by, divide);
      return whole + (whole * by != values[0] && (values[0] < 0) == (by < 0) ? 1 : 0);
    }
    if (function == "min") return *std::min_element(values.begin(), values.end());
    if (function == "max") return *std::max_element(values.begin(), values.end());
    refuse("there is no function " + function.str() + " of " + std::to_string(values.size()) +
           " values; there are cdiv(a, b), min(a, b), max(a, b)");
  }

  StringRef formula_, rest_;
  const Sizes& sizes_;
};

}  // namespace

std::vector<int64_t> values_of_formulas(StringRef formulas, const Sizes& sizes) {
  return FormulaReader(formulas, sizes).run();
}

int64_t value_of_formula(StringRef formula, const Sizes& sizes) {
  const std::vector<int64_t> values = values_of_formulas(formula, sizes);
  if (values.size() != 1)
    throw UsageError("the formula '{}': one value is asked for, not {}", formula.str(),
                     values.size());
  return values.front();
}

}  // namespace hone
