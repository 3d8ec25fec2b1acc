// Every rung at sizes around those of its tiles.
//
// HONE_SWEEP=full takes all combinations of the sizes; that takes hours.

#include <cstdlib>
#include <numeric>

#include "tests/support/examples/rungs.h"

namespace hone {
namespace sweep_test {

/// One, two, and what lies around multiples of tiles and warps.
constexpr int64_t values[] = {1, 2, 7, 31, 32, 33, 63, 65, 127, 129, 1000};
constexpr size_t count = std::size(values);
/// The largest of a size that shows something new: of a batch, and of each of five sizes.
int64_t most_of(const std::string& name, const Sizes& names) {
  if (name == "tiles") return 2;  // of 128 rows
  if (names.size() > 4) return name == "batch" ? 7 : 17;
  return name == "batch" ? 33 : values[count - 1];
}

bool is_full_sweep() {
  const char* wanted = std::getenv("HONE_SWEEP");
  return wanted && llvm::StringRef(wanted) == "full";
}

/// Each value once in each dimension: large ones of a dimension go with small ones of the next.
std::vector<Sizes> covering_sizes(const Sizes& names) {
  std::vector<Sizes> all(count);
  for (size_t n = 0; n < count; ++n) {
    size_t dim = 0;
    for (const auto& [name, size] : names) {
      const size_t turned = n + dim / 2 * 6;
      const int64_t value = values[(dim % 2 == 0 ? turned : 2 * count - 1 - turned) % count];
      all[n][name] = std::min(value, most_of(name, names));
      ++dim;
    }
  }
  return all;
}

std::vector<Sizes> all_sizes(const Sizes& names) {
  std::vector<Sizes> all = {{}};
  for (const auto& [name, size] : names) {
    std::vector<Sizes> longer;
    for (const Sizes& sizes : all)
      for (const int64_t value : values) {
        longer.push_back(sizes);
        longer.back()[name] = value;
      }
    all = std::move(longer);
  }
  return all;
}

/// All combinations of three sizes, where they are wanted; those of four would take days.
std::vector<Sizes> sizes_to_try(const Ladder& ladder) {
  return is_full_sweep() && ladder.sizes.size() <= 3 ? all_sizes(ladder.sizes)
                                                     : covering_sizes(ladder.sizes);
}

Sizes of_every_dimension(const Sizes& names, int64_t size) {
  Sizes sizes;
  for (const auto& [name, old_size] : names) sizes[name] = size;
  return sizes;
}

/// The interpreter takes a microsecond for each step of a loop.
std::vector<Sizes> small_ones_of(std::vector<Sizes> all) {
  llvm::erase_if(all, [](const Sizes& sizes) {
    int64_t steps = 1;
    for (const auto& [name, size] : sizes) steps *= size;
    return steps > 10000;
  });
  return all;
}

class Sweep : public testing::TestWithParam<RungCase> {};

INSTANTIATE_TEST_SUITE_P(Ladders, Sweep, testing::ValuesIn(all_rungs()), test_name);

TEST_P(Sweep, GivesTheResultOfThePlainProgram) {
  const auto& [ladder, rung] = GetParam();
  const Device device = GetParam().is_for_gpu() ? Device::simulated() : Device::host();
  PlainProgram(ladder).expect_same(rung, sizes_to_try(ladder), device);
}

TEST_P(Sweep, GivesTheResultOfThePlainProgramOnAGpu) {
  const auto& [ladder, rung] = GetParam();
  if (!GetParam().is_for_gpu()) GTEST_SKIP() << "a rung for the CPU";
  if (const std::string why = why_no_cuda(); !why.empty())
    GTEST_SKIP() << "no CUDA device: " << why;
  PlainProgram(ladder).expect_same(rung, sizes_to_try(ladder), Device::cuda());
}

TEST_P(Sweep, KeepsTheValuesInTheInterpreter) {
  const auto& [ladder, rung] = GetParam();
  std::vector<Sizes> sizes = small_ones_of(covering_sizes(ladder.sizes));
  sizes.push_back(of_every_dimension(ladder.sizes, 7));
  PlainProgram(ladder).expect_same_values(rung, sizes);
}

/// More elements than the grid takes at once; small integers, whose sums are exact.
TEST(SweepSizes, OfSeveralTurnsOfTheGrid) {
  const Ladder reduce = reduce_ladder();
  const auto rung =
      llvm::find_if(reduce.rungs, [](const Rung& r) { return r.name == "last-block"; });
  ASSERT_NE(rung, reduce.rungs.end());
  constexpr int64_t turn = 1056 * 8192;
  for (const int64_t n : {turn + 4, turn + 8193}) {
    std::vector<float> elements(n);
    for (int64_t k = 0; k < n; ++k) elements[k] = static_cast<float>(k % 3 - 1);
    elements[n - 1] = 1000;
    const Device device = Device::simulated();
    const Array<float> a(elements, {n}, device), sum({}, device);
    compile(rung->build({}, {{"n", n}}), {.device = device})(a, sum);
    EXPECT_EQ(sum.to_vector().front(), std::accumulate(elements.begin(), elements.end(), 0.0)) << n;
  }
}

TEST(SweepSizes, HaveEachValueOnceInEachDimension) {
  for (const Ladder& ladder : all_ladders())
    for (const auto& [name, size] : ladder.sizes) {
      std::set<int64_t> seen, expected(std::begin(values), std::end(values));
      for (const Sizes& sizes : covering_sizes(ladder.sizes)) seen.insert(sizes.at(name));
      const int64_t most = most_of(name, ladder.sizes);
      expected.erase(expected.upper_bound(most), expected.end());
      expected.insert(most);
      EXPECT_EQ(seen, expected) << ladder.name << " " << name;
    }
}

}  // namespace sweep_test
}  // namespace hone
