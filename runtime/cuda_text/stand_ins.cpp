#include "runtime/cuda_text/stand_ins.h"

#include "fmt/format.h"
#include "llvm/ADT/STLExtras.h"

namespace hone::ptx {
namespace {

using llvm::StringRef;

/// A header, and the one of libcu++ that stands in for it: "" for none.
struct StandIn {
  StringRef name, library;
};

constexpr StandIn stand_ins[] = {{"algorithm", "algorithm"},
                                 {"array", "array"},
                                 {"atomic", ""},
                                 {"bit", "bit"},
                                 {"bitset", ""},
                                 {"cassert", ""},
                                 {"cctype", ""},
                                 {"cerrno", ""},
                                 {"cfloat", ""},
                                 {"chrono", ""},
                                 {"climits", ""},
                                 {"cmath", ""},
                                 {"complex", "complex"},
                                 {"concepts", "concepts"},
                                 {"cstdarg", ""},
                                 {"cstddef", ""},
                                 {"cstdint", ""},
                                 {"cstdio", ""},
                                 {"cstdlib", ""},
                                 {"cstring", ""},
                                 {"ctime", ""},
                                 {"condition_variable", ""},
                                 {"deque", ""},
                                 {"exception", ""},
                                 {"filesystem", ""},
                                 {"fstream", ""},
                                 {"functional", "functional"},
                                 {"future", ""},
                                 {"initializer_list", ""},
                                 {"iomanip", ""},
                                 {"ios", ""},
                                 {"iosfwd", ""},
                                 {"iostream", ""},
                                 {"istream", ""},
                                 {"iterator", "iterator"},
                                 {"limits", "limits"},
                                 {"list", ""},
                                 {"locale", ""},
                                 {"map", ""},
                                 {"memory", ""},
                                 {"mutex", ""},
                                 {"new", ""},
                                 {"numeric", "numeric"},
                                 {"optional", "optional"},
                                 {"ostream", ""},
                                 {"queue", ""},
                                 {"random", ""},
                                 {"ratio", ""},
                                 {"regex", ""},
                                 {"set", ""},
                                 {"span", "span"},
                                 {"sstream", ""},
                                 {"stack", ""},
                                 {"stdexcept", ""},
                                 {"string", ""},
                                 {"string_view", ""},
                                 {"system_error", ""},
                                 {"thread", ""},
                                 {"tuple", "tuple"},
                                 {"type_traits", "type_traits"},
                                 {"typeinfo", ""},
                                 {"unordered_map", ""},
                                 {"unordered_set", ""},
                                 {"utility", "utility"},
                                 {"variant", "variant"},
                                 {"vector", ""},
                                 {"assert.h", ""},
                                 {"ctype.h", ""},
                                 {"errno.h", ""},
                                 {"float.h", ""},
                                 {"limits.h", ""},
                                 {"malloc.h", ""},
                                 {"math.h", ""},
                                 {"memory.h", ""},
                                 {"pthread.h", ""},
                                 {"signal.h", ""},
                                 {"stdarg.h", ""},
                                 {"stdbool.h", ""},
                                 {"stddef.h", ""},
                                 {"stdint.h", ""},
                                 {"stdio.h", ""},
                                 {"stdlib.h", ""},
                                 {"string.h", ""},
                                 {"strings.h", ""},
                                 {"sys/stat.h", ""},
                                 {"sys/time.h", ""},
                                 {"sys/types.h", ""},
                                 {"time.h", ""},
                                 {"unistd.h", ""}};

/// The part of CUB that works in a kernel: collectives of a block, a warp and a thread.
constexpr StringRef cub_headers[] = {"block/block_adjacent_difference",
                                     "block/block_discontinuity",
                                     "block/block_exchange",
                                     "block/block_histogram",
                                     "block/block_load",
                                     "block/block_merge_sort",
                                     "block/block_radix_rank",
                                     "block/block_radix_sort",
                                     "block/block_reduce",
                                     "block/block_scan",
                                     "block/block_shuffle",
                                     "block/block_store",
                                     "thread/thread_load",
                                     "thread/thread_reduce",
                                     "thread/thread_scan",
                                     "thread/thread_store",
                                     "warp/warp_exchange",
                                     "warp/warp_load",
                                     "warp/warp_merge_sort",
                                     "warp/warp_reduce",
                                     "warp/warp_scan",
                                     "warp/warp_store"};

/// The beginnings of names of headers.
constexpr StringRef for_kernels[] = {"builtin_types.h",
                                     "channel_descriptor.h",
                                     "common_functions.h",
                                     "cooperative_groups",
                                     "crt/",
                                     "cub/block/",
                                     "cub/thread/",
                                     "cub/warp/",
                                     "cub/util",
                                     "cuComplex.h",
                                     "cuda.h",
                                     "cuda/",
                                     "cudaTypedefs.h",
                                     "cuda_awbarrier",
                                     "cuda_bf16",
                                     "cuda_device_runtime_api.h",
                                     "cuda_fp",
                                     "cuda_pipeline",
                                     "cuda_runtime",
                                     "curand_kernel.h",
                                     "curand_philox",
                                     "device_",
                                     "driver_types.h",
                                     "host_defines.h",
                                     "library_types.h",
                                     "math_",
                                     "mma.h",
                                     "nv/",
                                     "sm_",
                                     "surface_",
                                     "texture_",
                                     "vector_"};

std::string text_of_cub() {
  std::string text = "#pragma once\n";
  for (const StringRef header : cub_headers)
    text += fmt::format("#if __has_include(<cub/{0}.cuh>)\n#include <cub/{0}.cuh>\n#endif\n",
                        header.str());
  return text;
}

/// Of algorithms, which libcu++ has in parts.
constexpr StringRef algorithm_text = R"(#pragma once
#if __has_include(<cuda/std/__algorithm_>)
#include <cuda/std/__algorithm_>
#endif
#include <cuda/std/utility>
namespace std { using namespace ::cuda::std; }
)";

/// The headers of types that headers of libraries include.
constexpr StringRef library_text = R"(#pragma once
#include <cuComplex.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
)";

/// The types alone.
constexpr StringRef cufft_text = R"(#pragma once
typedef float cufftReal;
typedef double cufftDoubleReal;
typedef float2 cufftComplex;
typedef double2 cufftDoubleComplex;
)";

std::string text_behind(StringRef library) {
  if (library.empty()) return "";
  if (library == "algorithm") return algorithm_text.str();
  return fmt::format(
      "#pragma once\n#include <cuda/std/{}>\nnamespace std {{ using namespace ::cuda::std; }}\n",
      library.str());
}

}  // namespace

std::map<std::string, std::string> stand_in_headers(bool has_templates) {
  std::map<std::string, std::string> headers;
  for (const StandIn& one : stand_ins)
    headers[one.name.str()] = has_templates ? text_behind(one.library) : "";
  headers["cub/cub.cuh"] = text_of_cub();
  headers["cufft.h"] = headers["cufftXt.h"] = cufft_text.str();
  for (const StringRef library : {"cublas.h", "cublas_v2.h", "cublasLt.h", "cudnn.h"})
    headers[library.str()] = library_text.str();
  return headers;
}

bool is_for_kernels(StringRef header) {
  return llvm::any_of(for_kernels, [&](StringRef start) { return header.startswith(start); });
}

}  // namespace hone::ptx
