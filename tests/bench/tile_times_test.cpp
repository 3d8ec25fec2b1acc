// Tables of tiles that are completed: those of this machine, in files that can be read.
#include "bench/gpu/tile_times.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "tests/support/runtime/temporary_folder.h"

namespace hone {
namespace tile_times_test {

const TileTable table = {"NVIDIA H200", "580.95.05, for CUDA 13.0", "13.0", "2026-11-23"};

Machine machine() { return {table.device, table.driver, table.nvrtc, "2026-12-01"}; }

TEST(TileTimes, AreKeptOnOtherDays) { EXPECT_EQ(why_outdated(table, machine()), ""); }

TEST(TileTimes, AreOutdatedOnAnotherGpuOrByAnotherDriverOrNvrtc) {
  Machine other = machine();
  other.nvrtc = "13.1";
  EXPECT_EQ(why_outdated(table, other), "the version of NVRTC was 13.0, and is 13.1");
  other.driver = "590.10, for CUDA 13.1";
  EXPECT_EQ(why_outdated(table, other),
            "the driver was 580.95.05, for CUDA 13.0, and is 590.10, for CUDA 13.1");
  other.name = "NVIDIA H100";
  EXPECT_EQ(why_outdated(table, other), "the GPU was NVIDIA H200, and is NVIDIA H100");
}

std::string refusal_of(const std::string& path) {
  try {
    read_tile_table(path);
  } catch (const RuntimeError& error) {
    return error.what();
  }
  return "read";
}

TEST(TileTables, AreReadWhereThereIsAFile) {
  const TemporaryFolder folder;
  const std::string path = folder.file("table.json");
  EXPECT_FALSE(read_tile_table(path));
  write_new_file(path, to_json(table));
  ASSERT_TRUE(read_tile_table(path));
  EXPECT_EQ(read_tile_table(path)->driver, table.driver);
}

TEST(TileTables, AreNotLostWhereTheirFileCannotBeRead) {
  const TemporaryFolder folder;
  const std::string large = folder.file("large.json"), link = folder.file("link.json");
  write_new_file(large, std::string((1 << 20) + 1, ' '));
  EXPECT_EQ(refusal_of(large), "cannot read " + large + ": it has more than 1048576 bytes");
  EXPECT_EQ(refusal_of(folder.path()), "cannot read " + folder.path() + ": it is a folder");
  write_new_file(folder.file("table.json"), to_json(table));
  std::filesystem::create_symlink(folder.file("table.json"), link);
  EXPECT_EQ(refusal_of(link),
            "cannot read " + link + ": it is a symbolic link, which is not followed");
}

}  // namespace tile_times_test
}  // namespace hone
