#include "runtime/io/npy.h"

#include <sys/stat.h>

#include <array>
#include <bit>
#include <cerrno>
#include <stdexcept>

#include "ir/interpret/buffer.h"
#include "runtime/files.h"
#include "runtime/io/npy_header.h"
#include "runtime/io/npy_source.h"

namespace hone {
namespace {

static_assert(std::endian::native == std::endian::little, "elements are copied as they are");

constexpr size_t preamble_bytes = 8;  // magic and version
constexpr std::string_view magic("\x93NUMPY", 6);

/// The file's major version. Throws RuntimeError where it is no .npy file.
int read_preamble(Source& source) {
  std::array<unsigned char, preamble_bytes> preamble = {};
  source.read(preamble.data(), preamble.size(), "the preamble");
  const std::string_view found(reinterpret_cast<const char*>(preamble.data()), magic.size());
  if (found != magic)
    throw RuntimeError("{} is not a .npy file: it starts with {}, not {}", source.path(),
                       printable(found), printable(magic));
  const int major = preamble[6], minor = preamble[7];
  if (major < 1 || major > 3 || minor != 0)
    throw RuntimeError("{} has .npy format {}.{}; 1.0, 2.0 and 3.0 are read", source.path(), major,
                       minor);
  return major;
}

NpyHeader read_header(Source& source, NpyElements taken) {
  const int major = read_preamble(source);
  uint32_t length = 0;
  source.read(&length, major == 1 ? 2 : 4, "the header's length");
  if (length > source.left())
    throw RuntimeError("{} is truncated: the header takes {} bytes, {} are left", source.path(),
                       length, source.left());
  std::string text(length, '\0');
  source.read(text.data(), length, "the header");
  return parse_npy_header(source.path(), text, taken);
}

/// In Fortran order the first index runs fastest.
Layout layout_of(const NpyHeader& header) {
  Layout layout;
  if (!header.fortran_order) return layout;
  for (size_t dim = header.shape.size(); dim-- > 0;) layout.digits.push_back(static_cast<int>(dim));
  return layout;
}

size_t checked_bytes(const std::string& path, const NpyHeader& header) {
  try {
    return static_cast<size_t>(byte_count(header.type, header.shape));
  } catch (const std::length_error& error) {
    throw RuntimeError("{}: {}", path, error.what());
  }
}

/// The array that the header describes; the rest of the file must be just its elements.
AnyArray allocate(const Source& source, const NpyHeader& header) {
  const std::string type = to_string(header.type, header.shape);
  const size_t bytes = checked_bytes(source.path(), header);
  if (bytes > source.left())
    throw RuntimeError("{} is truncated: {} takes {} bytes, {} are left", source.path(), type,
                       bytes, source.left());
  if (bytes < source.left())
    throw RuntimeError("{} has {} bytes after the {} bytes of {}", source.path(),
                       source.left() - bytes, bytes, type);
  return AnyArray(header.type, header.shape, Device::host(), layout_of(header),
                  Fill::uninitialized);
}

AnyArray read_elements(Source& source, const NpyHeader& header) {
  AnyArray array = allocate(source, header);
  source.read(array.data(), array.bytes(), "the array");
  return array.with_layout({});
}

}  // namespace

Source::Source(const std::string& path) : path_(path), stream_(path, std::ios::binary) {
  struct stat status;
  if (!stream_ || ::stat(path.c_str(), &status) != 0)
    throw RuntimeError("cannot read {}: {}", path, error_text(errno));
  if (!S_ISREG(status.st_mode)) throw RuntimeError("cannot read {}: not a regular file", path);
  left_ = static_cast<size_t>(status.st_size);
}

Source::Source(const std::string& path, const std::string& name, uint64_t start, uint64_t size)
    : Source(path) {
  path_ = name;
  left_ = size;
  stream_.seekg(static_cast<std::streamoff>(start));
}

void Source::read(void* target, size_t bytes, const char* what) {
  if (bytes > left_)
    throw RuntimeError("{} is truncated: {} takes {} bytes, {} are left", path_, what, bytes,
                       left_);
  stream_.read(static_cast<char*>(target), static_cast<std::streamsize>(bytes));
  if (!stream_) throw RuntimeError("cannot read {}: {}", path_, error_text(errno));
  left_ -= bytes;
}

/// Magic, version, length and header, padded so that the elements start at a multiple of 64.
std::string npy_preamble(const std::string& path, const AnyArray& array) {
  constexpr size_t boundary = 64;
  std::string text = npy_header_text(path, array.dtype(), array.shape());
  const bool large = text.size() + boundary > UINT16_MAX;
  const size_t length_bytes = large ? 4 : 2;
  const size_t used = preamble_bytes + length_bytes + text.size() + 1;
  text += std::string((boundary - used % boundary) % boundary, ' ') + "\n";
  const auto length = static_cast<uint32_t>(text.size());
  std::string encoded(magic);
  encoded += large ? '\2' : '\1';
  encoded += '\0';
  encoded.append(reinterpret_cast<const char*>(&length), length_bytes);
  return encoded + text;
}

AnyArray read_npy(Source& source) {
  return read_elements(source, read_header(source, NpyElements::own));
}

AnyArray read_npy(const std::string& path, Location location) {
  return located<RuntimeError>(location, [&] {
    Source source(path);
    return read_npy(source);
  });
}

NpyArray read_npy_bits(const std::string& path, Location location) {
  return located<RuntimeError>(location, [&]() -> NpyArray {
    Source source(path);
    const NpyHeader header = read_header(source, NpyElements::all);
    return {header.elements, read_elements(source, header)};
  });
}

void write_npy(const std::string& path, const AnyArray& array, Location location) {
  located<RuntimeError>(location, [&] {
    const std::string header = npy_preamble(path, array);
    const AnyArray dense = array.with_layout({}).to(Device::host());
    const std::string_view elements(static_cast<const char*>(dense.data()), dense.bytes());
    replace_file(path, {header, elements});
  });
}

}  // namespace hone
