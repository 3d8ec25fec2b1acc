#include <sys/utsname.h>

#include <fstream>
#include <thread>

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Program.h"
#include "runtime/cuda/cuda_driver.h"
#include "runtime/device.h"
#include "runtime/files.h"
#include "runtime/host_compiler.h"
#include "runtime/nvrtc/disk_cache.h"
#include "runtime/nvrtc/nvrtc.h"
#include "tools/cli/command/commands.h"
#include "tools/cli/json_text.h"
#include "tools/cli/machine.h"

namespace hone {
namespace {

constexpr size_t label_width = 12;
constexpr size_t max_answer_bytes = 1 << 16;

/// A finding under its label; further lines of a long one are indented to the first.
std::string finding(std::string_view label, llvm::StringRef text) {
  llvm::SmallVector<llvm::StringRef> lines;
  text.split(lines, '\n');
  std::string result;
  for (const llvm::StringRef line : lines) {
    result += fmt::format("{:<{}}{}\n", label, label_width, line.str());
    label = "";
  }
  return result;
}

std::string system_text() {
  utsname names = {};
  ::uname(&names);
  const std::string distribution = value_in_file("/etc/os-release", "PRETTY_NAME");
  return fmt::format("{}{}{} {}, {}", distribution, distribution.empty() ? "" : ", ", names.sysname,
                     names.release, names.machine);
}

std::string cpu_text() {
  const std::string model = value_in_file("/proc/cpuinfo", "model name");
  return fmt::format("{} cores{}{}", std::thread::hardware_concurrency(), model.empty() ? "" : ", ",
                     model);
}

/// The first line that a program prints for --version.
std::string version_of(const std::string& program) {
  const ScopedFolder folder(make_private_folder(temporary_root(), "hone-doctor-"));
  const std::string answer = folder.path() + "/answer";
  const llvm::StringRef words[] = {program, "--version"};
  llvm::sys::ExecuteAndWait(program, words, {},
                            {llvm::StringRef(""), llvm::StringRef(answer), llvm::StringRef("")});
  const std::string text = read_small_file(answer, max_answer_bytes).value_or("");
  return llvm::StringRef(text).split('\n').first.str();
}

/// The finding, and whether it is enough.
struct Examination {
  std::string text;
  bool works = true;
};

Examination examine_compiler() {
  try {
    const HostCompiler& compiler = host_compiler();
    const std::string found = fmt::format(
        "{}, {}, {}", compiler.command.front(), version_of(compiler.command.front()),
        compiler.openmp ? "with OpenMP" : "without OpenMP: parallel loops run serially");
    host_compile({"int probe(void) { return 0; }\n", "probe", {}});
    return {found, true};
  } catch (const RuntimeError& error) {
    return {error.what(), false};
  }
}

std::string nvrtc_library_text() {
  const NvrtcInfo* nvrtc = nvrtc_info();
  if (!nvrtc) return nvrtc_missing();
  return fmt::format("{}, {}.{}\n{}", nvrtc->path, nvrtc->major, nvrtc->minor,
                     supported_architectures(*nvrtc));
}

std::string gpu_text(const Device& device) {
  const DeviceProperties& properties = device.properties();
  return fmt::format("\n{}: {}, {}, {} multiprocessors, {:.1f} GiB", device, properties.name,
                     properties.arch, properties.multiprocessors,
                     static_cast<double>(properties.memory_bytes) / (1 << 30));
}

std::string driver_text() {
  const std::string reason = why_no_cuda();
  if (!reason.empty()) return reason;
  const CudaDriver& driver = CudaDriver::of_this_process();
  std::string text = fmt::format("{}, for CUDA {}.{}", driver.path(), driver.version() / 1000,
                                 driver.version() % 1000 / 10);
  for (int ordinal = 0; ordinal < driver.device_count(); ++ordinal)
    text += gpu_text(Device::cuda(ordinal));
  return text;
}

std::string cache_text() {
  const auto folder = default_cache_folder();
  if (!folder) return "off: compiled kernels are kept in memory alone";
  try {
    const CacheStore store(*folder);
    if (!llvm::sys::fs::can_write(*folder)) return fmt::format("{} cannot be written", *folder);
    return fmt::format("{}, usable", *folder);
  } catch (const RuntimeError& error) {
    return fmt::format("not used: {}", error.what());
  }
}

}  // namespace

std::string version_text() { return HONE_VERSION; }

int examine_machine(const Arguments& arguments, const Session& session) {
  const Examination compiler = examine_compiler();
  struct {
    const char *label, *field;
    std::string text;
  } const findings[] = {{"Hone", "hone", version_text()},
                        {"system", "system", system_text()},
                        {"CPU", "cpu", cpu_text()},
                        {"C compiler", "c_compiler", compiler.text},
                        {"NVRTC", "nvrtc", nvrtc_library_text()},
                        {"CUDA", "cuda", driver_text()},
                        {"cache", "cache", cache_text()}};
  llvm::json::Object object{{"works", compiler.works}};
  for (const auto& [label, field, text] : findings) {
    if (arguments.has("--json"))
      object[field] = text;
    else
      session.out.print(finding(label, text));
  }
  if (arguments.has("--json")) print_json(std::move(object), session.out);
  if (compiler.works) return exit_success;
  session.out.complain("error: kernels cannot run on the host without a C compiler\n");
  return exit_failure;
}

}  // namespace hone
