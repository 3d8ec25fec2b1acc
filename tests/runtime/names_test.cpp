// Programs, tensors, params, axes and operators with names that others own: they compile in every
// language, many in one file, and compute what they compute under plain names.
#include <gtest/gtest.h>

#include <random>
#include <set>

#include "codegen/c_form/identifiers.h"
#include "codegen/emit/emit.h"
#include "codegen/lower.h"
#include "ir/text/operators.h"
#include "ir/text/parser.h"
#include "llvm/ADT/StringExtras.h"
#include "runtime/compile.h"
#include "runtime/host_compiler.h"
#include "runtime/nvrtc/kernel_cache.h"
#include "runtime/nvrtc/nvrtc.h"
#include "tests/support/runtime/named_program.h"
#include "tests/support/runtime/words.h"

namespace hone {
namespace names_test {

std::vector<std::string> words_in(std::initializer_list<const char*> texts) {
  std::vector<std::string> words;
  for (const char* text : texts) {
    llvm::SmallVector<llvm::StringRef, 256> parts;
    llvm::SplitString(text, parts, " \n");
    for (const llvm::StringRef part : parts) words.push_back(part.str());
  }
  return words;
}

std::vector<std::string> all_words() {
  return words_in({words_of_languages, words_of_headers, math_functions, library_functions,
                   words_of_cuda, generated_words});
}

struct NamedProgram {
  int kind;
  ProgramNames names;
};

std::string to_string(const NamedProgram& p) {
  const ProgramNames& names = p.names;
  return fmt::format("kind {}: {}({}, {}, {}) over {}, {} by {}", p.kind, names.program,
                     names.input, names.output, names.rows, names.row, names.column, names.combine);
}

bool is_built_in(const std::string& combine) {
  return combine == "min" || combine == "max" || combine == "and" || combine == "or";
}

/// A program for each word, most of them simple.
std::vector<NamedProgram> named_by_programs(const std::vector<std::string>& words = all_words()) {
  std::vector<NamedProgram> programs;
  for (const std::string& word : words) {
    const int number = static_cast<int>(programs.size());
    const int kind = number % 10 == 0 ? number / 10 % kind_count : simple_kind;
    programs.push_back({kind, {.program = word}});
  }
  return programs;
}

/// All words as names of what stands in a program.
std::vector<NamedProgram> named_inside() {
  std::vector<std::string> words = all_words();
  llvm::erase_if(words, [](const std::string& word) { return is_reserved(word); });
  std::mt19937 random(29);
  std::shuffle(words.begin(), words.end(), random);
  std::vector<NamedProgram> programs;
  for (size_t n = 0; n + 6 <= words.size(); n += 6) {
    const int kind = static_cast<int>(n / 6) % kind_count;
    const std::string own = is_built_in(words[n + 5]) ? "own" : words[n + 5];
    programs.push_back({kind,
                        {fmt::format("inside_{}", n), words[n], words[n + 1], words[n + 2],
                         words[n + 3], words[n + 4], own}});
  }
  return programs;
}

/// Names that are, or become, each other's: a tensor and a param may share one, two axes may not.
std::vector<NamedProgram> named_alike() {
  const std::vector<std::string> pool = words_in(
      {"A A_ A__ A_1 k k_ k_0 k_1 k_0_ log log_ log__ expf expf_ x0 lhs value own combine_own "
       "combine_own_ atomic_own f32_i32 f32_i32_ A_shared k_part C_tree C_part t offset shared "
       "shared_ _A __A name__A namename__A"});
  std::mt19937 random(31);
  const auto draw = [&] { return pool[random() % pool.size()]; };
  std::vector<NamedProgram> programs;
  while (programs.size() < 200) {
    const int kind = static_cast<int>(programs.size()) % kind_count;
    const std::string number = std::to_string(programs.size());
    ProgramNames names = {draw() + "_in_" + number, draw(), draw(), draw(), draw(), draw(), draw()};
    const std::set<std::string> values = {names.rows, names.row, names.column};
    if (names.input != names.output && values.size() == 3) programs.push_back({kind, names});
  }
  return programs;
}

std::vector<NamedProgram> plain_programs() {
  std::vector<NamedProgram> programs;
  for (int kind = 0; kind < kind_count; ++kind)
    programs.push_back({kind, {.program = fmt::format("plain_{}", kind)}});
  return programs;
}

/// To PTX, and where `assemble` says so, on to machine code.
void expect_compiles_for_a_gpu(const std::vector<NamedProgram>& programs, bool assemble) {
  if (!nvrtc_info()) GTEST_SKIP() << nvrtc_missing();
  std::string source;
  for (const NamedProgram& p : programs)
    source += cuda_text(named_schedule(p.kind, p.names)) + "\n";
  const auto compiled =
      compile_cached({source, "names", assemble ? "sm_90" : "compute_90", {}, ""});
  for (const NamedProgram& p : programs)
    for (const KernelFunction& kernel : lower(named_schedule(p.kind, p.names).function()).kernels)
      EXPECT_NE(compiled->ptx.find(".visible .entry " + cuda_symbol(kernel) + "("),
                std::string::npos)
          << to_string(p);
}

void expect_right_on_the_host(std::vector<NamedProgram> programs) {
  llvm::append_range(programs, plain_programs());
  std::string source;
  for (const NamedProgram& p : programs) source += c_text(named_schedule(p.kind, p.names)) + "\n";
  const SharedLibrary library = host_compile({source, "names", {"-O0"}});
  const auto output = [&](int kind, const ProgramNames& names) {
    const Schedule schedule = named_schedule(kind, names);
    const KernelFunction kernel = lower_host(schedule.function()).kernels.front();
    return output_of(library.function<RowFunction>(host_symbol(kernel).c_str()), schedule);
  };
  for (const NamedProgram& p : programs)
    EXPECT_EQ(output(p.kind, p.names), output(p.kind, plain_programs()[p.kind].names))
        << to_string(p);
}

void expect_right_on_the_simulated_device(const std::vector<NamedProgram>& programs) {
  std::vector<std::vector<std::byte>> expected;
  for (const NamedProgram& p : plain_programs())
    expected.push_back(output_on_sim(named_schedule(p.kind, p.names)));
  for (const NamedProgram& p : programs)
    EXPECT_EQ(output_on_sim(named_schedule(p.kind, p.names)), expected[p.kind]) << to_string(p);
}

void expect_text_that_parses(const std::vector<NamedProgram>& programs) {
  for (const NamedProgram& p : programs) {
    const std::string text = to_string(named_schedule(p.kind, p.names).function());
    EXPECT_EQ(to_string(parse_function(text)), text);
  }
}

TEST(NamesOfPrograms, CompileForAGpuInOneFile) {
  expect_compiles_for_a_gpu(named_by_programs(), /*assemble=*/false);
}
TEST(NamesOfPrograms, AssembleForAGpuInOneFile) {
  expect_compiles_for_a_gpu(named_by_programs(words_in({words_of_languages, generated_words})),
                            /*assemble=*/true);
}
TEST(NamesOfPrograms, ComputeTheSameOnTheHost) { expect_right_on_the_host(named_by_programs()); }
TEST(NamesOfPrograms, ComputeTheSameOnTheSimulatedDevice) {
  expect_right_on_the_simulated_device(named_by_programs());
}
TEST(NamesOfPrograms, AreNoObstacleToTheParser) { expect_text_that_parses(named_by_programs()); }

TEST(NamesInPrograms, CompileForAGpuInOneFile) {
  expect_compiles_for_a_gpu(named_inside(), /*assemble=*/false);
}
TEST(NamesInPrograms, ComputeTheSameOnTheHost) { expect_right_on_the_host(named_inside()); }
TEST(NamesInPrograms, ComputeTheSameOnTheSimulatedDevice) {
  expect_right_on_the_simulated_device(named_inside());
}
TEST(NamesInPrograms, AreNoObstacleToTheParser) { expect_text_that_parses(named_inside()); }

TEST(NamesAlike, CompileForAGpuInOneFile) {
  expect_compiles_for_a_gpu(named_alike(), /*assemble=*/false);
}
TEST(NamesAlike, ComputeTheSameOnTheHost) { expect_right_on_the_host(named_alike()); }
TEST(NamesAlike, ComputeTheSameOnTheSimulatedDevice) {
  expect_right_on_the_simulated_device(named_alike());
}
TEST(NamesAlike, AreNoObstacleToTheParser) { expect_text_that_parses(named_alike()); }

/// A library may have a function of that name, and a language may mean something by it.
TEST(NamesOfPrograms, ComputeThroughCompile) {
  const Array<float> a({1, 2, 3}, {3});
  for (const char* name : {"remove", "rename", "read", "kill", "link", "if", "while", "sleep",
                           "clone", "errno", "stdin", "log", "main", "entry_of_hone", "free"}) {
    Param n("n");
    Tensor A("A", f32, {n}), C("C", f32, {n});
    Axis i("i", n);
    const Array<float> c({3});
    compile(Program(name, C(i) = A(i) + 1.0).function(), {.device = Device::host()})(a, c);
    EXPECT_EQ(c.to_vector(), (std::vector<float>{2, 3, 4})) << name;
  }
}

}  // namespace names_test
}  // namespace hone
