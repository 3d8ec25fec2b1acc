#include "runtime/nvrtc/cache_store.h"

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <filesystem>
#include <thread>
#include <vector>

#include "gmock/gmock.h"
#include "runtime/error.h"
#include "tests/support/runtime/errors.h"
#include "tests/support/runtime/temporary_folder.h"

namespace hone {
namespace cache_store_test {
namespace fs = std::filesystem;

class CacheStoreTest : public testing::Test {
 protected:
  std::string refusal(const std::string& folder) const {
    return thrown_message<RuntimeError>([&] { CacheStore store(folder); });
  }
  /// A file of the entry of "key".
  std::string file(const std::string& name) const {
    return store_.entry_folder("key") + "/" + name;
  }

  void expect_damage(const std::string& why) const {
    const CacheStore::Lookup lookup = store_.find("key");
    EXPECT_FALSE(lookup.files);
    EXPECT_EQ(lookup.damage, store_.entry_folder("key") + ": " + why);
  }
  static mode_t mode(const std::string& path) {
    struct stat status = {};
    ::stat(path.c_str(), &status);
    return status.st_mode & 07777;
  }
  size_t folders() const {
    return static_cast<size_t>(
        std::distance(fs::directory_iterator(store_.folder()), fs::directory_iterator()));
  }

