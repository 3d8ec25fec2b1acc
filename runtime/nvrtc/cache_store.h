// Files on disk by key, safe among processes: the part of the kernel cache that outlives a process.
//
//   <folder>/<sha256 of the key>/SHA256SUMS     the names and hashes of the files, as sha256sum's
//                                key            the whole key, compared in full
//                                ...            the files
//
// An entry is written in a folder of its own and renamed when it is complete, so that readers need
// no lock, a killed writer leaves nothing that looks like an entry, and the first of two writers
// wins. The stored files are code that will run, so folders and files belong to their user alone;
// others who can write there could run code as that user.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace hone {

using StoredFiles = std::map<std::string, std::string>;

class CacheStore {
 public:
  /// Makes the folder where it is missing. Throws RuntimeError where the folder is a symbolic link,
  /// belongs to another user, can be written by others, or cannot be made.
  explicit CacheStore(std::string folder);

  const std::string& folder() const { return folder_; }

  struct Lookup {
    std::optional<StoredFiles> files;
    std::string damage;  ///< the reason that an existing entry was not used
  };
  /// The files stored under `key`: nothing where there is no entry or it is not intact.
  Lookup find(const std::string& key) const;

  /// Stores files under `key`, unless an intact entry is there. Throws RuntimeError.
  void insert(const std::string& key, const StoredFiles& files) const;

  /// Removes the entries that were not used for longest until `limit` bytes are left, and what
  /// killed writers left more than an hour ago. Entries that cannot be removed stay.
  void prune(int64_t limit) const;

  /// Prunes where no process did so within the last hour: it looks at all entries.
  void prune_if_due(int64_t limit) const;

  /// The folder of the entry of `key`, which may not exist.
  std::string entry_folder(const std::string& key) const;

 private:
  bool remove_entry(const std::string& entry) const;

  std::string folder_;
};

/// The SHA-256 of `data` in hexadecimal.
std::string sha256_hex(std::string_view data);

}  // namespace hone
