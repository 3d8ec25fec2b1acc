// .npz files, against NumPy where there is one and against Python's zip files.
#include "runtime/io/npz.h"

#include <cstdlib>

#include "gmock/gmock.h"
#include "runtime/environment.h"
#include "runtime/files.h"
#include "tests/support/runtime/errors.h"
#include "tests/support/runtime/temporary_folder.h"

namespace hone {
namespace npz_test {

using testing::ElementsAre;

std::map<std::string, AnyArray> two_arrays() {
  return {{"A", Array<float>({1, 2, 3, 4, 5, 6}, {2, 3}, Device::host(), Layout::column_major())},
          {"n", Array<int32_t>({7}, {})}};
}

bool runs(const std::string& script) {
  const std::string python = environment("HONE_PYTHON").value_or("/usr/bin/python3");
  return std::system((python + " -c '" + script + "' >/dev/null 2>&1").c_str()) == 0;
}

TEST(Npz, KeepsArraysByTheirNames) {
  const TemporaryFolder folder;
  write_npz(folder.file("two.npz"), two_arrays());
  const auto arrays = read_npz(folder.file("two.npz"));
  ASSERT_EQ(arrays.size(), 2u);
  EXPECT_THAT(Array<float>(arrays.at("A")).to_vector(), ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_THAT(Array<int32_t>(arrays.at("n")).to_vector(), ElementsAre(7));
  EXPECT_THAT(Array<int32_t>(read_npz(folder.file("two.npz"), "n")).to_vector(), ElementsAre(7));
}

TEST(Npz, WithoutArrays) {
  const TemporaryFolder folder;
  write_npz(folder.file("none.npz"), {});
  EXPECT_TRUE(read_npz(folder.file("none.npz")).empty());
  EXPECT_EQ(thrown_message<RuntimeError>([&] { read_npz(folder.file("none.npz"), "A"); }),
            folder.file("none.npz") + " has no array A; it has none");
}

TEST(Npz, IsAnArchiveThatOthersRead) {
  const TemporaryFolder folder;
  write_npz(folder.file("two.npz"), two_arrays());
  const std::string open =
      "import zipfile; z = zipfile.ZipFile(\"" + folder.file("two.npz") + "\"); ";
  EXPECT_TRUE(
      runs(open + "assert z.testzip() is None; assert z.namelist() == [\"A.npy\", \"n.npy\"]"));
  EXPECT_FALSE(runs(open + "assert z.namelist() == []"));
}

TEST(Npz, IsWhatNumPyReadsAndWrites) {
  if (!runs("import numpy")) GTEST_SKIP() << "there is no NumPy";
  const TemporaryFolder folder;
  write_npz(folder.file("ours.npz"), two_arrays());
  ASSERT_TRUE(runs("import numpy as np; z = np.load(\"" + folder.file("ours.npz") +
                   "\"); assert z[\"A\"].tolist() == [[1, 2, 3], [4, 5, 6]]; np.savez(\"" +
                   folder.file("theirs.npz") + "\", B=z[\"A\"].T, m=z[\"n\"])"));
  EXPECT_THAT(Array<float>(read_npz(folder.file("theirs.npz"), "B")).to_vector(),
              ElementsAre(1, 4, 2, 5, 3, 6));
}

/// As NumPy writes it: with room for 64-bit sizes in the headers of members.
TEST(Npz, ReadsWhatPythonWritesMemberByMember) {
  const TemporaryFolder folder;
  write_npz(folder.file("two.npz"), two_arrays());
  ASSERT_TRUE(runs("import zipfile; old = zipfile.ZipFile(\"" + folder.file("two.npz") +
                   "\"); new = zipfile.ZipFile(\"" + folder.file("new.npz") +
                   "\", \"w\", zipfile.ZIP_STORED); [(lambda f: (f.write(old.read(n)), "
                   "f.close()))(new.open(n, \"w\", force_zip64=True)) for n in old.namelist()]; "
                   "new.close()"));
  EXPECT_THAT(Array<float>(read_npz(folder.file("new.npz"), "A")).to_vector(),
              ElementsAre(1, 2, 3, 4, 5, 6));
}

TEST(Npz, RefusesWhatItCannotRead) {
  const TemporaryFolder folder;
  const auto refusal = [&](const std::string& content) {
    replace_file(folder.file("x.npz"), {content});
    const std::string message =
        thrown_message<RuntimeError>([&] { read_npz(folder.file("x.npz")); });
    return message.substr(std::min(message.size(), folder.path().size() + 1));
  };
  EXPECT_EQ(refusal("no archive"),
            "x.npz is not an .npz file that can be read: it has no end record");
  EXPECT_EQ(refusal(""), "x.npz is not an .npz file that can be read: it has no end record");
  write_npz(folder.file("two.npz"), two_arrays());
  std::string content = *read_small_file(folder.file("two.npz"), 1 << 20);
  const size_t directory = content.find("PK\1\2");
  std::string damaged = content;
  damaged[directory] = 'x';
  EXPECT_EQ(refusal(damaged),
            "x.npz is not an .npz file that can be read: its directory is damaged");
  damaged = content;
  damaged[directory + 10] = 8;
  EXPECT_EQ(refusal(damaged),
            "x.npz is not an .npz file that can be read: A.npy is compressed; write it with "
            "numpy.savez");
  damaged = content;
  damaged[0] = 'x';
  EXPECT_EQ(refusal(damaged), "x.npz is not an .npz file that can be read: A.npy is damaged");
  damaged = content;
  damaged[directory + 27] = 1;
  EXPECT_EQ(refusal(damaged), "x.npz is not an .npz file that can be read: A.npy is truncated");
  damaged = content;
  damaged[36] = 'x';
  EXPECT_THAT(refusal(damaged), testing::HasSubstr("x.npz:A.npy is not a .npy file"));
}

TEST(Npz, RefusesTypesWithoutANpyForm) {
  const TemporaryFolder folder;
  EXPECT_EQ(
      thrown_message<RuntimeError>([&] {
        write_npz(folder.file("x.npz"), {{"h", AnyArray(bf16, {2})}});
      }),
      "cannot write " + folder.file("x.npz") + ": bf16 has no .npy form; cast it to f32 first");
}

}  // namespace npz_test
}  // namespace hone
