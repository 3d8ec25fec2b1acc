// Compiled kernels, kept in memory and on disk.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>

#include "llvm/ADT/STLExtras.h"
#include "runtime/nvrtc/disk_cache.h"
#include "runtime/nvrtc/nvrtc.h"

namespace hone {

/// Everything that the machine code depends on, as text: the source, the options, the architecture
/// and the compiler.
std::string cache_key(const CompileJob& job, const NvrtcInfo& compiler);

/// Finds earlier compilations. Thread-safe; processes may share the folder.
class KernelCache {
 public:
  /// A cache in `folder`; in memory alone where `folder` is nothing.
  explicit KernelCache(const std::optional<std::string>& folder, DiskCache::Warn warn = warn_once)
      : disk_(folder, std::move(warn)) {}

  /// The cache of this process, in default_cache_folder().
  static KernelCache& of_this_process();

  /// The compilation stored under `key`, else the result of `compile`, which is stored.
  std::shared_ptr<const Compiled> get(const std::string& key,
                                      llvm::function_ref<Compiled()> compile);

  /// The folder; nothing where the cache is in memory alone.
  std::optional<std::string> folder() const { return disk_.folder(); }

 private:
  std::shared_ptr<const Compiled> remember(const std::string& key, Compiled compiled);

  DiskCache disk_;
  std::mutex mutex_;
  std::unordered_map<std::string, std::shared_ptr<const Compiled>> memory_;
};

/// nvrtc_compile through the cache of this process.
std::shared_ptr<const Compiled> compile_cached(const CompileJob& job);

}  // namespace hone
