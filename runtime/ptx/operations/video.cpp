// The video instructions on two or four parts of a word, without masks and selections of parts.
#include <algorithm>

#include "runtime/ptx/operations/elementwise.h"

namespace hone::ptx {
namespace {

struct PartSum {
  int32_t operator()(int32_t a, int32_t b) const { return a + b; }
};

struct PartDifference {
  int32_t operator()(int32_t a, int32_t b) const { return a - b; }
};

struct PartDistance {
  int32_t operator()(int32_t a, int32_t b) const { return a < b ? b - a : a - b; }
};

/// Halves round upwards where the sum is not negative, and downwards where it is.
struct PartAverage {
  int32_t operator()(int32_t a, int32_t b) const { return (a + b + (a + b >= 0 ? 1 : 0)) >> 1; }
};

struct PartLeast {
  int32_t operator()(int32_t a, int32_t b) const { return std::min(a, b); }
};

struct PartGreatest {
  int32_t operator()(int32_t a, int32_t b) const { return std::max(a, b); }
};

/// In details.
constexpr uint32_t result_is_signed = 1, a_is_signed = 2, b_is_signed = 4, clamps_parts = 8;
constexpr uint32_t adds_parts = 16;

/// The parts of the result, or c and their sum.
template <class F, uint32_t count>
struct PartByPart {
  static constexpr uint32_t size = 32 / count;
  uint32_t detail;

  bool has(uint32_t flag) const { return (detail & flag) != 0; }
  static int32_t part(uint32_t word, uint32_t number, bool is_signed) {
    const uint32_t upwards = word << (32 - size * (number + 1));
    return is_signed ? static_cast<int32_t>(upwards) >> (32 - size)
                     : static_cast<int32_t>(upwards >> (32 - size));
  }
  int32_t clamped(int32_t value) const {
    constexpr int32_t all = (1 << size) - 1;
    if (has(result_is_signed)) return std::clamp(value, -(all / 2) - 1, all / 2);
    return std::clamp(value, 0, all);
  }
  uint32_t operator()(uint32_t a, uint32_t b, uint32_t c) const {
    uint32_t parts = 0, sum = c;
    for (uint32_t n = 0; n < count; ++n) {
      const int32_t whole = F{}(part(a, n, has(a_is_signed)), part(b, n, has(b_is_signed)));
      const auto result = static_cast<uint32_t>(has(clamps_parts) ? clamped(whole) : whole);
      parts |= (result & ((1u << size) - 1)) << (size * n);
      sum += result;
    }
    return has(adds_parts) ? sum : parts;
  }
};

/// "vadd4.s32.s32.u32.sat": the types of the result, of a and of b.
template <class F, uint32_t count>
Operation part_by_part(const Form& form) {
  uint32_t detail =
      (form.has(Modifier::sat) ? clamps_parts : 0) | (form.has(Modifier::add) ? adds_parts : 0);
  for (size_t n = 0; n < 3; ++n) {
    if (form.type(n) != Type::u32 && form.type(n) != Type::s32)
      return refusal(form, "a form without three types of words");
    if (is_signed(form.type(n))) detail |= result_is_signed << n;
  }
  return uniform<PartByPart<F, count>>(form.type(), detail);
}

constexpr Types video_types = {Type::u32, Type::s32};
constexpr Modifiers of_video = {Modifier::sat, Modifier::add};

constexpr Entry entries_of_video[] = {
    {"vadd2", video_types, of_video, part_by_part<PartSum, 2>, 3},
    {"vadd4", video_types, of_video, part_by_part<PartSum, 4>, 3},
    {"vsub2", video_types, of_video, part_by_part<PartDifference, 2>, 3},
    {"vsub4", video_types, of_video, part_by_part<PartDifference, 4>, 3},
    {"vabsdiff2", video_types, of_video, part_by_part<PartDistance, 2>, 3},
    {"vabsdiff4", video_types, of_video, part_by_part<PartDistance, 4>, 3},
    {"vavrg2", video_types, of_video, part_by_part<PartAverage, 2>, 3},
    {"vavrg4", video_types, of_video, part_by_part<PartAverage, 4>, 3},
    {"vmin2", video_types, of_video, part_by_part<PartLeast, 2>, 3},
    {"vmin4", video_types, of_video, part_by_part<PartLeast, 4>, 3},
    {"vmax2", video_types, of_video, part_by_part<PartGreatest, 2>, 3},
    {"vmax4", video_types, of_video, part_by_part<PartGreatest, 4>, 3},
};

}  // namespace

llvm::ArrayRef<Entry> video_entries() { return entries_of_video; }

}  // namespace hone::ptx
