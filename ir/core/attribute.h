// Attributes of loops: a schedule sets them in addition to the place of a loop.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "llvm/ADT/ArrayRef.h"

namespace hone {

struct Binding;

/// A kind of attribute. In the text it stands behind the place of the loop: @word, or @word(2).
struct LoopAttribute {
  std::string_view word;
  bool (*is_for)(const Binding& place);  ///< the loops that may have it
  const char* number = nullptr;          ///< what its number is, in errors; null: it has none
  bool may_lack_number = false;          ///< which is 0 then
  const char* not_zero = nullptr;  ///< why its number is no 0, where that is no other than none
};

namespace attr {

/// Products and loads keep the order of the text (keep_order): of unrolled loops.
extern const LoopAttribute ordered;
/// So many iterations are written out before the loop (defer): of loops of one thread's program.
extern const LoopAttribute peel;
/// An iteration fills registers for the next one (prefetch): of loops with roles. The number: it
/// asks so many turns of a loop inside before whether it may; 0: never.
extern const LoopAttribute prefetch;
/// A multiprocessor holds so many blocks of the kernel at least (launch_bounds): of loops over
/// blocks.
extern const LoopAttribute resident;

}  // namespace attr

/// All there are, in the order of the text.
llvm::ArrayRef<const LoopAttribute*> loop_attributes();

/// " @resident(2)"
std::string text_of(const LoopAttribute& attribute, int64_t number);

/// Those of one loop, each once.
class LoopAttributes {
 public:
  static constexpr size_t most = 4;

  bool has(const LoopAttribute& attribute) const;
  /// 0 where the loop has none.
  int64_t number(const LoopAttribute& attribute) const;
  void set(const LoopAttribute& attribute, int64_t number = 0);
  llvm::ArrayRef<std::pair<const LoopAttribute*, int64_t>> all() const {
    return {all_.data(), count_};
  }
  bool operator==(const LoopAttributes&) const = default;

 private:
  std::array<std::pair<const LoopAttribute*, int64_t>, most> all_ = {};
  size_t count_ = 0;
};

}  // namespace hone
