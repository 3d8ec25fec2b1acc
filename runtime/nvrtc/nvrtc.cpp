#include "runtime/nvrtc/nvrtc.h"

#include <nvrtc.h>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <optional>

#include "fmt/ranges.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Allocator.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/StringSaver.h"
#include "runtime/environment.h"
#include "runtime/nvrtc/compile_report.h"
#include "runtime/nvrtc/nvrtc_search.h"

namespace hone {
namespace {

using llvm::StringRef;

struct NvrtcApi {
  decltype(&::nvrtcVersion) version;
  decltype(&::nvrtcGetErrorString) error_string;
  decltype(&::nvrtcGetNumSupportedArchs) architecture_count;
  decltype(&::nvrtcGetSupportedArchs) architectures;
  decltype(&::nvrtcCreateProgram) create;
  decltype(&::nvrtcDestroyProgram) destroy;
  decltype(&::nvrtcAddNameExpression) add_expression;
  decltype(&::nvrtcGetLoweredName) lowered_name;
  decltype(&::nvrtcCompileProgram) compile;
  decltype(&::nvrtcGetProgramLogSize) log_size;
  decltype(&::nvrtcGetProgramLog) log;
  decltype(&::nvrtcGetPTXSize) ptx_size;
  decltype(&::nvrtcGetPTX) ptx;
  decltype(&::nvrtcGetCUBINSize) cubin_size;
  decltype(&::nvrtcGetCUBIN) cubin;
};

NvrtcApi load_api(const SharedLibrary& library) {
  NvrtcApi api{};
  library.load(api.version, "nvrtcVersion");
  library.load(api.error_string, "nvrtcGetErrorString");
  library.load(api.architecture_count, "nvrtcGetNumSupportedArchs");
  library.load(api.architectures, "nvrtcGetSupportedArchs");
  library.load(api.create, "nvrtcCreateProgram");
  library.load(api.destroy, "nvrtcDestroyProgram");
  library.load(api.add_expression, "nvrtcAddNameExpression");
  library.load(api.lowered_name, "nvrtcGetLoweredName");
  library.load(api.compile, "nvrtcCompileProgram");
  library.load(api.log_size, "nvrtcGetProgramLogSize");
  library.load(api.log, "nvrtcGetProgramLog");
  library.load(api.ptx_size, "nvrtcGetPTXSize");
  library.load(api.ptx, "nvrtcGetPTX");
  library.load(api.cubin_size, "nvrtcGetCUBINSize");
  library.load(api.cubin, "nvrtcGetCUBIN");
  return api;
}

std::string size_and_time(const std::string& path) {
  struct stat status = {};
  ::stat(path.c_str(), &status);
  return fmt::format("{} {}", status.st_size, status.st_mtime);
}

/// The version alone does not tell two builds of NVRTC 13.0 apart; the files' sizes and times do.
std::string fingerprint(const NvrtcInfo& info) {
  return fmt::format("{}.{} {} {}", info.major, info.minor, size_and_time(info.path),
                     size_and_time(info.headers + "/cuda_fp16.h"));
}

NvrtcInfo describe(const NvrtcApi& api, const std::string& path, const NvrtcPlaces& places) {
  NvrtcInfo info;
  info.path = path;
  api.version(&info.major, &info.minor);
  int count = 0;
  api.architecture_count(&count);
  info.architectures.resize(static_cast<size_t>(count));
  api.architectures(info.architectures.data());
  std::sort(info.architectures.begin(), info.architectures.end());
  info.headers = find_cuda_headers(path, places);
  info.fingerprint = fingerprint(info);
  return info;
}

/// NVRTC opens its second half by name. If that lies in no folder of the loader, as in a package of
/// pip, NVRTC finds the one beside itself, since it is open already.
void open_builtins(const NvrtcInfo& info) {
  const std::filesystem::path beside =
      std::filesystem::path(info.path).parent_path() /
      fmt::format("libnvrtc-builtins.so.{}.{}", info.major, info.minor);
  if (std::filesystem::exists(beside)) SharedLibrary::open(beside.string());
}

/// The library of this process, or the reason why there is none.
struct Nvrtc {
  NvrtcApi api = {};
  std::optional<NvrtcInfo> info;
  std::string missing;

