// The page of a kernel of anybody's CUDA text, like the source view of a profiler: its lines with
// what they cost and what is wrong with them.
#pragma once

#include "runtime/ptx/trace/line_tallies.h"
#include "tools/cli/cuda/kernel_run.h"

namespace hone {

/// The requests of a line to a memory.
struct KernelLine {
  int number = 0;
  std::string text;  ///< without its end
  bool has_code = false;
  ptx::LineTally tally;
  MemoryCounts global{}, shared{};
  double heat = 0;  ///< the largest of its shares of the launch: instructions, sectors, wavefronts

  int64_t requests() const { return global.requests + shared.requests; }
  int64_t bytes() const { return global.bytes + shared.bytes; }
};

struct KernelSource {
  std::string file;
  std::vector<KernelLine> lines;  ///< of headers, those near code
};

struct KernelPage {
  std::string file, kernel, version;
  std::string launch;   ///< "4 blocks of 256 threads"
  std::string verdict;  ///< "1 kind of findings, 1 in all"
  std::string command;  ///< that makes the page again
  std::string basis;    ///< a note about the counts
  ptx::LaunchShape shape;
  ptx::Report checked;                ///< its findings
  ptx::LaunchCounts counts;           ///< of the same launch
  std::vector<KernelSource> sources;  ///< that of the kernel first
};

/// Of a launch that was checked, and another one that was counted. Throws RuntimeError where the
/// kernel names no lines of a text.
KernelPage make_kernel_page(const KernelRun& checked, const KernelRun& counted,
                            const std::vector<ptx::LineTally>& tallies);

/// One file of HTML, which needs nothing else, and is XML too.
std::string to_html(const KernelPage& page);

}  // namespace hone
