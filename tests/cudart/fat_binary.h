// Fat binaries as nvcc lays them out, made by hand.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace hone {

struct FatEntry {
  uint16_t kind = 1;  ///< 1: PTX, 2: machine code
  uint32_t capability = 90;
  std::string content;
  uint64_t flags = 0x11;
  uint32_t packed_bytes = 0;
  uint64_t text_bytes = 0;
};

/// A piece of entries, and the wrapper that is registered.
class FatBinary {
 public:
  explicit FatBinary(const std::vector<FatEntry>& entries) {
    std::string body;
    for (const FatEntry& entry : entries) body += bytes_of(entry);
    append(uint32_t{0xba55ed50});
    append(uint16_t{1});
    append(uint16_t{16});
    append(uint64_t{body.size()});
    bytes_ += body;
    wrapper_ = {0x466243b1, 1, bytes_.data(), nullptr};
  }
  FatBinary(const FatBinary&) = delete;
  FatBinary& operator=(const FatBinary&) = delete;

  const void* data() const { return bytes_.data(); }
  void* wrapper() { return &wrapper_; }

 private:
  struct Wrapper {
    uint32_t magic, version;
    const void *data, *objects;
  };

  template <class Number>
  static void append_to(std::string& bytes, Number number) {
    bytes.append(reinterpret_cast<const char*>(&number), sizeof number);
  }
  template <class Number>
  void append(Number number) {
    append_to(bytes_, number);
  }
  static std::string bytes_of(const FatEntry& entry) {
    std::string content = entry.content;
    content.resize((content.size() + 8) / 8 * 8, '\0');
    std::string bytes;
    append_to(bytes, entry.kind);
    append_to(bytes, uint16_t{0x101});
    append_to(bytes, uint32_t{64});
    append_to(bytes, uint64_t{content.size()});
    append_to(bytes, entry.packed_bytes);
    append_to(bytes, uint32_t{64});
    append_to(bytes, uint32_t{9} << 16);
    append_to(bytes, entry.capability);
    append_to(bytes, uint64_t{0});
    append_to(bytes, entry.flags);
    append_to(bytes, uint64_t{0});
    append_to(bytes, entry.text_bytes);
    return bytes + content;
  }

  std::string bytes_;
  Wrapper wrapper_;
};

/// The wrapper of a program in several objects.
struct LinkedWrapper {
  uint32_t magic = 0x466243b1, version = 2;
  const void* data = nullptr;
  const void* const* objects = nullptr;
};

}  // namespace hone
