#include <cmath>

#include "codegen/c_form/launch_bound.h"
#include "codegen/emit/c_operators.h"
#include "codegen/emit/c_text.h"
#include "codegen/emit/c_types.h"
#include "codegen/emit/cuda_approximate.h"
#include "codegen/emit/cuda_casts.h"
#include "codegen/emit/cuda_cluster.h"
#include "codegen/emit/cuda_collectives.h"
#include "codegen/emit/cuda_instr.h"
#include "codegen/emit/cuda_narrow_floats.h"
#include "codegen/emit/cuda_ordered.h"
#include "codegen/emit/emit.h"
#include "codegen/emit/kernel_text.h"
#include "codegen/emit/operator_functions.h"
#include "codegen/shared_memory.h"
#include "codegen/vector_access.h"
#include "fmt/format.h"
#include "ir/traverse/visit.h"

namespace hone {
namespace {

/// fmax, and with the suffix of its type fmaxf.
std::string with_suffix(llvm::StringRef function, DType type) {
  return function.str() + (type == DType::f32 ? "f" : "");
}

std::string join(llvm::ArrayRef<std::string> arguments) {
  std::string text;
  for (const std::string& argument : arguments) text += (text.empty() ? "" : ", ") + argument;
  return text;
}

/// The type of `count` elements that are accessed as one; narrow ones as integers of their size.
std::string vector_type(const std::string& element, DType type, int64_t count) {
  if (type == DType::i64) return fmt::format("longlong{}", count);
  if (type == DType::f64 || type == DType::f32 || type == DType::tf32 || type == DType::i32)
    return fmt::format("{}{}", element, count);
  switch (count * size_of(type)) {
    case 2:
      return "short";
    case 4:
      return "int";
    case 8:
      return "int2";
    case 16:
      return "int4";
  }
  llvm_unreachable("no vector has that many bytes");
}

class Cuda : public Dialect {
 public:
  explicit Cuda(const KernelFunction& kernel)
      : index_bits_(kernel.index_bits),
        block_(kernel.block),
        memory_(shared_memory(kernel)),
        kernel_(kernel) {}

  std::string symbol(const KernelFunction& kernel) const override { return cuda_symbol(kernel); }

  std::string type(DType type) const override {
    if (is_tuple(type)) return tuple_name(type);
    return cuda_type(type == DType::index ? index_bits_ == 64 ? DType::i64 : DType::i32 : type);
  }

  std::string float_constant(double value, DType type) const override {
    if (is_half(type)) return cuda_from_float(type, float_constant(value, DType::f32));
    if (type == DType::tf32) return float_constant(value, DType::f32);
    if (is_narrow_float(type)) return cuda_byte_constant(type, value);
    if (std::isfinite(value)) return finite(value, type);
    const bool is_double = type == DType::f64;
    if (std::isnan(value))
      return is_double ? "__longlong_as_double(0x7ff8000000000000LL)"
                       : "__int_as_float(0x7fffffff)";
    return std::string(value < 0 ? "-" : "") + (is_double
                                                    ? "__longlong_as_double(0x7ff0000000000000LL)"
                                                    : "__int_as_float(0x7f800000)");
  }

  std::string call(Intrinsic intrinsic, DType type,
                   llvm::ArrayRef<std::string> arguments) const override {
    if (is_half(type)) return half_call(intrinsic, type, arguments);
    if (intrinsic == Intrinsic::abs && is_integer(type))
      return fmt::format("{}({})", type == DType::i64 ? "llabs" : "abs", join(arguments));
    const bool is_approximate = intrinsic == Intrinsic::tanh_approx && type == DType::f32;
    return fmt::format(
        "{}({})",
        is_approximate ? name(intrinsic).str() : with_suffix(c_function_of(intrinsic), type),
        join(arguments));
  }

  std::string min_max(bool is_max, DType type, llvm::StringRef lhs,
                      llvm::StringRef rhs) const override {
    const char* function = is_max ? "max" : "min";
    if (is_half(type))
      return cuda_from_float(type,
                             fmt::format("f{}f({}, {})", function, cuda_to_float(type, lhs.str()),
                                         cuda_to_float(type, rhs.str())));
    if (is_float(type))
      return fmt::format("{}({}, {})", with_suffix(std::string("f") + function, type), lhs.str(),
                         rhs.str());
    const std::string text =
        fmt::format("{}({}, {})", function, operand_of(type, lhs), operand_of(type, rhs));
    return size_of(type) == 1 ? cast(type, DType::i32, text) : text;
  }

  /// No overload of min and max takes a long long beside an int, as literals are.
  std::string operand_of(DType integer, llvm::StringRef operand) const {
    int64_t literal = 0;
    const bool widens = type(integer) == "long long" && !operand.getAsInteger(10, literal);
    return operand.str() + (widens ? "LL" : "");
  }

