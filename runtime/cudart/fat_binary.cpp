#include "runtime/cudart/fat_binary.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "runtime/cudart/link_ptx.h"
#include "runtime/error.h"
#include "runtime/shared_library.h"

namespace hone::cudart {
namespace {

constexpr uint32_t wrapper_magic = 0x466243b1, piece_magic = 0xba55ed50;
/// The newest that the simulated device runs.
constexpr int newest_capability = 90;

struct Wrapper {
  uint32_t magic, version;
  const std::byte* data;
  const void* objects;  ///< of version 2: pieces, up to a null
};

struct PieceHeader {
  uint32_t magic;
  uint16_t version, header_bytes;
  uint64_t bytes;  ///< of the entries behind it
};

struct EntryHeader {
  enum Kind : uint16_t { ptx = 1, machine_code = 2 };
  static constexpr uint64_t lz4 = 1 << 13, zstd = 1 << 15;

  uint16_t kind, version;
  uint32_t header_bytes;
  uint64_t bytes;
  uint32_t packed_bytes;  ///< those of `bytes` that count, where they are packed
  uint32_t options_at;
  uint16_t minor, major;
  uint32_t capability;
  uint32_t name_at, name_bytes;
  uint64_t flags;
  uint64_t unused;
  uint64_t text_bytes;  ///< unpacked
};

template <class Header>
Header read_header(const std::byte* at) {
  Header header;
  std::memcpy(&header, at, sizeof header);
  return header;
}

std::string unpack_zstd(const std::byte* data, size_t bytes, size_t text_bytes) {
  using Decompress = size_t(void*, size_t, const void*, size_t);
  static const SharedLibrary library = SharedLibrary::open("libzstd.so.1");
  std::string text(text_bytes, '\0');
  const size_t got =
      library.function<Decompress>("ZSTD_decompress")(text.data(), text.size(), data, bytes);
  if (got != text_bytes)
    throw RuntimeError("the PTX in the program is damaged: it does not unpack to {} bytes",
                       text_bytes);
  return text;
}

std::string text_of(const EntryHeader& header, const std::byte* data) {
  if ((header.flags & EntryHeader::zstd) != 0)
    return unpack_zstd(data, header.packed_bytes, header.text_bytes);
  if ((header.flags & EntryHeader::lz4) != 0)
    throw RuntimeError(
        "the PTX in the program is packed with LZ4, which is not read; compile it with "
        "`nvcc -no-compress`");
  const auto* const begin = reinterpret_cast<const char*>(data);
  return {begin, strnlen(begin, header.bytes)};
}

/// Of the texts of one object.
const PtxText* best_of(const std::vector<PtxText>& texts) {
  const PtxText* best = nullptr;
  for (const PtxText& text : texts)
    if (text.capability <= newest_capability && (!best || text.capability > best->capability))
      best = &text;
  return best;
}

std::string capabilities_of(const std::vector<PtxText>& texts) {
  std::string list;
  for (const PtxText& text : texts)
    list += fmt::format("{}compute_{}", list.empty() ? "" : ", ", text.capability);
  return list;
}

[[noreturn]] void refuse_without_ptx(const std::vector<PtxText>& texts) {
  const std::string has =
      texts.empty() ? "no PTX" : fmt::format("PTX for {} alone", capabilities_of(texts));
  throw RuntimeError(
      "the program has {}; compile it with `nvcc -arch=compute_90 -code=compute_90`, as `hone "
      "cuda` "
      "does",
      has);
}

/// Of the objects of a program that have PTX: CUDA's own, which nvcc links, may have none.
std::vector<std::string> texts_of_objects(const std::byte* const* objects) {
  std::vector<std::string> chosen;
  std::vector<PtxText> all;
  for (; *objects; ++objects) {
    const std::vector<PtxText> texts = ptx_texts(*objects);
    if (const PtxText* best = best_of(texts)) chosen.push_back(best->text);
    all.insert(all.end(), texts.begin(), texts.end());
  }
  if (chosen.empty()) refuse_without_ptx(all);
  return chosen;
}

}  // namespace

std::vector<PtxText> ptx_texts(const void* data) {
  const auto* at = static_cast<const std::byte*>(data);
  const auto piece = read_header<PieceHeader>(at);
  if (piece.magic != piece_magic) throw RuntimeError("the program's fat binary is damaged");
  at += piece.header_bytes;
  std::vector<PtxText> texts;
  for (const std::byte* const end = at + piece.bytes; at < end;) {
    const auto entry = read_header<EntryHeader>(at);
    const std::byte* const content = at + entry.header_bytes;
    if (entry.kind == EntryHeader::ptx)
      texts.push_back({static_cast<int>(entry.capability), text_of(entry, content)});
    at = content + entry.bytes;
  }
  return texts;
}

std::string ptx_of_wrapper(const void* wrapper) {
  const auto given = read_header<Wrapper>(static_cast<const std::byte*>(wrapper));
  if (given.magic != wrapper_magic) throw RuntimeError("the program's fat binary is damaged");
  const std::byte* const only[] = {given.data, nullptr};
  const bool has_objects = given.version == 2;
  return link_ptx(
      texts_of_objects(has_objects ? static_cast<const std::byte* const*>(given.objects) : only));
}

}  // namespace hone::cudart
