#include "runtime/ptx/text/type.h"

#include <array>

#include "llvm/ADT/StringMap.h"

namespace hone::ptx {
namespace {

struct TypeFacts {
  const char* name;
  int bytes;
  bool is_signed = false, is_real = false;
};

/// By Type.
constexpr std::array<TypeFacts, 29> type_facts = {{
    {"", 0},
    {"pred", 0},
    {"b8", 1},
    {"b16", 2},
    {"b32", 4},
    {"b64", 8},
    {"b128", 16},
    {"u8", 1},
    {"u16", 2},
    {"u32", 4},
    {"u64", 8},
    {"s8", 1, true},
    {"s16", 2, true},
    {"s32", 4, true},
    {"s64", 8, true},
    {"f16", 2, true, true},
    {"f16x2", 4, true, true},
    {"bf16", 2, true, true},
    {"bf16x2", 4, true, true},
    {"tf32", 4, true, true},
    {"f32", 4, true, true},
    {"f32x2", 8, true, true},
    {"f64", 8, true, true},
    {"e4m3", 1, true, true},
    {"e5m2", 1, true, true},
    {"e4m3x2", 2, true, true},
    {"e5m2x2", 2, true, true},
    {"u16x2", 4},
    {"s16x2", 4, true},
}};
static_assert(type_facts.size() == static_cast<size_t>(Type::s16x2) + 1);

const TypeFacts& facts_of(Type type) { return type_facts[static_cast<size_t>(type)]; }

llvm::StringMap<Type> types_by_name() {
  llvm::StringMap<Type> result;
  for (size_t i = 1; i < type_facts.size(); ++i) result[type_facts[i].name] = static_cast<Type>(i);
  return result;
}

}  // namespace

std::optional<Type> type_named(llvm::StringRef name) {
  static const llvm::StringMap<Type> types = types_by_name();
  const auto found = types.find(name);
  if (found == types.end()) return std::nullopt;
  return found->second;
}

llvm::StringRef name_of(Type type) { return facts_of(type).name; }
int bytes_of(Type type) { return facts_of(type).bytes; }
bool is_signed(Type type) { return facts_of(type).is_signed; }
bool is_real(Type type) { return facts_of(type).is_real; }

}  // namespace hone::ptx
