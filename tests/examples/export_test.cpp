// Exports say what the runtime computes: launch shapes, workspace, refusals.
#include "codegen/export/export.h"

#include <cstdlib>
#include <filesystem>

#include "codegen/lower.h"
#include "dsl/schedule.h"
#include "gmock/gmock.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/JSON.h"
#include "runtime/compile.h"
#include "runtime/environment.h"
#include "runtime/export.h"
#include "runtime/files.h"
#include "runtime/nvrtc/nvrtc.h"
#include "tests/support/examples/exports.h"
#include "tests/support/runtime/errors.h"
#include "tests/support/runtime/temporary_folder.h"

namespace hone {
namespace {

using testing::HasSubstr;

/// The output of a command, and its errors; `ok` is whether it went well.
struct Output {
  std::string text;
  bool ok = false;
};

Output run(const std::string& command) {
  Output output;
  FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  char buffer[4096];
  while (const size_t count = fread(buffer, 1, sizeof buffer, pipe))
    output.text.append(buffer, count);
  output.ok = pclose(pipe) == 0;
  return output;
}

std::string host_compiler_name() { return environment("CXX").value_or("c++"); }

/// main.cpp of the folder, beside tests/examples/export/cuda_runtime_api.h.
Output build_host_program(const std::string& folder) {
  return run(
      fmt::format("here=$(pwd) && cd {} && {} -std=c++17 -Wall -Wextra -Werror "
                  "-I$here/tests/examples/export main.cpp -o main",
                  folder, host_compiler_name()));
}

bool has_program(const std::string& name) { return run("command -v " + name).ok; }

std::string numbers(const std::array<int64_t, 3>& extents) {
  return fmt::format("{} {} {}", extents[0], extents[1], extents[2]);
}

/// "rung_1: (4 1 1) (32 1 1) 0, workspace 0", or the refusal, as the runtime has it.
std::string planned(const Export& one, const Sizes& sizes) {
  const LaunchContract& contract = one.contract;
  std::string text = one.name + ":";
  for (const auto& checks : {contract.sizes, contract.promises})
    for (const SizeCheck& check : checks)
      if (!value_of(check.holds, sizes)) return text + " " + refusal(check, sizes) + "\n";
  try {
    for (const KernelContract& kernel : contract.kernels) {
      const LaunchDims dims = launch_dims(kernel, sizes);
      text +=
          fmt::format(" ({}) ({}) {},", numbers(dims.grid), numbers(dims.block), dims.shared_bytes);
    }
  } catch (const RuntimeError& error) {
    return fmt::format("{}: {}\n", one.name, error.what());
  }
  const int64_t bytes = value_of(workspace_bytes(contract.temporaries), sizes) +
                        value_of(workspace_bytes(contract.counters), sizes);
  return text + fmt::format(" workspace {}\n", bytes);
}

/// The same, printed by a program that has the header alone; for sizes in the order of the params.
std::string cpp_plan(const Export& one) {
  std::string list;
  for (size_t n = 0; n < one.contract.params.size(); ++n)
    list += fmt::format("{}v[{}]", n ? ", " : "", n);
  return fmt::format(
      "void plan_{0}([[maybe_unused]] const long long* v) {{\n"
      "  {0}::Shape shapes[{1}];\n"
      "  const {0}::Status status = {0}::plan({2}{3}shapes);\n"
      "  std::printf(\"{0}:\");\n"
      "  if (!status) {{ std::printf(\" %s\\n\", status.message); return; }}\n"
      "  for (const auto& [kernel, grid, block, shared] : shapes)\n"
      "    std::printf(\" (%lld %lld %lld) (%lld %lld %lld) %zu,\", grid[0], grid[1], grid[2],\n"
      "                block[0], block[1], block[2], shared);\n"
      "  std::printf(\" workspace %zu\\n\", {0}::workspace_bytes({2}));\n"
      "}}\n"
      "const void* {0}::detail::entry(int) {{ return \"{0}\"; }}\n",
      one.name, one.contract.kernels.size(), list, list.empty() ? "" : ", ");
}

std::string python_plan() {
  return R"(
import importlib, sys
sys.path.insert(0, sys.argv[1])
for line in open(sys.argv[2]):
    name, *sizes = line.split()
    program = importlib.import_module(name).program
    sizes = dict((n, int(v)) for n, v in (s.split("=") for s in sizes))
    try:
        launches = program.plan(**sizes)
        text = " ".join("(%s) (%s) %d," % (" ".join(map(str, l.grid)), " ".join(map(str, l.block)),
                                           l.shared_bytes) for l in launches)
        print("%s: %s workspace %d" % (name, text, program.workspace_bytes(**sizes)))
    except ValueError as error:
        print("%s: %s" % (name, error))
)";
}

/// Sizes that tiles divide and that they do not, none, and more than there can be.
std::vector<Sizes> sizes_for(const LaunchContract& contract) {
  constexpr int64_t values[] = {0, 1, 7, 33, 1031, 4096, 46341, 65536, 8400000, 2147483649, -1};
  std::vector<Sizes> all;
  for (const int64_t value : values)
    for (const int64_t step : {0, 1, 3}) {
      Sizes sizes;
      int64_t turn = 0;
      for (const ParamPtr& param : contract.params)
        sizes[param->name] = step == 0 ? value : values[(value + step * turn++) & 7];
      if (!llvm::is_contained(all, sizes)) all.push_back(sizes);
    }
  return all;
}

/// In a folder: a program with the headers of exports, and what it should print.
class Comparison {
 public:
  void add(const Export& one) {
    one.write(folder_.path());
    program_ += fmt::format("#include \"{}.h\"\n", one.name) + cpp_plan(one);
    for (const Sizes& sizes : sizes_for(one.contract)) {
      std::string list;
      lines_ += one.name;
      for (const ParamPtr& param : one.contract.params) {
        list += fmt::format("{}LL, ", sizes.at(param->name));
        lines_ += fmt::format(" {}={}", param->name, sizes.at(param->name));
      }
      main_ += fmt::format("  {{ const long long v[] = {{{}0}}; plan_{}(v); }}\n", list, one.name);
      lines_ += "\n";
      expected_ += planned(one, sizes);
    }
  }

