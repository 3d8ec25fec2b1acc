// Exports say what the runtime computes: launch shapes, workspace, refusals.
#include "codegen/export/export.h"

#include <cstdlib>
#include <filesystem>
#include <set>

#include "codegen/lower.h"
#include "dsl/schedule.h"
#include "gmock/gmock.h"
#include "runtime/compile.h"
#include "runtime/environment.h"
#include "runtime/files.h"
#include "tests/support/examples/exports.h"
#include "tests/support/examples/host_programs.h"
#include "tests/support/runtime/judged.h"
#include "tests/support/runtime/temporary_folder.h"

namespace hone {
namespace export_test {

using testing::HasSubstr;

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
    judge_once(text(), [&] {
      EXPECT_EQ(printed_by_cpp(), expected_);
      EXPECT_EQ(printed_by_python(), expected_);
    });
  }

  /// Of all files, and of what is to be printed.
  std::string text() const {
    std::set<std::string> texts;
    for (const auto& entry : std::filesystem::directory_iterator(folder_.path()))
      texts.insert(*read_small_file(entry.path().string(), 1 << 20));
    return fmt::format("{}{}{}{}{}", fmt::join(texts, ""), program_, main_, lines_, expected_);
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
    const CommandOutput built = build_host_program(folder_.path());
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
    EXPECT_GT(one.contract.kernels[0].index_steps, 0) << one.name;
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
  judge_once(comparison.text(), [&, ending = ending, right = right, wrong = wrong] {
    const std::string printed = comparison.printed_with(ending, right, wrong);
    EXPECT_THAT(printed, HasSubstr("workspace 0\n")) << "no program of that text";
    EXPECT_TRUE(printed != comparison.expected()) << wrong << " in place of " << right;
  });
}

INSTANTIATE_TEST_SUITE_P(
    Cpp, ExportMistakes,
    testing::Values(Mistake{".h", "a + detail::opposite(b.value);", "a + b;"},
                    Mistake{".h", "a * (1LL << b.value)", "a * b.value"},
                    Mistake{".h", "inline Size min(Size a, Size b) { return a < b",
                            "inline Size min(Size a, Size b) { return b < a"},
                    Mistake{".h", "product / b == a;", "true;"},
                    Mistake{".h", "? rest + b.value : rest;", "? rest : a.value;"}));

INSTANTIATE_TEST_SUITE_P(
    Python, ExportMistakes,
    testing::Values(Mistake{".py", "_sum(a, _opposite(b))", "_sum(a, b)"},
                    Mistake{".py", "return a << b if", "return a * b if"},
                    Mistake{".py", "\"min\": min", "\"min\": max"},
                    Mistake{".py", "min(max(value, LEAST), LARGEST)", "value"},
                    Mistake{".py", "value_of(formula, known)",
                            "value_of(formula, sizes) if formula in sizes else 0"}));

}  // namespace export_test
}  // namespace hone
