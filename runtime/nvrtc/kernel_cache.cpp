#include "runtime/nvrtc/kernel_cache.h"

#include "fmt/ranges.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Path.h"

namespace hone {
namespace {

constexpr int64_t max_cache_bytes = int64_t{1} << 30;

#ifdef HONE_BUILD_ID
constexpr const char* build_id = HONE_BUILD_ID;
#else
constexpr const char* build_id = "unknown";
#endif

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
  return fmt::format("hone {}\nnvrtc {}\narch {}\nname {}\n{} options\n{}\n{} bytes\n{}", build_id,
                     compiler.fingerprint, job.arch, job.name, options.size(),
                     fmt::join(options, "\n"), job.source.size(), job.source);
}

std::optional<std::string> default_cache_folder() {
  if (environment("HONE_CACHE") == "off") return std::nullopt;
  if (auto chosen = environment("HONE_CACHE_DIR")) return chosen;
  llvm::SmallString<128> folder;
  if (!llvm::sys::path::cache_directory(folder)) {
    warn_once("no home folder for compiled kernels; set HONE_CACHE_DIR to keep them on disk");
    return std::nullopt;
  }
  return folder.str().str() + "/hone";
}

KernelCache::KernelCache(const std::optional<std::string>& folder, Warn warn)
    : warn_(std::move(warn)) {
  if (!folder) return;
  try {
    store_.emplace(*folder);
  } catch (const RuntimeError& error) {
    warn_(fmt::format("compiled kernels are not kept on disk: {}", error.what()));
  }
}

KernelCache& KernelCache::of_this_process() {
  static KernelCache cache(default_cache_folder());
  return cache;
}

std::optional<std::string> KernelCache::folder() const {
  if (!store_) return std::nullopt;
  return store_->folder();
}

std::shared_ptr<const Compiled> KernelCache::get(const std::string& key,
                                                 llvm::function_ref<Compiled()> compile) {
  {
    const std::lock_guard lock(mutex_);
    const auto known = memory_.find(key);
    if (known != memory_.end()) return known->second;
  }
  if (auto stored = read(key)) return remember(key, std::move(*stored));
  Compiled compiled = compile();
  write(key, compiled);
  return remember(key, std::move(compiled));
}

std::shared_ptr<const Compiled> KernelCache::remember(const std::string& key, Compiled compiled) {
  const std::lock_guard lock(mutex_);
  return memory_.emplace(key, std::make_shared<const Compiled>(std::move(compiled))).first->second;
}

std::optional<Compiled> KernelCache::read(const std::string& key) {
  if (!store_) return std::nullopt;
  const CacheStore::Lookup lookup = store_->find(key);
  if (!lookup.damage.empty())
    warn_(fmt::format("a compiled kernel is compiled again; {}", lookup.damage));
  return lookup.files ? from_files(*lookup.files) : std::nullopt;
}

void KernelCache::write(const std::string& key, const Compiled& compiled) {
  if (!store_) return;
  try {
    store_->insert(key, to_files(compiled));
    std::call_once(pruned_, [this] { store_->prune(max_cache_bytes); });
  } catch (const std::exception& error) {
    warn_(fmt::format("a compiled kernel is not kept on disk: {}", error.what()));
  }
}

std::shared_ptr<const Compiled> compile_cached(const CompileJob& job) {
  const NvrtcInfo* compiler = nvrtc_info();
  if (!compiler) throw RuntimeError("{}", nvrtc_missing());
  return KernelCache::of_this_process().get(cache_key(job, *compiler),
                                            [&] { return nvrtc_compile(job); });
}

}  // namespace hone
