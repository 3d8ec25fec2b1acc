// The parts of statements that are about tensors: types of elements, scopes, regions,
// updates.
#pragma once

#include "ir/text/expr_parser.h"

namespace hone {

class TensorParser : public ExprParser {
 protected:
  explicit TensorParser(llvm::StringRef text) : ExprParser(text) {}

  struct UpdateName {
    Update update;
    OperatorPtr op = nullptr;
  };

  DType parse_element_type();
  Scope parse_scope();
  int64_t parse_address(Scope scope);
  Region parse_region();
  UpdateName parse_update();

 private:
  DType parse_number_type();
  Range parse_range();
  UpdateName parse_update_word();
};

}  // namespace hone
