#include "runtime/nvrtc/kernel_cache.h"

#include <sys/stat.h>

#include <atomic>
#include <filesystem>
#include <thread>

#include "gmock/gmock.h"
#include "tests/support/runtime/errors.h"
#include "tests/support/runtime/temporary_folder.h"

namespace hone {
namespace kernel_cache_test {

class KernelCacheTest : public testing::Test {
 protected:
  KernelCache make(const std::optional<std::string>& folder) {
    return KernelCache(folder, [this](const std::string& text) { warnings_.push_back(text); });
  }
  std::shared_ptr<const Compiled> get(KernelCache& cache, const std::string& key = "key") {
    return cache.get(key, [&] {
      ++compilations_;
      Compiled compiled;
      compiled.cubin = {'E', 'L', 'F'};
      compiled.ptx = ".version 9.0";
      compiled.log =
          "ptxas info    : Compiling entry function 'k' for 'sm_90'\n"
          "ptxas info    : Used 14 registers\n";
      return compiled;
    });
  }

  TemporaryFolder root_;
  std::string folder_ = root_.file("cache");
  std::vector<std::string> warnings_;
  std::atomic<int> compilations_ = 0;
};

TEST_F(KernelCacheTest, CompilesOnceInAProcess) {
  KernelCache cache = make(folder_);
  const auto first = get(cache), second = get(cache);
  EXPECT_EQ(first, second);
  EXPECT_FALSE(first->from_cache);
  EXPECT_EQ(compilations_, 1);
  get(cache, "another key");
  EXPECT_EQ(compilations_, 2);
}

TEST_F(KernelCacheTest, CompilesOnceForManyProcesses) {
  KernelCache cache = make(folder_), other_process = make(folder_);
  const auto made = get(cache), found = get(other_process);
  EXPECT_EQ(compilations_, 1);
  EXPECT_TRUE(found->from_cache);
  EXPECT_EQ(found->cubin, made->cubin);
  EXPECT_EQ(found->ptx, made->ptx);
  EXPECT_EQ(found->log, made->log);
  ASSERT_EQ(found->kernels.size(), 1u);
  EXPECT_EQ(found->kernels[0].registers, 14);
  EXPECT_THAT(warnings_, testing::IsEmpty());
}

TEST_F(KernelCacheTest, CompilesAgainWhereAnEntryIsDamaged) {
  KernelCache cache = make(folder_);
  get(cache);
  const std::string entry = CacheStore(folder_).entry_folder("key");
  replace_file(entry + "/cubin", {"ELX"});
  KernelCache other_process = make(folder_);
  EXPECT_EQ(get(other_process)->cubin, (std::vector<char>{'E', 'L', 'F'}));
  EXPECT_EQ(compilations_, 2);
  EXPECT_THAT(warnings_, testing::ElementsAre("a compiled kernel is compiled again; " + entry +
                                              ": cubin does not match its hash"));
  KernelCache third_process = make(folder_);
  EXPECT_TRUE(get(third_process)->from_cache);
}

TEST_F(KernelCacheTest, KeepsToMemoryWhereTheFolderIsUnusable) {
  std::filesystem::create_directory(folder_);
  ::chmod(folder_.c_str(), 0777);
  KernelCache cache = make(folder_);
  EXPECT_THAT(warnings_, testing::ElementsAre("compiled kernels are not kept on disk: cannot use " +
                                              folder_ + ": others may write to it (mode 777)"));
  EXPECT_EQ(get(cache), get(cache));
  EXPECT_EQ(compilations_, 1);
  EXPECT_EQ(cache.folder(), std::nullopt);
  EXPECT_TRUE(std::filesystem::is_empty(folder_));
}

TEST_F(KernelCacheTest, GoesOnWhereTheFolderDisappears) {
  KernelCache cache = make(folder_);
  std::filesystem::remove_all(folder_);
  EXPECT_FALSE(get(cache)->cubin.empty());
  EXPECT_THAT(warnings_, testing::ElementsAre(
                             "a compiled kernel is not kept on disk: cannot make a folder in " +
                             folder_ + ": No such file or directory"));
}

TEST_F(KernelCacheTest, CanBeInMemoryAlone) {
  KernelCache cache = make(std::nullopt);
  EXPECT_EQ(get(cache), get(cache));
  EXPECT_EQ(compilations_, 1);
  EXPECT_THAT(warnings_, testing::IsEmpty());
}

TEST_F(KernelCacheTest, StoresNothingWhereTheCompilationFails) {
  KernelCache cache = make(folder_);
  EXPECT_EQ(thrown_message<RuntimeError>(
                [&] { cache.get("key", []() -> Compiled { throw RuntimeError("no"); }); }),
            "no");
  EXPECT_FALSE(get(cache)->cubin.empty());
}

TEST_F(KernelCacheTest, GivesRacingThreadsOneResult) {
  KernelCache cache = make(folder_);
  std::vector<std::shared_ptr<const Compiled>> results(8);
  std::vector<std::thread> threads;
  for (auto& result : results) threads.emplace_back([&] { result = get(cache); });
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(results, testing::Each(results.front()));
}

TEST_F(KernelCacheTest, KeepsWhatNvrtcMakes) {
  if (!nvrtc_info()) GTEST_SKIP() << nvrtc_missing();
  CompileJob job;
  job.source = "extern \"C\" __global__ void k(float* a) { a[threadIdx.x] += 1; }";
  job.arch = "sm_90";
  const std::string key = cache_key(job, *nvrtc_info());
  const auto compile = [&] { return nvrtc_compile(job); };
  KernelCache cache = make(folder_), other_process = make(folder_);
  const auto made = cache.get(key, compile), found = other_process.get(key, compile);
  EXPECT_TRUE(found->from_cache);
  EXPECT_EQ(found->cubin, made->cubin);
  EXPECT_EQ(found->kernels.at(0).registers, made->kernels.at(0).registers);
}

TEST(CacheKey, ChangesWithAllThatTheCodeDependsOn) {
  NvrtcInfo compiler;
  compiler.fingerprint = "13.0 1 2";
  CompileJob job;
  job.source = "source";
  job.arch = "sm_90";
  const std::string key = cache_key(job, compiler);
  EXPECT_EQ(cache_key(job, compiler), key);

  const auto changed = [&](auto change) {
    CompileJob other = job;
    change(other);
    return cache_key(other, compiler);
  };
  EXPECT_NE(changed([](CompileJob& other) { other.source += " "; }), key);
  EXPECT_NE(changed([](CompileJob& other) { other.name = "other"; }), key);
  EXPECT_NE(changed([](CompileJob& other) { other.arch = "sm_80"; }), key);
  EXPECT_NE(changed([](CompileJob& other) { other.options = {"-G"}; }), key);
  EXPECT_EQ(changed([](CompileJob& other) { other.schedule = "s.split(i, 4)"; }), key);
  EXPECT_NE(changed([](CompileJob& other) {
              other.options = {"a", "b"};
            }),
            changed([](CompileJob& other) { other.options = {"a\nb"}; }));
  compiler.fingerprint = "13.0 1 3";
  EXPECT_NE(cache_key(job, compiler), key);
}

TEST(CacheFolder, IsTheOneThatTheUserChose) {
  const ScopedVariable on("HONE_CACHE", nullptr), chosen("HONE_CACHE_DIR", "/chosen");
  EXPECT_EQ(default_cache_folder(), "/chosen");
}

TEST(CacheFolder, IsInTheUsersCacheOtherwise) {
  const ScopedVariable on("HONE_CACHE", nullptr), chosen("HONE_CACHE_DIR", nullptr);
  const ScopedVariable home("HOME", "/home/me");
  {
    const ScopedVariable cache("XDG_CACHE_HOME", nullptr);
    EXPECT_EQ(default_cache_folder(), "/home/me/.cache/hone");
  }
  const ScopedVariable cache("XDG_CACHE_HOME", "/home/me/elsewhere");
  EXPECT_EQ(default_cache_folder(), "/home/me/elsewhere/hone");
}

TEST(CacheFolder, IsNoneWhereTheCacheIsOff) {
  const ScopedVariable off("HONE_CACHE", "off"), chosen("HONE_CACHE_DIR", "/chosen");
  EXPECT_EQ(default_cache_folder(), std::nullopt);
}

}  // namespace kernel_cache_test
}  // namespace hone
