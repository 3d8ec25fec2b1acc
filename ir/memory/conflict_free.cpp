#include "ir/memory/conflict_free.h"

#include <algorithm>
#include <tuple>

namespace hone {
namespace {

/// The banks of shared memory begin again after so many bytes.
constexpr int64_t bytes_of_banks = 128, word_bytes = 4, vector_bytes = 16;

/// The number of sums of terms that go on to the next term, and the most terms of one.
constexpr size_t kept = 6, most_terms = 5;

int64_t power_of_two_in(int64_t value) { return value & -value; }

TensorPtr without_padding(const TensorNode& tensor) {
  Layout layout = tensor.layout;
  layout.padding = 0;
  layout.swizzles.clear();
  return with_layout(tensor, layout);
}

llvm::SmallVector<int64_t, 4> numbers(llvm::ArrayRef<Expr> extents) {
  llvm::SmallVector<int64_t, 4> result;
  for (const Expr& extent : extents) result.push_back(*as_int(extent));
  return result;
}

/// Elements from one value of a digit of the storage to the next.
int64_t stride_of(llvm::ArrayRef<int64_t> pitches, size_t digit) {
  int64_t stride = 1;
  for (size_t n = digit + 1; n < pitches.size(); ++n) stride *= pitches[n];
  return stride;
}

/// The neighbours along the fastest dimension that stay together, up to those of a vector.
int64_t unbroken_run(const TensorNode& tensor) {
  const int last = static_cast<int>(storage_digits(tensor).size()) - 1;
  int64_t run = vector_bytes / size_of(tensor.type);
  for (const Swizzle& swizzle : named_swizzles(tensor)) {
    if (swizzle.digit == last) run = std::min(run, swizzle.chunk);
    if (swizzle.by == last) run = std::min(run, power_of_two_in(swizzle.rows));
  }
  return std::max<int64_t>(run, 1);
}

/// Less is better.
struct CandidateLayout {
  Layout layout;
  BankCounts counts;
  int64_t run = 0, size = 0;  ///< the size: of all patterns, and of the rows that they are for

  auto rank() const { return std::tuple(counts.wavefronts, -run, layout.swizzles.size(), size); }
};

class LayoutSearch {
 public:
  LayoutSearch(const TensorNode& tensor, TrafficOfRuns traffic)
      : tensor_(tensor), traffic_(traffic), terms_(bank_swizzles(tensor)) {
    Layout plain = tensor.layout;
    plain.swizzles.clear();
    add(plain, best_);
    best_.front().size = 0;
  }

  SwizzledLayout run() {
    for (size_t count = 0; count < most_terms && best_.front().counts.conflicts() > 0; ++count) {
      std::vector<CandidateLayout> longer = best_;
      for (const CandidateLayout& shorter : best_)
        if (shorter.layout.swizzles.size() == count)
          for (const Swizzle& term : terms_) add(shorter.layout.swizzle(term), longer);
      const bool is_better = longer.front().counts.wavefronts < best_.front().counts.wavefronts;
      best_ = std::move(longer);
      if (!is_better && count > 0) break;
    }
    return {best_.front().layout, best_.front().counts};
  }

 private:
  /// One of the best, as long as there are not enough that are better.
  void add(const Layout& layout, std::vector<CandidateLayout>& best) const {
    const TensorPtr tensor = with_layout(tensor_, layout);
    const int64_t run = unbroken_run(*tensor);
    const WarpTraffic* traffic = traffic_(run, layout);
    if (!traffic) return;
    const int64_t most = best.size() < kept ? INT64_MAX : best.back().counts.wavefronts;
    CandidateLayout candidate{layout, traffic->counts(*tensor, most), run, size_of_terms(layout)};
    if (candidate.counts.wavefronts > most) return;
    const auto place = std::upper_bound(best.begin(), best.end(), candidate,
                                        [](const CandidateLayout& lhs, const CandidateLayout& rhs) {
                                          return lhs.rank() < rhs.rank();
                                        });
    best.insert(place, std::move(candidate));
    if (best.size() > kept) best.pop_back();
  }

  static int64_t size_of_terms(const Layout& layout) {
    int64_t size = 0;
    for (const Swizzle& swizzle : layout.swizzles)
      size += swizzle.period * swizzle.rows + (swizzle.digit < 0 ? 0 : 1);
    return size;
  }

  const TensorNode& tensor_;
  TrafficOfRuns traffic_;
  llvm::SmallVector<Swizzle, 64> terms_;
  std::vector<CandidateLayout> best_;  ///< the best first
};

}  // namespace

llvm::SmallVector<Swizzle, 64> bank_swizzles(const TensorNode& tensor) {
  const auto extents = numbers(storage_shape(*without_padding(tensor)));
  const auto pitches = numbers(storage_shape(tensor));
  const int count = static_cast<int>(extents.size());
  llvm::SmallVector<Swizzle, 64> result;
  for (int digit = count; digit-- > 0;)
    for (int by = count; by-- > 0;) {
      if (digit == by) continue;
      const int64_t bytes = stride_of(pitches, digit) * size_of(tensor.type);
      const bool is_default = digit + 1 == count && by + 2 == count;
      Swizzle swizzle;
      if (!is_default) std::tie(swizzle.digit, swizzle.by) = std::pair(digit, by);
      for (swizzle.chunk = 1; bytes * swizzle.chunk < bytes_of_banks; swizzle.chunk *= 2)
        for (swizzle.period = 2; bytes * swizzle.chunk * swizzle.period <= bytes_of_banks;
             swizzle.period *= 2)
          for (swizzle.rows = 1; swizzle.rows * swizzle.period / 2 < extents[by]; swizzle.rows *= 2)
            if (bytes * swizzle.chunk >= word_bytes &&
                extents[digit] % (swizzle.chunk * swizzle.period) == 0)
              result.push_back(swizzle);
    }
  return result;
}

SwizzledLayout fewest_conflicts(const TensorNode& tensor, TrafficOfRuns traffic) {
  return LayoutSearch(tensor, traffic).run();
}

}  // namespace hone
