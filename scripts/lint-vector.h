// Read before every source that scripts/lint checks. clang instantiates the constexpr members of
// C++20's std::vector where they are named; LLVM 14's JSON.h names them before its element type is
// complete. Here they are not constexpr. LLVM 15 moved them.
#include <llvm/Config/llvm-config.h>
#include <string>

#if LLVM_VERSION_MAJOR < 15 && defined(__GLIBCXX__) && defined(_GLIBCXX20_CONSTEXPR)
#undef _GLIBCXX20_CONSTEXPR
#define _GLIBCXX20_CONSTEXPR
#define __fill_a1 fill_bits // declared constexpr by <string> already
#include <vector>
#undef __fill_a1
#undef _GLIBCXX20_CONSTEXPR
#define _GLIBCXX20_CONSTEXPR constexpr
#endif