  std::string cast(DType to, DType from, llvm::StringRef operand) const override {
    return cuda_cast(to, from, operand, index_bits_);
  }

  std::string tuple(DType type, const std::string& components) const override {
    return fmt::format("{}{{{}}}", tuple_name(type), components);
  }

  std::string tuple_struct(DType type) const override {
    return fmt::format("struct __align__({}) {} {{\n{}}};\n", alignment_of(type), tuple_name(type),
                       tuple_members(type, *this));
  }

  std::string thread_index(const ThreadIndex& index) const override {
    const std::string text = fmt::format(
        "{}.{}", index.space == IndexSpace::block ? "blockIdx" : "threadIdx", "xyz"[index.dim]);
    return index_bits_ == 64 ? "(long long)" + text : text;
  }

  /// block.x*32 + thread.x, where 32 is the number of threads: the place in the whole grid.
  std::optional<std::string> idiom(const Binary& sum) const override {
    const auto* product = llvm::dyn_cast<Binary>(sum.lhs);
    const auto* thread = llvm::dyn_cast<ThreadIndex>(sum.rhs);
    if (sum.op != BinaryOp::add || !product || product->op != BinaryOp::mul || !thread)
      return std::nullopt;
    const auto* block = llvm::dyn_cast<ThreadIndex>(product->lhs);
    if (!block || !as_int(product->rhs) || block->space != IndexSpace::block ||
        thread->space != IndexSpace::thread || block->dim != thread->dim ||
        as_int(product->rhs) != as_int(block_[block->dim]))
      return std::nullopt;
    return fmt::format("{} * blockDim.{} + threadIdx.{}", thread_index(*block), "xyz"[block->dim],
                       "xyz"[block->dim]);
  }

  std::string loop_pragma(const For& loop) const override {
    if (loop.binding.kind != Binding::Kind::unroll) return "";
    return loop.binding.count == 0 ? "#pragma unroll"
                                   : fmt::format("#pragma unroll {}", loop.binding.count);
  }

  std::string statement(const Instr& instr, const CText& text) const override {
    return cuda_statement(instr, kernel_, text);
  }

  std::string in_block(const std::string& address, const std::string& block) const override {
    return cuda_in_block(address, block);
  }

  std::string shuffle(const Shuffle& shuffle, const std::string& value, const std::string& offset,
                      const std::string& lanes) const override {
    return cuda_shuffle(shuffle, value, offset, lanes);
  }
  std::optional<std::string> ordered_sum(const std::string& sum, const std::string& x,
                                         const std::string& y) const override {
    return cuda_multiply_add(sum, x, y);
  }
  std::string ordered_load(const std::string& to, const std::string& from,
                           int64_t count) const override {
    return cuda_load_shared(to, from, count);
  }
  std::string declared_address(const std::string& name, const std::string& of) const override {
    return fmt::format("const unsigned {} = shared_address({});", name, of);
  }
  std::string declared_bytes(const std::string& name, const std::string& bytes) const override {
    return fmt::format("const unsigned {} = {};", name, bytes);
  }
  std::string atomic(const Store& store, const Identifiers& names, const std::string& element,
                     const std::string& value) const override {
    return cuda_atomic(store, names, element, value);
  }

  /// Separate arrays are what a person would write; tensors that share bytes lie in one.
  std::string shared(const TensorNode& tensor, const std::string& name,
                     const std::string& dims) const override {
    const std::string element = type(tensor.type);
    if (!memory_.is_arena) {
      return fmt::format("__shared__ {}{} {}{}", alignment(tensor), element, name, dims);
    }
    if (dims.empty())
      return fmt::format("{0}& {1} = *reinterpret_cast<{0}*>(shared + {2})", element, name,
                         tensor.address);
    return fmt::format("{0} (&{1}){2} = *reinterpret_cast<{0} (*){2}>(shared + {3})", element, name,
                       dims, tensor.address);
  }

  std::string registers(const TensorNode& tensor, const std::string& name,
                        const std::string& dims) const override {
    return fmt::format("{}{} {}{}", alignment(tensor), type(tensor.type), name, dims);
  }

  std::string zeros() const override { return "{}"; }

  std::string vector(const std::string& address, DType element_type, int64_t count,
                     bool is_read) const override {
    return fmt::format("*reinterpret_cast<{}{}*>({})", is_read ? "const " : "",
                       vector_type(type(element_type), element_type, count), address);
  }

  std::string zero_vector(DType element_type, int64_t count) const override {
    return vector_type(type(element_type), element_type, count) + "{}";
  }

  /// The line that declares the one array; empty where there is none.
  std::string arena() const {
    if (!memory_.is_arena) return "";
    const char* kind = memory_.is_dynamic() ? "extern " : "";
    const std::string length = memory_.is_dynamic() ? "" : std::to_string(memory_.bytes);
    return fmt::format("  {}__shared__ __align__({}) unsigned char shared[{}];\n", kind,
                       memory_.alignment, length);
  }

