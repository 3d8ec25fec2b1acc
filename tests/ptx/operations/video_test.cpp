// The video instructions on parts of words.
#include "tests/ptx/operations/operation_lanes.h"

namespace hone::ptx {
namespace video_test {

using Parts = int64_t (*)(int64_t, int64_t);

int64_t part_of(uint32_t word, int count, int number, bool is_signed) {
  const int size = 32 / count;
  const int64_t part = word >> (size * number) & ((int64_t{1} << size) - 1);
  return is_signed && part >> (size - 1) != 0 ? part - (int64_t{1} << size) : part;
}

/// As PTX describes them: the parts, or their sum with c.
struct Described {
  int count;
  Parts function;
  bool is_signed, saturates, adds;

  uint32_t operator()(uint32_t a, uint32_t b, uint32_t c) const {
    const int size = 32 / count;
    const int64_t least = is_signed ? -(int64_t{1} << (size - 1)) : 0;
    const int64_t most = (int64_t{1} << (is_signed ? size - 1 : size)) - 1;
    uint32_t parts = 0;
    int64_t sum = c;
    for (int n = 0; n < count; ++n) {
      int64_t value = function(part_of(a, count, n, is_signed), part_of(b, count, n, is_signed));
      if (saturates) value = std::clamp(value, least, most);
      parts |= static_cast<uint32_t>(value & ((int64_t{1} << size) - 1)) << (size * n);
      sum += value;
    }
    return adds ? static_cast<uint32_t>(sum) : parts;
  }
};

int64_t average(int64_t a, int64_t b) { return a + b >= 0 ? (a + b + 1) / 2 : (a + b - 1) / 2; }

TEST(PtxVideo, ComputesPartByPart) {
  const std::pair<const char*, Parts> functions[] = {
      {"vadd", [](int64_t a, int64_t b) { return a + b; }},
      {"vsub", [](int64_t a, int64_t b) { return a - b; }},
      {"vabsdiff", [](int64_t a, int64_t b) { return std::abs(a - b); }},
      {"vavrg", average},
      {"vmin", [](int64_t a, int64_t b) { return std::min(a, b); }},
      {"vmax", [](int64_t a, int64_t b) { return std::max(a, b); }}};
  const std::vector<uint32_t> words = critical_integers<uint32_t>();
  for (const auto& [name, function] : functions)
    for (const int count : {2, 4})
      for (const bool is_signed : {false, true})
        for (const int mode : {0, 1, 2, 3}) {
          const Described described = {count, function, is_signed, mode % 2 != 0, mode / 2 != 0};
          const std::string form =
              name + std::to_string(count) + (is_signed ? ".s32.s32.s32" : ".u32.u32.u32") +
              (described.saturates ? ".sat" : "") + (described.adds ? ".add" : "");
          expect_results(form, described, words, words, words);
        }
}

TEST(PtxVideo, WhatIsNotKnown) {
  EXPECT_EQ(problem_of("vadd4.u32.u32", 4),
            "vadd4.u32.u32: a form without three types of words is not known");
  EXPECT_EQ(problem_of("vadd4.u32.u32.u32.foo", 4), "vadd4.u32.u32.u32.foo: .foo is not known");
}

}  // namespace video_test
}  // namespace hone::ptx
