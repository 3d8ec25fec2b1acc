// Texts that users bring: kernel IR or CUDA, told apart by how they begin.
#pragma once

#include <string>

#include "llvm/ADT/StringRef.h"

namespace hone {

/// A file that holds a text.
struct UserText {
  std::string path, text;
};

/// Reads it. Throws RuntimeError that names the file: where there is none, where it is a folder, or
/// has more than 16 MiB.
UserText read_user_file(const std::string& path);
/// The same of what may not be empty.
UserText read_user_text(const std::string& path);

enum class TextKind { kernel, loops, cuda, other };

/// `hone show` prints such a text with --emit=kernel, --emit=loops or --emit=cuda; or it does not.
TextKind kind_of(llvm::StringRef text);

/// Throws RuntimeError if the text is not of the kind that the option takes: says its kind,
/// and the option that takes that.
void check_kind(const UserText& text, TextKind wanted, llvm::StringRef option);

}  // namespace hone
