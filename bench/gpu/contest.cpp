#include "bench/gpu/contest.h"

#include "examples/ladders/ladders.h"
#include "llvm/ADT/STLExtras.h"

namespace hone {

std::vector<Contest> all_contests() {
  std::vector<Contest> contests = matmul_contests();
  contests.push_back(combine_contest());
  contests.push_back(transpose_contest());
  llvm::append_range(contests, image_contests());
  llvm::append_range(contests, reduction_contests());
  for (const Ladder& ladder : all_ladders())
    for (Contest& contest : contests)
      if (contest.name == ladder.name) contest.ladder = ladder;
  return contests;
}

std::string describe(const Sizes& sizes) {
  std::vector<int64_t> extents;
  for (const char* name : {"n", "batch", "M", "N", "K", "C", "O", "H"})
    if (const auto found = sizes.find(name); found != sizes.end()) extents.push_back(found->second);
  // The width of combine's image says nothing of how large it is.
  if (sizes.count("H")) extents.push_back(sizes.at("W"));
  const auto is_first = [&](int64_t extent) { return extent == extents.front(); };
  if (!extents.empty() && llvm::all_of(extents, is_first))
    return fmt::format("{}", extents.front());
  std::string text;
  for (int64_t extent : extents) text += fmt::format("{}{}", text.empty() ? "" : "x", extent);
  return text;
}

}  // namespace hone
