#include "runtime/io/npz.h"

#include <cstring>
#include <fstream>
#include <vector>

#include "fmt/ranges.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/CRC.h"
#include "runtime/files.h"
#include "runtime/io/npy_source.h"

namespace hone {
namespace {

constexpr uint32_t local_mark = 0x04034b50, central_mark = 0x02014b50, end_mark = 0x06054b50,
                   end_mark_64 = 0x06064b50;
constexpr size_t local_bytes = 30, central_bytes = 46, end_bytes = 22, locator_bytes = 20;
constexpr uint32_t in_extra = 0xffffffff;  ///< stands for a number that 32 bits do not hold

template <class Number>
Number number_at(const std::string& text, size_t at) {
  Number number = 0;
  if (at + sizeof number <= text.size()) std::memcpy(&number, text.data() + at, sizeof number);
  return number;
}

template <class Number>
void append(std::string& text, Number number) {
  text.append(reinterpret_cast<const char*>(&number), sizeof number);
}

// ---- Reading ------------------------------------------------------------------------------------

struct Member {
  std::string name;
  uint64_t header = 0, size = 0;  ///< the place and the length of its header
};

class Archive {
 public:
  explicit Archive(const std::string& path) : path_(path), size_(Source(path).left()) {
    const std::string tail = bytes_at(size_ - std::min<uint64_t>(size_, 65557), 65557);
    const size_t end = tail.rfind("PK\5\6");
    if (end == std::string::npos) refuse("it has no end record");
    uint64_t count = number_at<uint16_t>(tail, end + 10);
    uint64_t at = number_at<uint32_t>(tail, end + 16);
    if (at == in_extra && end >= locator_bytes) {
      const std::string record = bytes_at(number_at<uint64_t>(tail, end - locator_bytes + 8), 56);
      if (number_at<uint32_t>(record, 0) != end_mark_64) refuse("its end record is damaged");
      count = number_at<uint64_t>(record, 32);
      at = number_at<uint64_t>(record, 48);
    }
    for (uint64_t n = 0; n < count; ++n) at = read_member(at);
  }

  const std::vector<Member>& members() const { return members_; }

  AnyArray read(const Member& member) const {
    const std::string header = bytes_at(member.header, local_bytes);
    if (number_at<uint32_t>(header, 0) != local_mark) refuse(member.name + " is damaged");
    const uint64_t start = member.header + local_bytes + number_at<uint16_t>(header, 26) +
                           number_at<uint16_t>(header, 28);
    if (start > size_ || member.size > size_ - start) refuse(member.name + " is truncated");
    Source source(path_, path_ + ":" + member.name, start, member.size);
    return read_npy(source);
  }

 private:
  [[noreturn]] void refuse(const std::string& why) const {
    throw RuntimeError("{} is not an .npz file that can be read: {}", path_, why);
  }

  std::string bytes_at(uint64_t start, size_t count) const {
    std::ifstream stream(path_, std::ios::binary);
    std::string bytes(start < size_ ? std::min<uint64_t>(count, size_ - start) : 0, '\0');
    stream.seekg(static_cast<std::streamoff>(start));
    stream.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    return bytes;
  }

  /// Returns where the next one is.
  uint64_t read_member(uint64_t at) {
    const std::string entry = bytes_at(at, central_bytes);
    if (number_at<uint32_t>(entry, 0) != central_mark) refuse("its directory is damaged");
    const size_t name_bytes = number_at<uint16_t>(entry, 28);
    const size_t extra_bytes = number_at<uint16_t>(entry, 30);
    const std::string more = bytes_at(at + central_bytes, name_bytes + extra_bytes);
    Member member = {more.substr(0, name_bytes), number_at<uint32_t>(entry, 42),
                     number_at<uint32_t>(entry, 24)};
    if (number_at<uint16_t>(entry, 10) != 0)
      refuse(member.name + " is compressed; write it with numpy.savez");
    read_wide_numbers(more.substr(std::min(name_bytes, more.size())),
                      number_at<uint32_t>(entry, 20), member);
    members_.push_back(member);
    return at + central_bytes + name_bytes + extra_bytes + number_at<uint16_t>(entry, 32);
  }

