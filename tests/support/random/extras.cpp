#include "tests/support/random/extras.h"

#include <stdexcept>

#include "fmt/format.h"
#include "fmt/ranges.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace hone {
namespace {

/// In the order of the enumeration.
constexpr const char* extra_names[] = {
    "sizes",     "types",    "scatters", "gathers",    "products",   "scalars",
    "outputs",   "names",    "combines", "indices",    "write_outs", "in_places",
    "functions", "elements", "fusions",  "units",      "levels",     "alignments",
    "roles",     "launches", "clusters", "tensors",    "parts",      "lets",
    "globals",   "engines",  "warps",    "warpgroups", "multicasts", "matrices"};

uint32_t bits_of(llvm::StringRef name) {
  if (name == "all") return (1u << static_cast<unsigned>(Extra::engines)) - 1;
  const auto* found = llvm::find(extra_names, name);
  if (found == std::end(extra_names))
    throw std::invalid_argument(fmt::format("no extra is called {}; there are {} and all",
                                            name.str(), fmt::join(extra_names, ", ")));
  return 1u << (found - extra_names);
}

}  // namespace

Extras::Extras(llvm::StringRef names) {
  llvm::SmallVector<llvm::StringRef, 8> parts;
  names.split(parts, ',', -1, false);
  for (llvm::StringRef part : parts) {
    const bool removes = part.consume_front("-");
    bits_ = removes ? bits_ & ~bits_of(part) : bits_ | bits_of(part);
  }
}

std::string Extras::text() const {
  std::string text;
  for (const char* name : extra_names)
    if ((bits_ & bits_of(name)) != 0) text += (text.empty() ? "" : ",") + std::string(name);
  return text;
}

}  // namespace hone
