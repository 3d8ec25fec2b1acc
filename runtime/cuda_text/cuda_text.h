// CUDA text of anybody to PTX: host code is left out, NVRTC compiles the rest.
//
// The text needs no change. Functions for the host alone, host headers and variables of the host
// are left out from the start; then NVRTC compiles, and each declaration with an error that is no
// kernel is left out too, until it is content.
#pragma once

#include "runtime/cuda_text/kernels.h"
#include "runtime/nvrtc/ptxas.h"

namespace hone::ptx {

struct CudaText {
  std::string path;
  std::string arch = "sm_90a";             ///< "sm_90", "sm_90a", "compute_90"
  std::vector<std::string> options{};      ///< of NVRTC: "-DN=4", "--use_fast_math"
  std::vector<std::string> folders{};      ///< for `#include`, besides the one of the file
  std::vector<std::string> expressions{};  ///< instances of templates: "gemm<128, float>"
  bool has_machine_code = false;           ///< ptxas translates the PTX
};

struct TranslatedText {
  std::string ptx;
  std::vector<char> cubin;           ///< where machine code is wanted
  std::vector<PtxasInfo> resources;  ///< and what ptxas says of its kernels
  std::vector<NamedKernel> kernels;
  std::vector<std::string> templates;  ///< kernels that are templates: "gemm<int BM, class T>"
  std::vector<std::string> mangled;    ///< the names in PTX of the text's expressions
  std::vector<LeftOut> left_out;
  std::vector<std::string> notes;  ///< sentences about what else was done to the text
};

/// An expression that names no template of the text is left out. Throws RuntimeError where the file
/// or NVRTC is missing, and with the errors where NVRTC refuses all kernels, or an expression.
TranslatedText translate(const CudaText& text);

}  // namespace hone::ptx
