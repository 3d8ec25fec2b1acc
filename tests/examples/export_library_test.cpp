// `hone export --minimal`: a short header, a source that defines it, and an operator of PyTorch.
#include <gmock/gmock.h>

#include "codegen/export/export.h"
#include "llvm/ADT/StringRef.h"
#include "runtime/error.h"
#include "runtime/export.h"
#include "runtime/files.h"
#include "tests/support/examples/exports.h"
#include "tests/support/examples/host_programs.h"
#include "tests/support/runtime/errors.h"
#include "tests/support/runtime/temporary_folder.h"

namespace hone {
namespace export_library_test {

using testing::HasSubstr;
using testing::StartsWith;

std::string text_of(const std::string& path) {
  return read_small_file(path, size_t{16} << 20).value_or("there is no " + path);
}

TEST(Libraries, HaveShortHeaders) {
  for (const Export& one : all_exports()) {
    const std::string text = export_declarations(one.contract);
    EXPECT_LT(llvm::StringRef(text).count('\n'), 120u) << text;
  }
}

/// The part of a source behind its kernels, beside `kernels` that are names and no functions.
std::string host_part(const std::string& source, const std::string& kernels) {
  const size_t begin = source.find("// ---- Launches"), end = source.rfind("#endif");
  EXPECT_NE(begin, std::string::npos);
  return fmt::format(
      "#include <cstdint>\n#include <cstdio>\n#include <vector>\n"
      "#include <cuda_runtime_api.h>\n{}\n{}",
      kernels, source.substr(begin, end - begin));
}

/// The library of reduce/last-block as the export writes it, whose kernel is a text.
class Library : public testing::Test {
 protected:
  void SetUp() override {
    if (!has_program(host_compiler_name())) GTEST_SKIP() << "there is no " << host_compiler_name();
    const Export total = export_of("reduce/last-block", "total");
    exported_ = export_library(total.function, folder_.path(), {"A"}, {.name = "total"});
    replace_file(folder_.file("host.cpp"),
                 {"#include \"total.h\"\n",
                  host_part(text_of(folder_.file("total.cu")),
                            "namespace hone::total_kernel { char total_kernel[] = \"kernel\"; }\n"
                            "static const bool set = [] {\n"
                            "  pointer_count = 4, size_count = 1;\n"
                            "  return std::setvbuf(stdout, nullptr, _IONBF, 0) == 0;\n}();\n")});
  }

  /// The output of a command in the folder.
  std::string output_of(const std::string& command) const {
    const CommandOutput output =
        run(fmt::format("here=$(pwd) && cd {} && {}", folder_.path(), command));
    EXPECT_TRUE(output.ok) << output.text.substr(0, 4000);
    return output.text;
  }

  std::string compile(const std::string& words) const {
    return fmt::format(
        "{} -std=c++17 -Wall -Wextra -Wno-unused-variable -Werror "
        "-I$here/tests/examples/export -I. {}",
        host_compiler_name(), words);
  }

