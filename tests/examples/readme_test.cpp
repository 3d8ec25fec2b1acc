// README.md and docs/ show what happens: the C++ compiles, and makes the CUDA that stands beside
// it; commands run, and print what is said; kernels are clean.
#include <gmock/gmock.h>

#include <filesystem>

#include "codegen/emit.h"
#include "codegen/lower.h"
#include "dsl/schedule.h"
#include "examples/ladders/ladders.h"
#include "runtime/compile.h"
#include "runtime/files.h"
#include "tests/support/ir/code_blocks.h"
#include "tests/support/runtime/temporary_folder.h"
#include "tools/cli/command_line.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> blocks_of(const std::string& path, llvm::StringRef language) {
  std::vector<std::string> texts;
  for (const CodeBlock& block : code_blocks(path))
    if (block.language == language) texts.push_back(block.text);
  return texts;
}

// ---- C++ ----------------------------------------------------------------------------------------

/// Lines of this file, as far as `// <tag` and `// tag>` around them say, less the indentation.
std::string code_of(const std::string& tag) {
  const std::string file = read_small_file("tests/examples/readme_test.cpp", 1 << 20).value_or("");
  llvm::SmallVector<llvm::StringRef> lines;
  llvm::StringRef(file).split(lines, '\n');
  std::string text;
  bool is_inside = false;
  for (const llvm::StringRef line : lines) {
    if (line.trim() == "// " + tag + ">") is_inside = false;
    if (is_inside)
      text += (text.empty() ? "" : "\n") + line.drop_front(std::min<size_t>(2, line.size())).str();
    if (line.trim() == "// <" + tag) is_inside = true;
  }
  return text;
}

/// A kernel without the comment at its head.
std::string cuda_of(const Schedule& schedule) {
  const std::string source = emit_cuda(lower(schedule).kernels.front());
  return llvm::StringRef(source).substr(source.find("extern \"C\"")).rtrim().str();
}

struct Shown {
  std::string plain, tiled;           // CUDA
  std::vector<float> result, wanted;  // of the product
};

Shown run_readme_matmul() {
  const int64_t rows = 33, columns = 17, depth = 40;
  Array<float> a({rows, depth}), b({depth, columns}), c({rows, columns});
  for (int64_t n = 0; n < a.size(); ++n) a.host_data()[n] = static_cast<float>(n % 7 - 3);
  for (int64_t n = 0; n < b.size(); ++n) b.host_data()[n] = static_cast<float>(n % 5 - 2);
  Shown shown;
  // clang-format off
  // <matmul
  Param M("M"), N("N"), K("K");                                      // sizes known at launch
  Tensor A("A", f32, {M, K}), B("B", f32, {K, N}), C("C", f32, {M, N});
  Axis i("i", M), j("j", N);
  ReduceAxis k("k", K);
  Program matmul("matmul", C(i, j) = sum(k, A(i, k) * B(k, j)));     // what

  Schedule s(matmul);                                                // how
  auto [by, bx, ty, tx] = s.tile({i, j}, {32, 32});
  s.bind(by, block.y);   s.bind(bx, block.x);
  s.bind(ty, thread.y);  s.bind(tx, thread.x);
  s.cache_registers(C, tx);

  // matmul>
  shown.plain = cuda_of(s);
  // <tiles
  auto [ko, ki] = s.split(k, 32);
  s.cache_shared(A, ko);
  s.cache_shared(B, ko);
  // tiles>
  shown.tiled = cuda_of(s);
  if (why_no_cuda().empty()) return shown;  // the arrays are the host's
  // <matmul
  compile(s)(a, b, c);
  // matmul>
  // clang-format on
  shown.result = c.to_vector();
  compile(Schedule(matmul), {.device = Device::host()})(a, b, c);
  shown.wanted = c.to_vector();
  return shown;
}

TEST(Readme, ItsMatmulMakesTheKernelsThatItShows) {
  const auto code = blocks_of("README.md", "cpp"), kernels = blocks_of("README.md", "cuda");
  ASSERT_GE(code.size(), 2u);
  ASSERT_EQ(kernels.size(), 2u);
  EXPECT_EQ(code[0], code_of("matmul"));
  EXPECT_EQ(code[1], code_of("tiles"));
  const Shown shown = run_readme_matmul();
  EXPECT_EQ(shown.plain, kernels[0]);
  EXPECT_EQ(shown.tiled, kernels[1]);
  EXPECT_EQ(shown.result, shown.wanted);
}

