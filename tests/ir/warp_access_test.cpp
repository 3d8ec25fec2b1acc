// The cost of a warp's access, worked out by hand, and by a model that is too simple to be wrong.
#include "ir/memory/warp_access.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

namespace hone {

void PrintTo(const Wavefronts& wavefronts, std::ostream* out) {
  *out << wavefronts.actual << " wavefronts, ideally " << wavefronts.ideal;
}

namespace warp_access_test {

constexpr uint32_t all = ~uint32_t{0};

/// Lane n at the address `address(n)`.
template <class Address>
WarpAccess access(int width, const Address& address, uint32_t active = all) {
  WarpAccess access;
  access.width = width;
  access.active = active;
  for (int lane = 0; lane < warp_size; ++lane) access.addresses[lane] = address(lane);
  return access;
}

WarpAccess strided(int width, int64_t stride, int64_t start = 0, uint32_t active = all) {
  return access(
      width, [&](int lane) { return start + lane * stride; }, active);
}

// ---- Sectors ------------------------------------------------------------------------------------

int sectors(int width, int64_t stride, int64_t start = 0, uint32_t active = all) {
  return count_sectors(strided(width, stride, start, active));
}

TEST(Sectors, OfNeighboursAreThoseOfTheirBytes) {
  EXPECT_EQ(sectors(1, 1), 1);
  EXPECT_EQ(sectors(2, 2), 2);
  EXPECT_EQ(sectors(4, 4), 4);
  EXPECT_EQ(sectors(8, 8), 8);
  EXPECT_EQ(sectors(16, 16), 16);
}

TEST(Sectors, GrowWithTheStrideUntilEachLaneHasItsOwn) {
  EXPECT_EQ(sectors(4, 8), 8);
  EXPECT_EQ(sectors(4, 16), 16);
  EXPECT_EQ(sectors(4, 32), 32);
  EXPECT_EQ(sectors(4, 128), 32);
}

TEST(Sectors, AreSharedByLanesThatReadTheSame) {
  EXPECT_EQ(sectors(4, 0), 1);
  EXPECT_EQ(sectors(16, 0), 1);
}

TEST(Sectors, AreOneMoreForARowThatIsNotAligned) {
  EXPECT_EQ(sectors(4, 4, 4), 5);
  EXPECT_EQ(sectors(2, 2, 2), 3);
  EXPECT_EQ(sectors(1, 1, 1), 2);
  EXPECT_EQ(sectors(8, 8, 8), 9);
  EXPECT_EQ(sectors(4, 4, 32), 4);
}

TEST(Sectors, AreThoseOfActiveLanes) {
  EXPECT_EQ(sectors(4, 4, 0, 0xffff), 2);
  EXPECT_EQ(sectors(4, 4, 0, 0x55555555), 4);
  EXPECT_EQ(sectors(4, 4, 0, 1u << 31), 1);
  EXPECT_EQ(sectors(4, 4, 0, 0), 0);
}

TEST(Sectors, DoNotDependOnTheOrderOfLanes) {
  EXPECT_EQ(sectors(4, -4, 124), 4);
  EXPECT_EQ(count_sectors(access(4, [](int lane) { return lane % 2 * 64 + lane / 2 * 4; })), 4);
}

TEST(Sectors, OfAnElementAcrossABorderAreTwo) { EXPECT_EQ(sectors(4, 0, 30), 2); }

// ---- Wavefronts ---------------------------------------------------------------------------------

Wavefronts wavefronts(int width, int64_t stride, int64_t start = 0, uint32_t active = all) {
  return count_wavefronts(strided(width, stride, start, active));
}

TEST(SharedWavefronts, OfNeighboursAreOnePer128Bytes) {
  EXPECT_EQ(wavefronts(1, 1), (Wavefronts{1, 1}));
  EXPECT_EQ(wavefronts(2, 2), (Wavefronts{1, 1}));
  EXPECT_EQ(wavefronts(4, 4), (Wavefronts{1, 1}));
  EXPECT_EQ(wavefronts(8, 8), (Wavefronts{2, 2}));
  EXPECT_EQ(wavefronts(16, 16), (Wavefronts{4, 4}));
}

TEST(SharedWavefronts, AreAsManyAsWordsInABank) {
  EXPECT_EQ(wavefronts(4, 8), (Wavefronts{2, 1}));
  EXPECT_EQ(wavefronts(4, 16), (Wavefronts{4, 1}));
  EXPECT_EQ(wavefronts(4, 128), (Wavefronts{32, 1}));
  EXPECT_EQ(wavefronts(4, 12), (Wavefronts{1, 1}));
  EXPECT_EQ(wavefronts(4, 132), (Wavefronts{1, 1}));
}

TEST(SharedWavefronts, TakeNarrowElementsByTheWord) {
  EXPECT_EQ(wavefronts(2, 4), (Wavefronts{1, 1}));
  EXPECT_EQ(wavefronts(2, 8), (Wavefronts{2, 1}));
  EXPECT_EQ(wavefronts(2, 2, 2), (Wavefronts{1, 1}));
  EXPECT_EQ(wavefronts(2, 130), (Wavefronts{2, 1}));
  EXPECT_EQ(wavefronts(1, 128), (Wavefronts{32, 1}));
}

TEST(SharedWavefronts, OfWideElementsAreThoseOfHalvesAndQuarters) {
  EXPECT_EQ(wavefronts(8, 16), (Wavefronts{4, 2}));
  EXPECT_EQ(wavefronts(8, 128), (Wavefronts{32, 2}));
  EXPECT_EQ(wavefronts(8, 136), (Wavefronts{2, 2}));
  EXPECT_EQ(wavefronts(16, 32), (Wavefronts{8, 4}));
  EXPECT_EQ(wavefronts(16, 128), (Wavefronts{32, 4}));
  EXPECT_EQ(wavefronts(16, 144), (Wavefronts{4, 4}));
}

TEST(SharedWavefronts, ShareAWordThatSeveralLanesRead) {
  EXPECT_EQ(wavefronts(1, 0), (Wavefronts{1, 1}));
  EXPECT_EQ(wavefronts(4, 0), (Wavefronts{1, 1}));
  const auto rows = access(4, [](int lane) { return lane / 8 * 128 + lane % 8 * 4; });
  EXPECT_EQ(count_wavefronts(rows), (Wavefronts{4, 1}));
  const auto two_words = access(4, [](int lane) { return lane / 16 * 128; });
  EXPECT_EQ(count_wavefronts(two_words), (Wavefronts{2, 1}));
}

TEST(SharedWavefronts, OfWideElementsThatPairsOfLanesReadAreHalf) {
  EXPECT_EQ(wavefronts(8, 0), (Wavefronts{1, 1}));
  EXPECT_EQ(wavefronts(16, 0), (Wavefronts{2, 2}));
  for (const int width : {8, 16}) {
    const int half = width / 8;
    const auto by_1 = access(width, [&](int lane) { return lane / 2 * width; });
    EXPECT_EQ(count_wavefronts(by_1), (Wavefronts{half, half}));
    const auto by_2 = access(width, [&](int lane) { return (lane / 4 * 2 + lane % 2) * width; });
    EXPECT_EQ(count_wavefronts(by_2), (Wavefronts{half, half}));
    const auto by_4 = access(width, [&](int lane) { return (lane / 8 * 4 + lane % 4) * width; });
    EXPECT_EQ(count_wavefronts(by_4), (Wavefronts{2 * half, 2 * half}));
  }
}

TEST(SharedWavefronts, OfOneHalfThatPairsUpAndOneThatDoesNot) {
  const auto mixed = access(16, [](int lane) { return lane < 16 ? 0 : lane * 16; });
  EXPECT_EQ(count_wavefronts(mixed), (Wavefronts{3, 3}));
}

TEST(SharedWavefronts, AreNoneForAPhaseWithoutActiveLanes) {
  EXPECT_EQ(wavefronts(4, 4, 0, 0), (Wavefronts{0, 0}));
  EXPECT_EQ(wavefronts(4, 8, 0, 0xffff), (Wavefronts{1, 1}));
  EXPECT_EQ(wavefronts(8, 8, 0, 0xffff), (Wavefronts{1, 1}));
  EXPECT_EQ(wavefronts(16, 16, 0, 0xff), (Wavefronts{1, 1}));
  EXPECT_EQ(wavefronts(16, 16, 0, 0xff0000), (Wavefronts{1, 1}));
  EXPECT_EQ(wavefronts(16, 16, 0, 0xffff00ff), (Wavefronts{3, 3}));
}

TEST(SharedWavefronts, TakeAnInactiveLaneForAPartner) {
  EXPECT_EQ(wavefronts(8, 4, 0, 0x55555555), (Wavefronts{1, 1}));
  EXPECT_EQ(wavefronts(16, 8, 0, 0x55555555), (Wavefronts{2, 2}));
}

// ---- Any addresses ------------------------------------------------------------------------------

int sectors_by_sets(const WarpAccess& access) {
  std::set<int64_t> sectors;
  for (int lane = 0; lane < warp_size; ++lane)
    if (access.active >> lane & 1)
      for (int byte = 0; byte < access.width; ++byte)
        sectors.insert((access.addresses[lane] + byte) / sector_bytes);
  return static_cast<int>(sectors.size());
}

/// Of an access of at most a word per lane.
int wavefronts_by_sets(const WarpAccess& access) {
  std::map<int64_t, std::set<int64_t>> words_of_bank;
  size_t most = 0;
  for (int lane = 0; lane < warp_size; ++lane)
    if (access.active >> lane & 1) {
      const int64_t word = access.addresses[lane] / 4;
      words_of_bank[word % 32].insert(word);
      most = std::max(most, words_of_bank[word % 32].size());
    }
  return static_cast<int>(most);
}

TEST(WarpAccesses, CostWhatSetsOfBytesSay) {
  std::mt19937 random(5);
  for (int round = 0; round < 2000; ++round) {
    const int width = 1 << random() % 5;
    const auto range = static_cast<int64_t>(8 << random() % 8);
    const uint32_t active = random() | random();
    const auto any = access(
        width, [&](int) { return static_cast<int64_t>(random() % range) * width; }, active);
    EXPECT_EQ(count_sectors(any), sectors_by_sets(any));
    if (width > 4) continue;
    EXPECT_EQ(count_wavefronts(any).actual, wavefronts_by_sets(any));
  }
}

/// As measured: bench/counters/cases.cpp has the same.
TEST(Wavefronts, OfFewLanesAreIdeallyThoseOfTheirBytes) {
  const auto wavefronts = [](int width, uint32_t active) {
    return count_wavefronts(strided(width, width, 0, active));
  };
  EXPECT_EQ(wavefronts(16, 0x01010101), (Wavefronts{4, 1}));
  EXPECT_EQ(wavefronts(16, 0x00080008), (Wavefronts{2, 1}));
  EXPECT_EQ(wavefronts(16, 0x3ff), (Wavefronts{2, 2}));
  EXPECT_EQ(wavefronts(16, 0x55555555), (Wavefronts{4, 2}));
  EXPECT_EQ(wavefronts(8, 0x11111111), (Wavefronts{2, 1}));
  EXPECT_EQ(wavefronts(8, 0xfffff), (Wavefronts{2, 2}));
}

}  // namespace warp_access_test
}  // namespace hone
