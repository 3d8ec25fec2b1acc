#include "runtime/model/gpus.h"

#include <fstream>
#include <sstream>

#include "gmock/gmock.h"
#include "runtime/error.h"
#include "tests/support/runtime/errors.h"

namespace hone {
namespace gpus_test {

std::string text_of(const char* extra = "", const char* clock = "1.5") {
  return std::string(R"({"name": "Mine", "arch": "sm_90", "multiprocessors": 100,
 "fp32_per_clock": 128, "clock_ghz": )") +
         clock + R"(, "fp32_tflops": 38.4, "dram_gb_per_s": 2000)" + extra + "}";
}

TEST(Gpus, AreReadFromText) {
  const std::vector<Gpu> gpus =
      parse_gpus(text_of(R"(, "devices": ["NVIDIA Mine"], "l2_bytes_per_clock": 5120)"), "here");
  ASSERT_EQ(gpus.size(), 1u);
  EXPECT_EQ(gpus[0].name, "Mine");
  EXPECT_EQ(gpus[0].arch, "sm_90");
  EXPECT_EQ(gpus[0].multiprocessors, 100);
  EXPECT_DOUBLE_EQ(gpus[0].ridge(), 19.2);
  EXPECT_DOUBLE_EQ(gpus[0].l2_gb_per_s(), 7680);
  EXPECT_THAT(gpus[0].devices, testing::ElementsAre("NVIDIA Mine"));
  EXPECT_EQ(parse_gpus("[" + text_of() + ", " + text_of() + "]", "here").size(), 2u);
}

TEST(Gpus, HavePeaksThatAreOptional) {
  const auto peak = [](const char* extra, Arithmetic arithmetic) {
    return parse_gpus(text_of(extra), "here")[0].tflops(arithmetic);
  };
  EXPECT_DOUBLE_EQ(peak("", Arithmetic::fp32), 38.4);
  EXPECT_EQ(peak("", Arithmetic::fp64), 0);
  EXPECT_EQ(peak("", Arithmetic::tensor), 0);
  EXPECT_DOUBLE_EQ(peak(R"(, "fp64_tflops": 19.2)", Arithmetic::fp64), 19.2);
  EXPECT_DOUBLE_EQ(peak(R"(, "tensor_tflops": 600)", Arithmetic::tensor), 600);
  EXPECT_DOUBLE_EQ(peak(R"(, "tensor_tflops": 600)", Arithmetic::tf32), 300);
  EXPECT_DOUBLE_EQ(peak(R"(, "tensor_tflops": 600)", Arithmetic::fp8), 1200);
  EXPECT_DOUBLE_EQ(peak(R"(, "tensor_int8_tops": 1200)", Arithmetic::int8), 1200);
}

TEST(Gpus, AreRefusedWithTheField) {
  const auto message = [](const std::string& text) {
    return thrown_message<RuntimeError>([&] { parse_gpus(text, "gpus.json"); });
  };
  EXPECT_EQ(message("[1]"), "gpus.json: a GPU is an object, as docs/gpus.md has it");
  EXPECT_EQ(message("{}"), "gpus.json: 'name' is a text");
  EXPECT_EQ(message(text_of("", "0")), "gpus.json, 'Mine': 'clock_ghz' is a number above 0");
  EXPECT_EQ(message(text_of("", "\"fast\"")), "gpus.json, 'Mine': 'clock_ghz' is a number above 0");
  EXPECT_EQ(message(text_of(R"(, "fp64_tflops": 0)")),
            "gpus.json, 'Mine': 'fp64_tflops' is a number above 0");
  EXPECT_EQ(message(text_of(R"(, "tensor_tflops": "high")")),
            "gpus.json, 'Mine': 'tensor_tflops' is a number above 0");
  EXPECT_EQ(message(R"({"name": "Mine", "arch": "sm_1"})"),
            "gpus.json, 'Mine': the architecture sm_1 is not known");
  EXPECT_THAT(
      message(text_of(R"(, "colour": 3)")),
      testing::StartsWith("gpus.json, 'Mine': there is no field 'colour'; there are name, "));
  EXPECT_THAT(message("{"), testing::StartsWith("gpus.json: no JSON: "));
}

TEST(Gpus, OfAFileThatIsMissingAreRefused) {
  EXPECT_EQ(thrown_message<RuntimeError>([] { read_gpus("/no/such.json"); }),
            "cannot read the GPUs of /no/such.json: No such file or directory");
}

TEST(Gpus, AreFoundByWhatTheirDriverCallsThem) {
  ASSERT_NE(gpu_of_device("NVIDIA H200"), nullptr);
  EXPECT_EQ(gpu_of_device("NVIDIA H200")->name, "H200 SXM");
  EXPECT_EQ(gpu_of_device("NVIDIA H100 80GB HBM3")->name, "H100 SXM");
  EXPECT_EQ(gpu_of_device("a CPU"), nullptr);
}

TEST(Gpus, AreFoundByAWordThatNoOtherHas) {
  for (const char* name : {"RTX 4090", "rtx-4090", "4090", "NVIDIA RTX 4090"})
    EXPECT_EQ(find_gpu(name).name, "RTX 4090") << name;
  EXPECT_EQ(find_gpu("h200").name, "H200 SXM");
  EXPECT_EQ(find_gpu("A10").name, "A10");
  const auto message = [](const char* name) {
    return thrown_message<RuntimeError>([&] { find_gpu(name); });
  };
  EXPECT_EQ(message("h100"), "h100 may be H100 PCIe or H100 SXM");
  EXPECT_EQ(message("RTX"), "RTX may be RTX 3090 or RTX 4090 or RTX 5090");
  EXPECT_THAT(message("409"), testing::StartsWith("no GPU 409 is known; there are T4, "));
  EXPECT_THAT(message(""), testing::StartsWith("no GPU  is known; there are T4, "));
}

/// The example of docs/gpus.md is in the format that it tells of.
TEST(Gpus, OfTheDocumentationAreRead) {
  std::ifstream file("docs/gpus.md");
  std::stringstream text;
  text << file.rdbuf();
  const std::string page = text.str();
  const llvm::StringRef shown = llvm::StringRef(page).split("```json\n").second;
  const std::vector<Gpu> gpus = parse_gpus(shown.split("```").first, "docs/gpus.md");
  ASSERT_EQ(gpus.size(), 1u);
  EXPECT_EQ(gpus[0].name, "My GPU");
}

}  // namespace gpus_test
}  // namespace hone
