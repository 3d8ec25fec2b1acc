// Commands that the playground asks for, as JSON.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "llvm/ADT/StringRef.h"

namespace hone {

/// A command line, and the files that it reads.
struct Job {
  std::string slot;  ///< of the page: another job of the same slot takes the place of this one
  std::vector<std::string> words;            ///< as of `hone`; files by their names below
  std::map<std::string, std::string> files;  ///< texts by name: "steps", "kernel.cu"
};

/// {"slot": "cuda", "words": ["try", "matmul", "--steps=steps"], "files": {"steps": "..."}}
///
/// Throws UsageError for other JSON, and for commands and options that a page has no use for: those
/// that write files, or read others than its own.
Job parse_job(llvm::StringRef json);

}  // namespace hone