  Nvrtc() {
    try {
      const NvrtcPlaces places = NvrtcPlaces::of_this_process();
      const SharedLibrary library = find_nvrtc(places);
      api = load_api(library);
      info = describe(api, library.path(), places);
      open_builtins(*info);
    } catch (const RuntimeError& error) {
      missing = error.what();
    }
  }
};

const Nvrtc& nvrtc() {
  static const Nvrtc library;
  return library;
}

/// One program within NVRTC.
class Translation {
 public:
  Translation(const NvrtcApi& api, const CompileJob& job) : api_(api) {
    const std::string file = job.name + ".cu";
    std::vector<const char*> names, texts;
    for (const auto& [name, text] : job.headers) {
      names.push_back(name.c_str());
      texts.push_back(text.c_str());
    }
    const nvrtcResult result =
        api.create(&program_, job.source.c_str(), file.c_str(), static_cast<int>(names.size()),
                   texts.data(), names.data());
    if (result != NVRTC_SUCCESS)
      throw RuntimeError("nvrtcCreateProgram failed: {}", api.error_string(result));
    for (const std::string& one : job.expressions) api.add_expression(program_, one.c_str());
  }
  ~Translation() { api_.destroy(&program_); }
  Translation(const Translation&) = delete;
  Translation& operator=(const Translation&) = delete;

  nvrtcResult compile(const std::vector<std::string>& options) {
    const auto words =
        llvm::to_vector(llvm::map_range(options, [](const auto& word) { return word.c_str(); }));
    return api_.compile(program_, static_cast<int>(words.size()), words.data());
  }

  /// Text without the zero that NVRTC counts in.
  std::string log() const {
    std::string text = fetch<std::string>(api_.log_size, api_.log);
    return text.substr(0, text.find('\0'));
  }
  std::string ptx() const {
    std::string text = fetch<std::string>(api_.ptx_size, api_.ptx);
    return text.substr(0, text.find('\0'));
  }
  std::vector<char> cubin() const { return fetch<std::vector<char>>(api_.cubin_size, api_.cubin); }
  /// The mangled name of one of the job's expressions.
  std::string mangled(const std::string& expression) const {
    const char* name = nullptr;
    const nvrtcResult result = api_.lowered_name(program_, expression.c_str(), &name);
    return result == NVRTC_SUCCESS ? name : "";
  }

 private:
  template <class Bytes, class Size, class Get>
  Bytes fetch(Size size_of, Get get) const {
    size_t size = 0;
    if (size_of(program_, &size) != NVRTC_SUCCESS) return {};
    Bytes bytes(size, '\0');
    if (size > 0 && get(program_, bytes.data()) != NVRTC_SUCCESS) return {};
    return bytes;
  }

  const NvrtcApi& api_;
  nvrtcProgram program_ = nullptr;
};

/// The variants of an architecture that are tied to it: sm_90a, sm_100f.
bool has_specific_variant(int architecture) { return architecture >= 90; }
bool has_family_variant(int architecture) { return architecture >= 100; }

bool is_known_arch(const NvrtcInfo& info, StringRef arch) {
  if (!arch.consume_front("sm_") && !arch.consume_front("compute_")) return false;
  const bool specific = arch.consume_back("a");
  const bool family = !specific && arch.consume_back("f");
  int number = 0;
  if (arch.getAsInteger(10, number)) return false;
  if (specific && !has_specific_variant(number)) return false;
  if (family && !has_family_variant(number)) return false;
  return llvm::is_contained(info.architectures, number);
}

[[noreturn]] void throw_unknown_arch(const NvrtcInfo& info, const std::string& arch) {
  throw RuntimeError("unknown architecture '{}': NVRTC {}.{} compiles for {}", arch, info.major,
                     info.minor, supported_architectures(info));
}

double milliseconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
      .count();
}

}  // namespace

