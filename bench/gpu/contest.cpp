#include "bench/gpu/contest.h"

#include "examples/ladders/ladders.h"
#include "llvm/ADT/STLExtras.h"

namespace hone {
namespace {

/// The relative error of a rounding to that type, where results are rounded once more.
double rounding_error(DType type) {
  if (type == DType::bf16) return 0x1p-8;
  return type == DType::f16 ? 0x1p-11 : 0;
}

/// The relative error of a sum of so many products that tensor cores truncate: after every eight of
/// them to a float, and of floats of 8 bits after every 32 to 14 digits.
double truncation_error(DType type, double products) {
  if (type == DType::f8e4m3) return products / 32 * 0x1p-13;
  return size_of(type) == 2 || type == DType::tf32 ? products / 8 * 0x1p-23 : 0;
}

}  // namespace

DType Contest::type_of_input(const std::string& name) const {
  if (indices.count(name)) return DType::i32;
  return llvm::is_contained(scales, name) ? DType::f32 : input_type;
}

double Contest::tolerance(const Sizes& sizes) const {
  if (output_type == DType::f64) return 1e-13;
  if (!is_float(output_type)) return 0;
  const double products = sizes.count("K") ? static_cast<double>(sizes.at("K")) : 0;
  return 1e-5 + truncation_error(input_type, products) + rounding_error(output_type);
}

std::vector<Contest> all_contests() {
  std::vector<Contest> contests = matmul_contests();
  llvm::append_range(contests, batched_contests());
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
  for (const char* name : {"n", "batch", "tiles", "groups", "M", "N", "K", "C", "O", "H"})
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
