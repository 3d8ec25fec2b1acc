#include "runtime/nvrtc/ptx_signature.h"

#include <algorithm>
#include <cctype>

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"

namespace hone {
namespace {

using llvm::StringRef;

/// Bytes of ".u64", ".b8": the digits say bits. 0 for ".param", ".align", ".ptr".
int bytes_of_type(StringRef word) {
  const bool is_type = word.size() > 2 && StringRef("usbf").contains(word[1]);
  int bits = 0;
  return !is_type || word.drop_front(2).getAsInteger(10, bits) ? 0 : bits / 8;
}

/// ".param .align 64 .b8 map[128]"
int bytes_of_param(StringRef text) {
  int bytes = 0;
  llvm::SmallVector<StringRef, 8> words;
  llvm::SplitString(text, words);
  for (const StringRef word : words) bytes = std::max(bytes, bytes_of_type(word));
  int count = 1;
  const StringRef extent = text.rsplit('[').second.take_until([](char c) { return c == ']'; });
  return text.contains('[') && !extent.getAsInteger(10, count) ? bytes * count : bytes;
}

}  // namespace

std::vector<PtxSignature> read_signatures(std::string_view ptx) {
  const StringRef entry = ".entry ";
  std::vector<PtxSignature> signatures;
  StringRef left(ptx.data(), ptx.size());
  for (size_t at = left.find(entry); at != StringRef::npos; at = left.find(entry)) {
    left = left.drop_front(at + entry.size());
    PtxSignature signature;
    signature.name = left.take_until([](char c) { return c == '(' || std::isspace(c); }).str();
    llvm::SmallVector<StringRef, 8> params;
    const size_t body = left.find('{'), list = left.find('(');
    if (list < body)
      left.slice(list + 1, left.find(')')).split(params, ',', -1, /*KeepEmpty=*/false);
    for (const StringRef param : params)
      if (!param.trim().empty()) signature.param_bytes.push_back(bytes_of_param(param));
    signatures.push_back(std::move(signature));
  }
  return signatures;
}

}  // namespace hone
