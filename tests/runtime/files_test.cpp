// Files that are replaced, and files that are written in place.
#include "runtime/files.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <future>

#include "runtime/error.h"
#include "tests/support/runtime/errors.h"
#include "tests/support/runtime/temporary_folder.h"

namespace hone {
namespace files_test {

namespace fs = std::filesystem;

class ReplaceFile : public testing::Test {
 protected:
  std::string content(const char* name) const {
    return read_small_file(folder_.file(name), 1000).value_or("nothing");
  }

  TemporaryFolder folder_;
};

TEST(ReadSmallFile, SaysWhyAFileIsNotRead) {
  const TemporaryFolder folder;
  const auto reason = [&](const char* name) {
    EXPECT_EQ(read_small_file(folder.file(name), 3), std::nullopt) << name;
    return why_unreadable(folder.file(name), 3);
  };
  replace_file(folder.file("long"), {"four"});
  fs::create_symlink("long", folder.file("link"));
  EXPECT_EQ(reason("missing"), "No such file or directory");
  EXPECT_EQ(reason("."), "it is a folder");
  EXPECT_EQ(reason("link"), "it is a symbolic link, which is not followed");
  EXPECT_EQ(reason("long"), "it has more than 3 bytes");
  ASSERT_EQ(::mkfifo(folder.file("pipe").c_str(), 0600), 0);
  EXPECT_EQ(reason("pipe"), "it is no regular file");
}

TEST_F(ReplaceFile, LeavesNothingElseBehind) {
  replace_file(folder_.file("a"), {"old"});
  replace_file(folder_.file("a"), {"n", "ew"});
  EXPECT_EQ(content("a"), "new");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_.path()), {}), 1);
}

TEST_F(ReplaceFile, KeepsPermissions) {
  replace_file(folder_.file("a"), {"old"});
  fs::permissions(folder_.file("a"), fs::perms::owner_read | fs::perms::owner_write);
  replace_file(folder_.file("a"), {"new"});
  EXPECT_EQ(fs::status(folder_.file("a")).permissions(),
            fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(ReplaceFile, WritesWhatALinkLeadsTo) {
  fs::create_directory(folder_.file("inside"));
  replace_file(folder_.file("inside/target"), {"old"});
  fs::create_symlink("inside/target", folder_.file("link"));
  fs::create_symlink(folder_.file("link"), folder_.file("link_to_link"));
  replace_file(folder_.file("link_to_link"), {"new"});
  EXPECT_EQ(content("inside/target"), "new");
  EXPECT_TRUE(fs::is_symlink(folder_.file("link")));
  EXPECT_TRUE(fs::is_symlink(folder_.file("link_to_link")));
}

TEST_F(ReplaceFile, MakesWhatALinkLeadsTo) {
  fs::create_symlink("target", folder_.file("link"));
  replace_file(folder_.file("link"), {"new"});
  EXPECT_EQ(content("target"), "new");
  EXPECT_TRUE(fs::is_symlink(folder_.file("link")));
}

TEST_F(ReplaceFile, WritesToAPipe) {
  const std::string pipe = folder_.file("pipe");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  auto writer = std::async(std::launch::async, [&] { replace_file(pipe, {"through ", "it"}); });
  std::ifstream reader(pipe);
  const std::string read(std::istreambuf_iterator<char>(reader), {});
  writer.get();
  EXPECT_EQ(read, "through it");
  EXPECT_TRUE(fs::is_fifo(pipe));
}

TEST_F(ReplaceFile, WritesToADevice) {
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "there is no /dev/full";
  replace_file("/dev/null", {"gone"});
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  EXPECT_EQ(thrown_message<RuntimeError>([] { replace_file("/dev/full", {"too much"}); }),
            "cannot write /dev/full: No space left on device");
  EXPECT_TRUE(fs::is_character_file("/dev/full"));
}

TEST_F(ReplaceFile, RefusesAFolder) {
  EXPECT_EQ(thrown_message<RuntimeError>([&] { replace_file(folder_.path(), {"new"}); }),
            "cannot write " + folder_.path() + ": Is a directory");
}

}  // namespace files_test
}  // namespace hone