const NvrtcInfo* nvrtc_info() { return nvrtc().info ? &*nvrtc().info : nullptr; }

const std::string& nvrtc_missing() { return nvrtc().missing; }

std::string supported_architectures(const NvrtcInfo& info) {
  std::vector<std::string> names;
  for (const int number : info.architectures)
    names.push_back(fmt::format("sm_{}{}", number,
                                has_family_variant(number)     ? "[a|f]"
                                : has_specific_variant(number) ? "[a]"
                                                               : ""));
  return fmt::format("{}", fmt::join(names, ", "));
}

std::string nvrtc_target(const NvrtcInfo& info, const std::string& device_arch) {
  if (is_known_arch(info, device_arch)) return device_arch;
  int device = 0;
  if (StringRef(device_arch).drop_front(3).getAsInteger(10, device) || info.architectures.empty() ||
      device < info.architectures.front())
    throw_unknown_arch(info, device_arch);
  int newest = info.architectures.front();
  for (const int number : info.architectures)
    if (number <= device) newest = number;
  return fmt::format("compute_{}", newest);
}

std::vector<std::string> nvrtc_options_of_environment() {
  llvm::BumpPtrAllocator allocator;
  llvm::StringSaver saver(allocator);
  llvm::SmallVector<const char*> words;
  llvm::cl::TokenizeGNUCommandLine(environment("HONE_NVRTC_OPTIONS").value_or(""), saver, words);
  llvm::cl::ExpandResponseFiles(saver, llvm::cl::TokenizeGNUCommandLine, words);
  for (const StringRef word : words)
    if (word.ltrim('-').startswith("gpu-architecture") || word.ltrim('-').startswith("arch"))
      throw RuntimeError("HONE_NVRTC_OPTIONS: {}: Hone chooses the architecture", word.str());
  return {words.begin(), words.end()};
}

std::vector<std::string> nvrtc_options(const CompileJob& job) {
  std::vector<std::string> options = {"--gpu-architecture=" + job.arch};
  const auto chooses_standard = [](StringRef option) {
    return option.ltrim("-").startswith("std");
  };
  if (llvm::none_of(job.options, chooses_standard)) options.push_back("--std=c++17");
  if (job.arch.starts_with("sm_")) options.push_back("--ptxas-options=-v");
  const NvrtcInfo* info = nvrtc_info();
  // NVRTC's own cache gives no log; ours keeps it.
  if (info && info->major >= 13) options.push_back("--no-cache");
  if (info && !info->headers.empty() && StringRef(job.source).contains("#include"))
    options.push_back("--include-path=" + info->headers);
  options.insert(options.end(), job.options.begin(), job.options.end());
  llvm::append_range(options, nvrtc_options_of_environment());
  return options;
}

Compiled nvrtc_compile(const CompileJob& job) {
  if (!nvrtc_info()) throw RuntimeError("{}", nvrtc_missing());
  if (!is_known_arch(*nvrtc_info(), job.arch)) throw_unknown_arch(*nvrtc_info(), job.arch);

  const auto start = std::chrono::steady_clock::now();
  const std::vector<std::string> options = nvrtc_options(job);
  Translation translation(nvrtc().api, job);
  const nvrtcResult result = translation.compile(options);
  Compiled compiled;
  compiled.log = translation.log();
  if (result != NVRTC_SUCCESS)
    throw_compile_error(job, options, nvrtc().api.error_string(result), compiled.log);

  compiled.ptx = translation.ptx();
  compiled.cubin = translation.cubin();
  for (const std::string& one : job.expressions)
    compiled.mangled.push_back(translation.mangled(one));
  compiled.kernels = parse_ptxas_log(compiled.log);
  compiled.warnings = parse_warnings(compiled.log);
  compiled.milliseconds = milliseconds_since(start);
  return compiled;
}

}  // namespace hone
