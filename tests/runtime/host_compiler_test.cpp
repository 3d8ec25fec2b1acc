#include "runtime/host_compiler.h"

#include <filesystem>

#include "gmock/gmock.h"
#include "runtime/error.h"
#include "tests/support/runtime/errors.h"
#include "tests/support/runtime/temporary_folder.h"

namespace hone {
namespace host_compiler_test {

TEST(HostCompiler, MakesAFunctionInThisProcess) {
  const SharedLibrary library =
      host_compile({"int add(int a, int b) { return a + b; }", "add", {}});
  EXPECT_EQ(library.function<int(int, int)>("add")(2, 3), 5);
  EXPECT_EQ(thrown_message<RuntimeError>([&] { library.function<void()>("sub"); }),
            library.path() + " has no symbol sub");
}

TEST(HostCompiler, WrapsSignedIntegers) {
  const SharedLibrary library =
      host_compile({"#include <limits.h>\nint grows(int x) { return x + 1 > x; }", "wraps", {}});
  EXPECT_EQ(library.function<int(int)>("grows")(2147483647), 0);
}

/// GCC 12.2 with AVX moves the second row of every second tile from the first one, where it turns
/// guards into masks.
TEST(HostCompiler, VectorisesGuardedCopiesRightly) {
  const SharedLibrary library = host_compile({R"(
void rows(const float* restrict A, float* restrict C, float* restrict T, float* restrict U) {
  for (long i = 0; i < 3; ++i)
    for (long j = 0; j < 16; j += 4)
      for (long l = 0; l < 4; ++l) T[i * 16 + j + l] = A[i];
  for (long i = 0; i < 4; i += 2)
    for (long l = 0; l < 8; l += 8) {
      float S[2][4][8];
      for (long x = 0; x < 2; ++x)
        for (long y = 0; y < 4; ++y)
          for (long z = 0; z < 8; ++z)
            S[x][y][z] = (i + x < 3 && l + z < 4) ? T[i * 16 + x * 16 + y * 4 + l + z] : 0.0f;
      for (long j = 0; j < 4; ++j)
        for (long x = 0; x < 2; ++x)
          for (long z = 0; z < 8; ++z)
            if (i + x < 3 && l + z < 4) U[i * 16 + x * 16 + j * 4 + l + z] = S[x][j][z];
    }
  for (long i = 0; i < 48; i += 16)
    for (long j = 0; j < 16; j += 4)
      for (long l = 0; l < 4; ++l) C[i + j + l] = U[i + j + l];
})",
                                              "rows",
                                              {}});
  const float a[3] = {1, 2, 3};
  float c[48], t[48], u[48];
  library.function<void(const float*, float*, float*, float*)>("rows")(a, c, t, u);
  for (int n = 0; n < 48; ++n) EXPECT_EQ(c[n], a[n / 16]) << n;
}

/// And here rows of quads, which lie apart.
TEST(HostCompiler, VectorisesGuardedCopiesOfQuadsRightly) {
  const SharedLibrary library = host_compile({R"(
void sums(const float* restrict A, float* restrict C) {
  for (long i = 0; i < 6; i += 3) {
    float S[3][3][6];
    for (long x = 0; x < 3; ++x)
      for (long y = 0; y < 12; ++y)
        S[x][y / 4][y % 4] = i + x < 5 ? A[(i + x) * 12 + y] : 0.0f;
    for (long x = 0; x < 3 && i + x < 5; ++x) {
      C[i + x] = 0.0f;
      for (long k = 0; k < 12; ++k) C[i + x] += S[x][k / 4][k % 4];
    }
  }
})",
                                              "sums",
                                              {}});
  float a[60], c[5];
  for (int n = 0; n < 60; ++n) a[n] = static_cast<float>(n);
  library.function<void(const float*, float*)>("sums")(a, c);
  for (int row = 0; row < 5; ++row) EXPECT_EQ(c[row], 12 * 12 * row + 66) << row;
}

TEST(HostCompiler, LinksTheMathLibrary) {
  const SharedLibrary library =
      host_compile({"#include <math.h>\nfloat root(float x) { return erff(x); }", "root", {}});
  EXPECT_FLOAT_EQ(library.function<float(float)>("root")(0.5F), 0.5204999F);
}

TEST(HostCompiler, RunsOpenMpWhereItIsSupported) {
  if (!host_compiler().openmp) GTEST_SKIP() << host_compiler().command[0] << " has no OpenMP";
  const SharedLibrary library = host_compile(
      {"#include <omp.h>\nint threads(void) {\n  int n = 0;\n"
       "#pragma omp parallel num_threads(2)\n#pragma omp atomic\n  n++;\n  return n;\n}",
       "threads",
       {}});
  EXPECT_EQ(library.function<int()>("threads")(), 2);
}

