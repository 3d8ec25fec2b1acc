#include "ir/core/layout.h"

#include <set>

#include "fmt/format.h"
#include "fmt/ranges.h"
#include "gtest/gtest.h"
#include "ir/core/layout_problem.h"
#include "ir/interpret/interpreter.h"
#include "ir/text/printer.h"

namespace hone {
namespace layout_test {

const Expr M = ParamRef::make(make_param("M")), ld = ParamRef::make(make_param("ld"));

TensorPtr tile(llvm::ArrayRef<Expr> shape, const Layout& layout, Scope scope = Scope::shared) {
  return make_tensor("T", f32, shape, scope, layout);
}

std::string text(llvm::ArrayRef<Expr> exprs) { return fmt::format("[{}]", fmt::join(exprs, ", ")); }

// ---- Storage ------------------------------------------------------------------------------------

std::string shape_of(llvm::ArrayRef<Expr> shape, const Layout& layout) {
  return text(storage_shape(*tile(shape, layout)));
}

TEST(StorageShape, RunsFromTheSlowestDimensionToThePitch) {
  EXPECT_EQ(shape_of({2, M, 5}, {}), "[2, M, 5]");
  EXPECT_EQ(shape_of({2, M, 5}, Layout::order({2, 0, 1})), "[5, 2, M]");
  EXPECT_EQ(shape_of({2, 5}, Layout().pad(3)), "[2, 8]");
  EXPECT_EQ(shape_of({M, 5}, Layout::column_major().pad(3)), "[5, M + 3]");
  EXPECT_EQ(shape_of({2, 5}, Layout().pitch(ld * 4)), "[2, ld*4]");
  EXPECT_EQ(shape_of({7}, Layout().pitch(9)), "[9]");
  EXPECT_EQ(shape_of({}, {}), "[]");
}

TEST(StorageShape, HasADimensionForEachDigit) {
  const IndexDigit row = 0, column = 1;
  EXPECT_EQ(shape_of({32, 128}, Layout::order({column / 64, 0, column % 64})), "[2, 32, 64]");
  EXPECT_EQ(shape_of({32, 128}, Layout::order({column / 64, 0, column % 64}).pad(4)),
            "[2, 32, 68]");
  EXPECT_EQ(shape_of({16, 24}, Layout::order({row / 8, column / 8, row % 8, column % 8})),
            "[2, 3, 8, 8]");
  EXPECT_EQ(shape_of({32, 100}, Layout::order({column / 64, 0, column / 8 % 8, column % 8})),
            "[2, 32, 8, 8]");
  EXPECT_EQ(shape_of({M, 128}, Layout::order({row / 8, 1, row % 8})), "[(M + 7) / 8, 128, 8]");
}

TEST(StorageShape, HasRoomForAllRows) {
  EXPECT_EQ(to_string(storage_size(*tile({2, 5}, Layout().pad(3)))), "2*8");
  EXPECT_EQ(to_string(storage_size(*tile({M, 5}, Layout::column_major().pitch(ld)))), "5*ld");
  EXPECT_EQ(to_string(storage_size(*tile({}, {}))), "1");
}

TEST(StorageOrder, EndsWithTheFastestDimension) {
  EXPECT_EQ(fastest_dim(*tile({2, 3, 5}, {})), 2);
  EXPECT_EQ(fastest_dim(*tile({2, 3, 5}, Layout::order({2, 0, 1}))), 1);
  EXPECT_EQ(to_string(row_pitch(*tile({2, 3, 5}, Layout::order({2, 0, 1}).pad(1)))), "4");
}

TEST(StorageOffset, FollowsTheLayout) {
  const AxisPtr row = make_axis("r", AxisKind::spatial), column = make_axis("c", AxisKind::spatial);
  const Expr r = AxisRef::make(row), c = AxisRef::make(column);
  const auto offset = [&](const Layout& layout) {
    return to_string(storage_offset(*tile({8, 16}, layout), {r, c}));
  };
  EXPECT_EQ(offset({}), "r*16 + c");
  EXPECT_EQ(offset(Layout().pad(4)), "r*20 + c");
  EXPECT_EQ(offset(Layout::order({1, 0}).pitch(ld)), "c*ld + r");
  EXPECT_EQ(offset(Layout().swizzle({4, 4, 1})), "r*16 + (c ^ (r % 4)*4)");
  EXPECT_EQ(offset(Layout().swizzle({1, 8, 2})), "r*16 + (c ^ r / 2 % 8)");
  EXPECT_EQ(offset(Layout::order({1, 0}).swizzle({2, 4, 1}).pad(2)), "c*10 + (r ^ (c % 4)*2)");
  EXPECT_EQ(to_string(storage_offset(*tile({}, {}), {})), "0");
}

TEST(StorageOffset, TakesIndicesApart) {
  const AxisPtr row = make_axis("r", AxisKind::spatial), column = make_axis("c", AxisKind::spatial);
  const Expr r = AxisRef::make(row), c = AxisRef::make(column);
  const auto indices = [&](const Layout& layout) {
    return text(storage_indices(*tile({32, 128}, layout), {r, c}));
  };
  const Layout panels = Layout::order({IndexDigit(1) / 64, 0, IndexDigit(1) % 64});
  EXPECT_EQ(indices(panels), "[c / 64, r, c % 64]");
  EXPECT_EQ(indices(panels.swizzle({8, 8})), "[c / 64, r, c % 64 ^ (r % 8)*8]");
  EXPECT_EQ(indices(panels.swizzle({8, 2, 1, 2, 0})), "[c / 64, r, c % 64 ^ (c / 64 % 2)*8]");
  EXPECT_EQ(indices(panels.swizzle({8, 8}).swizzle({1, 4, 1, 1, 2})),
            "[c / 64, r ^ (c % 64 ^ (r % 8)*8) % 4, c % 64 ^ (r % 8)*8]");
  EXPECT_EQ(
      indices(Layout::order({0, IndexDigit(1) / 8 % 4, IndexDigit(1) / 32, IndexDigit(1) % 8})),
      "[r, c / 8 % 4, c / 32, c % 8]");
}

/// As many dimensions as tell apart rows with different permutations.
TEST(StorageOffset, CountsRowsOverDimensions) {
  const auto column = [&](std::initializer_list<Expr> shape, const Swizzle& swizzle) {
    llvm::SmallVector<Expr, 4> indices;
    for (size_t dim = 0; dim < shape.size(); ++dim)
      indices.push_back(AxisRef::make(make_axis(std::string(1, "nyxc"[dim]), AxisKind::spatial)));
    return to_string(storage_indices(*tile(shape, Layout().swizzle(swizzle)), indices).back());
  };
  EXPECT_EQ(column({3, 8, 8, 64}, {8, 8}), "c ^ (x % 8)*8");
  EXPECT_EQ(column({3, 8, 4, 64}, {8, 8}), "c ^ (x % 4)*8 ^ (y % 2)*32");
  EXPECT_EQ(column({8, 2, 2, 64}, {8, 8}), "c ^ (x % 2)*8 ^ (y % 2)*16 ^ (n % 2)*32");
  EXPECT_EQ(column({3, 8, 1, 64}, {8, 8}), "c ^ (y % 8)*8");
  EXPECT_EQ(column({3, 8, 4, 32}, {8, 4, 2}), "c ^ (x / 2 % 2)*8 ^ (y % 2)*16");
  EXPECT_EQ(column({3, 8, 2, 16}, {8, 2, 4}), "c ^ (y / 2 % 2)*8");
  EXPECT_EQ(column({3, 8, 6, 64}, {8, 8}), "c ^ (x % 8)*8");  // 6 is no digit
}

/// Each element has a place of its own, within the storage.
void expect_bijection(const TensorNode& tensor) {
  ASSERT_EQ(layout_problem(tensor), std::nullopt) << to_string(tensor.layout);
  const auto shape = storage_shape(tensor);
  std::set<int64_t> places;
  for (int64_t row = 0; row < *as_int(tensor.shape[0]); ++row)
    for (int64_t column = 0; column < *as_int(tensor.shape[1]); ++column) {
      const auto digits = storage_indices(tensor, {row, column});
      for (size_t n = 0; n < digits.size(); ++n) {
        const int64_t digit = evaluate(digits[n], {});
        EXPECT_TRUE(digit >= 0 && digit < *as_int(shape[n])) << to_string(tensor.layout);
      }
      places.insert(evaluate(storage_offset(tensor, {row, column}), {}));
    }
  EXPECT_EQ(static_cast<int64_t>(places.size()),
            *as_int(tensor.shape[0]) * *as_int(tensor.shape[1]))
      << to_string(tensor.layout);
}

TEST(StorageOffset, GivesEachElementAPlaceOfItsOwn) {
  const IndexDigit row = 0, column = 1;
  const Layout cores = Layout::order({row / 8, column / 8, row % 8, column % 8});
  for (const Layout& layout :
       {cores, cores.pad(1), cores.swizzle({1, 8}), cores.swizzle({2, 4, 2, 3, 0}),
        cores.swizzle({1, 8}).swizzle({1, 4, 1, 2, 3}).swizzle({1, 2, 1, 1, 2}),
        Layout::order({column % 4, 0, column / 4}),
        Layout::order({column / 4 % 2, row % 2, column / 8, row / 2, column % 4})})
    expect_bijection(*tile({16, 32}, layout));
  expect_bijection(*tile({5, 100}, Layout::order({column / 64, 0, column % 64}).pad(3)));
}

TEST(StorageOrder, OfDigitsGoesByTheFastestOfADimension) {
  const IndexDigit row = 0, column = 1;
  const auto order = [](const Layout& layout) {
    return fmt::format("{}", fmt::join(storage_order(*tile({32, 128}, layout)), ", "));
  };
  EXPECT_EQ(order(Layout::order({column / 64, 0, column % 64})), "0, 1");
  EXPECT_EQ(order(Layout::order({row / 8, column / 8, column % 8, row % 8})), "1, 0");
}

// ---- Swizzles -----------------------------------------------------------------------------------

int64_t column_of(const TensorNode& tensor, int64_t row, int64_t column) {
  return evaluate(storage_indices(tensor, {row, column})[1], {});
}

/// Within each row, elements change places; chunks stay together.
void expect_permutes_chunks(const Swizzle& swizzle, int64_t columns) {
  const TensorPtr tensor = tile({16, columns}, Layout().swizzle(swizzle));
  ASSERT_EQ(layout_problem(*tensor), std::nullopt);
  for (int64_t row = 0; row < 16; ++row) {
    std::set<int64_t> places;
    for (int64_t column = 0; column < columns; ++column) {
      const int64_t place = column_of(*tensor, row, column);
      EXPECT_TRUE(place >= 0 && place < columns);
      EXPECT_EQ(place % swizzle.chunk, column % swizzle.chunk);
      EXPECT_EQ(place, column_of(*tensor, row % (swizzle.rows * swizzle.period), column));
      places.insert(place);
    }
    EXPECT_EQ(places.size(), static_cast<size_t>(columns)) << "two elements lie in one place";
  }
}

TEST(Swizzle, PermutesTheChunksOfARow) {
  for (const int64_t chunk : {1, 2, 4, 8})
    for (const int64_t period : {1, 2, 4, 8})
      for (const int64_t rows : {1, 2, 3, 8})
        for (const int64_t spans : {1, 3})
          expect_permutes_chunks({chunk, period, rows}, chunk * period * spans);
}

TEST(Swizzle, SpreadsAColumnOverThePeriod) {
  const TensorPtr tensor = tile({8, 32}, Layout().swizzle({4, 8, 1}));
  std::set<int64_t> places;
  for (int64_t row = 0; row < 8; ++row) places.insert(column_of(*tensor, row, 5));
  EXPECT_EQ(places, (std::set<int64_t>{1, 5, 9, 13, 17, 21, 25, 29}));
}

// ---- Problems -----------------------------------------------------------------------------------

std::string problem(llvm::ArrayRef<Expr> shape, const Layout& layout, Scope scope = Scope::shared) {
  return layout_problem(*tile(shape, layout, scope)).value_or("fits");
}

TEST(LayoutProblem, IsNoneWhereTheLayoutFits) {
  EXPECT_EQ(problem({}, {}), "fits");
  EXPECT_EQ(problem({2, 3, 5}, Layout::order({2, 0, 1})), "fits");
  EXPECT_EQ(problem({M, 8}, Layout().pitch(8)), "fits");
  EXPECT_EQ(problem({M, 8}, Layout().pitch(ld * 2 + 1), Scope::global), "fits");
  EXPECT_EQ(problem({M, 8}, Layout::order({0, 1}).pad(4).swizzle({2, 4, 3})), "fits");
}

TEST(LayoutProblem, NamesAnOrderThatIsNone) {
  EXPECT_EQ(problem({8, 8}, Layout::order({0})),
            "its order (0) does not name each of 2 dimensions once");
  EXPECT_EQ(problem({8, 8}, Layout::order({0, 0})),
            "its order (0, 0) does not name each of 2 dimensions once");
  EXPECT_EQ(problem({8, 8}, Layout::order({1, 2})),
            "its order (1, 2) does not name each of 2 dimensions once");
  EXPECT_EQ(problem({8, 8}, Layout::order({-1, 0})),
            "its order (-1, 0) does not name each of 2 dimensions once");
}

TEST(LayoutProblem, NamesGapsThatAreNone) {
  const Expr axis = AxisRef::make(make_axis("i", AxisKind::spatial));
  EXPECT_EQ(problem({}, Layout().pad(4)), "it has no dimensions");
  EXPECT_EQ(problem({8}, Layout().pad(-4)), "the padding -4 is negative");
  EXPECT_EQ(problem({8}, Layout().pad(4).pitch(12)), "it has both a pitch and a padding");
  EXPECT_EQ(problem({8}, Layout().pitch(axis + 8)),
            "the pitch i + 8 is not made of params and constants");
  EXPECT_EQ(problem({8}, Layout().pitch(IntConst::make(8, i32))),
            "the pitch 8i32 is not made of params and constants");
  EXPECT_EQ(problem({4, 8}, Layout().pitch(7)), "the pitch 7 is less than a row of 8 elements");
  EXPECT_EQ(problem({4, 8}, Layout::column_major().pitch(3)),
            "the pitch 3 is less than a row of 4 elements");
}

TEST(LayoutProblem, NamesASwizzleThatDoesNotFit) {
  EXPECT_EQ(problem({8, 8}, Layout().swizzle({4, 2, 1}), Scope::global),
            "a swizzle is for shared memory");
  EXPECT_EQ(problem({8}, Layout().swizzle({4, 2, 1})), "a swizzle takes two dimensions");
  EXPECT_EQ(problem({8, 24}, Layout().swizzle({3, 2, 1})),
            "a swizzle has a chunk and a period that are powers of two, got 3 and 2");
  EXPECT_EQ(problem({8, 24}, Layout().swizzle({2, 6, 1})),
            "a swizzle has a chunk and a period that are powers of two, got 2 and 6");
  EXPECT_EQ(problem({8, 24}, Layout().swizzle({4, 4, 1})),
            "4 chunks of 4 elements change places, and a row of 24 elements is no multiple of 16");
  EXPECT_EQ(problem({8, M}, Layout().swizzle({4, 4, 1})),
            "4 chunks of 4 elements change places, and a row of M elements is no multiple of 16");
}

TEST(LayoutProblem, NamesDigitsThatDoNotMakeUpTheIndex) {
  const IndexDigit row = 0, column = 1;
  EXPECT_EQ(problem({8, 128}, Layout::order({column / 64, 0, column % 64})), "fits");
  EXPECT_EQ(problem({8, 128}, Layout::order({column / 64, 0, column % 32})),
            "its order (1/64, 0, 1%32) does not have each part of the index of dimension 1 once");
  EXPECT_EQ(problem({8, 128}, Layout::order({column / 64, 0, 1})),
            "its order (1/64, 0, 1) does not have each part of the index of dimension 1 once");
  EXPECT_EQ(problem({8, 128}, Layout::order({0, column % 64})),
            "its order (0, 1%64) leaves out dimension 1 / 64");
  EXPECT_EQ(problem({8, 128}, Layout::order({column / 64, column % 64})),
            "its order (1/64, 1%64) leaves out dimension 0");
  EXPECT_EQ(problem({8, 128}, Layout::order({IndexDigit(2) / 64, 0, 1})),
            "its order (2/64, 0, 1) names dimension 2, of 2");
  EXPECT_EQ(problem({8, 128}, Layout::order({row / 8, 1, row % 8})),
            "the digit 0/8 of its order is always 0: dimension 0 has 8 elements");
  EXPECT_EQ(problem({8, 128}, Layout::order({row / 0, 1, row % 0})),
            "the digit 0/0 of its order divides by less than 1, or has one value");
  EXPECT_EQ(problem({8, 128}, Layout::order({row / 1, 1, row % 1})),
            "the digit 0%1 of its order divides by less than 1, or has one value");
  EXPECT_EQ(problem({8, 128}, Layout::order({column / 64, 0, column % 64}), Scope::global),
            "indices are taken apart in shared memory alone");
  EXPECT_EQ(problem({8, 128}, Layout::order({column / 64, 0, column % 64}).pitch(80)),
            "a pitch is of rows of whole indices; say pad");
}

TEST(LayoutProblem, NamesASwizzleOfDigitsThatThereAreNot) {
  const Layout panels = Layout::order({IndexDigit(1) / 64, 0, IndexDigit(1) % 64});
  EXPECT_EQ(problem({8, 128}, panels.swizzle({8, 8, 1, 2, 0}).swizzle({1, 2, 1, 0, 2})), "fits");
  EXPECT_EQ(problem({8, 128}, panels.swizzle({8, 8, 1, 2, 3})),
            "a swizzle is of two of the digits 0 to 2, got 2 and 3");
  EXPECT_EQ(problem({8, 128}, panels.swizzle({8, 8, 1, 1, 1})),
            "a swizzle is of two of the digits 0 to 2, got 1 and 1");
  EXPECT_EQ(problem({8, 128}, panels.swizzle({1, 4, 1, 0, 2})),
            "4 chunks of 1 values change places, and the 2 values of digit 0 are no multiple of 4");
}

TEST(LayoutProblem, NamesASwizzleOfNoRows) {
  EXPECT_EQ(problem({8, 8}, Layout().swizzle({4, 2, 0})),
            "neighbouring rows share a permutation 1 or more at a time, got 0");
}

// ---- Text ---------------------------------------------------------------------------------------

TEST(LayoutText, NamesWhatDiffersFromRowMajor) {
  EXPECT_EQ(to_string(Layout()), "");
  EXPECT_EQ(to_string(Layout::order({1, 0}).pad(4).swizzle({4, 8, 2})),
            " @order(1, 0) @pad(4) @swizzle(4, 8, 2)");
  EXPECT_EQ(to_string(Layout().pitch(ld + 4)), " @pitch(ld + 4)");
  EXPECT_EQ(
      to_string(Layout::order({IndexDigit(1) / 64, 0, IndexDigit(1) / 8 % 8, IndexDigit(1) % 8})
                    .swizzle({1, 8})
                    .swizzle({1, 2, 4, 1, 0})),
      " @order(1/64, 0, 1/8%8, 1%8) @swizzle(1, 8, 1) @swizzle(1, 2, 4, 1 ^ 0)");
}

TEST(WithLayout, KeepsAllElse) {
  const TensorPtr before = make_tensor("T", f16, {8, 16}, Scope::shared, Layout().pad(2), 512);
  const TensorPtr after = with_layout(*before, Layout::order({1, 0}));
  EXPECT_EQ(declaration(*after), "T: f16[8, 16] @order(1, 0)");
  EXPECT_EQ(after->scope, Scope::shared);
  EXPECT_EQ(after->address, 512);
}

}  // namespace layout_test
}  // namespace hone
