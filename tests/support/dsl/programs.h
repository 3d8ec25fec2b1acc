// Programs against IR text, and run by the interpreter.
#pragma once

#include "dsl/program.h"
#include "gtest/gtest.h"
#include "ir/interpret/interpreter.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"
#include "tests/support/ir/run.h"

namespace hone {

inline void expect_text(const Program& program, llvm::StringRef text) {
  EXPECT_EQ(to_string(program.function()), to_string(parse_function(text)));
}

inline Values run(const Program& program, Buffers buffers, llvm::StringRef output) {
  interpret(program.function(), infer_sizes(program.function(), buffers), buffers);
  return values_of(buffers.at(output.str()));
}

}  // namespace hone