 private:
  /// The part of a declaration about the alignment that vectors want, or the user.
  std::string alignment(const TensorNode& tensor) const {
    const int64_t bytes = std::max(vector_bytes(kernel_, tensor.name), tensor.alignment);
    return bytes == 0 ? "" : fmt::format("__align__({}) ", bytes);
  }

  static std::string finite(double value, DType type) {
    std::string text = type == DType::f32 ? fmt::format("{}", static_cast<float>(value))
                                          : fmt::format("{}", value);
    if (text.find_first_of(".e") == std::string::npos) text += ".0";
    return text + (type == DType::f32 ? "f" : "");
  }

  /// In float, and rounded.
  std::string half_call(Intrinsic intrinsic, DType type,
                        llvm::ArrayRef<std::string> arguments) const {
    llvm::SmallVector<std::string, 3> widened;
    for (const std::string& argument : arguments) widened.push_back(cuda_to_float(type, argument));
    return cuda_from_float(type, call(intrinsic, DType::f32, widened));
  }

  int index_bits_;
  std::array<Expr, 3> block_;
  SharedMemory memory_;
  const KernelFunction& kernel_;
};

std::string includes(const KernelFunction& kernel) {
  std::string text;
  if (uses_type(kernel, DType::f16)) text += "#include <cuda_fp16.h>\n";
  if (uses_type(kernel, DType::bf16)) text += "#include <cuda_bf16.h>\n";
  return text;
}

std::string launch_bounds(const KernelFunction& kernel) {
  const auto threads = launch_bound(kernel);
  const int64_t blocks = blocks_bound(kernel);
  if (!threads) return "";
  return fmt::format(" __launch_bounds__({}{})", *threads,
                     blocks == 0 ? "" : fmt::format(", {}", blocks));
}

std::string parameters(const KernelFunction& kernel, const CText& text, const Dialect& dialect) {
  llvm::SmallVector<std::string, 8> list;
  const char* qualifier = kernel.may_alias ? " " : " __restrict__ ";
  for (const TensorPtr& tensor : kernel.arguments)
    list.push_back(fmt::format("{}{}*{}{}", is_written(kernel, tensor) ? "" : "const ",
                               dialect.type(tensor->type), qualifier, text.names().of(*tensor)));
  for (const ParamPtr& param : kernel.params)
    list.push_back(fmt::format("{} {}", dialect.type(DType::index), text.names().of(*param)));
  llvm::append_range(list, cuda_map_parameters(kernel, text.names()));
  return join(list);
}

}  // namespace

/// Types and functions that the kernel needs stand with it in a namespace of its own: those of
/// other kernels, in the same file, have the same names. The kernel's name is `extern "C"` all the
/// same.
LinedText emit_cuda_with_lines(const KernelFunction& kernel) {
  const Cuda dialect(kernel);
  CText text(kernel, dialect);
  const std::string& symbol = text.names().symbol();
  const std::string statements = text.statements(kernel, 2);
  std::string source = header_comment(kernel, true);
  const std::string headers = includes(kernel);
  const llvm::ArrayRef<Family> families = opcode_families();
  if (!headers.empty()) source += "\n" + headers;
  const std::string helpers =
      tuple_structs(kernel, dialect) + cuda_cast_helpers(kernel) +
      cuda_approximate_helpers(kernel) +
      operator_functions(kernel, text.names(), dialect, "static __device__") +
      cuda_instr_helpers(kernel, families.take_front()) +
      cuda_helpers(kernel, text.names(), dialect) +
      cuda_instr_helpers(kernel, families.slice(1, 3)) + cuda_ordered_helpers(kernel) +
      cuda_instr_helpers(kernel, families.drop_front(4)) + cuda_cluster_helpers(statements);
  if (!helpers.empty()) source += fmt::format("\nnamespace hone::{} {{\n{}", symbol, helpers);
  source +=
      fmt::format("\nextern \"C\" __global__ void{}{}\n{}({}) {{\n", cuda_cluster_dims(kernel),
                  launch_bounds(kernel), symbol, parameters(kernel, text, dialect));
  source += dialect.arena();
  StatementLines lines = text.take_lines();
  const auto above = static_cast<unsigned>(llvm::count(source, '\n'));
  for (auto& [statement, numbers] : lines)
    for (unsigned& number : numbers) number += above;
  source += statements + "}\n";
  if (!helpers.empty()) source += fmt::format("\n}}  // namespace hone::{}\n", symbol);
  return {std::move(source), std::move(lines)};
}

std::string emit_cuda(const KernelFunction& kernel) { return emit_cuda_with_lines(kernel).text; }

}  // namespace hone
