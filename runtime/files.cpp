#include "runtime/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <filesystem>

#include "llvm/ADT/STLExtras.h"
#include "runtime/environment.h"
#include "runtime/error.h"

namespace hone {
namespace {

class FileDescriptor {
 public:
  FileDescriptor(const char* path, int flags, mode_t mode = 0)
      : descriptor_(::open(path, flags | O_NOFOLLOW | O_CLOEXEC, mode)) {}
  ~FileDescriptor() {
    if (valid()) ::close(descriptor_);
  }
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;

  bool valid() const { return descriptor_ >= 0; }
  int get() const { return descriptor_; }

 private:
  int descriptor_;
};

/// Reads until `content` is full; false at an early end or an error.
bool read_fully(int descriptor, std::string& content) {
  for (size_t done = 0; done < content.size();) {
    const ssize_t count = ::read(descriptor, content.data() + done, content.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    done += static_cast<size_t>(count);
  }
  return true;
}

bool write_fully(int descriptor, std::string_view content) {
  while (!content.empty()) {
    const ssize_t count = ::write(descriptor, content.data(), content.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return false;
    content.remove_prefix(static_cast<size_t>(count));
  }
  return true;
}

}  // namespace

std::optional<std::string> read_small_file(const std::string& path, size_t limit) {
  const FileDescriptor file(path.c_str(), O_RDONLY | O_NONBLOCK);
  struct stat status;
  if (!file.valid() || ::fstat(file.get(), &status) != 0) return std::nullopt;
  const bool readable = S_ISREG(status.st_mode) && static_cast<size_t>(status.st_size) <= limit;
  if (!readable) return std::nullopt;
  std::string content(static_cast<size_t>(status.st_size), '\0');
  if (!read_fully(file.get(), content)) return std::nullopt;
  return content;
}

std::string why_unreadable(const std::string& path, size_t limit) {
  struct stat status;
  if (::lstat(path.c_str(), &status) != 0) return error_text(errno);
  if (S_ISLNK(status.st_mode)) return "it is a symbolic link, which is not followed";
  if (S_ISDIR(status.st_mode)) return "it is a folder";
  if (!S_ISREG(status.st_mode)) return "it is no regular file";
  if (static_cast<size_t>(status.st_size) > limit)
    return fmt::format("it has more than {} bytes", limit);
  const FileDescriptor file(path.c_str(), O_RDONLY | O_NONBLOCK);
  return file.valid() ? "reading it fails" : error_text(errno);
}

void write_new_file(const std::string& path, std::string_view content) {
  const FileDescriptor file(path.c_str(), O_WRONLY | O_CREAT | O_EXCL, 0600);
  if (!file.valid()) throw RuntimeError("cannot create {}: {}", path, error_text(errno));
  if (!write_fully(file.get(), content))
    throw RuntimeError("cannot write {}: {}", path, error_text(errno));
}

namespace {

using Parts = std::initializer_list<std::string_view>;

bool write_all(int descriptor, Parts parts) {
  return llvm::all_of(parts, [&](std::string_view part) { return write_fully(descriptor, part); });
}

[[noreturn]] void cannot_write(const std::string& path, int reason) {
  throw RuntimeError("cannot write {}: {}", path, error_text(reason));
}

/// The file that a chain of links leads to, be it there or not.
std::string link_target(const std::string& path) {
  constexpr int most_links = 40;
  std::filesystem::path target = path;
  for (int links = 0; links < most_links && std::filesystem::is_symlink(target); ++links)
    target = target.parent_path() / std::filesystem::read_symlink(target);
  return target;
}

/// Writes to a path that is no regular file, which a rename would put one in the place of.
void write_in_place(const std::string& path, Parts parts) {
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (descriptor < 0) cannot_write(path, errno);
  const bool written = write_all(descriptor, parts);
  const int reason = errno;
  ::close(descriptor);
  if (!written) cannot_write(path, reason);
}

}  // namespace

void replace_file(const std::string& path, Parts parts) {
  struct stat old;
  const bool exists = ::stat(path.c_str(), &old) == 0;
  if (exists && !S_ISREG(old.st_mode)) return write_in_place(path, parts);

  static std::atomic<unsigned> counter = 0;
  const std::string target = link_target(path);
  const std::string fresh = fmt::format("{}.new-{}-{}", target, ::getpid(), counter++);
  const FileDescriptor file(fresh.c_str(), O_WRONLY | O_CREAT | O_EXCL, 0666);
  const bool written = file.valid() && (!exists || ::fchmod(file.get(), old.st_mode & 0777) == 0) &&
                       write_all(file.get(), parts) && ::fsync(file.get()) == 0 &&
                       ::rename(fresh.c_str(), target.c_str()) == 0;
  if (written) return;
  const int reason = errno;
  if (file.valid()) ::unlink(fresh.c_str());
  cannot_write(path, reason);
}

std::string make_private_folder(const std::string& parent, const std::string& prefix) {
  std::string path = fmt::format("{}/{}XXXXXX", parent, prefix);
  if (!::mkdtemp(path.data()))
    throw RuntimeError("cannot make a folder in {}: {}", parent, error_text(errno));
  return path;
}

std::string short_path(const std::string& path) {
  std::error_code error;
  const std::string folder = std::filesystem::current_path(error).string() + "/";
  return path.starts_with(folder) ? path.substr(folder.size()) : path;
}

std::string temporary_root() { return environment("TMPDIR").value_or("/tmp"); }

std::string safe_file_name(std::string_view name) {
  std::string safe(name.substr(0, 64));
  for (char& c : safe)
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '-') c = '_';
  return safe.empty() ? "kernel" : safe;
}

std::string error_text(int error_number) {
  return std::error_code(error_number, std::generic_category()).message();
}

ScopedFolder::~ScopedFolder() {
  std::error_code ignored;
  if (!kept_) std::filesystem::remove_all(path_, ignored);
}

}  // namespace hone
