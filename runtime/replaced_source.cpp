#include "runtime/replaced_source.h"

#include "codegen/c_form/identifiers.h"
#include "codegen/emit/emit.h"
#include "fmt/ranges.h"
#include "llvm/ADT/STLExtras.h"
#include "runtime/cuda/tensor_map_cache.h"
#include "runtime/fit_registers.h"
#include "runtime/nvrtc/ptx_signature.h"
#include "runtime/shared_limit.h"

namespace hone {
namespace {

/// The declaration of a kernel's function in its CUDA text: "extern "C" __global__ void f(...)".
std::string declaration_of(const KernelFunction& kernel) {
  const std::string text = emit_cuda(kernel);
  const llvm::StringRef from =
      llvm::StringRef(text).drop_front(text.find("extern \"C\" __global__"));
  return from.take_until([](char c) { return c == '{'; }).rtrim().str();
}

/// Bytes of the parameters of a launch: pointers, params in the width of indices, and maps.
std::vector<int> param_bytes(const KernelFunction& kernel) {
  std::vector<int> bytes(kernel.arguments.size(), 8);
  bytes.insert(bytes.end(), kernel.params.size(), kernel.index_bits / 8);
  bytes.insert(bytes.end(), tensor_maps(kernel).size(), sizeof(EncodedMap));
  return bytes;
}

/// The name of a function that C++ has mangled ends so, and has the length of the name before it.
bool is_mangled(llvm::StringRef symbol, llvm::StringRef name) {
  return symbol.contains(fmt::format("{}{}", name.size(), name.str()));
}

[[noreturn]] void refuse_missing(const std::string& path, const KernelFunction& kernel,
                                 llvm::ArrayRef<PtxSignature> found) {
  const std::string symbol = cuda_symbol(kernel);
  std::vector<std::string> names;
  for (const PtxSignature& one : found) {
    if (is_mangled(one.name, symbol))
      throw RuntimeError("{}: the function {} lacks extern \"C\", without which C++ calls it {}",
                         path, symbol, one.name);
    names.push_back(one.name);
  }
  throw RuntimeError(
      "{}: there is no function {}, which the launch starts; {}. It is declared so:\n{}", path,
      symbol,
      names.empty() ? "there is no __global__ function in it"
                    : fmt::format("there are {}", fmt::join(names, ", ")),
      declaration_of(kernel));
}

void check_function(const std::string& path, const KernelFunction& kernel,
                    llvm::ArrayRef<PtxSignature> found) {
  const std::string symbol = cuda_symbol(kernel);
  const auto* function = llvm::find_if(found, [&](const auto& one) { return one.name == symbol; });
  if (function == found.end()) refuse_missing(path, kernel, found);
  const std::vector<int> wanted = param_bytes(kernel);
  if (function->param_bytes == wanted) return;
  throw RuntimeError(
      "{}: the parameters of {} have {} bytes, and a launch gives it {} with {} bytes. It is "
      "declared so:\n{}",
      path, symbol, fmt::join(function->param_bytes, ", "), wanted.size(), fmt::join(wanted, ", "),
      declaration_of(kernel));
}

CompileJob job_for(const ReplacedSource& source, const std::string& device_arch) {
  const NvrtcInfo* nvrtc = nvrtc_info();
  if (!nvrtc) throw RuntimeError("{}", nvrtc_missing());
  CompileJob job;
  job.source = source.text;
  llvm::StringRef name = source.path;
  name.consume_back(".cu");
  job.name = name.str();
  job.arch = nvrtc_target(*nvrtc, device_arch);
  job.by_hand = true;
  return job;
}

}  // namespace

std::vector<std::shared_ptr<const Compiled>> compile_source(
    const ReplacedSource& source, const Module& module, const std::string& device_arch,
    const std::vector<std::string>& options) {
  CompileJob job = job_for(source, device_arch);
  job.arch = target_of(module, job.arch);
  job.options = options_of(module);
  job.options.insert(job.options.end(), options.begin(), options.end());
  std::vector<std::shared_ptr<const Compiled>> code;
  for (const KernelFunction& kernel : module.kernels) {
    code.push_back(compile_to_fit(job, kernel));
    check_function(source.path, kernel, read_signatures(code.back()->ptx));
  }
  return code;
}

}  // namespace hone
