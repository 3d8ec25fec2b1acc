// Compiled kernels, kept in memory and on disk.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>

#include "llvm/ADT/STLExtras.h"
#include "runtime/environment.h"
#include "runtime/nvrtc/cache_store.h"
#include "runtime/nvrtc/nvrtc.h"

namespace hone {

/// Everything that the machine code depends on, as text: the source, the options, the architecture,
/// the compiler and the build of Hone.
std::string cache_key(const CompileJob& job, const NvrtcInfo& compiler);

/// The folder of the cache: HONE_CACHE_DIR, or "hone" in $XDG_CACHE_HOME or ~/.cache. Nothing where
/// HONE_CACHE=off, or with a warning where there is no home folder.
std::optional<std::string> default_cache_folder();

/// Finds earlier compilations. Never the reason for a failure: if the disk cannot be used,
/// it warns once and keeps to memory. Thread-safe; processes may share the folder.
class KernelCache {
 public:
  using Warn = std::function<void(const std::string& text)>;

  /// A cache in `folder`; in memory alone where `folder` is nothing.
  explicit KernelCache(const std::optional<std::string>& folder, Warn warn = warn_once);

  /// The cache of this process, in default_cache_folder().
  static KernelCache& of_this_process();

  /// The compilation stored under `key`, else the result of `compile`, which is stored.
  std::shared_ptr<const Compiled> get(const std::string& key,
                                      llvm::function_ref<Compiled()> compile);

  /// The folder; nothing where the cache is in memory alone.
  std::optional<std::string> folder() const;

 private:
  std::shared_ptr<const Compiled> remember(const std::string& key, Compiled compiled);
  std::optional<Compiled> read(const std::string& key);
  void write(const std::string& key, const Compiled& compiled);

  Warn warn_;
  std::optional<CacheStore> store_;
  std::once_flag pruned_;
  std::mutex mutex_;
  std::unordered_map<std::string, std::shared_ptr<const Compiled>> memory_;
};

/// nvrtc_compile through the cache of this process.
std::shared_ptr<const Compiled> compile_cached(const CompileJob& job);

}  // namespace hone
