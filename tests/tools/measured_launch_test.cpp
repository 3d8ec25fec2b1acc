// Tables of Nsight Compute beside counted numbers.
#include "tools/cli/measured_launch.h"

#include <cstring>
#include <fstream>

#include "compared_ladders.h"
#include "llvm/Support/JSON.h"
#include "runtime/error.h"

namespace hone {
namespace measured_launch_test {

using testing::HasSubstr;
using testing::Not;

/// A page of raw values, with what Nsight Compute prints before, and two launches of axpy.
const std::string raw_page =
    R"csv(==PROF== Connected to process 17
"ID","Kernel Name","Block Size","Grid Size","l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum","l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum","gpu__time_duration.sum"
"","","","","sector","sector","ns"
"0","other, (float)","(64, 1, 1)","(1, 1, 1)","9","9","9"
"1","axpy(const float *, float *)","(128, 1, 1)","(8, 1, 1)","250","1,250","1,536"
"2","axpy(const float *, float *)","(128, 1, 1)","(8, 1, 1)","7","7","7"
)csv";

/// The same, a line for each metric.
const std::string lines =
    R"csv("ID","Kernel Name","Block Size","Grid Size","Metric Name","Metric Unit","Metric Value"
"1","axpy","(128, 1, 1)","(8, 1, 1)","l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum","sector","250"
"1","axpy","(128, 1, 1)","(8, 1, 1)","l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum","sector","1,250"
"2","axpy","(128, 1, 1)","(8, 1, 1)","l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum","sector","7"
)csv";

std::string file_of(const std::string& text) {
  const std::string path = testing::TempDir() + "/measured.csv";
  std::ofstream(path) << text;
  return path;
}

std::string problem_of(const std::string& text, const char* size = "-DN=1000") {
  const CommandResult result = hone({"counters", "axpy/blocks", size, "--ncu=" + file_of(text)});
  EXPECT_NE(result.status, 0);
  return result.complained;
}

