#include "runtime/ptx/text/demangle.h"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>

namespace hone::ptx {

std::string demangled(const std::string& name) {
  if (name.compare(0, 2, "_Z") != 0) return name;
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> result(
      abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), &std::free);
  return status == 0 ? result.get() : name;
}

std::string plain_name(const std::string& name) {
  const std::string whole = demangled(name);
  const size_t colons = whole.rfind("::");
  return colons == std::string::npos ? whole : whole.substr(colons + 2);
}

}  // namespace hone::ptx
