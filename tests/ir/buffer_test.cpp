#include "ir/interpret/buffer.h"

#include <limits>

#include "gtest/gtest.h"

namespace hone {
namespace buffer_test {

using Shape = std::vector<int64_t>;

template <class Action>
std::string length_error_of(Action action) {
  try {
    action();
  } catch (const std::length_error& error) {
    return error.what();
  }
  return "no error";
}

TEST(Buffer, IsZeroFilledWithOneElementPerIndex) {
  const Buffer buffer(f32, {3, 4});
  EXPECT_EQ(buffer.size(), 12);
  EXPECT_EQ(buffer.bytes.size(), 48u);
  for (int64_t position = 0; position < 12; ++position) EXPECT_EQ(buffer.get(position), 0);
}

TEST(Buffer, OfRankZeroHasOneElement) { EXPECT_EQ(Buffer(f64, {}).size(), 1); }

TEST(Buffer, MayBeEmpty) {
  EXPECT_EQ(Buffer(f32, {3, 0}).size(), 0);
  EXPECT_EQ(Buffer(f32, {int64_t{1} << 62, int64_t{1} << 62, 0}).size(), 0);
}

TEST(Buffer, RoundTripsEachType) {
  for (DType type : {f64, f32, f16, bf16, i64, i32, i8, u8}) {
    Buffer buffer(type, {2});
    buffer.set(1, 100);
    EXPECT_EQ(buffer.get(0), 0) << name(type).str();
    EXPECT_EQ(buffer.get(1), 100) << name(type).str();
  }
  Buffer flags(boolean, {2});
  flags.set(1, 7);
  EXPECT_EQ(flags.get(0), 0);
  EXPECT_EQ(flags.get(1), 1);
}

TEST(Buffer, RoundsAndSaturatesWhatIsSet) {
  Buffer halves(f16, {1});
  halves.set(0, 2049);
  EXPECT_EQ(halves.get(0), 2048);
  Buffer bytes(u8, {1});
  bytes.set(0, 300.5);
  EXPECT_EQ(bytes.get(0), 255);
}

TEST(Buffer, RefusesASizeThatOverflows) {
  EXPECT_EQ(length_error_of([] {
              Buffer(f32, {int64_t{1} << 40, int64_t{1} << 40});
            }),
            "f32[1099511627776, 1099511627776] takes more than 2^63 - 1 bytes");
  EXPECT_EQ(length_error_of([] { Buffer(f64, {int64_t{1} << 60}); }),
            "f64[1152921504606846976] takes more than 2^63 - 1 bytes");
}

TEST(Buffer, RefusesANegativeExtent) {
  EXPECT_EQ(length_error_of([] { Buffer(i8, {4, -1}); }), "i8[4, -1] has a negative extent");
  EXPECT_EQ(length_error_of([] { Buffer(i8, {0, -1}); }), "i8[0, -1] has a negative extent");
}

std::vector<int64_t> strides_of(llvm::ArrayRef<Expr> shape, const Layout& layout) {
  return storage_shape(*make_tensor("A", f32, shape, Scope::global, layout), {{"ld", 11}}).strides;
}

TEST(StorageShape, FollowsTheOrder) {
  using Shape = std::vector<int64_t>;
  EXPECT_EQ(strides_of({2, 3, 5}, {}), (Shape{15, 5, 1}));
  EXPECT_EQ(strides_of({2, 3}, Layout::column_major()), (Shape{1, 2}));
  EXPECT_EQ(strides_of({2, 3, 5}, Layout::order({2, 0, 1})), (Shape{3, 1, 6}));
  EXPECT_EQ(strides_of({}, {}), Shape{});
}

TEST(StorageShape, KeepsRowsApart) {
  using Shape = std::vector<int64_t>;
  EXPECT_EQ(strides_of({2, 3, 5}, Layout().pad(3)), (Shape{24, 8, 1}));
  EXPECT_EQ(strides_of({2, 5}, Layout().pitch(ParamRef::make(make_param("ld")))), (Shape{11, 1}));
  EXPECT_EQ(strides_of({2, 5}, Layout::column_major().pitch(ParamRef::make(make_param("ld")))),
            (Shape{1, 11}));
}

}  // namespace buffer_test
}  // namespace hone
