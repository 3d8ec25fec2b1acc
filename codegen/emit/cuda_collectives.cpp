#include "codegen/emit/cuda_collectives.h"

#include <map>

#include "codegen/emit/kernel_text.h"
#include "fmt/format.h"
#include "ir/traverse/visit.h"

namespace hone {
namespace {

bool is_bool_update(const Store& store) {
  return store.update == Update::logical_and || store.update == Update::logical_or;
}

bool is_native(const Store& store) {
  const DType type = store.tensor->type;
  const bool is_extreme = store.update == Update::min || store.update == Update::max;
  return store.update == Update::add || (is_extreme && is_integer(type));
}

/// The atomic update of an element, for operators that CUDA has no function for.
std::string function_of(const Store& store, const Identifiers& names) {
  switch (store.update) {
    case Update::custom:
      return names.atomic_function(*store.op);
    case Update::mul:
      return "atomic_mul";
    case Update::min:
      return "atomic_min";
    case Update::max:
      return "atomic_max";
    default:
      llvm_unreachable("an atomic update that CUDA has");
  }
}

/// The spelling of a type, and of the word of its bits that can be compared and exchanged.
struct Word {
  std::string type, word, to_word, from_word;
};

/// A tuple, by functions of its own: see tuple_words.
Word word_of_tuple(DType type) {
  const int64_t bytes = size_of(type);
  assert(2 <= bytes && bytes <= 8 && "wider elements have no atomic updates");
  const std::string name = tuple_name(type);
  const char* const word = bytes == 8   ? "unsigned long long"
                           : bytes == 4 ? "unsigned"
                                        : "unsigned short";
  return {name, word, "bits_of", name + "_of"};
}

Word word_of(DType type) {
  if (is_tuple(type)) return word_of_tuple(type);
  switch (type) {
    case DType::f64:
      return {"double", "unsigned long long", "__double_as_longlong", "__longlong_as_double"};
    case DType::f32:
    case DType::tf32:
      return {"float", "unsigned", "__float_as_uint", "__uint_as_float"};
    case DType::f16:
      return {"__half", "unsigned short", "__half_as_ushort", "__ushort_as_half"};
    case DType::bf16:
      return {"__nv_bfloat16", "unsigned short", "__bfloat16_as_ushort", "__ushort_as_bfloat16"};
    case DType::i64:
      return {"long long", "unsigned long long", "", ""};
    case DType::i32:
      return {"int", "unsigned", "", ""};
    case DType::i8:
      return {"signed char", "unsigned char", "", ""};
    case DType::u8:
    case DType::f8e4m3:
    case DType::f8e5m2:
      return {"unsigned char", "unsigned char", "", ""};
    case DType::boolean:
      return {"bool", "unsigned char", "", ""};
    default:
      llvm_unreachable("no element of memory");
  }
}

const char* shuffle_function(ShuffleMode mode) {
  return mode == ShuffleMode::down ? "__shfl_down_sync" : "__shfl_xor_sync";
}

/// The result of an update of `before` by `value`, as text.
std::string combined_text(const Store& store, const Identifiers& names, const Dialect& dialect) {
  const DType type = store.tensor->type;
  const TensorPtr before = make_tensor("before", type, {}, Scope::registers);
  const TensorPtr value = make_tensor("value", type, {}, Scope::registers);
  KernelFunction scope;
  scope.body = Alloc::make(before, Alloc::make(value, Seq::make({})));
  const Stmt update = store.with(before, {}, Load::make(value, {}));
  return CText(names, scope, dialect).updated(*llvm::cast<Store>(update));
}

/// A tuple as the word that is exchanged in its place, in which bits of no component are 0.
std::string tuple_words(DType tuple) {
  const Word whole = word_of(tuple);
  std::string bits, components;
  for (unsigned n = 0; n < component_count(tuple); ++n) {
    const Word part = word_of(component_type(tuple, n));
    const std::string shift = std::to_string(8 * component_offset(tuple, n));
    const std::string to_word = part.to_word.empty() ? "(" + part.word + ")" : part.to_word;
    const std::string from_word = part.from_word.empty() ? "(" + part.type + ")" : part.from_word;
    const std::string word = fmt::format("{}(tuple.{})", to_word, component_name(n).str());
    bits = n == 0 ? word : fmt::format("({}){} << {} | {}", whole.word, word, shift, bits);
    components += n == 0 ? fmt::format("{}(({})bits)", from_word, part.word)
                         : fmt::format(", {}(({})(bits >> {}))", from_word, part.word, shift);
  }
  return fmt::format(R"(
static __device__ {1} bits_of({0} tuple) {{
  return {2};
}}

static __device__ {0} {0}_of({1} bits) {{
  return {{{3}}};
}}
)",
                     whole.type, whole.word, bits, components);
}

/// The `value` of another lane, which is no tuple; lanes exchange words of 4 bytes.
std::string shuffled(ShuffleMode mode, DType type, llvm::StringRef lanes, llvm::StringRef value,
                     llvm::StringRef offset) {
  const bool is_small = size_of(type) == 1;
  const std::string text =
      fmt::format("{}({}, {}, {})", shuffle_function(mode), lanes.str(),
                  is_small ? "(int)(" + value.str() + ")" : value.str(), offset.str());
  if (!is_small) return text;
  return type == DType::boolean ? fmt::format("({} != 0)", text)
         : type == DType::i8    ? fmt::format("(signed char){}", text)
                                : fmt::format("(unsigned char){}", text);
}

/// Shuffles a tuple by its components.
std::string tuple_shuffle(ShuffleMode mode, DType tuple) {
  std::string components;
  for (unsigned n = 0; n < component_count(tuple); ++n)
    components += (n == 0 ? "" : ", ") + shuffled(mode, component_type(tuple, n), "lanes",
                                                  "tuple." + component_name(n).str(), "offset");
  return fmt::format(R"(
static __device__ {0} {1}(unsigned lanes, {0} tuple, int offset) {{
  return {{{2}}};
}}
)",
                     tuple_name(tuple), name(mode).str(), components);
}

