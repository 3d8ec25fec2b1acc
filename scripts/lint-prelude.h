// Read before every source that scripts/lint checks.
#include <llvm/Config/llvm-config.h>
#include <string>

// clang instantiates the constexpr members of C++20's std::vector where they are named; LLVM 14's
// JSON.h names them before its element type is complete. Here they are not constexpr. LLVM 15 moved
// them.
#if LLVM_VERSION_MAJOR < 15 && defined(__GLIBCXX__) && defined(_GLIBCXX20_CONSTEXPR)
#undef _GLIBCXX20_CONSTEXPR
#define _GLIBCXX20_CONSTEXPR
#define __fill_a1 fill_bits // declared constexpr by <string> already
#include <vector>
#undef __fill_a1
#undef _GLIBCXX20_CONSTEXPR
#define _GLIBCXX20_CONSTEXPR constexpr
#endif

// fmt 9 formats what converts to std::string_view, as llvm::StringRef does; fmt 10 does not. Here
// neither version does.
#include <fmt/core.h>
#include <llvm/ADT/StringRef.h>

template <>
struct fmt::formatter<llvm::StringRef> {
  constexpr auto parse(fmt::format_parse_context& context) { return context.begin(); }
  template <class Context>
  auto format(const llvm::StringRef&, Context& context) const {
    static_assert(sizeof(Context) == 0, "fmt 10 formats no llvm::StringRef; take str() of it");
    return context.out();
  }
};
