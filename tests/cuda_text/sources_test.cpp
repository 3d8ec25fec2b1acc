#include "runtime/cuda_text/sources.h"

#include <sys/stat.h>

#include "fmt/format.h"
#include "gmock/gmock.h"
#include "runtime/error.h"
#include "tests/support/runtime/errors.h"
#include "tests/support/runtime/temporary_folder.h"

namespace hone::ptx {
namespace sources_test {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class SourcesOfFiles : public testing::Test {
 protected:
  std::string write(const std::string& name, const std::string& text) const {
    write_new_file(folder_.file(name), text);
    return folder_.file(name);
  }
  std::string text(const Sources& sources, const std::string& name) const {
    const auto texts = sources.texts();
    const auto found = texts.find(folder_.file(name));
    return found == texts.end() ? "not read" : found->second;
  }
  /// The rest of a file, with points for blanks, and the list of what is left out.
  std::string cut(const std::string& text) {
    const std::string name = fmt::format("{}.cu", ++files_);
    const Sources sources(write(name, text), {});
    left_out_.clear();
    for (const LeftOut& one : sources.left_out())
      left_out_.push_back(fmt::format("{} {}", one.line, one.what));
    return this->text(sources, name);
  }

  TemporaryFolder folder_;
  int files_ = 0;
  std::vector<std::string> left_out_;
};

TEST_F(SourcesOfFiles, HostFunctionsBecomeBlanks) {
  EXPECT_EQ(cut("__global__ void k() {}\nint main() {\n  k<<<1, 1>>>();\n}\n__device__ int x;\n"),
            "__global__ void k() {}\n            \n                \n \n__device__ int x;\n");
  EXPECT_THAT(left_out_, ElementsAre("2 main"));
}

TEST_F(SourcesOfFiles, AByteOrderMarkIsNoText) {
  constexpr const char* kernel = "__global__ void f() {}\n";
  EXPECT_EQ(cut(std::string("\xef\xbb\xbf") + kernel), cut(kernel));
}

TEST_F(SourcesOfFiles, DeviceTextStays) {
  const std::string text =
      "#define N 4\nnamespace a { struct S { int x; void f() {} }; }\nconst int n = 3;\n"
      "constexpr int c(int x) { return x; }\ntypedef float T;\nnamespace b = a;\n"
      "using namespace a;\n__constant__ float w[N];\n__host__ __device__ int g() { return 1; }\n"
      "template <class X> __device__ X h(X x) { return x; }\nextern __shared__ char s[];\n"
      "template __global__ void k<3>();\n";
  EXPECT_EQ(cut(text), text);
  EXPECT_THAT(left_out_, IsEmpty());
}

TEST_F(SourcesOfFiles, HostTextOfAllKindsIsLeftOut) {
  cut("std::vector<float> v;\ntemplate <class T> void launch(T* x) {}\n"
      "template void launch<int>(int*);\n__host__ int f() { return 1; }\nint total = 3;\n"
      "namespace n {\nvoid g();\n}\n__global__ void k() {}\n");
  EXPECT_THAT(left_out_, ElementsAre("1 v", "2 launch", "3 launch", "4 f", "5 total", "7 g"));
}

TEST_F(SourcesOfFiles, MacrosForAnnotationsCount) {
  cut("#define DEVICE inline __device__\n#define BOTH DEVICE __host__\n#define KERNEL __global__\n"
      "#define PLAIN inline\nDEVICE int f() { return 1; }\nBOTH int g() { return 1; }\n"
      "KERNEL void k() {}\nPLAIN int h() { return 1; }\n");
  EXPECT_THAT(left_out_, ElementsAre("8 h"));
}

TEST_F(SourcesOfFiles, DirectivesInHostTextStay) {
  EXPECT_EQ(cut("void f() {\n#ifdef X\n  g();\n#define Y 1\n#pragma once\n#endif\n}\n"),
            "          \n#ifdef X\n      \n#define Y 1\n            \n#endif\n \n");
}

TEST_F(SourcesOfFiles, ExtensionsOfNvccBecomeBlanks) {
  EXPECT_EQ(cut("__device__ auto f = [] __device__ __host__(T x) { return (a::T){x}; };\n"
                "#define NEW(x) (T){x}\n__device__ T y = g(1, (T){2});\n"),
            "__device__ auto f = []                    (T x) { return  a::T {x}; };\n"
            "#define NEW(x)  T {x}\n__device__ T y = g(1,  T {2});\n");
  const std::string text =
      "#define F(x) { x; }\n__device__ int g(T) { if (x) { y; } while (x) {} return (int)(x); }\n"
      "__device__ auto h = [](T) { return 1; };\n__device__ int a[3] = {(1), (T)2}, b = "
      "(T){1}.x;\n";
  EXPECT_THAT(cut(text), testing::StartsWith(llvm::StringRef(text).rsplit("(T)").first.str()));
  EXPECT_THAT(cut(text), testing::EndsWith(" T {1}.x;\n"));
}

TEST_F(SourcesOfFiles, HeadersOfTheUserAreReadAndCut) {
  write("h.cuh", "#pragma once\n__device__ int f() { return 1; }\nint host() { return 2; }\n");
  const std::string main = write("m.cu", "#include \"h.cuh\"\n__global__ void k() {}\n");
  const Sources sources(main, {});
  EXPECT_EQ(text(sources, "m.cu"),
            fmt::format("#include \"{}\"\n__global__ void k() {{}}\n", folder_.file("h.cuh")));
  EXPECT_THAT(text(sources, "h.cuh"), testing::Not(HasSubstr("host")));
  EXPECT_EQ(sources.left_out().at(0).file, folder_.file("h.cuh"));
  EXPECT_EQ(sources.left_out().at(0).line, 3);
}

TEST_F(SourcesOfFiles, HeadersComeFromTheFoldersThatAreGiven) {
  ASSERT_EQ(::mkdir(folder_.file("inc").c_str(), 0700), 0);
  write("inc/a.h", "__device__ int f();\n");
  const std::string main = write("m.cu", "#include <a.h>\n#include \"a.h\"\n");
  EXPECT_EQ(text(Sources(main, {folder_.file("inc")}), "inc/a.h"), "__device__ int f();\n");
  EXPECT_EQ(text(Sources(main, {}), "inc/a.h"), "not read");
}

TEST_F(SourcesOfFiles, HeadersThatNvrtcHasNotGotAreLeftOut) {
  EXPECT_EQ(cut("#include <vector>\n#include <cuda_fp16.h>\n#include <thrust/sort.h>\n"
                "#include \"no_such.h\"\n#include HEADER\n"),
            "#include <vector>\n#include <cuda_fp16.h>\n\n\n#include HEADER\n");
  EXPECT_THAT(left_out_, ElementsAre("3 #include <thrust/sort.h>", "4 #include \"no_such.h\""));
}

TEST_F(SourcesOfFiles, IncludesInACircleEnd) {
  write("a.h", "#include \"b.h\"\n");
  write("b.h", "#include \"a.h\"\n");
  EXPECT_EQ(Sources(write("m.cu", "#include \"a.h\"\n"), {}).units().size(), 3u);
}

TEST_F(SourcesOfFiles, RefusesAFileThatIsNotThere) {
  EXPECT_EQ(thrown_message<RuntimeError>([&] { Sources(folder_.file("x.cu"), {}); }),
            fmt::format("cannot read {}: there is no such file", folder_.file("x.cu")));
}

}  // namespace sources_test
}  // namespace hone::ptx
