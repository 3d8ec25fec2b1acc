#include "tools/cli/json_text.h"

#include "llvm/Support/raw_ostream.h"

namespace hone {

void print_json(const llvm::json::Value& value, Output& out) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::formatv("{0:2}\n", value);
  out.print(text);
}

llvm::json::Object to_json(const Sizes& sizes) {
  llvm::json::Object object;
  for (const auto& [name, size] : sizes) object[name] = size;
  return object;
}

llvm::json::Array to_json(const std::vector<std::string>& lines) {
  llvm::json::Array array;
  for (const std::string& line : lines) array.push_back(line);
  return array;
}

}  // namespace hone
