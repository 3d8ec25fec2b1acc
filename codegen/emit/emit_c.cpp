#include <cmath>
#include <set>

#include "codegen/emit/c_operators.h"
#include "codegen/emit/c_text.h"
#include "codegen/emit/c_types.h"
#include "codegen/emit/emit.h"
#include "codegen/emit/kernel_text.h"
#include "codegen/emit/operator_functions.h"
#include "fmt/format.h"
#include "ir/scalar/integer_limits.h"

namespace hone {
namespace {

class C99 : public Dialect {
 public:
  std::string symbol(const KernelFunction& kernel) const override { return host_symbol(kernel); }

  /// C has no namespaces.
  std::string function_prefix(const KernelFunction& kernel) const override {
    return host_symbol(kernel) + "_";
  }

  std::string type(DType type) const override {
    if (is_tuple(type)) return tuple_name(type);
    if (type == DType::index) return "long";
    if (type == DType::boolean) return "_Bool";
    if (!is_float(type) || type == DType::f64 || type == DType::f32) return cuda_type(type);
    throw DefinitionError(
        fmt::format("{} is no type of C99; the host has f64 and f32, use cast", name(type).str()));
  }

  std::string float_constant(double value, DType type) const override {
    if (std::isnan(value)) return "NAN";
    if (std::isinf(value)) return value < 0 ? "-INFINITY" : "INFINITY";
    std::string text = type == DType::f32 ? fmt::format("{}", static_cast<float>(value))
                                          : fmt::format("{}", value);
    if (text.find_first_of(".e") == std::string::npos) text += ".0";
    return text + (type == DType::f32 ? "f" : "");
  }

  std::string call(Intrinsic intrinsic, DType type,
                   llvm::ArrayRef<std::string> arguments) const override {
    const char* suffix = type == DType::f32 ? "f" : "";
    if (intrinsic == Intrinsic::rsqrt) return fmt::format("(1 / sqrt{}({}))", suffix, arguments[0]);
    if (intrinsic == Intrinsic::abs && is_integer(type))
      return fmt::format("{}({})", type == DType::i64 ? "llabs" : "abs", arguments[0]);
    std::string list;
    for (const std::string& argument : arguments) list += (list.empty() ? "" : ", ") + argument;
    return fmt::format("{}{}({})", c_function_of(intrinsic), suffix, list);
  }

  std::string min_max(bool is_max, DType type, llvm::StringRef lhs,
                      llvm::StringRef rhs) const override {
    if (is_float(type))
      return fmt::format("f{}{}({}, {})", is_max ? "max" : "min", type == DType::f32 ? "f" : "",
                         lhs.str(), rhs.str());
    return fmt::format("{}({}, {})", called({is_max ? Function::max : Function::min, type}),
                       lhs.str(), rhs.str());
  }

  std::string cast(DType to, DType from, llvm::StringRef operand) const override {
    if (is_float(from) && is_integer(to))
      return fmt::format("{}({})", called({Function::truncated, to}), operand.str());
    return to == from ? operand.str() : fmt::format("({})({})", type(to), operand.str());
  }

  std::string tuple(DType type, const std::string& components) const override {
    return fmt::format("({}){{{}}}", tuple_name(type), components);
  }

  std::string tuple_struct(DType type) const override {
    const std::string name = tuple_name(type);
    return once(name, fmt::format("typedef struct __attribute__((aligned({}))) {{\n{}}} {};\n",
                                  alignment_of(type), tuple_members(type, *this), name));
  }

  bool wraps() const override { return true; }  // -fwrapv

  std::optional<std::string> division(const Binary& binary, const std::string& lhs,
                                      const std::string& rhs) const override {
    const Function function = binary.op == BinaryOp::div ? Function::quotient : Function::remainder;
    return fmt::format("{}({}, {})", called({function, binary.type}), lhs, rhs);
  }

  /// The functions that the text printed so far calls.
  std::string functions() const {
    const auto divides = [](const Called& called) { return called.first >= Function::quotient; };
    std::string text =
        llvm::any_of(called_, divides) ? "\n" + once("divided_by_zero", divided_by_zero) : "";
    for (const auto& [function, type] : called_) {
      const std::string name = called({function, type});
      const auto [least, greatest] = integer_limits(type);
      text += "\n" + once(name, fmt::format(fmt::runtime(definition(function)), this->type(type),
                                            name, least + 1, greatest));
    }
    return text;
  }

  std::string thread_index(const ThreadIndex&) const override {
    llvm_unreachable("a host kernel has no thread indices");
  }

  std::string loop_pragma(const For& loop) const override {
    if (loop.binding.kind == Binding::Kind::parallel) return "#pragma omp parallel for";
    if (loop.binding.kind != Binding::Kind::unroll) return "";
    const int64_t count = loop.binding.count != 0 ? loop.binding.count : *as_int(loop.extent);
    return count < 2 ? "" : fmt::format("#pragma GCC unroll {}", std::min<int64_t>(count, 65534));
  }

