#include "tools/cli/estimate/rank_correlation.h"

#include <cmath>
#include <vector>

#include "llvm/ADT/STLExtras.h"

namespace hone {
namespace {

/// From 0 on; equal numbers share the mean of theirs.
std::vector<double> ranks_of(llvm::ArrayRef<double> numbers) {
  std::vector<double> ranks;
  for (const double number : numbers) {
    const auto less = llvm::count_if(numbers, [&](double other) { return other < number; });
    const auto equal = llvm::count(numbers, number);
    ranks.push_back(static_cast<double>(less) + static_cast<double>(equal - 1) / 2);
  }
  return ranks;
}

/// Both have that mean.
double covariance(llvm::ArrayRef<double> lhs, llvm::ArrayRef<double> rhs, double mean) {
  double sum = 0;
  for (const auto& [left, right] : llvm::zip(lhs, rhs)) sum += (left - mean) * (right - mean);
  return sum;
}

}  // namespace

double rank_correlation(llvm::ArrayRef<double> lhs, llvm::ArrayRef<double> rhs) {
  const auto left = ranks_of(lhs), right = ranks_of(rhs);
  const double mean = (static_cast<double>(left.size()) - 1) / 2;
  return covariance(left, right, mean) /
         std::sqrt(covariance(left, left, mean) * covariance(right, right, mean));
}

}  // namespace hone
