#include "runtime/export.h"

#include "codegen/export/export.h"
#include "codegen/lower.h"
#include "llvm/Support/FileSystem.h"
#include "runtime/device.h"
#include "runtime/files.h"
#include "runtime/fit_registers.h"
#include "runtime/nvrtc/kernel_cache.h"
#include "runtime/shared_limit.h"

namespace hone {
namespace {

class Folder {
 public:
  Folder(std::string path, std::string name) : path_(std::move(path)), name_(std::move(name)) {
    if (const std::error_code error = llvm::sys::fs::create_directories(path_))
      throw RuntimeError("cannot make the folder {}: {}", path_, error.message());
    if (!llvm::sys::fs::is_directory(path_)) throw RuntimeError("{} is no folder", path_);
  }

  void write(const char* suffix, std::string_view text) {
    const std::string path = path_ + "/" + name_ + suffix;
    replace_file(path, {text});
    files_.push_back(path);
  }

  std::vector<std::string> take_files() { return std::move(files_); }

 private:
  std::string path_, name_;
  std::vector<std::string> files_;
};

std::string arch_of(const ExportOptions& options, const NvrtcInfo* nvrtc) {
  if (!options.arch.empty()) return options.arch;
  const std::string arch = Device::best().properties().arch;
  return nvrtc ? nvrtc_target(*nvrtc, arch) : arch;
}

/// A block of 256 threads has 255 registers for each, which is all that a thread can have.
bool may_lack_registers(const KernelFunction& kernel) {
  constexpr int64_t most_for_all = 256;
  return threads_of(kernel) > most_for_all;
}

/// Fills in the source, with bounds for blocks that would not fit otherwise, and compiles it where
/// there is NVRTC.
std::shared_ptr<const Compiled> compile_to_fit(CompileJob& job, const Module& module,
                                               const NvrtcInfo* nvrtc) {
  job.source = export_cuda(module);
  if (!nvrtc) {
    job.source = export_cuda(module, may_lack_registers);
    return nullptr;
  }
  const auto compiled = compile_cached(job);
  const auto lacks = [&](const KernelFunction& kernel) {
    return !fits_registers(*compiled, kernel);
  };
  if (llvm::none_of(module.kernels, lacks)) return compiled;
  job.source = export_cuda(module, lacks);
  return compile_cached(job);
}

}  // namespace

Exported export_program(const Function& function, const std::string& folder,
                        const ExportOptions& options) {
  const std::string name = options.name.empty() ? function.name : options.name;
  const Module module = under_name(lower(function, {options.index_bits}), name);
  const LaunchContract contract = launch_contract(module, &function);
  const NvrtcInfo* nvrtc = nvrtc_info();
  CompileJob job;
  job.name = name;
  job.arch = target_of(module, arch_of(options, nvrtc));
  job.options = options_of(module);
  for (const KernelFunction& kernel : module.kernels) check_architecture(kernel, job.arch);
  const auto compiled = compile_to_fit(job, module, nvrtc);

  Folder files(folder, name);
  files.write(".cu", job.source);
  files.write(".h", export_header(contract));
  files.write(".json", export_json(contract));
  files.write(".py", export_python(contract));
  if (compiled) files.write(".ptx", compiled->ptx);
  if (compiled && !compiled->cubin.empty())
    files.write(".cubin", {compiled->cubin.data(), compiled->cubin.size()});
  std::string why;
  if (!compiled) why = nvrtc_missing();
  if (compiled && compiled->cubin.empty())
    why = job.arch + " is a virtual architecture, for which there is PTX and no cubin";
  return {files.take_files(), std::move(why)};
}

}  // namespace hone
