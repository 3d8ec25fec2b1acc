#include "ir/core/attribute.h"

#include "fmt/format.h"
#include "ir/core/stmt.h"
#include "llvm/ADT/STLExtras.h"

namespace hone {

namespace attr {

const LoopAttribute ordered = {
    .word = "ordered",
    .is_for = [](const Binding& place) { return place.is_unrolled_in_full(); },
};
const LoopAttribute peel = {
    .word = "peel",
    .is_for =
        [](const Binding& place) {
          return place.is_serial() || place.kind == Binding::Kind::roles;
        },
    .number = "how many iterations are written out before the loop",
    .not_zero = "an iteration is written out at least",
};
const LoopAttribute prefetch = {
    .word = "prefetch",
    .is_for = [](const Binding& place) { return place.kind == Binding::Kind::roles; },
    .number = "the turns between a test and a wait",
    .may_lack_number = true,
};
const LoopAttribute resident = {
    .word = "resident",
    .is_for = [](const Binding& place) { return place.kind == Binding::Kind::block; },
    .number = "how many blocks a multiprocessor holds",
    .not_zero = "a multiprocessor holds a block at least",
};

}  // namespace attr

llvm::ArrayRef<const LoopAttribute*> loop_attributes() {
  static const LoopAttribute* const all[] = {&attr::ordered, &attr::peel, &attr::prefetch,
                                             &attr::resident};
  return all;
}

std::string text_of(const LoopAttribute& attribute, int64_t number) {
  const bool has_number = attribute.number && !(attribute.may_lack_number && number == 0);
  return has_number ? fmt::format(" @{}({})", attribute.word, number)
                    : fmt::format(" @{}", attribute.word);
}

bool LoopAttributes::has(const LoopAttribute& attribute) const {
  return llvm::any_of(all(), [&](const auto& own) { return own.first == &attribute; });
}

int64_t LoopAttributes::number(const LoopAttribute& attribute) const {
  for (const auto& [own, number] : all())
    if (own == &attribute) return number;
  return 0;
}

void LoopAttributes::set(const LoopAttribute& attribute, int64_t number) {
  auto* const own = llvm::find_if(llvm::MutableArrayRef(all_.data(), count_),
                                  [&](const auto& one) { return one.first == &attribute; });
  if (own == all_.data() + count_) ++count_;
  assert(count_ <= most && "a loop with so many attributes");
  *own = {&attribute, number};
}

}  // namespace hone