  TemporaryFolder root_;
  CacheStore store_{root_.file("a/b/cache")};
  const StoredFiles files_ = {{"cubin", std::string("\0\1\2", 3)}, {"log", ""}};
};

TEST_F(CacheStoreTest, FindsWhatWasInserted) {
  EXPECT_FALSE(store_.find("key").files);
  EXPECT_EQ(store_.find("key").damage, "");
  store_.insert("key", files_);
  EXPECT_EQ(store_.find("key").files, files_);
  EXPECT_FALSE(store_.find("another key").files);
  EXPECT_EQ(CacheStore(store_.folder()).find("key").files, files_);
}

TEST_F(CacheStoreTest, KeepsTheFirstOfTwoEntries) {
  store_.insert("key", files_);
  store_.insert("key", {{"cubin", "other"}});
  EXPECT_EQ(store_.find("key").files, files_);
  EXPECT_EQ(folders(), 1u) << "the second writer's folder is gone";
}

TEST_F(CacheStoreTest, IsForItsUserAlone) {
  store_.insert("key", files_);
  EXPECT_EQ(mode(store_.folder()), 0700u);
  EXPECT_EQ(mode(store_.entry_folder("key")), 0700u);
  EXPECT_EQ(mode(file("cubin")), 0600u);
  EXPECT_EQ(mode(file("SHA256SUMS")), 0600u);
}

TEST_F(CacheStoreTest, RefusesAFolderThatOthersMayWriteTo) {
  const std::string folder = root_.file("shared");
  fs::create_directory(folder);
  ::chmod(folder.c_str(), 0777);
  EXPECT_EQ(refusal(folder), "cannot use " + folder + ": others may write to it (mode 777)");
  ::chmod(folder.c_str(), 0755);
  EXPECT_NO_THROW(CacheStore store(folder));
}

TEST_F(CacheStoreTest, RefusesASymbolicLink) {
  const std::string link = root_.file("link");
  fs::create_symlink(store_.folder(), link);
  EXPECT_EQ(refusal(link), "cannot use " + link + ": it is a symbolic link");
}

TEST_F(CacheStoreTest, RefusesTheFolderOfAnotherUser) {
  const std::string folder = root_.file("foreign");
  fs::create_directory(folder);
  if (::chown(folder.c_str(), 12345, 12345) != 0) GTEST_SKIP() << "only root may give files away";
  EXPECT_EQ(refusal(folder), "cannot use " + folder + ": it belongs to user 12345, not to 0");
}

TEST_F(CacheStoreTest, RefusesAFile) {
  write_new_file(root_.file("file"), "");
  EXPECT_EQ(refusal(root_.file("file")),
            "cannot use " + root_.file("file") + ": it is not a folder");
  EXPECT_EQ(refusal(root_.file("file/below")),
            "cannot make the folder " + root_.file("file/below") + ": Not a directory");
}

TEST_F(CacheStoreTest, RejectsAChangedFileAndReplacesIt) {
  store_.insert("key", files_);
  replace_file(file("cubin"), {std::string("\0\1\3", 3)});
  expect_damage("cubin does not match its hash");
  store_.insert("key", files_);
  EXPECT_EQ(store_.find("key").files, files_);
  EXPECT_EQ(folders(), 1u);
}

TEST_F(CacheStoreTest, RejectsATruncatedOrMissingFile) {
  store_.insert("key", files_);
  replace_file(file("cubin"), {""});
  expect_damage("cubin does not match its hash");
  fs::remove(file("cubin"));
  expect_damage("cubin cannot be read");
  fs::create_symlink("/etc/passwd", file("cubin"));
  expect_damage("cubin cannot be read");
}

TEST_F(CacheStoreTest, RejectsAManifestThatIsNotOurs) {
  store_.insert("key", files_);
  const std::string hash = sha256_hex("key");
  for (const std::string& text :
       {std::string(), hash, hash + "\n", hash + "  key", hash + "  ../key\n"}) {
    replace_file(file("SHA256SUMS"), {text});
    expect_damage("SHA256SUMS cannot be read");
  }
  replace_file(file("SHA256SUMS"), {hash + "  cubin\n"});
  expect_damage("cubin does not match its hash");
  replace_file(file("SHA256SUMS"), {sha256_hex(files_.at("cubin")) + "  cubin\n"});
  expect_damage("the key is another one");
}

TEST_F(CacheStoreTest, ComparesTheWholeKey) {
  store_.insert("another key", files_);
  fs::rename(store_.entry_folder("another key"), store_.entry_folder("key"));
  expect_damage("the key is another one");
}

TEST_F(CacheStoreTest, RejectsAnEntryThatOthersMayWriteTo) {
  store_.insert("key", files_);
  ::chmod(store_.entry_folder("key").c_str(), 0770);
  expect_damage("others may write to it (mode 770)");
}

TEST_F(CacheStoreTest, IgnoresWhatAKilledWriterLeft) {
  fs::create_directory(store_.folder() + "/.new-killed");
  write_new_file(store_.folder() + "/.new-killed/cubin", "half");
  store_.insert("key", files_);
  EXPECT_EQ(store_.find("key").files, files_);
  store_.prune(1 << 20);
  EXPECT_EQ(folders(), 2u) << "it may still be at work";
  fs::last_write_time(store_.folder() + "/.new-killed",
                      fs::file_time_type::clock::now() - std::chrono::hours(2));
  store_.prune(1 << 20);
  EXPECT_EQ(folders(), 1u);
}

TEST_F(CacheStoreTest, PrunesWhatWasNotUsedForLongest) {
  const StoredFiles large = {{"cubin", std::string(1000, 'x')}};
  const auto age = [&](const char* key, int hours) {
    fs::last_write_time(store_.entry_folder(key),
                        fs::file_time_type::clock::now() - std::chrono::hours(hours));
  };
  for (const char* key : {"a", "b", "c"}) store_.insert(key, large);
  age("a", 3), age("b", 2), age("c", 1);
  store_.find("a");  // makes it the youngest
  store_.prune(2 * 1300);
  EXPECT_TRUE(store_.find("a").files);
  EXPECT_FALSE(store_.find("b").files);
  EXPECT_TRUE(store_.find("c").files);
}

/// A walk over a hundred thousand entries takes longer than what a process does with one.
TEST_F(CacheStoreTest, PrunesOnceAnHour) {
  const auto has_pruned = [&] {
    store_.insert("key", files_);
    store_.prune_if_due(0);
    return !store_.find("key").files;
  };
  EXPECT_TRUE(has_pruned());
  EXPECT_FALSE(has_pruned());
  fs::last_write_time(store_.folder() + "/.pruned",
                      fs::file_time_type::clock::now() - std::chrono::hours(2));
  EXPECT_TRUE(has_pruned());
  EXPECT_FALSE(has_pruned());
}

TEST_F(CacheStoreTest, LetsThreadsRace) {
  std::vector<std::thread> threads;
  std::atomic<int> failures = 0;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&, i] {
      for (int round = 0; round < 20; ++round) {
        const std::string key = fmt::format("key {}", round);
        const StoredFiles files = {{"cubin", key}, {"writer", std::to_string(i)}};
        store_.insert(key, files);
        const auto found = store_.find(key).files;
        failures += !found || found->at("cubin") != key;
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(failures, 0);
  EXPECT_EQ(folders(), 20u);
}

TEST_F(CacheStoreTest, LetsProcessesRace) {
  std::vector<pid_t> children;
  for (int writer = 0; writer < 8; ++writer) {
    children.push_back(::fork());
    if (children.back() != 0) continue;
    for (int i = 0; i < 50; ++i) {
      const std::string key = fmt::format("key {}", i);
      const CacheStore::Lookup lookup = store_.find(key);
      if (!lookup.damage.empty()) ::_exit(1);
      store_.insert(key, {{"cubin", key}});
      if (!store_.find(key).files) ::_exit(2);
    }
    ::_exit(0);
  }
  for (const pid_t child : children) {
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(folders(), 50u);
}

/// Writers are killed at random points; what is left must be whole entries, or ignored.
TEST_F(CacheStoreTest, SurvivesKilledProcesses) {
  const StoredFiles large = {{"cubin", std::string(1 << 16, 'x')}, {"log", "log"}};
  for (int attempt = 0; attempt < 20; ++attempt) {
    const pid_t child = ::fork();
    if (child == 0)
      for (int i = 0;; ++i) store_.insert(fmt::format("key {}", i % 50), large);
    ::usleep(1000 * static_cast<unsigned>(attempt));
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    for (int i = 0; i < 50; ++i) {
      const CacheStore::Lookup lookup = store_.find(fmt::format("key {}", i));
      EXPECT_EQ(lookup.damage, "");
      EXPECT_TRUE(!lookup.files || *lookup.files == large);
    }
  }
}

TEST(Sha256, IsTheStandardOne) {
  EXPECT_EQ(sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

}  // namespace cache_store_test
}  // namespace hone
