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

TEST(LaunchArgument, FilesHaveElementsThatFit) {
  const TemporaryFolder folder;
  const std::string path = folder.file("x.npy");
  const auto write = [&](const char* element, const std::string& bytes) {
    const std::string header =
        fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': (2,), }}", element);
    const std::string start("\x93NUMPY\x01\x00", 8);
    replace_file(path, {start, std::string{static_cast<char>(header.size()), '\0'}, header, bytes});
  };
  write("<u2", std::string("\xff\xff\x01\x00", 4));
  EXPECT_THAT(elements(read("@" + path).array), ElementsAre("65535", "1"));
  EXPECT_EQ(read("@" + path).type->name, "u16");
  EXPECT_THAT(elements(read("u64:@" + path).array), ElementsAre("65535", "1"));
  EXPECT_EQ(thrown_message<RuntimeError>([&] { read("i16:@" + path); }),
            path + " holds 65535, which does not fit in i16");
  write("<i2", std::string("\xff\xff\x01\x00", 4));
  EXPECT_THAT(elements(read("i16:@" + path).array), ElementsAre("-1", "1"));
  EXPECT_EQ(thrown_message<RuntimeError>([&] { read("u32:@" + path); }),
            path + " holds -1, which does not fit in u32");
}

TEST(LaunchArgument, APointerMayLeadBehindTheBegin) {
  EXPECT_EQ(read("f32:random:38@12").offset, 12);
  EXPECT_EQ(read("f32:ones:N,M@4*N").offset, 16);
  EXPECT_THAT(read("f32:ones:N,M@-4").array.shape, ElementsAre(4, 2));
  EXPECT_EQ(read("f32:ones:N@-4").offset, -4);
  const TemporaryFolder folder;
  const std::string path = folder.file("x.npy");
  write_npy(path, Array<int32_t>({1, 2}, {2}));
  EXPECT_EQ(read("i32:@" + path + "@M").offset, 2);
  EXPECT_EQ(read("@" + path + "@4").array.size(), 2);
  EXPECT_EQ(refusal("f32:ones:3@x"), "there is no size 'x' in -D; did you mean 'M'?");
}

TEST(LaunchArgument, AStructHasItsMembersAtTheirAlignment) {
  const auto places = [](const LaunchArgument& argument) {
    std::vector<int64_t> places;
    for (const LaunchArgument& member : argument.members) places.push_back(member.place);
    places.push_back(argument.size());
    return places;
  };
  EXPECT_THAT(places(read("struct:(i32:N, f32:ones:N,M, i8:1)")), ElementsAre(0, 8, 16, 24));
  EXPECT_THAT(places(read("struct:(i8:1, struct:(i8:1, i16:2), f64:1)")), ElementsAre(0, 2, 8, 16));
  EXPECT_THAT(places(read("struct:(i8:1, bytes:000000, alias:x+8, ptr:0)")),
              ElementsAre(0, 1, 8, 16, 24));
  const LaunchArgument row = read("struct:(f32:random:9,M, f32:random:9,M)");
  EXPECT_THAT(row.members.at(0).array.shape, ElementsAre(9, 2));
  EXPECT_NE(elements(row.members.at(0).array), elements(row.members.at(1).array));
  for (const char* const text : {"struct:", "struct:()", "struct:i32:1", "struct:(i32:1"})
    EXPECT_EQ(refusal(text), fmt::format("the argument '{}': a struct has its members in "
                                         "parentheses, as in struct:(i32:N, f32:random:N)",
                                         text));
  EXPECT_EQ(refusal("struct:(i32:1, u8:256)"), "the argument 'u8:256': 256 does not fit in u8");
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
                                         "struct, bytes or @FILE.npy; types are {}",
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
    const TemporaryFolder folder;
    write_npy(folder.file("x.npy"), to_file_array(array));
    EXPECT_EQ(elements(read_element_array(folder.file("x.npy"), array.type)), elements(array))
        << text;
  }
}

}  // namespace launch_argument_test
}  // namespace hone
