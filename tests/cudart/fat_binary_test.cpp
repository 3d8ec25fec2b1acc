#include "runtime/cudart/fat_binary.h"

#include "gmock/gmock.h"
#include "runtime/error.h"
#include "tests/cudart/fat_binary.h"
#include "tests/support/runtime/errors.h"

namespace hone::cudart {
namespace fat_binary_test {

using testing::HasSubstr;

std::string refusal(FatBinary& binary) {
  return thrown_message<RuntimeError>([&] { ptx_of_wrapper(binary.wrapper()); });
}

/// A frame of Zstandard with the text as it is.
std::string zstd_frame(const std::string& text) {
  const auto size = static_cast<char>(text.size());
  const uint32_t block = 1 | static_cast<uint32_t>(text.size()) << 3;
  return std::string("\x28\xb5\x2f\xfd\x20") + size +
         std::string(reinterpret_cast<const char*>(&block), 3) + text;
}

TEST(FatBinary, TakesTheNewestTextUpToTheDevice) {
  FatBinary binary({{.capability = 80, .content = "for 80"},
                    {.kind = 2, .capability = 90, .content = "machine code"},
                    {.capability = 90, .content = "for 90"},
                    {.capability = 100, .content = "for 100"}});
  EXPECT_EQ(ptx_of_wrapper(binary.wrapper()), "for 90");
  EXPECT_EQ(ptx_texts(binary.data()).size(), 3u);
}

TEST(FatBinary, UnpacksZstandard) {
  const std::string frame = zstd_frame("text that was packed");
  FatBinary binary({{.content = frame,
                     .flags = 0x8011,
                     .packed_bytes = static_cast<uint32_t>(frame.size()),
                     .text_bytes = 20}});
  EXPECT_EQ(ptx_of_wrapper(binary.wrapper()), "text that was packed");
}

TEST(FatBinary, RefusesWhatItDoesNotUnpack) {
  FatBinary lz4({{.content = "packed", .flags = 0x2011}});
  EXPECT_EQ(refusal(lz4),
            "the PTX in the program is packed with LZ4, which is not read; compile it with `nvcc "
            "-no-compress`");
  FatBinary damaged(
      {{.content = "no frame", .flags = 0x8011, .packed_bytes = 8, .text_bytes = 20}});
  EXPECT_EQ(refusal(damaged), "the PTX in the program is damaged: it does not unpack to 20 bytes");
}

TEST(FatBinary, SaysHowToCompileForIt) {
  FatBinary none({{.kind = 2, .content = "machine code"}});
  EXPECT_EQ(refusal(none),
            "the program has no PTX; compile it with `nvcc -arch=compute_90 -code=compute_90`, as "
            "`hone cuda` does");
  FatBinary newer({{.capability = 100, .content = "x"}, {.capability = 120, .content = "y"}});
  EXPECT_THAT(refusal(newer),
              HasSubstr("the program has PTX for compute_100, compute_120 alone; compile"));
}

TEST(FatBinary, LinksTheObjectsOfAProgram) {
  const std::string header = ".version 9.0\n.target sm_90\n.address_size 64\n";
  FatBinary first({{.content = header + ".visible .global .u32 a;\n"}});
  FatBinary without({{.kind = 2, .content = "machine code"}});
  FatBinary second({{.content = header + ".visible .global .u32 b;\n"}});
  const void* const objects[] = {first.data(), without.data(), second.data(), nullptr};
  const LinkedWrapper wrapper = {.objects = objects};
  EXPECT_EQ(ptx_of_wrapper(&wrapper),
            header + ".visible .global .u32 a;\n.visible .global .u32 b;\n");
}

}  // namespace fat_binary_test
}  // namespace hone::cudart