  void expect_same() const {
    EXPECT_EQ(printed_by_cpp(), expected_);
    EXPECT_EQ(printed_by_python(), expected_);
  }

  /// The output of the two programs after a mistake in all files of exports that end so.
  std::string printed_with(llvm::StringRef ending, const std::string& right,
                           const std::string& wrong) const {
    for (const auto& entry : std::filesystem::directory_iterator(folder_.path())) {
      const std::string path = entry.path().string();
      std::string text = *read_small_file(path, 1 << 20);
      const size_t at = text.find(right);
      if (path.ends_with(ending.str()) && at != std::string::npos)
        replace_file(path, {text.replace(at, right.size(), wrong)});
    }
    return ending == ".h" ? printed_by_cpp() : printed_by_python();
  }

  const std::string& expected() const { return expected_; }

 private:
  std::string printed_by_cpp() const {
    replace_file(folder_.file("main.cpp"), {program_, main_, "}\n"});
    const Output built = build_host_program(folder_.path());
    return built.ok ? run(folder_.file("main")).text : built.text.substr(0, 4000);
  }
  std::string printed_by_python() const {
    const std::string python = environment("HONE_PYTHON").value_or("/usr/bin/python3");
    replace_file(folder_.file("plan.py"), {python_plan()});
    replace_file(folder_.file("lines"), {lines_});
    return run(fmt::format("{0} -B {1}/plan.py {1} {1}/lines", python, folder_.path())).text;
  }

