// The errors in a log of NVRTC.
#pragma once

#include <string>
#include <vector>

#include "llvm/ADT/StringRef.h"

namespace hone::ptx {

struct CompileMessage {
  std::string file;
  int line = 0;      ///< 0 where the error has no place
  std::string text;  ///< "identifier "f" is undefined"
};

/// In the order of the log.
std::vector<CompileMessage> errors_in(llvm::StringRef log);

/// The file that `cannot open source file "x.h"` names; empty for other messages.
llvm::StringRef missing_header(const CompileMessage& message);

}  // namespace hone::ptx
