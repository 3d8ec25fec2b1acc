// Random inputs that are indices lie in the dimensions that they are indices in.
#include <set>

#include "dsl/schedule.h"
#include "gmock/gmock.h"
#include "tools/cli/judge/problem.h"

namespace hone {
namespace random_indices_test {

/// The values of `place`, an input of so many elements.
template <class T>
std::set<int64_t> values_of(const Program& program, const Sizes& sizes) {
  std::set<int64_t> values;
  for (const Argument& argument : make_problem(program.function(), sizes, {}, 1).arguments)
    if (argument.tensor->name == "place")
      for (const T value : Array<T>(argument.array).to_vector()) values.insert(value);
  return values;
}

std::set<int64_t> from_to(int64_t first, int64_t last) {
  std::set<int64_t> values;
  for (int64_t value = first; value <= last; ++value) values.insert(value);
  return values;
}

/// out[i] = table[place[i]] + other[0, place[i]]
Program two_gathers(DType type) {
  const Param m("m"), n("n");
  const Tensor place("place", type, {5000}), table("table", f32, {m}), other("other", f32, {1, n});
  const Tensor out("out", f32, {5000});
  const Axis i("i", 5000);
  return Program("gathers", out(i) = table(place(i)) + other(0, place(i)));
}

TEST(RandomIndices, AreAllOfTheLeastDimension) {
  EXPECT_EQ(values_of<int32_t>(two_gathers(i32), {{"m", 7}, {"n", 9}}), from_to(0, 6));
  EXPECT_EQ(values_of<int64_t>(two_gathers(i64), {{"m", 100}, {"n", 1}}), from_to(0, 0));
}

TEST(RandomIndices, AreThoseThatTheTypeHas) {
  EXPECT_EQ(values_of<int8_t>(two_gathers(i8), {{"m", 300}, {"n", 500}}), from_to(0, 127));
  EXPECT_EQ(values_of<uint8_t>(two_gathers(u8), {{"m", 300}, {"n", 3}}), from_to(0, 2));
}

/// Random bytes are 0 to 15, and stay so where the dimension has sixteen elements.
TEST(RandomIndices, AreOtherIntegersWhereTheseFit) {
  EXPECT_EQ(values_of<uint8_t>(two_gathers(u8), {{"m", 300}, {"n", 16}}), from_to(0, 15));
}

TEST(RandomIndices, OfAScatterAreInTheResult) {
  const Tensor place("place", i32, {5000}), bins("bins", i32, {11});
  const ReduceAxis k("k", 5000);
  EXPECT_EQ(values_of<int32_t>(Program("histogram", bins(place(k)) = sum(k, 1)), {}),
            from_to(0, 10));
}

TEST(RandomIndices, AreNoneThatAreComputedWith) {
  const Tensor place("place", i32, {5000}), out("out", i32, {5000});
  const Axis i("i", 5000);
  EXPECT_EQ(values_of<int32_t>(Program("sums", out(i) = place(i) + 1), {}), from_to(-8, 7));
}

}  // namespace random_indices_test
}  // namespace hone