/// Tries until nobody else has come in between, or there is nothing to change.
std::string exchange_loop(const Store& store, const Identifiers& names, const Dialect& dialect) {
  const Word word = word_of(store.tensor->type);
  return fmt::format(R"(
static __device__ void {0}({1}* element, {1} value) {{
  {2}* const bits = reinterpret_cast<{2}*>(element);
  {2} seen = *bits, expected;
  do {{
    expected = seen;
    const {1} before = {4}(seen);
    const {2} changed = ({2}){3}({5});
    if (changed == expected) return;
    seen = atomicCAS(bits, expected, changed);
  }} while (seen != expected);
}}
)",
                     function_of(store, names), word.type, word.word, word.to_word, word.from_word,
                     combined_text(store, names, dialect));
}

}  // namespace

std::string cuda_shuffle(const Shuffle& shuffle, const std::string& value,
                         const std::string& offset, const std::string& lanes) {
  const auto count = as_int(shuffle.lanes);
  const std::string mask = count ? fmt::format("0x{:x}", (uint64_t{1} << *count) - 1)
                                 : fmt::format("0xffffffff >> (32 - {})", lanes);
  if (!is_tuple(shuffle.type)) return shuffled(shuffle.mode, shuffle.type, mask, value, offset);
  return fmt::format("{}({}, {}, {})", name(shuffle.mode).str(), mask, value, offset);
}

std::string cuda_atomic(const Store& store, const Identifiers& names, const std::string& element,
                        const std::string& value) {
  if (store.update == Update::logical_or) return fmt::format("if ({}) {} = true;", value, element);
  if (store.update == Update::logical_and)
    return fmt::format("if (!({})) {} = false;", value, element);
  if (!is_native(store))
    return fmt::format("{}(&{}, {});", function_of(store, names), element, value);
  if (store.update == Update::add && store.tensor->type == DType::i64)
    return fmt::format(
        "atomicAdd(reinterpret_cast<unsigned long long*>(&{}), (unsigned long long)({}));", element,
        value);
  const char* function = store.update == Update::add   ? "atomicAdd"
                         : store.update == Update::max ? "atomicMax"
                                                       : "atomicMin";
  return fmt::format("{}(&{}, {});", function, element, value);
}

std::string cuda_helpers(const KernelFunction& kernel, const Identifiers& names,
                         const Dialect& dialect) {
  std::map<std::pair<ShuffleMode, DType>, std::string> shuffles;
  walk_exprs(kernel.body, [&](const Expr& expr) {
    const auto* shuffle = llvm::dyn_cast<Shuffle>(expr);
    if (shuffle && is_tuple(shuffle->type))
      shuffles[{shuffle->mode, shuffle->type}] = tuple_shuffle(shuffle->mode, shuffle->type);
  });
  std::map<DType, std::string> words;
  std::map<std::pair<std::string, DType>, std::string> updates;
  walk(kernel.body, [&](const Stmt& stmt) {
    const auto* store = llvm::dyn_cast<Store>(stmt);
    if (!store || !store->is_atomic || is_native(*store) || is_bool_update(*store)) return;
    const DType type = store->tensor->type;
    if (is_tuple(type)) words[type] = tuple_words(type);
    updates[{function_of(*store, names), type}] = exchange_loop(*store, names, dialect);
  });
  std::string text;
  for (const auto& [key, function] : shuffles) text += function;
  for (const auto& [type, functions] : words) text += functions;
  for (const auto& [key, function] : updates) text += function;
  return text;
}

}  // namespace hone
