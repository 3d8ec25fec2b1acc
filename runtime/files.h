// Small, whole files and private folders.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

namespace hone {

/// The whole content of a regular file of at most `limit` bytes; nothing if it cannot be read, is
/// larger, or is a symbolic link.
std::optional<std::string> read_small_file(const std::string& path, size_t limit);
/// Why read_small_file returned nothing: "Permission denied", "it is a folder".
std::string why_unreadable(const std::string& path, size_t limit);

/// Creates `path` with mode 0600, which must not exist, and fills it. Throws RuntimeError.
void write_new_file(const std::string& path, std::string_view content);

/// Gives `path` the content of all parts, one after the other: other processes see the old file or
/// the whole new one, which has the old one's permissions. A link stays, and its target is written;
/// so is a pipe or a device, in place. Throws RuntimeError.
void replace_file(const std::string& path, std::initializer_list<std::string_view> parts);

/// Makes a new folder "<parent>/<prefix>XXXXXX" with mode 0700. Throws RuntimeError.
std::string make_private_folder(const std::string& parent, const std::string& prefix);

/// A path as it is from the current folder, where it lies in there.
std::string short_path(const std::string& path);

/// $TMPDIR, or /tmp.
std::string temporary_root();

/// Keeps letters, digits, '_' and '-' and turns the rest into '_'; never empty.
std::string safe_file_name(std::string_view name);

/// The text of an errno value: "No such file or directory".
std::string error_text(int error_number);

/// Removes a folder and what is in it when it goes out of scope, unless told to keep it.
class ScopedFolder {
 public:
  explicit ScopedFolder(std::string path) : path_(std::move(path)) {}
  ~ScopedFolder();
  ScopedFolder(const ScopedFolder&) = delete;
  ScopedFolder& operator=(const ScopedFolder&) = delete;

  const std::string& path() const { return path_; }
  void keep() { kept_ = true; }

 private:
  std::string path_;
  bool kept_ = false;
};

}  // namespace hone
