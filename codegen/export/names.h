// Identifiers of an exported header: tensors, sizes, and the words of the header itself.
#pragma once

#include <map>

#include "codegen/contract/launch_contract.h"
#include "llvm/ADT/StringSet.h"

namespace hone {

class ExportedNames {
 public:
  explicit ExportedNames(const LaunchContract& contract);

  const std::string& argument(size_t number) const { return arguments_[number]; }
  const std::string& size(const std::string& param) const { return sizes_.at(param); }

  /// A formula over sizes in C++, whose variables are of the header's type Size.
  std::string formula(const Expr& expr) const;

 private:
  std::string unique(const std::string& name);

  llvm::StringSet<> used_;
  std::vector<std::string> arguments_;
  std::map<std::string, std::string> sizes_;
};

/// `text` as a string of C++.
std::string quoted(const std::string& text);

}  // namespace hone
