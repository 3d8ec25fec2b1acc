#include "runtime/nvrtc/kernel_cache.h"

#include "fmt/ranges.h"

namespace hone {
namespace {

StoredFiles to_files(const Compiled& compiled) {
  return {{"cubin", std::string(compiled.cubin.begin(), compiled.cubin.end())},
          {"ptx", compiled.ptx},
          {"log", compiled.log}};
}

/// Nothing where a file is missing: an entry of another version of Hone.
std::optional<Compiled> from_files(const StoredFiles& files) {
  for (const char* name : {"cubin", "ptx", "log"})
    if (!files.count(name)) return std::nullopt;
  const std::string& cubin = files.at("cubin");
  Compiled compiled;
  compiled.cubin.assign(cubin.begin(), cubin.end());
  compiled.ptx = files.at("ptx");
  compiled.log = files.at("log");
  compiled.kernels = parse_ptxas_log(compiled.log);
  compiled.warnings = parse_warnings(compiled.log);
  compiled.from_cache = true;
  return compiled;
}

}  // namespace

std::string cache_key(const CompileJob& job, const NvrtcInfo& compiler) {
  const std::vector<std::string> options = nvrtc_options(job);
  return fmt::format("nvrtc {}\narch {}\nname {}\n{} options\n{}\n{} bytes\n{}",
                     compiler.fingerprint, job.arch, job.name, options.size(),
                     fmt::join(options, "\n"), job.source.size(), job.source);
}

KernelCache& KernelCache::of_this_process() {
  static KernelCache cache(default_cache_folder());
  return cache;
}

std::shared_ptr<const Compiled> KernelCache::get(const std::string& key,
                                                 llvm::function_ref<Compiled()> compile) {
  {
    const std::lock_guard lock(mutex_);
    const auto known = memory_.find(key);
    if (known != memory_.end()) return known->second;
  }
  const auto files = disk_.find(key);
  if (auto stored = files ? from_files(*files) : std::nullopt)
    return remember(key, std::move(*stored));
  Compiled compiled = compile();
  disk_.insert(key, to_files(compiled));
  return remember(key, std::move(compiled));
}

std::shared_ptr<const Compiled> KernelCache::remember(const std::string& key, Compiled compiled) {
  const std::lock_guard lock(mutex_);
  return memory_.emplace(key, std::make_shared<const Compiled>(std::move(compiled))).first->second;
}

std::shared_ptr<const Compiled> compile_cached(const CompileJob& job) {
  const NvrtcInfo* compiler = nvrtc_info();
  if (!compiler) throw RuntimeError("{}", nvrtc_missing());
  return KernelCache::of_this_process().get(cache_key(job, *compiler),
                                            [&] { return nvrtc_compile(job); });
}

}  // namespace hone
