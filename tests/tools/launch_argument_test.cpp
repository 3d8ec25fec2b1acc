#include "tools/cli/cuda/launch_argument.h"

#include <limits>

#include "gmock/gmock.h"
#include "runtime/error.h"
#include "runtime/io/npy.h"
#include "tests/support/runtime/errors.h"
#include "tests/support/runtime/temporary_folder.h"
#include "tools/cli/arguments.h"

namespace hone {
namespace launch_argument_test {

using testing::ElementsAre;

LaunchArgument read(const std::string& text, uint64_t seed = 1, unsigned number = 1) {
  return read_launch_argument(text, {{"N", 4}, {"M", 2}}, seed, number);
}

std::string refusal(const std::string& text) {
  return thrown_message<UsageError>([&] { read(text); });
}

std::vector<std::string> elements(const ElementArray& array) {
  std::vector<std::string> texts;
  for (int64_t n = 0; n < array.size(); ++n)
    texts.push_back(element_text(*array.type, array.at(n)));
  return texts;
}

std::string scalar(const std::string& text) {
  const LaunchArgument argument = read(text);
  EXPECT_EQ(argument.kind, ArgumentKind::scalar);
  EXPECT_EQ(argument.bytes.size(), static_cast<size_t>(argument.type->bytes));
  return element_text(*argument.type, read_element(*argument.type, argument.bytes.data()));
}

TEST(LaunchArgument, ReadsScalarsOfAllTypes) {
  EXPECT_EQ(scalar("i32:-3"), "-3");
  EXPECT_EQ(scalar("i32:N*M+1"), "9");
  EXPECT_EQ(scalar("u8:255"), "255");
  EXPECT_EQ(scalar("u64:18446744073709551615"), "18446744073709551615");
  EXPECT_EQ(scalar("i64:-9223372036854775808"), "-9223372036854775808");
  EXPECT_EQ(scalar("u16:0xffff"), "65535");
  EXPECT_EQ(scalar("f64:0.1"), "0.1");
  EXPECT_EQ(scalar("f32:0.1"), "0.1");
  EXPECT_EQ(scalar("f32:N"), "4");
  EXPECT_EQ(scalar("f16:1.0009"), "1.0009766");
  EXPECT_EQ(scalar("bf16:-2.5"), "-2.5");
  EXPECT_EQ(scalar("f8e4m3:3"), "3");
  EXPECT_EQ(scalar("f8e5m2:inf"), "57344");
  EXPECT_EQ(scalar("bool:true"), "true");
}

TEST(LaunchArgument, FillsArrays) {
  EXPECT_THAT(elements(read("i8:arange:N").array), ElementsAre("0", "1", "2", "3"));
  EXPECT_THAT(elements(read("f16:ones:M").array), ElementsAre("1", "1"));
  EXPECT_THAT(elements(read("u32:zeros:M").array), ElementsAre("0", "0"));
  EXPECT_THAT(elements(read("f64:-0.5:M").array), ElementsAre("-0.5", "-0.5"));
  const LaunchArgument unset = read("i32:unset:N,M+1");
  EXPECT_TRUE(unset.is_unset);
  EXPECT_THAT(unset.array.shape, ElementsAre(4, 3));
  EXPECT_EQ(unset.array.bytes.size(), 48u);
  EXPECT_EQ(read("i32:zeros:0").array.size(), 0);
}

TEST(LaunchArgument, RandomElementsDependOnSeedAndNumber) {
  const auto first = elements(read("f32:random:100").array);
  EXPECT_EQ(elements(read("f32:random:100").array), first);
  EXPECT_NE(elements(read("f32:random:100", 2).array), first);
  EXPECT_NE(elements(read("f32:random:100", 1, 2).array), first);
  const ElementArray integers = read("i32:random:1000").array, bytes = read("u8:random:1000").array;
  for (int64_t n = 0; n < integers.size(); ++n) {
    EXPECT_TRUE(-8 <= integers.at(n).integer && integers.at(n).integer < 8);
    EXPECT_LT(bytes.at(n).integer, 16);
  }
}

TEST(LaunchArgument, ReadsFiles) {
  const TemporaryFolder folder;
  const std::string path = folder.file("x.npy");
  write_npy(path, Array<int32_t>({1, -2, 3, 4}, {2, 2}));
  EXPECT_THAT(elements(read("@" + path).array), ElementsAre("1", "-2", "3", "4"));
  const LaunchArgument shorts = read("i16:@" + path);
  EXPECT_THAT(shorts.array.shape, ElementsAre(2, 2));
  EXPECT_EQ(shorts.array.bytes.size(), 8u);
  EXPECT_EQ(thrown_message<RuntimeError>([&] { read("f32:@" + path); }),
            path + " holds i32, and f32 elements are asked for");
}

TEST(LaunchArgument, ReadsPointersAndBytes) {
  EXPECT_THAT(read("ptr:0").bytes, testing::AllOf(testing::SizeIs(8), testing::Each(std::byte{0})));
  EXPECT_THAT(read("bytes:00ff10").bytes,
              ElementsAre(std::byte{0}, std::byte{0xff}, std::byte{0x10}));
  const LaunchArgument alias = read("alias:x+4*N");
  EXPECT_EQ(alias.kind, ArgumentKind::alias);
  EXPECT_EQ(alias.target, "x");
  EXPECT_EQ(alias.offset, 16);
}

TEST(LaunchArgument, RefusesWhatItDoesNotUnderstand) {
  const std::string types =
      "f64, f32, f16, bf16, f8e4m3, f8e5m2, i64, i32, i16, i8, u64, u32, u16, u8, bool";
  for (const char* const text : {"", "3", "float:3"})
    EXPECT_EQ(refusal(text), fmt::format("the argument '{}': it starts with a type, ptr, alias, "
                                         "bytes or @FILE.npy; types are {}",
                                         text, types));
  EXPECT_EQ(refusal("ptr:16"),
            "the argument 'ptr:16': of pointers it gives null alone, ptr:0; an "
            "array has its type, as in f32:random:N");
  EXPECT_EQ(refusal("alias:"),
            "the argument 'alias:': an alias names an argument, as in "
            "alias:1+64");
  for (const char* const text : {"bytes:", "bytes:0", "bytes:0g"})
    EXPECT_EQ(refusal(text), fmt::format("the argument '{}': bytes are pairs of hexadecimal "
                                         "digits, as in bytes:0000803f",
                                         text));
  EXPECT_EQ(refusal("f32:random"),
            "the argument 'f32:random': 'random' is no f32; an array has a "
            "fill and extents, as in f32:random:N");
  EXPECT_EQ(refusal("u8:256"), "the argument 'u8:256': 256 does not fit in u8");
  EXPECT_EQ(refusal("i32:"),
            "the argument 'i32:': '' is no i32; an array has a fill and extents, "
            "as in i32:random:N");
  EXPECT_EQ(refusal("i32:K"), "there is no size 'K' in -D; did you mean 'M'?");
  EXPECT_EQ(refusal("f32:rand:3"),
            "the argument 'f32:rand:3': there is no fill 'rand'; there are "
            "random, zeros, ones, arange, unset, a number, and @FILE.npy");
  EXPECT_EQ(refusal("f32:zeros:-1"), "the argument 'f32:zeros:-1': an extent of -1");
  EXPECT_EQ(refusal("f32:zeros:0x4000000000,4"),
            "the argument 'f32:zeros:0x4000000000,4': it has more than 64 GiB");
}

TEST(ElementType, OfCudaIsKnownByItsNames) {
  const auto of_cuda = [](const char* type) {
    const ElementType* const found = element_type_of_cuda(type);
    return found ? found->name.str() : "unknown";
  };
  EXPECT_EQ(of_cuda("float"), "f32");
  EXPECT_EQ(of_cuda("float4"), "f32");
  EXPECT_EQ(of_cuda("unsigned long long"), "u64");
  EXPECT_EQ(of_cuda("__half"), "f16");
  EXPECT_EQ(of_cuda("uchar3"), "u8");
  EXPECT_EQ(of_cuda("uint32_t"), "u32");
  EXPECT_EQ(of_cuda("Particle"), "unknown");
  EXPECT_EQ(of_cuda("unsigned int4"), "unknown");
}

TEST(ElementType, FilesHaveTheValuesOfAllTypes) {
  for (const char* const text : {"u32:0xffffffff:2", "u16:65535:2", "i16:-3:2", "bf16:-0.5:2",
                                 "f8e4m3:448:2", "u64:7:2", "bool:true:2", "f16:0.25:2"}) {
    const ElementArray array = read(text).array;
    EXPECT_EQ(elements(from_file_array(*array.type, to_file_array(array), "")), elements(array))
        << text;
  }
}

}  // namespace launch_argument_test
}  // namespace hone
