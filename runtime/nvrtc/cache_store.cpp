#include "runtime/nvrtc/cache_store.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <vector>

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/SHA256.h"
#include "runtime/error.h"
#include "runtime/files.h"

namespace hone {
namespace fs = std::filesystem;
namespace {

constexpr const char* manifest_name = "SHA256SUMS";
constexpr size_t max_file_bytes = size_t{256} << 20;
constexpr const char* unfinished_prefix = ".new-";
constexpr std::time_t unfinished_lifetime_seconds = 3600;

/// The file whose age says when a process pruned last.
constexpr const char* pruned_name = ".pruned";
constexpr std::time_t pruning_interval_seconds = 3600;

/// The reason that a folder's content cannot be trusted, or nothing.
std::optional<std::string> distrust(const std::string& folder) {
  struct stat status;
  if (::lstat(folder.c_str(), &status) != 0) return error_text(errno);
  if (S_ISLNK(status.st_mode)) return "it is a symbolic link";
  if (!S_ISDIR(status.st_mode)) return "it is not a folder";
  if (status.st_uid != ::geteuid())
    return fmt::format("it belongs to user {}, not to {}", status.st_uid, ::geteuid());
  if (status.st_mode & (S_IWGRP | S_IWOTH))
    return fmt::format("others may write to it (mode {:o})", status.st_mode & 07777);
  return std::nullopt;
}

bool exists(const std::string& path) {
  struct stat status;
  return ::lstat(path.c_str(), &status) == 0;
}

std::string manifest_of(const StoredFiles& files) {
  std::string text;
  for (const auto& [name, content] : files)
    text += fmt::format("{}  {}\n", sha256_hex(content), name);
  return text;
}

/// The manifest's names and hashes; nothing if it is not one of ours.
std::optional<StoredFiles> read_manifest(const std::string& entry) {
  const auto text = read_small_file(fmt::format("{}/{}", entry, manifest_name), max_file_bytes);
  if (!text || text->empty() || text->back() != '\n') return std::nullopt;
  llvm::SmallVector<llvm::StringRef> lines;
  llvm::StringRef(*text).drop_back().split(lines, '\n');
  StoredFiles hashes;
  for (const llvm::StringRef line : lines) {
    const auto [hash, name] = line.split("  ");
    if (name.empty() || safe_file_name(name) != name) return std::nullopt;
    hashes[name.str()] = hash.str();
  }
  return hashes;
}

CacheStore::Lookup damaged(const std::string& entry, const std::string& why) {
  return {std::nullopt, fmt::format("{}: {}", entry, why)};
}

CacheStore::Lookup load(const std::string& entry, const std::string& key) {
  if (auto reason = distrust(entry)) return damaged(entry, *reason);
  const auto hashes = read_manifest(entry);
  if (!hashes) return damaged(entry, fmt::format("{} cannot be read", manifest_name));
  StoredFiles files;
  for (const auto& [name, hash] : *hashes) {
    auto content = read_small_file(fmt::format("{}/{}", entry, name), max_file_bytes);
    if (!content) return damaged(entry, name + " cannot be read");
    if (sha256_hex(*content) != hash) return damaged(entry, name + " does not match its hash");
    files[name] = std::move(*content);
  }
  const auto stored_key = files.find("key");
  const bool same = stored_key != files.end() && stored_key->second == key;
  if (!same) return damaged(entry, "the key is another one");
  files.erase(stored_key);
  return {std::move(files), ""};
}

struct Entry {
  std::string path;
  std::time_t used = 0;
  int64_t bytes = 0;
};

int64_t bytes_in(const fs::path& folder) {
  int64_t total = 0;
  std::error_code gone;
  for (fs::directory_iterator file(folder, gone), end; file != end; file.increment(gone)) {
    const std::uintmax_t size = file->file_size(gone);
    if (!gone) total += static_cast<int64_t>(size);
  }
  return total;
}

/// The entries, those not used for longest first.
std::vector<Entry> entries_by_age(const std::string& folder) {
  std::vector<Entry> entries;
  std::error_code gone;
  for (fs::directory_iterator item(folder, gone), end; item != end; item.increment(gone)) {
    struct stat status;
    if (::lstat(item->path().c_str(), &status) != 0 || !S_ISDIR(status.st_mode)) continue;
    entries.push_back({item->path().string(), status.st_mtime, bytes_in(item->path())});
  }
  std::sort(entries.begin(), entries.end(), [](const Entry& lhs, const Entry& rhs) {
    return lhs.used != rhs.used ? lhs.used < rhs.used : lhs.path < rhs.path;
  });
  return entries;
}

/// True where nobody has touched the file within the interval; it is touched then.
bool touch_if_old(const std::string& path) {
  struct stat status;
  const bool is_there = ::lstat(path.c_str(), &status) == 0;
  if (is_there && std::abs(std::time(nullptr) - status.st_mtime) < pruning_interval_seconds)
    return false;
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (file < 0) return true;
  ::futimens(file, nullptr);
  ::close(file);
  return true;
}

bool is_unfinished(const Entry& entry) {
  return fs::path(entry.path).filename().string().starts_with(unfinished_prefix);
}

}  // namespace

CacheStore::CacheStore(std::string folder) : folder_(std::move(folder)) {
  const std::error_code failure = llvm::sys::fs::create_directories(
      folder_, /*IgnoreExisting=*/true, llvm::sys::fs::perms::owner_all);
  if (failure) throw RuntimeError("cannot make the folder {}: {}", folder_, failure.message());
  if (auto reason = distrust(folder_)) throw RuntimeError("cannot use {}: {}", folder_, *reason);
}

std::string CacheStore::entry_folder(const std::string& key) const {
  return folder_ + "/" + sha256_hex(key);
}

CacheStore::Lookup CacheStore::find(const std::string& key) const {
  const std::string entry = entry_folder(key);
  if (!exists(entry)) return {};
  Lookup lookup = load(entry, key);
  if (!exists(entry)) return {};  // another process took it away meanwhile
  if (lookup.files) ::utimensat(AT_FDCWD, entry.c_str(), nullptr, AT_SYMLINK_NOFOLLOW);
  return lookup;
}

void CacheStore::insert(const std::string& key, const StoredFiles& files) const {
  StoredFiles complete = files;
  complete["key"] = key;
  const ScopedFolder fresh(make_private_folder(folder_, unfinished_prefix));
  for (const auto& [name, content] : complete) write_new_file(fresh.path() + "/" + name, content);
  write_new_file(fmt::format("{}/{}", fresh.path(), manifest_name), manifest_of(complete));

  const std::string entry = entry_folder(key);
  if (::rename(fresh.path().c_str(), entry.c_str()) == 0) return;
  if (load(entry, key).files) return;  // another process was first
  remove_entry(entry);
  if (::rename(fresh.path().c_str(), entry.c_str()) == 0) return;
  const int reason = errno;
  if (!load(entry, key).files)
    throw RuntimeError("cannot publish {}: {}", entry, error_text(reason));
}

bool CacheStore::remove_entry(const std::string& entry) const {
  // A reader sees the entry whole or not at all: it moves away before its files go.
  const ScopedFolder grave(make_private_folder(folder_, unfinished_prefix));
  return ::rename(entry.c_str(), (grave.path() + "/entry").c_str()) == 0;
}

void CacheStore::prune(int64_t limit) const {
  int64_t total = 0;
  const std::vector<Entry> entries = entries_by_age(folder_);
  for (const Entry& entry : entries) total += entry.bytes;
  for (const Entry& entry : entries) {
    const bool stale =
        is_unfinished(entry) && std::time(nullptr) - entry.used > unfinished_lifetime_seconds;
    if (!stale && (is_unfinished(entry) || total <= limit)) continue;
    if (remove_entry(entry.path)) total -= entry.bytes;
  }
}

void CacheStore::prune_if_due(int64_t limit) const {
  if (touch_if_old(folder_ + "/" + pruned_name)) prune(limit);
}

std::string sha256_hex(std::string_view data) {
  const llvm::ArrayRef bytes(reinterpret_cast<const uint8_t*>(data.data()), data.size());
  return llvm::toHex(llvm::SHA256::hash(bytes), /*LowerCase=*/true);
}

}  // namespace hone