  std::string shuffle(const Shuffle&, const std::string&, const std::string&,
                      const std::string&) const override {
    llvm_unreachable("a host kernel has no warps");
  }
  std::string atomic(const Store&, const Identifiers&, const std::string&,
                     const std::string&) const override {
    llvm_unreachable("a host kernel has no atomic updates");
  }

  std::string shared(const TensorNode& tensor, const std::string& name,
                     const std::string& dims) const override {
    return registers(tensor, name, dims);
  }

  /// An array that vectors may fill is aligned for them: GCC 12 stores whole vectors to the stack
  /// without aligning it first, where it runs without its value range propagation.
  std::string registers(const TensorNode& tensor, const std::string& name,
                        const std::string& dims) const override {
    int64_t bytes = size_of(tensor.type);
    for (const Expr& extent : tensor.shape) bytes *= as_int(extent).value_or(1);
    return fmt::format("{}{} {}{}", bytes < 32 ? "" : "_Alignas(64) ", type(tensor.type), name,
                       dims);
  }

  std::string zeros() const override { return "{0}"; }

  std::string vector(const std::string&, DType, int64_t, bool) const override {
    llvm_unreachable("on the host, the lanes of a vector are iterations of a loop");
  }
  std::string zero_vector(DType, int64_t) const override {
    llvm_unreachable("on the host, the lanes of a vector are iterations of a loop");
  }

 private:
  static constexpr const char* divided_by_zero = "static int divided_by_zero;\n";

  /// A declaration that several kernels in one file may have in common.
  static std::string once(llvm::StringRef name, const std::string& declaration) {
    return fmt::format("#ifndef {0}\n#define {0}\n{1}#endif\n", "HONE_" + name.upper(),
                       declaration);
  }

  /// Functions in the place of operators that C lacks, or that have no value for some operands.
  enum class Function : uint8_t { min, max, truncated, quotient, remainder };
  using Called = std::pair<Function, DType>;

  /// The name of a function, which is noted as one to be defined.
  std::string called(const Called& function) const {
    called_.insert(function);
    constexpr const char* names[] = {"min", "max", "truncated", "quotient", "remainder"};
    return fmt::format("{}_{}", names[static_cast<int>(function.first)],
                       name(function.second).str());
  }

  /// Over its type, its name, and the limits of the type: one more than the least, which C has no
  /// literal of, and the greatest.
  static const char* definition(Function function) {
    switch (function) {
      case Function::min:
        return "static {0} {1}({0} x, {0} y) {{\n  return y < x ? y : x;\n}}\n";
      case Function::max:
        return "static {0} {1}({0} x, {0} y) {{\n  return x < y ? y : x;\n}}\n";
      case Function::truncated:
        return "static {0} {1}(double x) {{\n"
               "  if (x != x) return 0;\n"
               "  if (x <= {2}LL - 1.0) return {2}LL - 1;\n"
               "  return x >= (double){3}LL ? {3}LL : ({0})x;\n}}\n";
      case Function::quotient:
        return "static {0} {1}({0} x, {0} y) {{\n"
               "  if (y == 0) divided_by_zero = 1;\n"
               "  if (y == 0 || y == -1) return y * (unsigned long long)x;\n"
               "  return x / y;\n}}\n";
      case Function::remainder:
        return "static {0} {1}({0} x, {0} y) {{\n"
               "  if (y == 0) divided_by_zero = 1;\n"
               "  return y == 0 || y == -1 ? 0 : x % y;\n}}\n";
    }
    llvm_unreachable("unknown function");
  }

  mutable std::set<Called> called_;
};

}  // namespace

std::string emit_c(const KernelFunction& kernel) {
  const C99 dialect;
  CText text(kernel, dialect);
  std::string parameters;
  const auto add = [&](const std::string& parameter) {
    parameters += (parameters.empty() ? "" : ", ") + parameter;
  };
  for (const TensorPtr& tensor : kernel.arguments)
    add(fmt::format("{}{}*{}{}", is_written(kernel, tensor) ? "" : "const ",
                    dialect.type(tensor->type), kernel.may_alias ? " " : " restrict ",
                    text.names().of(*tensor)));
  for (const ParamPtr& param : kernel.params) add("long " + text.names().of(*param));
  const std::string operators = operator_functions(kernel, text.names(), dialect, "static");
  const std::string body = text.statements(kernel, 2);
  return fmt::format(
      "{}\n#include <math.h>\n#include <stdbool.h>\n#include <stdlib.h>\n{}{}{}\nvoid {}({}) "
      "{{\n{}}}\n",
      header_comment(kernel, false), dialect.functions(), tuple_structs(kernel, dialect), operators,
      text.names().symbol(), parameters.empty() ? "void" : parameters, body);
}

}  // namespace hone
