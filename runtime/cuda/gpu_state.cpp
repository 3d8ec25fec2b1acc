#include "runtime/cuda/gpu_state.h"

#include "runtime/cuda/cuda_driver.h"
#include "runtime/error.h"
#include "runtime/shared_library.h"

namespace hone {
namespace {

/// The functions of NVML, whose header not every toolkit has. All return 0 for success.
class ManagementLibrary {
 public:
  explicit ManagementLibrary(const SharedLibrary& library) {
    int (*start)() = nullptr;
    library.load(start, "nvmlInit_v2");
    library.load(find_device_, "nvmlDeviceGetHandleByPciBusId_v2");
    library.load(clock_, "nvmlDeviceGetClockInfo");
    library.load(power_, "nvmlDeviceGetPowerUsage");
    library.load(temperature_, "nvmlDeviceGetTemperature");
    if (start() != 0) throw RuntimeError("NVML does not start");
  }

  /// Of the GPU on that place of the PCI bus.
  std::optional<GpuState> state_of(const char* place) const {
    constexpr int of_multiprocessors = 1, of_chip = 0;
    void* device = nullptr;
    GpuState state;
    unsigned milliwatts = 0;
    const bool is_known = find_device_(place, &device) == 0 &&
                          clock_(device, of_multiprocessors, &state.clock_megahertz) == 0 &&
                          power_(device, &milliwatts) == 0 &&
                          temperature_(device, of_chip, &state.celsius) == 0;
    state.watts = milliwatts / 1000.0;
    return is_known ? std::optional(state) : std::nullopt;
  }

 private:
  int (*find_device_)(const char*, void**) = nullptr;
  int (*clock_)(void*, int, unsigned*) = nullptr;
  int (*power_)(void*, unsigned*) = nullptr;
  int (*temperature_)(void*, int, unsigned*) = nullptr;
};

}  // namespace

std::optional<GpuState> gpu_state(const Device& device) {
  if (!device.is_cuda()) return std::nullopt;
  try {
    static const ManagementLibrary management(SharedLibrary::open("libnvidia-ml.so.1"));
    const SharedLibrary driver = SharedLibrary::open(CudaDriver::of_this_process().path());
    char place[32] = {};
    int handle = 0;
    const bool is_known =
        driver.function<int(int*, int)>("cuDeviceGet")(&handle, device.ordinal()) == 0 &&
        driver.function<int(char*, int, int)>("cuDeviceGetPCIBusId")(place, sizeof(place),
                                                                     handle) == 0;
    return is_known ? management.state_of(place) : std::nullopt;
  } catch (const RuntimeError&) {  // no such library, or another version of it
    return std::nullopt;
  }
}

}  // namespace hone
