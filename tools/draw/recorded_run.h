// The run that figures are made of.
#pragma once

#include "runtime/sim/count/record.h"
#include "tools/draw/draw.h"
#include "tools/draw/tensor_index.h"

namespace hone {

struct RecordedKernel {
  const KernelFunction* kernel = nullptr;
  RecordReport report;
  std::array<int64_t, 3> block{};  ///< the one that is drawn
  int64_t block_number = 0;
  std::vector<TensorIndex> tensors;  ///< of the accesses, one each

  /// True if the step is of the block that is drawn, not of a neighbour.
  bool is_drawn(const RecordedStep& step) const { return step.block == block_number; }

  /// "(5, 0, 0)" of a thread of a block.
  std::array<int64_t, 3> thread(int64_t number) const;
  /// In as many dimensions as the block has: "5", "0,5" (y and x).
  std::string thread_text(int64_t number) const;
};

struct RecordedRun {
  Function function;
  Module module;
  Sizes sizes;
  DrawOptions options;
  std::vector<RecordedKernel> kernels;
};

/// Accesses of a kernel whose requests are alike.
struct AlikeAccesses {
  const RecordedKernel* kernel = nullptr;
  std::vector<int> numbers;  ///< in RecordReport::accesses

  const RecordedAccess& first() const { return kernel->report.accesses[numbers.front()]; }
  const TensorIndex& tensor() const { return kernel->tensors[numbers.front()]; }
  int64_t requests() const;
  /// "A, global load"
  std::string subject() const;
  /// "A[i*N + k] and 3 other accesses with the same requests".
  std::string source() const;
};

/// The accesses of all kernels for which `wanted` holds, in groups.
std::vector<AlikeAccesses> alike_accesses(const RecordedRun& run,
                                          llvm::function_ref<bool(AccessClass)> wanted);

/// The patterns of an access that are drawn: of those with the cost of most requests the most
/// frequent one, and of the dearest ones, where they cost twice as much; or all of them.
std::vector<size_t> drawn_patterns(const RecordedAccess& access, bool is_all);

/// A figure for each of them.
template <class Draw>
std::vector<Figure> figures_of_requests(const RecordedRun& run,
                                        llvm::function_ref<bool(AccessClass)> wanted,
                                        const Draw& draw) {
  std::vector<Figure> figures;
  for (const AlikeAccesses& accesses : alike_accesses(run, wanted))
    for (const size_t pattern : drawn_patterns(accesses.first(), run.options.all_patterns))
      figures.push_back(draw(accesses, accesses.first().patterns[pattern]));
  return figures;
}

/// "warp 0 of block (0, 0, 0)"
std::string text_of(const RequestPattern& pattern);
/// The lanes that ask, in ascending order.
std::vector<int> lanes_of(uint32_t lanes);

/// Kind, kernel, accesses and the facts that all figures of requests have.
Figure begin_request_figure(const RecordedRun& run, const AlikeAccesses& accesses,
                            const RequestPattern& pattern, std::string_view kind);

/// The 32 lanes, with the address that each asks for as the value.
FigurePanel lanes_panel(const AlikeAccesses& accesses, const RequestPattern& pattern);

/// The number of requests that cost as much: "All 500 requests cost as much."
std::string share_text(const AlikeAccesses& accesses, const RequestPattern& pattern);

}  // namespace hone
