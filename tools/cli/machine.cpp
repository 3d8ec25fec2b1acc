#include "tools/cli/machine.h"

#include <ctime>
#include <fstream>

#include "fmt/ranges.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "runtime/nvrtc/nvrtc.h"

namespace hone {
namespace {

bool is_version(llvm::StringRef word) {
  return word.contains('.') && word.find_first_not_of("0123456789.") == llvm::StringRef::npos;
}

std::string driver_text(const DeviceProperties& properties) {
  std::ifstream file("/proc/driver/nvidia/version");
  std::string line;
  std::getline(file, line);
  const std::string version = driver_version_in(line);
  return fmt::format("{}{}for CUDA {}.{}", version, version.empty() ? "" : ", ",
                     properties.driver_version / 1000, properties.driver_version % 1000 / 10);
}

std::string today() {
  const std::time_t now = std::time(nullptr);
  std::tm parts = {};
  ::gmtime_r(&now, &parts);
  return fmt::format("{:04}-{:02}-{:02}", parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday);
}

}  // namespace

std::string nvrtc_version_text() {
  const NvrtcInfo* nvrtc = nvrtc_info();
  if (!nvrtc) return "";
  const std::string version = fmt::format("{}.{}", nvrtc->major, nvrtc->minor);
  const std::vector<std::string> options = nvrtc_options_of_environment();
  return options.empty() ? version : fmt::format("{} {}", version, fmt::join(options, " "));
}

std::string value_in_file(const char* path, const std::string& key) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);)
    if (line.compare(0, key.size(), key) == 0)
      return llvm::StringRef(line).drop_front(key.size()).trim(" \t:=\"").str();
  return "";
}

std::string driver_version_in(const std::string& line) {
  llvm::SmallVector<llvm::StringRef, 16> words;
  llvm::StringRef(line).split(words, ' ', -1, /*KeepEmpty=*/false);
  for (const llvm::StringRef word : words)
    if (is_version(word)) return word.str();
  return "";
}

Machine machine_of(const Device& device) {
  if (device.kind() == DeviceKind::host)
    return {value_in_file("/proc/cpuinfo", "model name"), "", "", today()};
  const DeviceProperties& properties = device.properties();
  if (!device.is_cuda()) return {properties.name, "", "", today()};
  return {properties.name, driver_text(properties), nvrtc_version_text(), today()};
}

}  // namespace hone
