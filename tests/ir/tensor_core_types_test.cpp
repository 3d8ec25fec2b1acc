// tf32 and floats of 8 bits: they are elements of memory, and tensor cores alone compute with them.
#include <gtest/gtest.h>

#include "ir/scalar/scalar.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"
#include "ir/verify/verifier.h"
#include "tests/support/ir/run.h"

namespace hone {
namespace tensor_core_types_test {

constexpr DType types[] = {tf32, f8e4m3, f8e5m2};

Expr element(const char* tensor, DType type) {
  return Load::make(make_tensor(tensor, type, {}), {});
}

std::string definition_error(const std::function<Expr()>& make) {
  return message_of<DefinitionError>([&] { make(); });
}

TEST(TensorCoreTypes, AreFloatsOfMemory) {
  for (const DType type : types) {
    EXPECT_TRUE(is_float(type));
    EXPECT_FALSE(has_arithmetic(type));
    EXPECT_EQ(parse_dtype(name(type)), type);
    EXPECT_EQ(size_of(type), type == tf32 ? 4 : 1);
  }
  EXPECT_EQ(ptx_name(tf32), "tf32");
  EXPECT_EQ(ptx_name(f8e4m3), "e4m3");
  EXPECT_EQ(ptx_name(i8), "s8");
}

TEST(TensorCoreTypes, AreElementsOfText) {
  const std::string text = R"(func f(A: tf32[4], B: f8e4m3[4], C: f8e5m2[4]) {
  for i in 0..4 {
    A[i] = select(i < 2, 1.5tf32, nan_tf32)
    B[i] = select(i < 2, f8e4m3(A[i]), 0.5f8e4m3)
    C[i] = f8e5m2(f32(B[i]))
  }
})";
  EXPECT_EQ(to_string(parse_function(text)), text);
}

TEST(TensorCoreTypes, AreNotComputedWith) {
  for (const DType type : types) {
    const Expr x = element("x", type);
    const std::string which = " of x[], which is " + name(type).str() +
                              ", a type without arithmetic; cast it to f32 first";
    EXPECT_EQ(definition_error([&] { return x + x; }), "sum" + which);
    EXPECT_EQ(definition_error([&] { return 2.0 * x; }), "product" + which);
    EXPECT_EQ(definition_error([&] { return x < x; }), "comparison" + which);
    EXPECT_EQ(definition_error([&] { return max(x, x); }), "max" + which);
    EXPECT_EQ(definition_error([&] { return -x; }), "negation" + which);
    EXPECT_EQ(definition_error([&] { return Call::make(Intrinsic::exp, {x}); }), "exp" + which);
    EXPECT_EQ(
        definition_error([&] { return pair(x, x); }),
        "x[] has type " + name(type).str() +
            ", and the components of a tuple are bools and numbers with arithmetic; use cast");
  }
}

TEST(TensorCoreTypes, AreNotAddedUp) {
  const Function sum =
      parse_function("func f(A: tf32[4], S: tf32[]) { for i in 0..4 { S[] += A[i] } }");
  EXPECT_EQ(verify(sum), "S is tf32, which '+=' does not take");
}

TEST(TensorCoreTypes, LieInMemoryAsTheirPatterns) {
  const uint32_t float_bits = 0x3f801fff;
  EXPECT_EQ(read_element(tf32, reinterpret_cast<const std::byte*>(&float_bits)).real, 1);
  uint32_t written = 0;
  write_element(reinterpret_cast<std::byte*>(&written), Scalar::of_float(tf32, 1 + 0x1p-11));
  EXPECT_EQ(written, 0x3f802000);
  uint8_t byte = 0;
  write_element(reinterpret_cast<std::byte*>(&byte), Scalar::of_float(f8e4m3, -1000));
  EXPECT_EQ(byte, 0xfe);
  EXPECT_EQ(read_element(f8e4m3, reinterpret_cast<const std::byte*>(&byte)).real, -448);
}

}  // namespace tensor_core_types_test
}  // namespace hone
