#include "bench/counters/cases.h"

#include "codegen/lower.h"
#include "codegen/parse_kernel.h"
#include "examples/ladders/ladders.h"
#include "fmt/format.h"
#include "tools/cli/judge/problem.h"

namespace hone {
namespace {

// ---- Rungs --------------------------------------------------------------------------------------

/// Multiples of 4, as vectors take, and of nothing larger.
Sizes sizes_of(const Ladder& ladder) {
  static const Sizes common = {{"C", 3},     {"H", 44},    {"K", 68},     {"M", 100},
                               {"N", 132},   {"O", 10},    {"W", 76},     {"n", 5004},
                               {"batch", 3}, {"tiles", 2}, {"groups", 4}, {"threads", 256}};
  // Ladders for which these fit in one tile; vectors of bytes take multiples of 16.
  static const std::map<std::string, Sizes> longer = {
      {"reduce", {{"n", 300'004}}}, {"dot", {{"n", 300'004}}},    {"argmax", {{"n", 300'004}}},
      {"softmax", {{"N", 1100}}},   {"layernorm", {{"N", 1100}}}, {"rowsum", {{"N", 1100}}},
      {"colsum", {{"N", 1100}}},    {"matvec", {{"N", 1100}}},    {"histogram", {{"n", 100'016}}},
  };
  Sizes sizes;
  if (const auto found = longer.find(ladder.name); found != longer.end()) sizes = found->second;
  for (const auto& [name, size] : ladder.sizes) sizes.emplace(name, common.at(name));
  return with_pitches(Schedule(ladder.program({})), sizes);
}

void append_rung(const Ladder& ladder, const Rung& rung, std::vector<CounterCase>& cases) {
  const Sizes sizes = sizes_of(ladder);
  const Module module = lower(rung.build({}, sizes));
  const std::string name = ladder.name + "/" + rung.name;
  for (const KernelFunction& kernel : module.kernels)
    cases.push_back({module.kernels.size() == 1 ? name : name + ", " + kernel.name, kernel, sizes,
                     module.counters});
}

void append_rungs(std::vector<CounterCase>& cases) {
  for (const Ladder& ladder : all_ladders())
    for (const Rung& rung : ladder.rungs)
      if (rung.target == RungTarget::gpu) append_rung(ladder, rung, cases);
}

// ---- One access pattern each --------------------------------------------------------------------

/// A statement over t, the number of a thread in its block, and g, that in the grid.
struct Pattern {
  const char* name;
  const char* type;
  const char* body;
};

constexpr Pattern patterns[] = {
    {"global, neighbours", "f32", "C[g] = A[g]"},
    {"global, from the next element on", "f32", "C[g] = A[g + 1]"},
    {"global, stride 2", "f32", "C[g] = A[g*2]"},
    {"global, stride 32", "f32", "C[g] = A[t*32]"},
    {"global, backwards", "f32", "C[g] = A[1023 - g]"},
    {"global, one for all", "f32", "C[g] = A[b]"},
    {"global, one of every four lanes", "f32", "if (t % 4 == 0) { C[g] = A[g] }"},
    {"global store, stride 32", "f32", "C[t*32 + b] = A[g]"},
    {"global, f64", "f64", "C[g] = A[g]"},
    {"global, i8", "i8", "C[g] = A[g]"},
    {"global, i8, stride 3", "i8", "C[g*3] = A[g*3]"},
    {"global, 8 bytes", "f32", "copy C[g*2 .. +2] <- A[g*2 .. +2] @vector(2)"},
    {"global, 16 bytes", "f32", "copy C[g*4 .. +4] <- A[g*4 .. +4] @vector(4)"},
    {"global, 16 bytes, stride 2", "f32", "copy C[g*4 .. +4] <- A[g*8 .. +4] @vector(4)"},
    {"shared, neighbours", "f32", "S[t] = A[g] barrier C[g] = S[t + 1]"},
    {"shared, stride 2", "f32", "S[t*2] = A[g] barrier C[g] = S[t*2]"},
    {"shared, stride 8", "f32", "S[t*8] = A[g] barrier C[g] = S[t*8]"},
    {"shared, stride 32", "f32", "S[t*32] = A[g] barrier C[g] = S[t*32]"},
    {"shared, stride 33", "f32", "S[t*33] = A[g] barrier C[g] = S[t*33]"},
    {"shared, one for all", "f32", "S[t] = A[g] barrier C[g] = S[b]"},
    {"shared, one for each half", "f32", "S[t] = A[g] barrier C[g] = S[t/16*32]"},
    {"shared, one of every four lanes", "f32",
     "S[t] = A[g] barrier if (t % 4 == 0) { C[g] = S[t*8] }"},
    {"shared, f64", "f64", "S[t] = A[g] barrier C[g] = S[t + 1]"},
    {"shared, f64, stride 2", "f64", "S[t*2] = A[g] barrier C[g] = S[t*2]"},
    {"shared, f64, one for all", "f64", "S[t] = A[g] barrier C[g] = S[b]"},
    {"shared, i8", "i8", "S[t] = A[g] barrier C[g] = S[t + 1]"},
    {"shared, i8, stride 128", "i8", "S[t*128 % 4096] = A[g] barrier C[g] = S[t*128 % 4096]"},
    {"shared, 8 bytes", "f32", "S[t] = A[g] barrier copy C[g*2 .. +2] <- S[t*2 .. +2] @vector(2)"},
    {"shared, 8 bytes, stride 2", "f32",
     "S[t] = A[g] barrier copy C[g*2 .. +2] <- S[t*4 .. +2] @vector(2)"},
    {"shared, 8 bytes, pairs of lanes alike", "f32",
     "S[t] = A[g] barrier copy C[g*2 .. +2] <- S[t/2*2 .. +2] @vector(2)"},
    {"shared, 16 bytes", "f32", "S[t] = A[g] barrier copy C[g*4 .. +4] <- S[t*4 .. +4] @vector(4)"},
    {"shared, 16 bytes, stride 2", "f32",
     "S[t] = A[g] barrier copy C[g*4 .. +4] <- S[t*8 .. +4] @vector(4)"},
    {"shared, 16 bytes, stride 9", "f32",
     "S[t] = A[g] barrier copy C[g*4 .. +4] <- S[t*36 .. +4] @vector(4)"},
    {"shared, 16 bytes, one for all", "f32",
     "S[t] = A[g] barrier copy C[g*4 .. +4] <- S[b*4 .. +4] @vector(4)"},
    {"shared, 16 bytes, pairs of lanes alike", "f32",
     "S[t] = A[g] barrier copy C[g*4 .. +4] <- S[t/2*4 .. +4] @vector(4)"},
    {"shared, 16 bytes, lanes two apart alike", "f32",
     "S[t] = A[g] barrier copy C[g*4 .. +4] <- S[(t/4*2 + t % 2)*4 .. +4] @vector(4)"},
    {"shared, 16 bytes, rows of 8 lanes", "f32",
     "S[t] = A[g] barrier copy C[g*4 .. +4] <- S[t % 8*4 .. +4] @vector(4)"},
    {"shared, 16 bytes, one lane of each quarter", "f32",
     "S[t] = A[g] barrier if (t % 8 == 0) { copy C[g*4 .. +4] <- S[t*4 .. +4] @vector(4) }"},
    {"shared, 16 bytes, one lane of each half", "f32",
     "S[t] = A[g] barrier if (t % 16 == 3) { copy C[g*4 .. +4] <- S[t*4 .. +4] @vector(4) }"},
    {"shared, 16 bytes, the first ten lanes", "f32",
     "S[t] = A[g] barrier if (t % 32 < 10) { copy C[g*4 .. +4] <- S[t*4 .. +4] @vector(4) }"},
    {"shared, 8 bytes, one of every four lanes", "f32",
     "S[t] = A[g] barrier if (t % 4 == 0) { copy C[g*2 .. +2] <- S[t*2 .. +2] @vector(2) }"},
    {"shared, 8 bytes, the first twenty lanes", "f32",
     "S[t] = A[g] barrier if (t % 32 < 20) { copy C[g*2 .. +2] <- S[t*2 .. +2] @vector(2) }"},
    {"shared, f64, one of every four lanes", "f64",
     "S[t] = A[g] barrier if (t % 4 == 0) { C[g] = S[t] }"},
    {"shared, 16 bytes, every second lane", "f32",
     "S[t] = A[g] barrier if (t % 2 == 0) { copy C[g*4 .. +4] <- S[t*4 .. +4] @vector(4) }"},
};

CounterCase case_of(const Pattern& pattern, size_t number) {
  const std::string text = fmt::format(
      "kernel pattern_{0}(A: {1}[65536], C: {1}[65536]) grid(4, 1, 1) block(64, 1, 1) @index32 {{ "
      "let t = thread.x let b = block.x let g = block.x*64 + thread.x alloc S: {1}[4096] @shared "
      "{2} }}",
      number, pattern.type, pattern.body);
  return {pattern.name, parse_kernel(text), {}};
}

}  // namespace

std::vector<CounterCase> counter_cases() {
  std::vector<CounterCase> cases;
  for (size_t number = 0; number < std::size(patterns); ++number)
    cases.push_back(case_of(patterns[number], number));
  append_rungs(cases);
  return cases;
}

}  // namespace hone