  /// Of an archive of 4 GiB or more: those that the entry has no room for follow each other.
  static void read_wide_numbers(const std::string& extra, uint32_t stored, Member& member) {
    for (size_t at = 0; at + 4 <= extra.size(); at += 4 + number_at<uint16_t>(extra, at + 2)) {
      if (number_at<uint16_t>(extra, at) != 1) continue;
      size_t next = at + 4;
      const auto take = [&](uint64_t& number) {
        if (number != in_extra) return;
        number = number_at<uint64_t>(extra, next);
        next += 8;
      };
      uint64_t stored_bytes = stored;
      take(member.size);
      take(stored_bytes);
      take(member.header);
    }
  }

  std::string path_;
  uint64_t size_;
  std::vector<Member> members_;
};

/// Without ".npy".
std::string array_name(const Member& member) {
  llvm::StringRef name = member.name;
  name.consume_back(".npy");
  return name.str();
}

// ---- Writing ------------------------------------------------------------------------------------

/// The fields that the header of a member shares with its entry in the directory.
std::string shared_fields(const std::string& name, const std::string& content) {
  constexpr uint16_t version = 20, flags = 0, stored = 0, time = 0, date = 33;  // 1980-01-01
  const auto size = static_cast<uint32_t>(content.size());
  std::string fields;
  for (const uint16_t number : {version, flags, stored, time, date}) append(fields, number);
  append(fields, llvm::crc32({reinterpret_cast<const uint8_t*>(content.data()), content.size()}));
  append(fields, size);
  append(fields, size);
  append(fields, static_cast<uint16_t>(name.size()));
  append(fields, uint16_t{0});
  return fields;
}

std::string directory_entry(const std::string& name, const std::string& fields, size_t header) {
  std::string entry;
  append(entry, central_mark);
  append(entry, uint16_t{20});
  entry += fields;
  entry += std::string(10, '\0');  // no comment, the first disk, no attributes
  append(entry, static_cast<uint32_t>(header));
  return entry + name;
}

std::string end_record(size_t count, size_t start, size_t bytes) {
  std::string record;
  append(record, end_mark);
  append(record, uint32_t{0});  // the first disk
  append(record, static_cast<uint16_t>(count));
  append(record, static_cast<uint16_t>(count));
  append(record, static_cast<uint32_t>(bytes));
  append(record, static_cast<uint32_t>(start));
  append(record, uint16_t{0});  // no comment
  static_assert(end_bytes == 22);
  return record;
}

}  // namespace

std::map<std::string, AnyArray> read_npz(const std::string& path, Location location) {
  return located<RuntimeError>(location, [&] {
    const Archive archive(path);
    std::map<std::string, AnyArray> arrays;
    for (const Member& member : archive.members())
      arrays.emplace(array_name(member), archive.read(member));
    return arrays;
  });
}

AnyArray read_npz(const std::string& path, const std::string& name, Location location) {
  return located<RuntimeError>(location, [&] {
    const Archive archive(path);
    std::vector<std::string> names;
    for (const Member& member : archive.members()) {
      names.push_back(array_name(member));
      if (names.back() == name) return archive.read(member);
    }
    throw RuntimeError("{} has no array {}; it has {}", path, name,
                       names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", ")));
  });
}

void write_npz(const std::string& path, const std::map<std::string, AnyArray>& arrays,
               Location location) {
  located<RuntimeError>(location, [&] {
    std::string members, directory;
    for (const auto& [name, array] : arrays) {
      const AnyArray dense = array.with_layout({}).to(Device::host());
      std::string content = npy_preamble(path, array);
      content.append(static_cast<const char*>(dense.data()), dense.bytes());
      if (members.size() + content.size() >= in_extra)
        throw RuntimeError("cannot write {}: its arrays take 4 GiB or more; write .npy files",
                           path);
      const std::string file = name + ".npy", fields = shared_fields(file, content);
      directory += directory_entry(file, fields, members.size());
      append(members, local_mark);
      members += fields + file + content;
    }
    replace_file(path,
                 {members, directory, end_record(arrays.size(), members.size(), directory.size())});
  });
}

}  // namespace hone