Definition readme_statistic(const Tensor& statistic, const Tensor& X, const Axis& i,
                            const ReduceAxis& k) {
  return
      // clang-format off
  // <statistic
  statistic(i) = reduce({k}, pair(std::numeric_limits<float>::lowest(), 0.0), pair(X(i, k), 1.0),
                        [](Expr x, Expr y) {
                          const Expr largest = max(first(x), first(y));
                          const auto scaled = [&](Expr part) {
                            return second(part) * exp(first(part) - largest);
                          };
                          return pair(largest, scaled(x) + scaled(y));
                        },
                        {.name = "merge", .associative = true});
  // statistic>
  // clang-format on
}

TEST(Readme, ItsOperatorOfPairsIsTaken) {
  const auto code = blocks_of("README.md", "cpp");
  ASSERT_EQ(code.size(), 4u) << "README.md has C++ that no test runs";
  EXPECT_EQ(code[2], code_of("statistic"));
  const Tensor X("X", f32, {2, 3}), statistic("statistic", f32_f32, {2});
  const Program program("statistics",
                        readme_statistic(statistic, X, Axis("i", 2), ReduceAxis("k", 3)));
  const Array<std::pair<float, float>> result({2});
  compile(Schedule(program), {.device = Device::host()})(Array<float>({1, 1, 1, -5, 2, -5}, {2, 3}),
                                                         result);
  EXPECT_EQ(result.to_vector()[0], (std::pair<float, float>(1, 3)));
  EXPECT_EQ(result.to_vector()[1].first, 2);
}

TEST(Readme, ItsProgramsGoOnFromValues) {
  EXPECT_EQ(blocks_of("README.md", "cpp")[3], code_of("in_place"));
  const Expr n = 2;
  const Tensor A("A", f32, {n, n}), B("B", f32, {n, n}), C("C", f32, {n, n}), X("X", f32, {n}),
      rate("rate", f32, {n}), Old("Old", f32, {n + 2}), New("New", f32, {n}),
      change("change", f32, {});
  const Axis i("i", n), j("j", n);
  const ReduceAxis k("k", n);
  // <in_place
  Program gemm("gemm", C(i, j) += sum(k, A(i, k) * B(k, j)));
  Program decay("decay", X(i) = X(i) * rate(i));
  Program jacobi("jacobi", output(New(i) = (Old(i) + Old(i + 2)) * 0.5),
                 change() = max(k, abs(New(k) - Old(k + 1))));
  // in_place>
  const auto run = [](const Program& program, const auto&... arrays) {
    compile(Schedule(program), {.device = Device::host()})(arrays...);
  };
  const Array<float> c({10, 20, 30, 40}, {2, 2}), x({1, 2}, {2}), result({2}), moved({});
  run(gemm, Array<float>({1, 0, 0, 1}, {2, 2}), Array<float>({1, 2, 3, 4}, {2, 2}), c);
  EXPECT_EQ(c.to_vector(), (std::vector<float>{11, 22, 33, 44}));
  run(decay, Array<float>({3, 5}, {2}), x);
  EXPECT_EQ(x.to_vector(), (std::vector<float>{3, 10}));
  run(jacobi, Array<float>({0, 5, 4, 1}, {4}), result, moved);
  EXPECT_EQ(result.to_vector(), (std::vector<float>{2, 3}));
  EXPECT_EQ(moved.to_vector(), (std::vector<float>{3}));
}

// ---- Commands -----------------------------------------------------------------------------------

class Captured : public Output {
 public:
  void print(std::string_view text) override { printed += text; }
  void complain(std::string_view text) override { complained += text; }
  bool is_terminal() const override { return false; }
  std::string printed, complained;
};

/// The words of a command line; quotes keep blanks.
std::vector<std::string> words_of(llvm::StringRef line) {
  std::vector<std::string> words;
  bool in_quotes = false, in_word = false;
  for (const char c : line) {
    if (c == '"') in_quotes = !in_quotes;
    const bool ends = c == ' ' && !in_quotes;
    if (!ends && !in_word) words.emplace_back();
    if (!ends && c != '"') words.back() += c;
    in_word = !ends;
  }
  return words;
}

