#include "runtime/cuda/cuda_driver.h"

#include <algorithm>
#include <array>
#include <bit>

#include "fmt/ranges.h"
#include "runtime/cuda/cuda_api.h"
#include "runtime/environment.h"

namespace hone {
namespace {

constexpr size_t max_kernels_named = 8;

CUdeviceptr address(const void* memory) { return std::bit_cast<CUdeviceptr>(memory); }

int attribute(const CudaApi& api, CUdevice device, CUdevice_attribute which) {
  int value = 0;
  api.device_attribute(&value, which, device);
  return value;
}

DeviceProperties query(const CudaDriver& driver, CUdevice device) {
  const CudaApi& api = driver.api();
  const auto get = [&](CUdevice_attribute which) { return attribute(api, device, which); };
  DeviceProperties properties;
  std::array<char, 256> name = {};
  api.device_name(name.data(), static_cast<int>(name.size()) - 1, device);
  size_t memory = 0;
  api.total_memory(&memory, device);
  properties.name = name.data();
  properties.arch = fmt::format("sm_{}{}", get(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR),
                                get(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR));
  properties.multiprocessors = get(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  properties.memory_bytes = static_cast<int64_t>(memory);
  properties.l2_bytes = get(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
  properties.max_threads_per_block = get(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  properties.max_threads_per_multiprocessor =
      get(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR);
  properties.max_registers_per_multiprocessor =
      get(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR);
  properties.max_shared_bytes_per_block =
      get(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
  properties.max_shared_bytes_per_multiprocessor =
      get(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR);
  properties.clock_kilohertz = get(CU_DEVICE_ATTRIBUTE_CLOCK_RATE);
  properties.driver_version = driver.version();
  return properties;
}

/// The toolkit ships a libcuda for linking alone, whose every call fails.
void refuse_stub(const std::string& path) {
  if (path.find("/stubs/") != std::string::npos)
    throw RuntimeError("{} is the toolkit's stub for linking, not a driver", path);
}

/// The library of this process's driver, or a message that says what was tried.
SharedLibrary open_driver() {
  const auto chosen = environment("HONE_LIBCUDA_PATH");
  try {
    return SharedLibrary::open(chosen.value_or("libcuda.so.1"));
  } catch (const RuntimeError& error) {
    throw RuntimeError("no NVIDIA driver: {}{}", chosen ? "HONE_LIBCUDA_PATH: " : "", error.what());
  }
}

}  // namespace

bool is_sticky_cuda_error(int code) {
  constexpr std::array sticky = {CUDA_ERROR_ECC_UNCORRECTABLE,    CUDA_ERROR_NVLINK_UNCORRECTABLE,
                                 CUDA_ERROR_ILLEGAL_ADDRESS,      CUDA_ERROR_LAUNCH_TIMEOUT,
                                 CUDA_ERROR_CONTEXT_IS_DESTROYED, CUDA_ERROR_ASSERT,
                                 CUDA_ERROR_HARDWARE_STACK_ERROR, CUDA_ERROR_ILLEGAL_INSTRUCTION,
                                 CUDA_ERROR_MISALIGNED_ADDRESS,   CUDA_ERROR_INVALID_ADDRESS_SPACE,
                                 CUDA_ERROR_INVALID_PC,           CUDA_ERROR_LAUNCH_FAILED,
                                 CUDA_ERROR_EXTERNAL_DEVICE,      CUDA_ERROR_MPS_CLIENT_TERMINATED};
  // Newer drivers report these two; older headers have no name for them.
  constexpr int contained = 226, tensor_memory_leak = 721;
  return std::count(sticky.begin(), sticky.end(), static_cast<CUresult>(code)) > 0 ||
         code == contained || code == tensor_memory_leak;
}

CudaContext::CudaContext(const CudaDriver& driver, int ordinal)
    : driver_(driver), ordinal_(ordinal) {
  CUdevice device = 0;
  check(api().device(&device, ordinal), "cuDeviceGet");
  properties_ = query(driver, device);
  CUcontext context = nullptr;
  check(api().retain_primary_context(&context, device), "cuDevicePrimaryCtxRetain");
  handle_ = context;
}

const CudaApi& CudaContext::api() const { return driver_.api(); }

void CudaContext::enter() const {
  if (!alive())
    throw CudaError(
        fmt::format("cuda:{} is dead since an earlier error; only a new process can use "
                    "it again; the cause was: {}",
                    ordinal_, cause_of_death_),
        code_of_death_);
  check(api().set_current(static_cast<CUcontext>(handle_)), "cuCtxSetCurrent");
}

void CudaContext::check(int result, std::string_view call, std::string_view subject) const {
  if (result == CUDA_SUCCESS) return;
  const std::string message =
      fmt::format("{}{}{} failed on cuda:{}: {}{}", call, subject.empty() ? "" : " of ", subject,
                  ordinal_, driver_.describe(result), kernels_under_way());
  if (is_sticky_cuda_error(result)) {
    const std::lock_guard lock(mutex_);
    if (!code_of_death_) cause_of_death_ = message;
    if (!code_of_death_) code_of_death_ = result;
  }
  throw CudaError(message, result);
}

void CudaContext::launched(const std::string& kernel) const {
  const std::lock_guard lock(mutex_);
  const bool listed = std::count(under_way_.begin(), under_way_.end(), kernel) > 0;
  if (listed) return;
  if (under_way_.size() == max_kernels_named) under_way_.erase(under_way_.begin());
  under_way_.push_back(kernel);
}

std::string CudaContext::kernels_under_way() const {
  const std::lock_guard lock(mutex_);
  if (under_way_.empty()) return "";
  return fmt::format("; kernels launched since the last synchronisation: {}",
                     fmt::join(under_way_, ", "));
}

void CudaContext::synchronize() const {
  enter();
  check(api().synchronize(), "cuCtxSynchronize");
  finished();
}

void CudaContext::finished() const {
  const std::lock_guard lock(mutex_);
  under_way_.clear();
}

bool CudaContext::alive() const {
  const std::lock_guard lock(mutex_);
  return code_of_death_ == 0;
}

size_t CudaContext::free_memory() const {
  enter();
  size_t free = 0, total = 0;
  check(api().memory_info(&free, &total), "cuMemGetInfo");
  return free;
}

void* CudaContext::allocate(size_t bytes) const {
  enter();
  CUdeviceptr memory = 0;
  const CUresult result = api().allocate(&memory, bytes);
  if (result == CUDA_ERROR_OUT_OF_MEMORY)
    throw OutOfMemoryError("out of memory on cuda:{} ({}): {} bytes wanted, {} bytes free",
                           ordinal_, properties_.name, bytes, free_memory());
  check(result, "cuMemAlloc", fmt::format("{} bytes", bytes));
  return std::bit_cast<void*>(memory);
}

void CudaContext::release(void* memory) const noexcept {
  if (!alive()) return;
  api().set_current(static_cast<CUcontext>(handle_));
  api().free(address(memory));
}

void CudaContext::unload(void* module) const noexcept {
  if (!alive()) return;
  api().set_current(static_cast<CUcontext>(handle_));
  api().unload_module(static_cast<CUmodule>(module));
}

void CudaContext::copy_to_device(void* device, const void* host, size_t bytes) const {
  enter();
  check(api().copy_to_device(address(device), host, bytes), "cuMemcpyHtoD",
        fmt::format("{} bytes", bytes));
}

void CudaContext::copy_to_host(void* host, const void* device, size_t bytes) const {
  enter();
  check(api().copy_to_host(host, address(device), bytes), "cuMemcpyDtoH",
        fmt::format("{} bytes", bytes));
  finished();  // the copy waited for the kernels before it
}

void CudaContext::copy_on_device(void* to, const void* from, size_t bytes) const {
  enter();
  check(api().copy_on_device(address(to), address(from), bytes), "cuMemcpyDtoD",
        fmt::format("{} bytes", bytes));
}

void CudaContext::fill(void* memory, unsigned char byte, size_t bytes) const {
  enter();
  check(api().fill_bytes(address(memory), byte, bytes), "cuMemsetD8",
        fmt::format("{} bytes", bytes));
}

CudaDriver::CudaDriver(const SharedLibrary& library) : path_(library.path()) {
  refuse_stub(path_);
  api_ = std::make_unique<CudaApi>(load_cuda_api(library));
  const CUresult result = api_->init(0);
  if (result != CUDA_SUCCESS)
    throw RuntimeError("{} answers cuInit with {}", path_, describe(result));
  int count = 0;
  api_->driver_version(&version_);
  api_->device_count(&count);
  if (count == 0) throw RuntimeError("{} finds no GPU", path_);
  contexts_.resize(static_cast<size_t>(count));
}

CudaDriver::~CudaDriver() = default;

const CudaDriver& CudaDriver::of_this_process() {
  // Arrays may live in static variables, so the driver is never destroyed.
  struct Outcome {
    std::unique_ptr<CudaDriver> driver;
    std::string why_not;
  };
  static const Outcome& outcome = *[] {
    auto* result = new Outcome;
    try {
      result->driver = std::make_unique<CudaDriver>(open_driver());
    } catch (const RuntimeError& error) {
      result->why_not = error.what();
    }
    return result;
  }();
  if (!outcome.driver) throw RuntimeError("{}", outcome.why_not);
  return *outcome.driver;
}

const CudaContext& CudaDriver::context(int ordinal) const {
  if (ordinal < 0 || ordinal >= device_count())
    throw RuntimeError("cuda:{} does not exist: the driver finds {} GPU{}, cuda:0{}", ordinal,
                       device_count(), device_count() == 1 ? "" : "s",
                       device_count() == 1 ? "" : fmt::format(" to cuda:{}", device_count() - 1));
  const std::lock_guard lock(mutex_);
  auto& context = contexts_[static_cast<size_t>(ordinal)];
  if (!context) context = std::make_unique<CudaContext>(*this, ordinal);
  return *context;
}

std::string CudaDriver::describe(int code) const {
  const char *name = nullptr, *text = nullptr;
  api_->error_name(static_cast<CUresult>(code), &name);
  api_->error_string(static_cast<CUresult>(code), &text);
  return fmt::format("{} ({}): {}", name ? name : "unknown error", code, text ? text : "?");
}

}  // namespace hone