  const TemporaryFolder folder_;
  Exported exported_;
};

TEST_F(Library, IsFourFiles) {
  std::vector<std::string> expected;
  for (const char* name : {"CMakeLists.txt", "total.cu", "total.h", "total.py"})
    expected.push_back(folder_.file(name));
  EXPECT_EQ(exported_.files, expected);
  EXPECT_THAT(text_of(expected[0]), HasSubstr("\nadd_library(total SHARED total.cu)\n"));
}

TEST_F(Library, LaunchesWhatItsHeaderDeclares) {
  replace_file(
      folder_.file("main.cpp"),
      {"#include \"total.h\"\n#include <cstdint>\n#include <cstdio>\n#include <initializer_list>\n"
       "template <class T> T* at(std::uintptr_t address) {\n"
       "  return reinterpret_cast<T*>(address);\n}\n"
       "int main() {\n  for (long long n : {1028, 1027})\n"
       "    std::puts(total::launch(at<char>(0x77), at<float>(0x10000), "
       "at<float>(0x90000), n, at<char>(0x100000),\n"
       "                            total::workspace_bytes(n)).message);\n}\n"});
  EXPECT_EQ(output_of(compile("main.cpp host.cpp -o main") + " && ./main"),
            "fill 0x101100 0 256\n"
            "launch kernel (1056, 1, 1) (512, 1, 1) 0 on 0x77: 0x10000 0x90000 0x100000 0x101100 "
            "1028\n"
            "\n"
            "total was compiled for n % 4 == 0, and n is 1027\n");
}

/// The operator checks its inputs, allocates its output and calls the library.
TEST_F(Library, IsAnOperatorOfPyTorch) {
  replace_file(folder_.file("main.py"),
               {"import torch, total\n"
                "def tell(*arguments):\n"
                "    try:\n"
                "        result = total.total(*arguments)\n"
                "        print(result.shape, result.dtype, result.device, flush=True)\n"
                "    except ValueError as error:\n"
                "        print(error, flush=True)\n"
                "tell(torch.Tensor((1028,)))\n"
                "tell(torch.Tensor((1027,)))\n"
                "tell(torch.Tensor((1028,), torch.float64))\n"
                "tell(torch.Tensor((1028,), strides=(2,)))\n"
                "tell(torch.Tensor((1028,), device=torch.Device('cpu')))\n"
                "print(total.total.fake(torch.Tensor((8,))).shape, total.total.mutates_args)\n"});
  EXPECT_EQ(
      output_of("mkdir -p build && " + compile("-shared -fPIC host.cpp -o build/libtotal.so") +
                " && PYTHONPATH=.:$here/tests/examples/export/fake python3 -B main.py"),
      "fill 0x301100 0 256\n"
      "launch kernel (1056, 1, 1) (512, 1, 1) 0 on 0x77: 0x100000 0x200000 0x300000 0x301100 "
      "1028\n"
      "() float32 cuda\n"
      "total was compiled for n % 4 == 0, and n is 1027\n"
      "A is float32, got float64\n"
      "A has strides (2,), and (1,) are needed; its .contiguous() may have them\n"
      "total runs on tensors of one GPU, got cpu, cpu\n"
      "() ()\n");
}

/// Python reads the operators of all rungs but those whose elements PyTorch lacks.
TEST(Libraries, AreOperatorsThatPythonReads) {
  const TemporaryFolder folder;
  int refused = 0;
  for (const Export& one : all_exports()) try {
      replace_file(folder.file(one.name + ".py"), {export_operator(one.contract, {})});
    } catch (const DefinitionError& error) {
      EXPECT_THAT(error.what(), HasSubstr(", and no tensor of PyTorch has; export without"));
      ++refused;
    }
  EXPECT_GT(refused, 2);
  const CommandOutput output = run("python3 -m py_compile " + folder.path() + "/*.py");
  EXPECT_TRUE(output.ok) << output.text.substr(0, 4000);
}

TEST(Libraries, LeaveOtherProjectsAlone) {
  const TemporaryFolder folder;
  write_new_file(folder.file("CMakeLists.txt"), "project(mine)\n");
  const Function function = export_of("reduce/last-block", "total").function;
  EXPECT_EQ(
      thrown_message<RuntimeError>(
          [&] { export_library(function, folder.path(), {}, {.name = "total"}); }),
      folder.file("CMakeLists.txt") + " is that of another project; export to a folder of its own");
}

/// Advice is for those who call the files, and have no schedule.
TEST(Libraries, AdviseTheirCallers) {
  const std::string text = export_whole_cuda(export_of("reduce/last-block", "total").module,
                                             export_of("reduce/last-block", "total").contract);
  EXPECT_THAT(text, HasSubstr("takes; use smaller sizes, or ask for an export with "
                              "--index-bits=64\""));
  EXPECT_THAT(text, testing::Not(HasSubstr(".index_bits")));
}

}  // namespace export_library_test
}  // namespace hone
