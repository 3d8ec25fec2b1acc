// Every operation of the simulated device, for lanes and for uniform values, against
// ir/scalar/scalar.h.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "ir/scalar/scalar.h"
#include "ir/text/printer.h"
#include "tests/support/runtime/sim_run.h"

namespace hone {
namespace sim_operations_test {

constexpr DType float_types[] = {f64, f32, f16, bf16, DType::ring64, DType::ring32, DType::ring16};
constexpr DType integer_types[] = {i64, i32, i8, u8};
constexpr DType tensor_types[] = {
    f64, f32,     f16,           bf16,          i64,           i32,         i8,
    u8,  boolean, DType::ring64, DType::ring32, DType::ring16, DType::ring8};

std::vector<Scalar> samples(DType type) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  std::vector<Scalar> values;
  if (is_float(type)) {
    for (const double value : {0.0,
                               -0.0,
                               1.0,
                               -1.0,
                               1.5,
                               -2.75,
                               1.0 / 3,
                               3.1415926535,
                               1e-3,
                               255.0,
                               -256.0,
                               2049.0,
                               65504.0,
                               65519.0,
                               6e-8,
                               -6.1e-5,
                               1e-45,
                               3e38,
                               1e300,
                               1e-310,
                               infinity,
                               -infinity,
                               nan,
                               2.5,
                               -127.5,
                               1234567.0,
                               5e9,
                               0.0625,
                               1 + 0x1p-11 + 0x1p-40,
                               1 + 0x1p-8 + 0x1p-40,
                               1e19})
      values.push_back(Scalar::of_float(type, value));
    return values;
  }
  for (const int64_t value :
       {int64_t{0}, int64_t{1}, int64_t{-1}, int64_t{2}, int64_t{3}, int64_t{-7}, int64_t{100},
        int64_t{127}, int64_t{-128}, int64_t{255}, int64_t{65537}, int64_t{2147483647},
        int64_t{-2147483648}, int64_t{5000000000}, (int64_t{1} << 53) + 1,
        (int64_t{1} << 62) + (int64_t{1} << 54) + 1, INT64_MAX, INT64_MIN})
    values.push_back(Scalar::of_int(type, value));
  return values;
}

using Operands = std::vector<Scalar>;

/// Everything that `arity` samples make up, and has a value.
std::vector<Operands> combinations(llvm::ArrayRef<DType> types,
                                   const std::function<Scalar(const Operands&)>& compute) {
  std::vector<Operands> all = {{}};
  for (const DType type : types) {
    std::vector<Operands> longer;
    for (const Operands& operands : all) {
      for (const Scalar& sample : samples(type)) {
        longer.push_back(operands);
        longer.back().push_back(sample);
      }
    }
    all = std::move(longer);
  }
  llvm::erase_if(all, [&](const Operands& operands) {
    return !message_of<ArithmeticError>([&] { compute(operands); }).starts_with("no error");
  });
  return all;
}

Expr constant(const Scalar& value) {
  return is_float(value.type) ? FloatConst::make(value.real, value.type)
                              : IntConst::make(value.integer, value.type);
}

Buffer buffer_of_scalars(DType type, llvm::ArrayRef<Scalar> values) {
  Buffer buffer(type, {static_cast<int64_t>(values.size())});
  for (size_t number = 0; number < values.size(); ++number)
    write_element(buffer.bytes.data() + number * size_of(type), values[number]);
  return buffer;
}

/// One operation: its IR, its meaning, and the types of operands and result.
struct Case {
  std::function<Expr(llvm::ArrayRef<Expr>)> make;
  std::function<Scalar(const Operands&)> compute;
  std::vector<DType> operand_types;
  DType result_type;
};

void expect_equal(const Buffer& buffer, llvm::ArrayRef<Operands> operands, const Case& operation) {
  for (size_t number = 0; number < operands.size(); ++number) {
    const Scalar expected = operation.compute(operands[number]);
    const Scalar actual =
        read_element(buffer.type, buffer.bytes.data() + number * size_of(buffer.type));
    const bool both_nan =
        is_float(buffer.type) && std::isnan(expected.real) && std::isnan(actual.real);
    llvm::SmallVector<Expr, 3> constants;
    for (const Scalar& operand : operands[number]) constants.push_back(constant(operand));
    const bool equal = both_nan || actual.integer == expected.integer;
    EXPECT_TRUE(equal) << to_string(operation.make(constants)) << " is " << to_string(actual)
                       << ", not " << to_string(expected);
  }
}

KernelFunction make_kernel(const std::vector<TensorPtr>& arguments, int64_t threads, Stmt body) {
  KernelFunction kernel;
  kernel.name = "operation";
  kernel.arguments.assign(arguments.begin(), arguments.end());
  kernel.grid = {Expr((threads + 63) / 64), Expr(1), Expr(1)};
  kernel.block = {Expr(64), Expr(1), Expr(1)};
  kernel.body = std::move(body);
  return kernel;
}

/// C[i] = operation(A0[i], A1[i]...), a lane for each combination.
void check_lanes(const Case& operation) {
  const std::vector<Operands> operands = combinations(operation.operand_types, operation.compute);
  const auto count = static_cast<int64_t>(operands.size());
  const Expr i =
      ThreadIndex::make(IndexSpace::block, 0) * 64 + ThreadIndex::make(IndexSpace::thread, 0);
  Buffers buffers;
  std::vector<TensorPtr> arguments;
  llvm::SmallVector<Expr, 3> loads;
  for (size_t number = 0; number < operation.operand_types.size(); ++number) {
    const DType type = operation.operand_types[number];
    arguments.push_back(make_tensor("A" + std::to_string(number), type, {Expr(count)}));
    loads.push_back(Load::make(arguments.back(), i));
    std::vector<Scalar> column;
    for (const Operands& row : operands) column.push_back(row[number]);
    buffers[arguments.back()->name] = buffer_of_scalars(type, column);
  }
  arguments.push_back(make_tensor("C", operation.result_type, {Expr(count)}));
  buffers["C"] = Buffer(operation.result_type, {count});
  const Stmt store = Store::make(arguments.back(), i, Update::set, operation.make(loads));
  run_on_sim(make_kernel(arguments, count, If::make(i < count, store)), {}, buffers);
  expect_equal(buffers["C"], operands, operation);
}

/// C[n] = operation(constants), a statement for each combination.
void check_uniform(const Case& operation) {
  const std::vector<Operands> operands = combinations(operation.operand_types, operation.compute);
  const auto count = static_cast<int64_t>(operands.size());
  const TensorPtr C = make_tensor("C", operation.result_type, {Expr(count)});
  std::vector<Stmt> stores;
  for (int64_t number = 0; number < count; ++number) {
    llvm::SmallVector<Expr, 3> constants;
    for (const Scalar& operand : operands[number]) constants.push_back(constant(operand));
    stores.push_back(Store::make(C, Expr(number), Update::set, operation.make(constants)));
  }
  Buffers buffers = {{"C", Buffer(operation.result_type, {count})}};
  run_on_sim(make_kernel({C}, 64, Seq::make(stores)), {}, buffers);
  expect_equal(buffers["C"], operands, operation);
}

void check(const Case& operation) {
  check_lanes(operation);
  check_uniform(operation);
}

Case binary_case(BinaryOp op, DType type) {
  return {[op](llvm::ArrayRef<Expr> e) { return Binary::make(op, e[0], e[1]); },
          [op](const Operands& s) { return hone::apply(op, s[0], s[1]); },
          {type, type},
          is_comparison(op) ? boolean : type};
}

constexpr BinaryOp arithmetic[] = {BinaryOp::add, BinaryOp::sub, BinaryOp::mul,
                                   BinaryOp::div, BinaryOp::min, BinaryOp::max};
constexpr BinaryOp comparisons[] = {BinaryOp::eq, BinaryOp::ne, BinaryOp::lt,
                                    BinaryOp::le, BinaryOp::gt, BinaryOp::ge};

TEST(SimOperations, ArithmeticOfFloatsIsThatOfScalars) {
  for (const DType type : float_types)
    for (const BinaryOp op : arithmetic) check(binary_case(op, type));
}

TEST(SimOperations, ArithmeticOfIntegersIsThatOfScalars) {
  for (const DType type : integer_types) {
    for (const BinaryOp op : arithmetic) check(binary_case(op, type));
    check(binary_case(BinaryOp::mod, type));
    for (const BinaryOp op :
         {BinaryOp::bit_and, BinaryOp::bit_or, BinaryOp::bit_xor, BinaryOp::shl, BinaryOp::shr})
      check(binary_case(op, type));
    check({[](llvm::ArrayRef<Expr> e) { return ~e[0]; },
           [](const Operands& s) { return hone::apply(UnaryOp::bit_not, s[0]); },
           {type},
           type});
  }
}

TEST(SimOperations, ComparisonsAreThoseOfScalars) {
  for (const DType type : {f64, f32, f16, bf16, i64, i32, i8, u8})
    for (const BinaryOp op : comparisons) check(binary_case(op, type));
}

TEST(SimOperations, LogicIsThatOfScalars) {
  for (const BinaryOp op :
       {BinaryOp::logical_and, BinaryOp::logical_or, BinaryOp::eq, BinaryOp::ne})
    check(binary_case(op, boolean));
  check({[](llvm::ArrayRef<Expr> e) { return !e[0]; },
         [](const Operands& s) { return hone::apply(UnaryOp::logical_not, s[0]); },
         {boolean},
         boolean});
}

TEST(SimOperations, NegationIsThatOfScalars) {
  for (const DType type : {f64, f32, f16, bf16, i64, i32, i8, u8})
    check({[](llvm::ArrayRef<Expr> e) { return -e[0]; },
           [](const Operands& s) { return hone::apply(UnaryOp::negate, s[0]); },
           {type},
           type});
}

TEST(SimOperations, SelectTakesTheOneOrTheOther) {
  for (const DType type : tensor_types)
    check({[](llvm::ArrayRef<Expr> e) { return select(e[0], e[1], e[2]); },
           [](const Operands& s) { return s[0].integer ? s[1] : s[2]; },
           {boolean, type, type},
           type});
}

TEST(SimOperations, CastsAreThoseOfScalars) {
  for (const DType to : tensor_types)
    for (const DType from : tensor_types)
      check({[to](llvm::ArrayRef<Expr> e) { return cast(to, e[0]); },
             [to](const Operands& s) { return convert(to, s[0]); },
             {from},
             to});
}

TEST(SimOperations, CastsThroughAnIndexAreThoseOfScalars) {
  for (const DType type : tensor_types)
    check({[type](llvm::ArrayRef<Expr> e) { return cast(type, cast(DType::index, e[0])); },
           [type](const Operands& s) { return convert(type, convert(DType::index, s[0])); },
           {type},
           type});
}

Case intrinsic_case(Intrinsic intrinsic, DType type) {
  return {[intrinsic](llvm::ArrayRef<Expr> e) { return Call::make(intrinsic, e); },
          [intrinsic](const Operands& s) { return hone::apply(intrinsic, s); },
          std::vector<DType>(arity(intrinsic), type), type};
}

TEST(SimOperations, IntrinsicsAreThoseOfScalars) {
  for (const DType type : float_types)
    for (const Intrinsic intrinsic :
         {Intrinsic::exp, Intrinsic::log, Intrinsic::sqrt, Intrinsic::rsqrt, Intrinsic::tanh,
          Intrinsic::tanh_approx, Intrinsic::erf, Intrinsic::abs, Intrinsic::pow, Intrinsic::sin,
          Intrinsic::cos, Intrinsic::floor, Intrinsic::ceil, Intrinsic::round})
      check(intrinsic_case(intrinsic, type));
  for (const DType type : integer_types) check(intrinsic_case(Intrinsic::abs, type));
}

TEST(SimOperations, AFusedMultiplyAddIsThatOfScalars) {
  for (const DType type : float_types) check_lanes(intrinsic_case(Intrinsic::fma, type));
}

/// All bit patterns near those where rounding changes its ways, and a spread over the others.
TEST(SimOperations, RoundingToHalvesIsThatOfScalars) {
  std::vector<Scalar> values;
  for (uint64_t bits = 0; bits <= 0xffffffff; bits += (bits & 0x1fff) < 3 ? 1 : 0x0ffd)
    values.push_back(Scalar::of_float(f32, std::bit_cast<float>(static_cast<uint32_t>(bits))));
  const auto count = static_cast<int64_t>(values.size());
  for (const DType type : {f16, bf16}) {
    const TensorPtr A = make_tensor("A", f32, {Expr(count)}),
                    C = make_tensor("C", type, {Expr(count)});
    const Expr i =
        ThreadIndex::make(IndexSpace::block, 0) * 64 + ThreadIndex::make(IndexSpace::thread, 0);
    const Stmt store = Store::make(C, i, Update::set, cast(type, Load::make(A, i)));
    Buffers buffers = {{"A", buffer_of_scalars(f32, values)}, {"C", Buffer(type, {count})}};
    run_on_sim(make_kernel({A, C}, count, If::make(i < count, store)), {}, buffers);
    int64_t wrong = 0;
    for (int64_t number = 0; number < count; ++number) {
      const Scalar expected = convert(type, values[number]);
      const Scalar actual = read_element(type, buffers["C"].bytes.data() + number * 2);
      const bool both_nan = std::isnan(expected.real) && std::isnan(actual.real);
      wrong += !both_nan && actual.integer != expected.integer;
    }
    EXPECT_EQ(wrong, 0) << name(type).str() << " of " << count;
  }
}

}  // namespace sim_operations_test
}  // namespace hone
