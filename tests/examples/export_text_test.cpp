// Exports as text: programs that launch them, compilers, JSON.
#include "codegen/export/export.h"
#include "dsl/schedule.h"
#include "gmock/gmock.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/JSON.h"
#include "runtime/export.h"
#include "runtime/files.h"
#include "runtime/nvrtc/nvrtc.h"
#include "tests/support/examples/exports.h"
#include "tests/support/examples/host_programs.h"
#include "tests/support/runtime/errors.h"
#include "tests/support/runtime/temporary_folder.h"

namespace hone {
namespace export_text_test {

using testing::HasSubstr;

/// The output of a program that launches an export by `calls`, on a runtime that logs calls.
std::string launched(const Export& one, const std::string& calls) {
  const TemporaryFolder folder;
  one.write(folder.path());
  replace_file(
      folder.file("main.cpp"),
      {"#include <cstdio>\n",
       fmt::format("#include \"{0}.h\"\n"
                   "const void* {0}::detail::entry(int) {{ return \"kernel\"; }}\n"
                   "char* at(long long address) {{ return reinterpret_cast<char*>(address); "
                   "}}\ntemplate <class T> T* as(long long address) {{ return "
                   "reinterpret_cast<T*>(address); }}\n"
                   "void show(const {0}::Status& s) {{\n"
                   "  std::printf(\"%d %s\\n\", static_cast<int>(s.error), s.message);\n"
                   "}}\nint main() {{\n",
                   one.name),
       calls, "}\n"});
  const CommandOutput built = build_host_program(folder.path());
  EXPECT_TRUE(built.ok) << built.text.substr(0, 4000);
  return run(folder.file("main")).text;
}

TEST(Exports, LaunchWithAWorkspaceWhoseCountersAreZero) {
  if (!has_program(host_compiler_name())) GTEST_SKIP() << "there is no " << host_compiler_name();
  EXPECT_EQ(launched(export_of("reduce/last-block", "total"),
                     "  pointer_count = 4, size_count = 1;\n"
                     "  float *a = as<float>(0x10000), *s = as<float>(0x90000);\n"
                     "  show(total::launch(at(0x77), a, s, 1028, at(0x100000), 4608));\n"
                     "  show(total::launch(at(0x77), a, s, 1028, at(0x100000), 4607));\n"
                     "  show(total::launch(at(0x77), a, s, 1028, at(0x100010), 5000));\n"
                     "  show(total::launch(at(0x77), a + 1, s, 1028, at(0x100000), 4608));\n"
                     "  show(total::launch(at(0x77), a, a + 8, 1028, at(0x100000), 4608));\n"
                     "  show(total::launch(at(0x77), a, s, 1027, at(0x100000), 4608));\n"
                     "  failing_call() = 3;\n"
                     "  show(total::launch(at(0x77), a, s, 1028, at(0x100000), 4608));\n"),
            "fill 0x101100 0 256\n"
            "launch kernel (1056, 1, 1) (512, 1, 1) 0 on 0x77: 0x10000 0x90000 0x100000 0x101100 "
            "1028\n"
            "0 \n"
            "5 total: a workspace of 4607 bytes at 0x100000; 4608 bytes at a multiple of 256 are "
            "needed\n"
            "5 total: a workspace of 5000 bytes at 0x100010; 4608 bytes at a multiple of 256 are "
            "needed\n"
            "3 total_kernel: A is accessed in vectors of 16 bytes, and its memory at 0x10004 does "
            "not start at a multiple of 16\n"
            "4 total: A and S share memory, and one of them is written\n"
            "2 total was compiled for n % 4 == 0, and n is 1027\n"
            "fill 0x101100 0 256\n"
            "7 cudaMemsetAsync: invalid argument\n");
}

/// A kernel with 64 KB of shared memory.
Export with_much_shared_memory() {
  const Param n("n");
  const Tensor A("A", f32, {n}), C("C", f32, {n});
  const Axis i("i", n);
  Schedule s(Program("wide", C(i) = A(i) + 1.0));
  const auto [outer, tile] = s.split(i, 16384);
  const auto [inner, lane] = s.split(tile, 256);
  s.bind(outer, block.x);
  s.cache_shared(A, outer);
  s.bind(lane, thread.x);
  return Export("wide", s.function());
}

TEST(Exports, OptInToDynamicSharedMemory) {
  if (!has_program(host_compiler_name())) GTEST_SKIP() << "there is no " << host_compiler_name();
  EXPECT_EQ(launched(with_much_shared_memory(),
                     "  pointer_count = 2, size_count = 1;\n"
                     "  float *a = as<float>(0x100000), *c = as<float>(0x900000);\n"
                     "  show(wide::launch(nullptr, a, c, 16385));\n"
                     "  show(wide::launch(nullptr, a, c, 0));\n"
                     "  failing_call() = 1;\n"
                     "  show(wide::launch(nullptr, a, c, 1));\n"
                     "  failing_call() = 2;\n"
                     "  show(wide::launch(nullptr, a, c, 1));\n"),
            "allow kernel 65536\n"
            "launch kernel (2, 1, 1) (256, 1, 1) 65536 on (nil): 0x100000 0x900000 16385\n"
            "0 \n"
            "0 \n"
            "allow kernel 65536\n"
            "7 cudaFuncSetAttribute: invalid argument\n"
            "allow kernel 65536\n"
            "launch kernel (1, 1, 1) (256, 1, 1) 65536 on (nil): 0x100000 0x900000 1\n"
            "7 cudaLaunchKernel: invalid argument\n");
}

/// The second kernel starts while the first one runs; a multiprocessor holds four blocks of that.
Export with_kernels_that_overlap() {
  const Param n("n");
  const Tensor start("start", f32, {n}), B("B", f32, {n}), C("C", f32, {n});
  const Axis i("i", n), j("j", n);
  Schedule s(Program("pair", B(i) = start(i) + 1.0, C(j) = B(j) * 2.0));
  s.bind(i, block.x);
  s.bind(j, block.x);
  s.launch_bounds(i, 4);
  s.launch_early();
  return Export("pair", s.function());
}

TEST(Exports, LaunchKernelsThatOverlap) {
  if (!has_program(host_compiler_name())) GTEST_SKIP() << "there is no " << host_compiler_name();
  EXPECT_EQ(launched(with_kernels_that_overlap(),
                     "  pointer_count = 2, size_count = 1;\n"
                     "  float *a = as<float>(0x1000), *c = as<float>(0x3000);\n"
                     "  show(pair::launch(at(0x77), a, c, 3, at(0x100000), 256));\n"
                     "  show(pair::launch(at(0x77), a, c, 0, at(0x100000), 256));\n"
                     "  failing_call() = 2;\n"
                     "  show(pair::launch(at(0x77), a, c, 3, at(0x100000), 256));\n"),
            "early launch kernel (3, 1, 1) (1, 1, 1) 0 on 0x77: 0x1000 0x100000 3\n"
            "early launch kernel (3, 1, 1) (1, 1, 1) 0 on 0x77: 0x3000 0x100000 3\n"
            "0 \n"
            "0 \n"
            "early launch kernel (3, 1, 1) (1, 1, 1) 0 on 0x77: 0x1000 0x100000 3\n"
            "7 cudaLaunchKernelExC: invalid argument\n");
}

TEST(Exports, KeepLaunchBounds) {
  const TemporaryFolder folder;
  with_kernels_that_overlap().write(folder.path());
  const std::string text = *read_small_file(folder.file("pair.cu"), 1 << 20);
  EXPECT_THAT(text, HasSubstr("__global__ void __launch_bounds__(1, 4)\npair_kernel_0("));
  EXPECT_THAT(*read_small_file(folder.file("pair.json"), 1 << 20),
              HasSubstr("\"starts_early\": true"));
}

TEST(Exports, CompileByNvccIntoOneProgram) {
  if (!has_program("nvcc")) GTEST_SKIP() << "there is no nvcc";
  const TemporaryFolder folder;
  std::string program, files;
  std::vector<Export> exports = tuple_exports();
  llvm::append_range(exports, std::vector<Export>{export_of("reduce/last-block", "total"),
                                                  export_of("reduce/last-block", "again"),
                                                  export_of("argmax/last-block", "largest"),
                                                  export_of("matmul/shared-32", "product"),
                                                  with_kernels_that_overlap()});
  for (const Export& one : exports) {
    one.write(folder.path());
    program += fmt::format("#include \"{}.h\"\n", one.name);
    files += one.name + ".cu ";
  }
  replace_file(folder.file("main.cpp"), {program, "int main() {}\n"});
  const CommandOutput built = run(fmt::format(
      "cd {} && nvcc -std=c++17 -arch=sm_90 main.cpp {} -o main", folder.path(), files));
  EXPECT_TRUE(built.ok) << built.text;
}

TEST(Exports, CompileByNvrtc) {
  if (!nvrtc_info()) GTEST_SKIP() << nvrtc_missing();
  const TemporaryFolder folder;
  const Exported exported =
      export_program(export_of("argmax/last-block", "unused").function, folder.file("new/folder"),
                     {.name = "largest", .arch = "sm_90", .index_bits = 64});
  EXPECT_EQ(exported.without_cubin, "");
  ASSERT_EQ(exported.files.size(), 6);
  EXPECT_EQ(exported.files[0], folder.file("new/folder/largest.cu"));
  EXPECT_EQ(exported.files[5], folder.file("new/folder/largest.cubin"));
  const std::string ptx = *read_small_file(exported.files[4], 1 << 20);
  EXPECT_THAT(ptx, HasSubstr(".visible .entry largest_kernel("));
  EXPECT_THAT(*read_small_file(exported.files[2], 1 << 20), HasSubstr("\"size_bits\": 64"));
}

void collect_keys(const llvm::json::Value& value, llvm::StringSet<>& keys) {
  if (const auto* array = value.getAsArray())
    for (const llvm::json::Value& entry : *array) collect_keys(entry, keys);
  if (const auto* object = value.getAsObject())
    for (const auto& [key, entry] : *object) {
      keys.insert(key.str());
      collect_keys(entry, keys);
    }
}

TEST(Exports, AreJsonThatIsDocumented) {
  const std::string page = read_small_file("docs/launch-contract.md", 1 << 20).value_or("");
  llvm::StringSet<> keys;
  for (const Export& one : exports_with_arithmetic()) {
    auto parsed = llvm::json::parse(export_json(one.contract));
    ASSERT_TRUE(bool(parsed)) << llvm::toString(parsed.takeError());
    collect_keys(*parsed, keys);
  }
  auto total = llvm::json::parse(export_json(export_of("reduce/last-block", "total").contract));
  ASSERT_TRUE(bool(total)) << llvm::toString(total.takeError());
  collect_keys(*total, keys);
  EXPECT_GT(keys.size(), 35u);
  for (const auto& key : keys)
    EXPECT_THAT(page, testing::AnyOf(HasSubstr("`" + key.getKey().str() + "`"),
                                     HasSubstr("\"" + key.getKey().str() + "\"")));
}

TEST(Exports, AreRefusedUnderNamesThatAreNone) {
  const Function function = export_of("reduce/last-block", "total").function;
  const TemporaryFolder folder;
  const auto refused = [&](const std::string& name) {
    return thrown_message<DefinitionError>(
        [&] { export_program(function, folder.path(), {.name = name}); });
  };
  EXPECT_EQ(refused("float"),
            "'float' cannot name what is exported: it belongs to C, C++ or CUDA; choose another "
            "name");
  const std::string none =
      " cannot name what is exported: a name is made of letters, digits and '_', and does not "
      "begin with a digit; choose another name";
  EXPECT_EQ(refused("two words"), "'two words'" + none);
  EXPECT_EQ(refused("../x"), "'../x'" + none);
}

}  // namespace export_text_test
}  // namespace hone