TEST(MeasuredLaunch, StandsBesideTheCountedOne) {
  for (const std::string& text : {raw_page, lines}) {
    const CommandResult result =
        hone({"counters", "axpy/blocks", "-DN=1000", "--ncu=" + file_of(text)});
    EXPECT_EQ(result.status, 0) << result.complained;
    EXPECT_THAT(result.printed, HasSubstr(R"(
                                  counted      measured
global_load_sectors                   250           250                 l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum
global_store_sectors                  125          1250       +900.0 %  l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum

)"));
  }
  EXPECT_THAT(hone({"counters", "axpy/blocks", "-DN=1000"}).printed, Not(HasSubstr("measured")));
}

TEST(MeasuredLaunch, StandsBesideACountedOneOfCudaText) {
  const std::string path = testing::TempDir() + "/scale.cu";
  std::ofstream(path) << "template <class T> __global__ void scale(T* x) {\n"
                         "  x[blockIdx.x * blockDim.x + threadIdx.x] *= 2;\n}\n";
  std::string table = raw_page;
  table.replace(table.find("axpy(const"), 4, "void scale<float>");
  const std::vector<std::string> words = {"counters",
                                          path,
                                          "--kernel=scale<float>",
                                          "--grid=8",
                                          "--block=128",
                                          "--arg=f32:random:1024",
                                          "--ncu=" + file_of(table)};
  const CommandResult result = hone(words);
  EXPECT_EQ(result.status, 0) << result.complained;
  EXPECT_THAT(result.printed, HasSubstr(R"(
                                  counted      measured
global_load_sectors                   128           250        +95.3 %  l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum
global_store_sectors                  128          1250       +876.6 %  l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum

)"));
  std::vector<std::string> as_json = words;
  as_json.emplace_back("--json");
  EXPECT_THAT(hone(as_json).printed, HasSubstr("\"global_store_sectors\": 1250"));
  EXPECT_EQ(
      problem_of(raw_page.substr(0, raw_page.find("\"0\""))),
      "error: " + testing::TempDir() +
          "/measured.csv has a table without a launch; a table is made by ncu --csv --page raw "
          "--print-units base --metrics NAME,... --log-file FILE.csv PROGRAM\n");
}

/// Of two instances, that which is counted; Nsight Compute writes the types of numbers.
TEST(MeasuredLaunch, IsOfTheInstanceOfATemplate) {
  const std::string path = testing::TempDir() + "/scale.cu";
  std::ofstream(path) << "template <unsigned n, bool b, class T> __global__ void scale(T* x) {\n"
                         "  x[blockIdx.x * blockDim.x + threadIdx.x] *= b ? n : 2;\n}\n";
  std::string table = raw_page;
  const auto rename = [&](const char* before, const char* after) {
    table.replace(table.find(before), std::strlen(before), after);
  };
  rename("other, (", "other(");
  rename("axpy(", "void scale<(unsigned int)2, (bool)1, float>(");
  rename("axpy(", "void scale<(unsigned int)3, (bool)1, float>(");
  const auto counted = [&](const std::string& kernel) {
    return hone({"counters", path, "--kernel=" + kernel, "--grid=8", "--block=128",
                 "--arg=f32:random:1024", "--ncu=" + file_of(table)});
  };
  EXPECT_THAT(counted("scale<2, true, float>").printed,
              HasSubstr("global_load_sectors                   128           250 "));
  EXPECT_THAT(counted("scale<3, true, float>").printed,
              HasSubstr("global_load_sectors                   128             7 "));
  EXPECT_EQ(counted("scale<2, false, float>").complained,
            "error: no launch of scale<2u, false, float> was measured; those that were: other, "
            "scale<(unsigned int)2, (bool)1, float>, scale<(unsigned int)3, (bool)1, float>\n");
}

/// Nsight Compute writes "const" before the type.
TEST(MeasuredLaunch, IsOfTheInstanceOfAConstType) {
  const std::string path = testing::TempDir() + "/scale.cu";
  std::ofstream(path)
      << "template <class T> struct Pair { T first, second; };\n"
         "template <class T, class U, unsigned n> __global__ void scale(float* x) {\n"
         "  x[blockIdx.x * blockDim.x + threadIdx.x] *= n;\n}\n";
  const auto counted = [&](const std::string& kernel, const std::string& measured) {
    std::string table = raw_page;
    table.replace(table.find("other, "), 7, "other");
    table.replace(table.find("axpy("), 5, "void " + measured + "(");
    return hone({"counters", path, "--kernel=" + kernel, "--grid=8", "--block=128",
                 "--arg=f32:random:1024", "--ncu=" + file_of(table)});
  };
  const std::vector<std::pair<const char*, const char*>> names = {
      {"scale<const float*, float, 3>", "scale<const float *, float, (unsigned int)3>"},
      {"scale<const Pair<const float*>*, float* const, 3>",
       "scale<const Pair<const float *> *, float *const, (unsigned int)3>"},
      {"scale<const volatile int*, float, 3>",
       "scale<const volatile int *, float, (unsigned int)3>"}};
  for (const auto& [kernel, measured] : names)
    EXPECT_THAT(counted(kernel, measured).printed,
                HasSubstr("global_load_sectors                   128           250 "))
        << kernel;
  EXPECT_EQ(
      counted("scale<const float*, float, 3>", "scale<float *, const float, (unsigned int)3>")
          .complained,
      "error: no launch of scale<float const*, float, 3u> was measured; those that were: other, "
      "scale<float *, const float, (unsigned int)3>, axpy\n");
}

TEST(MeasuredLaunch, IsInTheObject) {
  const CommandResult result =
      hone({"counters", "axpy/blocks", "-DN=1000", "--json", "--ncu=" + file_of(raw_page)});
  auto value = llvm::json::parse(result.printed);
  ASSERT_TRUE(bool(value)) << llvm::toString(value.takeError());
  const auto* kernels = value->getAsObject()->getArray("kernels");
  const auto* measured = (*kernels)[0].getAsObject()->getObject("measured");
  ASSERT_TRUE(measured);
  EXPECT_EQ(measured->size(), 2u);
  EXPECT_EQ(*measured->getInteger("global_store_sectors"), 1250);
}

TEST(MeasuredLaunch, IsOfTheSameSizes) {
  EXPECT_EQ(problem_of(raw_page, "-DN=2000"),
            "error: axpy was measured with a grid of (8, 1, 1), and counted with (16, 1, 1): give "
            "its sizes by -D\n");
}

TEST(MeasuredLaunch, IsOfThisKernel) {
  const std::string other =
      "\"ID\",\"Kernel Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\"\n"
      "\"0\",\"f\",\"x__y\",\"\",\"1\"\n\"1\",\"g\",\"x__y\",\"\",\"1\"\n";
  EXPECT_EQ(problem_of(other), "error: no launch of axpy was measured; those that were: f, g\n");
}

TEST(MeasuredLaunch, HasCounters) {
  EXPECT_EQ(problem_of("\"ID\",\"Kernel Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\"\n"
                       "\"0\",\"axpy\",\"gpu__time_duration.sum\",\"ns\",\"1\"\n"),
            "error: no metric that was measured of axpy is a counter; `counters --all` names "
            "them\n");
}

TEST(MeasuredLaunch, IsOfAGpu) {
  EXPECT_THAT(hone({"counters", "axpy/serial", "--ncu=" + file_of(raw_page)}).complained,
              HasSubstr("axpy/serial runs on the host"));
}

TEST(MeasuredLaunch, IsReadFromATable) {
  EXPECT_EQ(problem_of("a,b\n1,2\n"),
            "error: " + testing::TempDir() +
                "/measured.csv has no table with a column \"Kernel Name\"; a table is made by ncu "
                "--csv --page raw --print-units base --metrics NAME,... --log-file FILE.csv "
                "PROGRAM\n");
}

/// 1.54 Kbyte may be 1536 bytes or 1540.
TEST(MeasuredLaunch, IsNotRounded) {
  std::string rounded = lines;
  rounded.replace(rounded.find("\"sector\""), 8, "\"Ksector\"");
  EXPECT_THAT(problem_of(rounded),
              HasSubstr("/measured.csv has l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum in units "
                        "of Ksector, which are rounded; a table is made by ncu --csv --page raw "
                        "--print-units base"));
}

}  // namespace measured_launch_test
}  // namespace hone
