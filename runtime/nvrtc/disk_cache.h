// Results of compilers, on disk by key, for later processes.
#pragma once

#include <functional>
#include <mutex>
#include <optional>
#include <string>

#include "runtime/environment.h"
#include "runtime/nvrtc/cache_store.h"

namespace hone {

/// The folder of the cache: HONE_CACHE_DIR, or "hone" in $XDG_CACHE_HOME or ~/.cache. Nothing where
/// HONE_CACHE=off, or with a warning where there is no home folder.
std::optional<std::string> default_cache_folder();

/// A CacheStore that is never the reason for a failure: if the disk cannot be used, it warns and
/// finds nothing. Thread-safe; processes may share the folder.
class DiskCache {
 public:
  using Warn = std::function<void(const std::string& text)>;

  /// A cache in `folder`; one that keeps nothing where `folder` is nothing.
  explicit DiskCache(const std::optional<std::string>& folder, Warn warn = warn_once);

  /// The cache of this process, in default_cache_folder().
  static DiskCache& of_this_process();

  std::optional<StoredFiles> find(const std::string& key) const;
  void insert(const std::string& key, const StoredFiles& files);

  /// The folder; nothing where nothing is kept.
  std::optional<std::string> folder() const;

 private:
  Warn warn_;
  std::optional<CacheStore> store_;
  std::once_flag pruned_;
};

}  // namespace hone
