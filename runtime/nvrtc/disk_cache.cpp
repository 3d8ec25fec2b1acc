#include "runtime/nvrtc/disk_cache.h"

#include "fmt/format.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Path.h"
#include "runtime/error.h"

namespace hone {
namespace {

constexpr int64_t max_cache_bytes = int64_t{1} << 30;

}  // namespace

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

DiskCache::DiskCache(const std::optional<std::string>& folder, Warn warn) : warn_(std::move(warn)) {
  if (!folder) return;
  try {
    store_.emplace(*folder);
  } catch (const RuntimeError& error) {
    warn_(fmt::format("compiled kernels are not kept on disk: {}", error.what()));
  }
}

DiskCache& DiskCache::of_this_process() {
  static DiskCache cache(default_cache_folder());
  return cache;
}

std::optional<StoredFiles> DiskCache::find(const std::string& key) const {
  if (!store_) return std::nullopt;
  CacheStore::Lookup lookup = store_->find(key);
  if (!lookup.damage.empty())
    warn_(fmt::format("a compiled kernel is compiled again; {}", lookup.damage));
  return std::move(lookup.files);
}

void DiskCache::insert(const std::string& key, const StoredFiles& files) {
  if (!store_) return;
  try {
    store_->insert(key, files);
    std::call_once(pruned_, [this] { store_->prune_if_due(max_cache_bytes); });
  } catch (const std::exception& error) {
    warn_(fmt::format("a compiled kernel is not kept on disk: {}", error.what()));
  }
}

std::optional<std::string> DiskCache::folder() const {
  if (!store_) return std::nullopt;
  return store_->folder();
}

}  // namespace hone
