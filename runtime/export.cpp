#include "runtime/export.h"

#include "codegen/contract/advice.h"
#include "codegen/export/export.h"
#include "codegen/lower.h"
#include "ir/core/error.h"
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

  /// CMakeLists.txt has one name: that of another project stays.
  void write_cmake(const std::string& text) {
    const std::string path = path_ + "/CMakeLists.txt";
    const auto before = read_small_file(path, size_t{1} << 20);
    if (before &&
        llvm::StringRef(*before).split('\n').first != llvm::StringRef(text).split('\n').first)
      throw RuntimeError("{} is that of another project; export to a folder of its own", path);
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

/// The text of the kernels, with bounds for those that are to have them.
using SourceText = llvm::function_ref<std::string(IsBounded)>;

/// Fills in the source, with bounds for blocks that would not fit otherwise, and compiles it where
/// there is NVRTC.
std::shared_ptr<const Compiled> compile_to_fit(CompileJob& job, const Module& module,
                                               const NvrtcInfo* nvrtc, SourceText source) {
  job.source = source([](const auto&) { return false; });
  if (!nvrtc) {
    job.source = source(may_lack_registers);
    return nullptr;
  }
  const auto compiled = compile_cached(job);
  const auto lacks = [&](const KernelFunction& kernel) {
    return !fits_registers(*compiled, kernel);
  };
  if (llvm::none_of(module.kernels, lacks)) return compiled;
  job.source = source(lacks);
  return compile_cached(job);
}

/// A program under its name, on its way to files.
struct ExportedProgram {
  Module module;
  LaunchContract contract;
  CompileJob job;
  const NvrtcInfo* nvrtc;

  ExportedProgram(const Function& function, const ExportOptions& options)
      : module(under_name(lower(function, {options.index_bits}),
                          options.name.empty() ? function.name : options.name)),
        contract(contract_for_callers(launch_contract(module, &function))),
        nvrtc(nvrtc_info()) {
    job.name = module.name;
    job.arch = target_of(module, arch_of(options, nvrtc));
    job.options = options_of(module);
    for (const KernelFunction& kernel : module.kernels) check_architecture(kernel, job.arch);
  }
};

/// "90a" of "sm_90a", where nothing but that architecture will do; empty for others.
std::string needed_architecture(const ExportedProgram& program, const ExportOptions& options) {
  const llvm::StringRef arch = program.job.arch;
  const bool is_needed = !options.arch.empty() || target_of(program.module, "sm_90") != "sm_90";
  return is_needed ? arch.split('_').second.str() : "";
}

Exported write_program(const Function& function, const std::string& folder,
                       const ExportOptions& options) {
  ExportedProgram program(function, options);
  const auto compiled =
      compile_to_fit(program.job, program.module, program.nvrtc,
                     [&](IsBounded bounded) { return export_cuda(program.module, bounded); });

  Folder files(folder, program.module.name);
  files.write(".cu", program.job.source);
  files.write(".h", export_header(program.contract));
  files.write(".json", export_json(program.contract));
  files.write(".py", export_python(program.contract));
  if (compiled) files.write(".ptx", compiled->ptx);
  if (compiled && !compiled->cubin.empty())
    files.write(".cubin", {compiled->cubin.data(), compiled->cubin.size()});
  std::string why;
  if (!compiled) why = nvrtc_missing();
  if (compiled && compiled->cubin.empty())
    why = program.job.arch + " is a virtual architecture, for which there is PTX and no cubin";
  return {files.take_files(), std::move(why)};
}

Exported write_library(const Function& function, const std::string& folder,
                       llvm::ArrayRef<std::string> inputs, const ExportOptions& options) {
  ExportedProgram program(function, options);
  const std::string torch = export_operator(program.contract, inputs);
  compile_to_fit(program.job, program.module, program.nvrtc, [&](IsBounded bounded) {
    return export_whole_cuda(program.module, program.contract, bounded);
  });

  Folder files(folder, program.module.name);
  files.write_cmake(export_cmake(program.module.name, program.job.options,
                                 needed_architecture(program, options)));
  files.write(".cu", program.job.source);
  files.write(".h", export_declarations(program.contract));
  files.write(".py", torch);
  return {files.take_files(), ""};
}

}  // namespace

Exported export_program(const Function& function, const std::string& folder,
                        const ExportOptions& options, Location location) {
  return located_any(location, [&] { return write_program(function, folder, options); });
}

Exported export_library(const Function& function, const std::string& folder,
                        llvm::ArrayRef<std::string> inputs, const ExportOptions& options,
                        Location location) {
  return located_any(location, [&] { return write_library(function, folder, inputs, options); });
}

}  // namespace hone
