#include "runtime/ptx/cubin/elf.h"

#include <elf.h>

#include <cstring>

#include "llvm/ADT/STLExtras.h"
#include "runtime/error.h"

namespace hone::ptx {
namespace {

template <class T>
T record_at(llvm::StringRef bytes, uint64_t offset) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof(T))
    throw RuntimeError("a cubin ends within a record of {} bytes at {}", sizeof(T), offset);
  T record;
  std::memcpy(&record, bytes.data() + offset, sizeof record);
  return record;
}

llvm::StringRef text_at(llvm::StringRef strings, uint64_t offset) {
  return strings.drop_front(std::min<size_t>(offset, strings.size())).take_until([](char c) {
    return c == '\0';
  });
}

Elf64_Ehdr header_of(llvm::StringRef bytes) {
  const auto header = record_at<Elf64_Ehdr>(bytes, 0);
  if (!bytes.startswith(ELFMAG) || header.e_ident[EI_CLASS] != ELFCLASS64)
    throw RuntimeError("a cubin of {} bytes is no ELF file of 64 bits", bytes.size());
  return header;
}

}  // namespace

ElfFile::ElfFile(llvm::StringRef bytes) : bytes_(bytes) {
  const Elf64_Ehdr header = header_of(bytes);
  std::vector<Elf64_Shdr> headers;
  for (uint64_t n = 0; n < header.e_shnum; ++n)
    headers.push_back(record_at<Elf64_Shdr>(bytes, header.e_shoff + n * header.e_shentsize));
  const auto contents = [&](const Elf64_Shdr& section) {
    return section.sh_type == SHT_NOBITS ? "" : bytes.substr(section.sh_offset, section.sh_size);
  };
  const llvm::StringRef names =
      header.e_shstrndx < headers.size() ? contents(headers[header.e_shstrndx]) : "";
  for (const Elf64_Shdr& section : headers)
    sections_.push_back({text_at(names, section.sh_name), contents(section)});
}

llvm::StringRef ElfFile::bytes_of(llvm::StringRef name) const {
  const auto found = llvm::find_if(sections_, [&](const auto& s) { return s.name == name; });
  return found == sections_.end() ? "" : found->bytes;
}

/// Records with an addend of their own are `.rela`; for others it stands in the section.
template <class Record>
std::vector<ElfRelocation> ElfFile::relocations_in(llvm::StringRef records) const {
  const llvm::StringRef symbols = bytes_of(".symtab");
  std::vector<ElfRelocation> relocations;
  for (uint64_t at = 0; at < records.size(); at += sizeof(Record)) {
    const auto record = record_at<Record>(records, at);
    const auto symbol =
        record_at<Elf64_Sym>(symbols, ELF64_R_SYM(record.r_info) * sizeof(Elf64_Sym));
    uint64_t value = symbol.st_value;
    if constexpr (std::is_same_v<Record, Elf64_Rela>)
      value += static_cast<uint64_t>(record.r_addend);
    relocations.push_back({record.r_offset, symbol.st_shndx, value});
  }
  return relocations;
}

std::vector<ElfRelocation> ElfFile::relocations_of(llvm::StringRef name) const {
  const llvm::StringRef plain = bytes_of(".rel" + name.str());
  return plain.empty() ? relocations_in<Elf64_Rela>(bytes_of(".rela" + name.str()))
                       : relocations_in<Elf64_Rel>(plain);
}

}  // namespace hone::ptx