struct Outcome {
  int status;
  std::string printed, complained;
};

Outcome run_hone(const std::vector<std::string>& words) {
  Captured out;
  const int status = run_command(words, all_ladders(), out);
  return {status, out.printed, out.complained};
}

/// Every line of README.md that runs the command.
std::vector<std::string> command_lines() {
  std::vector<std::string> lines;
  for (const std::string& block : blocks_of("README.md", "")) {
    llvm::SmallVector<llvm::StringRef> split;
    llvm::StringRef(block).split(split, '\n');
    for (const llvm::StringRef line : split)
      if (std::string_view(line).starts_with("build/hone ")) lines.push_back(line.str());
  }
  return lines;
}

TEST(Readme, ItsCommandsRun) {
  const auto lines = command_lines();
  EXPECT_GE(lines.size(), 9u);
  for (const std::string& line : lines) {
    std::vector<std::string> words = words_of(line);
    words.erase(words.begin());
    const Outcome outcome = run_hone(words);
    EXPECT_EQ(outcome.status, 0) << line << "\n" << outcome.complained;
    EXPECT_NE(outcome.printed, "") << line;
  }
}

TEST(Readme, ItsExplanationIsTheOneThatIsPrinted) {
  const auto blocks = blocks_of("README.md", "");
  const auto shown = llvm::find_if(blocks, [](const std::string& block) {
    return block.starts_with("matmul/register-accumulate against");
  });
  ASSERT_NE(shown, blocks.end());
  EXPECT_THAT(run_hone({"explain", "matmul/register-accumulate"}).printed,
              testing::StartsWith(*shown));
}

/// scripts/check-package, a test of its own, builds the template.
TEST(Readme, ItsCMakeIsThatOfTheTemplate) {
  const std::string built =
      read_small_file("examples/template/CMakeLists.txt", 1 << 16).value_or("");
  const auto blocks = blocks_of("README.md", "cmake");
  ASSERT_EQ(blocks.size(), 1u);
  llvm::SmallVector<llvm::StringRef> lines;
  llvm::StringRef(blocks.front()).split(lines, '\n', -1, /*KeepEmpty=*/false);
  EXPECT_EQ(lines.size(), 2u);
  for (const llvm::StringRef line : lines) EXPECT_THAT(built, testing::HasSubstr(line.str()));
}

TEST(Readme, ItsScriptsAndFoldersExist) {
  int scripts = 0, folders = 0;
  for (const std::string& block : blocks_of("README.md", "")) {
    llvm::SmallVector<llvm::StringRef> lines;
    llvm::StringRef(block).split(lines, '\n');
    for (const llvm::StringRef line : lines) {
      const std::string path = line.split(' ').first.str();
      const auto executable = fs::perms::owner_exec;
      if (path.starts_with("scripts/")) {
        EXPECT_NE(fs::status(path).permissions() & executable, fs::perms::none) << path;
        ++scripts;
      }
      if (!path.ends_with('/')) continue;
      EXPECT_TRUE(fs::is_directory(path)) << path;
      ++folders;
    }
  }
  EXPECT_EQ(scripts, 2);
  EXPECT_GE(folders, 5);
}

// ---- Kernels ------------------------------------------------------------------------------------

TEST(IrText, ItsKernelsAreClean) {
  const TemporaryFolder folder;
  int kernels = 0;
  for (const CodeBlock& block : code_blocks("docs/ir-text.md")) {
    if (!block.text.starts_with("kernel ")) continue;
    const std::string path = folder.file(fmt::format("{}.txt", kernels++));
    write_new_file(path, block.text);
    std::vector<std::string> words = {"check", "--kernel", path};
    const llvm::StringRef params = llvm::StringRef(block.text).split('[').second.split(']').first;
    llvm::SmallVector<llvm::StringRef> names;
    params.split(names, ", ");
    for (const llvm::StringRef name : names) {
      words.emplace_back("-D");
      words.push_back(name.str() + "=96");
    }
    const Outcome outcome = run_hone(words);
    EXPECT_EQ(outcome.status, 0) << block.text << "\n" << outcome.printed << outcome.complained;
    EXPECT_THAT(outcome.printed, testing::HasSubstr("no findings in"));
  }
  EXPECT_EQ(kernels, 2);
}

}  // namespace
}  // namespace hone