  TemporaryFolder folder_;
  std::string program_ = "#include <cstdio>\n", main_ = "int main() {\n", expected_, lines_;
};

/// Every rung, side by side in one program, and in one Python.
TEST(Exports, ComputeWhatTheRuntimeComputes) {
  if (!has_program(host_compiler_name())) GTEST_SKIP() << "there is no " << host_compiler_name();
  Comparison comparison;
  for (const Export& one : all_exports()) comparison.add(one);
  comparison.expect_same();
  for (const char* part :
       {"more than the", "must not be negative", "was compiled for", "a grid takes"})
    EXPECT_THAT(comparison.expected(), HasSubstr(part));
}

TEST(Exports, FollowIndexArithmetic) {
  if (!has_program(host_compiler_name())) GTEST_SKIP() << "there is no " << host_compiler_name();
  Comparison comparison;
  for (const Export& one : exports_with_arithmetic()) {
    EXPECT_FALSE(one.contract.kernels[0].index_checks.empty()) << one.name;
    comparison.add(one);
  }
  comparison.expect_same();
  for (const char* part : {"may reach", "less than the", "may leave", "divides by", "64 bits"})
    EXPECT_THAT(comparison.expected(), HasSubstr(part));
}

/// A mistake in the code that follows index arithmetic.
struct Mistake {
  const char *ending, *right, *wrong;
};

class ExportMistakes : public testing::TestWithParam<Mistake> {};

/// The comparison above can fail: it tells of each of these.
TEST_P(ExportMistakes, AreFound) {
  if (!has_program(host_compiler_name())) GTEST_SKIP() << "there is no " << host_compiler_name();
  const auto& [ending, right, wrong] = GetParam();
  Comparison comparison;
  for (const Export& one : exports_with_arithmetic()) comparison.add(one);
  const std::string printed = comparison.printed_with(ending, right, wrong);
  EXPECT_THAT(printed, HasSubstr("workspace 0\n")) << "no program of that text";
  EXPECT_TRUE(printed != comparison.expected()) << wrong << " in place of " << right;
}

INSTANTIATE_TEST_SUITE_P(
    Cpp, ExportMistakes,
    testing::Values(Mistake{".h", "return add(a, scaled(b, -1));", "return add(a, b);"},
                    Mistake{".h", "ends_product(a.high, 1LL << most", "ends_product(a.high, most"},
                    Mistake{".h", "ends_product(a.low < 0 ? 0 : a.low, 1LL << by",
                            "ends_product(0, 1LL << by"},
                    Mistake{".h", "ends_sum(b.high, -1, largest)", "b.high"},
                    Mistake{".h", "return a.high > 0;", "return a.high >= 0;"}));

INSTANTIATE_TEST_SUITE_P(
    Python, ExportMistakes,
    testing::Values(Mistake{".py", "return _add(a, _scaled(b, -1))", "return _add(a, b)"},
                    Mistake{".py", "high = _product(a[1], 1 << most", "high = _product(a[1], most"},
                    Mistake{".py", "min(_product(max(a[0], 0)", "min(_product(0"},
                    Mistake{".py", "return a[1] > 0", "return a[1] >= 0"},
                    Mistake{".py", "skipped = int(_is_empty", "skipped = int(not _is_empty"}));

// ---- Launches -----------------------------------------------------------------------------------

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
  const Output built = build_host_program(folder.path());
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

// ---- Text ---------------------------------------------------------------------------------------

TEST(Exports, CompileByNvccIntoOneProgram) {
  if (!has_program("nvcc")) GTEST_SKIP() << "there is no nvcc";
  const TemporaryFolder folder;
  std::string program, files;
  std::vector<Export> exports = tuple_exports();
  llvm::append_range(exports, std::vector<Export>{export_of("reduce/last-block", "total"),
                                                  export_of("reduce/last-block", "again"),
                                                  export_of("argmax/last-block", "largest"),
                                                  export_of("matmul/shared-32", "product")});
  for (const Export& one : exports) {
    one.write(folder.path());
    program += fmt::format("#include \"{}.h\"\n", one.name);
    files += one.name + ".cu ";
  }
  replace_file(folder.file("main.cpp"), {program, "int main() {}\n"});
  const Output built = run(fmt::format("cd {} && nvcc -std=c++17 -arch=sm_90 main.cpp {} -o main",
                                       folder.path(), files));
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
  EXPECT_GT(keys.size(), 40u);
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

}  // namespace
}  // namespace hone