TEST(HostCompiler, PassesOptionsOn) {
  const SharedLibrary library =
      host_compile({"int answer(void) { return ANSWER; }", "answer", {"-DANSWER=42"}});
  EXPECT_EQ(library.function<int()>("answer")(), 42);
}

/// A compiler that writes down its runs.
class CountedCompiler : public testing::Test {
 protected:
  CountedCompiler() { replace(""); }
  void replace(const std::string& option) {
    replace_file(program_, {"#!/bin/sh\necho run >>", log_, "\nexec gcc ", option, " \"$@\"\n"});
    std::filesystem::permissions(program_, std::filesystem::perms::owner_all);
  }
  size_t runs() const { return read_small_file(log_, 1000).value_or("").size() / 4; }

  /// The third value of a counter in a library that is compiled as in a process of its own.
  int third_value(const std::string& declaration) const {
    const ScopedVariable chosen("CC", program_.c_str());
    DiskCache cache(root_.file("cache"));
    const HostCompileJob job = {declaration + "int next(void) { return ++number; }", "next", {}};
    const HostCompiler compiler = find_host_compiler(cache);
    host_compile(job, compiler, cache).function<int()>("next")();
    const SharedLibrary library = host_compile(job, compiler, cache);  // with variables of its own
    library.function<int()>("next")();
    return library.function<int()>("next")();
  }

  TemporaryFolder root_;
  const std::string program_ = root_.file("cc"), log_ = root_.file("log");
};

TEST_F(CountedCompiler, CompilesASourceOnceForManyProcesses) {
  EXPECT_EQ(third_value("int number = 40;"), 42);
  EXPECT_EQ(runs(), 3u);  // two probes and the library
  EXPECT_EQ(third_value("int number = 40;"), 42);
  EXPECT_EQ(runs(), 3u);
  EXPECT_EQ(third_value("int number = 7;"), 9);
  EXPECT_EQ(runs(), 4u);
  replace("-fwrapv");
  EXPECT_EQ(third_value("int number = 40;"), 42);
  EXPECT_EQ(runs(), 7u);  // another compiler
}

TEST(HostCompiler, LeavesNoFilesBehind) {
  const TemporaryFolder root;
  const ScopedVariable temporary("TMPDIR", root.path().c_str());
  host_compile({"int f(void) { return 1; }", "f", {}});
  EXPECT_TRUE(std::filesystem::is_empty(root.path()));
}

TEST(HostCompiler, SavesASourceThatTheCompilerRefuses) {
  const TemporaryFolder root;
  const ScopedVariable temporary("TMPDIR", root.path().c_str());
  const std::string source = "int f(void) { return missing; }";
  const std::string message = thrown_message<RuntimeError>([&] {
    host_compile({source, "broken", {}});
  });
  const std::string folder = std::filesystem::directory_iterator(root.path())->path();
  EXPECT_THAT(message, testing::StartsWith(host_compiler().command[0] +
                                           " refused the C that hone generated for 'broken': this "
                                           "is a bug in hone, not in the schedule\n"));
  EXPECT_THAT(message, testing::HasSubstr("missing"));
  EXPECT_THAT(message,
              testing::EndsWith("\nsource and log are in " + folder + "; please report them"));
  EXPECT_EQ(read_small_file(folder + "/broken.c", 1000), source);
}

/// In a process of its own, where no compiler was looked for yet.
TEST(HostCompilerDeathTest, SaysWhatItLookedFor) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  const auto ask = [] {
    const ScopedVariable path("PATH", "/nowhere"), chosen("CC", "my-cc -m64");
    fmt::print(stderr, "{}\n", thrown_message<RuntimeError>([] { host_compiler(); }));
    std::exit(0);
  };
  EXPECT_EXIT(ask(), testing::ExitedWithCode(0),
              "no C compiler: found none of my-cc -m64, cc, gcc, clang; install gcc or clang, or "
              "set CC to the one to use");
}

TEST(HostCompilerDeathTest, TakesTheUsersCompilerWithItsOptions) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  const auto ask = [] {
    const ScopedVariable chosen("CC", "gcc -DANSWER=41");
    const SharedLibrary library =
        host_compile({"int answer(void) { return ANSWER; }", "answer", {}});
    std::exit(library.function<int()>("answer")());
  };
  EXPECT_EXIT(ask(), testing::ExitedWithCode(41), "");
}

}  // namespace host_compiler_test
}  // namespace hone
