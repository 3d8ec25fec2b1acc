// Programs exported under names of their own.
#pragma once

#include <string>
#include <vector>

#include "codegen/contract/launch_contract.h"
#include "codegen/lower.h"

namespace hone {

struct Export {
  std::string name;
  Function function;
  Module module;
  LaunchContract contract;

  Export(std::string name, const Function& scheduled);
  /// A kernel alone.
  Export(std::string name, const KernelFunction& kernel);

  /// NAME.cu, NAME.h, NAME.json and NAME.py in the folder.
  void write(const std::string& folder) const;
};

/// The rung "LADDER/RUNG", with params unless sizes are fixed.
Export export_of(const std::string& rung, const std::string& name, const Sizes& fixed = {});

/// Results of three and of four components.
std::vector<Export> tuple_exports();

/// Those and every rung.
std::vector<Export> all_exports();

/// Kernels whose index arithmetic a launch has to follow: what limits of sizes say is not enough.
std::vector<Export> exports_with_arithmetic();

}  // namespace hone
