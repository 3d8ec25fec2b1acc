#include "runtime/cuda/cuda_module.h"

#include <bit>

#include "fmt/ranges.h"
#include "ir/target/gpu_limits.h"
#include "runtime/cuda/cuda_api.h"
#include "runtime/cuda/cuda_driver.h"

namespace hone {
namespace {

CUfunction as_function(void* handle) { return static_cast<CUfunction>(handle); }

int attribute(const CudaContext& context, void* handle, CUfunction_attribute which) {
  int value = 0;
  context.check(context.api().function_attribute(&value, which, as_function(handle)),
                "cuFuncGetAttribute");
  return value;
}

std::string text(const std::array<int64_t, 3>& extents) {
  return fmt::format("({})", fmt::join(extents, ", "));
}

void check_extents(const std::string& kernel, const char* what,
                   const std::array<int64_t, 3>& extents, const std::array<int64_t, 3>& limits,
                   int64_t least) {
  for (size_t axis = 0; axis < 3; ++axis)
    if (extents[axis] < least || extents[axis] > limits[axis])
      throw RuntimeError("cannot launch {}: the {} {} is outside {} to {}", kernel, what,
                         text(extents), text({least, least, least}), text(limits));
}

/// Loads an image; the driver's own compiler, which sees PTX, writes its errors to a log.
CUmodule load_image(const CudaContext& context, const void* image, const std::string& name) {
  std::array<char, 4096> log = {};
  std::array options = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  std::array<void*, 2> values = {log.data(), std::bit_cast<void*>(log.size() - 1)};
  CUmodule module = nullptr;
  const CUresult result = context.api().load_module(
      &module, image, static_cast<unsigned>(options.size()), options.data(), values.data());
  const std::string subject = log[0] ? fmt::format("{} [{}]", name, log.data()) : name;
  context.check(result, "cuModuleLoadDataEx", subject);
  return module;
}

/// The kernel starts when the one before it has ended.
CUresult start_behind(const CudaApi& api, CUfunction kernel, const LaunchDims& dims,
                      llvm::ArrayRef<void*> args) {
  CUDA_KERNEL_NODE_PARAMS shape = {};
  set_shape(shape, dims);
  return api.launch(kernel, shape.gridDimX, shape.gridDimY, shape.gridDimZ, shape.blockDimX,
                    shape.blockDimY, shape.blockDimZ, shape.sharedMemBytes, nullptr,
                    const_cast<void**>(args.data()), nullptr);
}

using LaunchAttributes = llvm::SmallVector<CUlaunchAttribute, 2>;

/// `is_early`: the kernel may start while the one before it runs.
LaunchAttributes attributes_of(const LaunchDims& dims, bool is_early) {
  LaunchAttributes attributes;
  if (is_early) {
    CUlaunchAttribute& early = attributes.emplace_back();
    early.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION;
    early.value.programmaticStreamSerializationAllowed = 1;
  }
  if (dims.cluster_blocks() > 1) {
    CUlaunchAttribute& cluster = attributes.emplace_back();
    cluster.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
    cluster.value.clusterDim = {static_cast<unsigned>(dims.cluster[0]),
                                static_cast<unsigned>(dims.cluster[1]),
                                static_cast<unsigned>(dims.cluster[2])};
  }
  return attributes;
}

CUresult start_with(const CudaApi& api, CUfunction kernel, const LaunchDims& dims,
                    llvm::ArrayRef<void*> args, LaunchAttributes attributes) {
  CUlaunchConfig config = {};
  set_shape(config, dims);
  config.attrs = attributes.data();
  config.numAttrs = static_cast<unsigned>(attributes.size());
  return api.launch_with(&config, kernel, const_cast<void**>(args.data()), nullptr);
}

}  // namespace

CudaModule::CudaModule(const Device& device, const Compiled& compiled, std::string name)
    : context_(&device.context()), name_(std::move(name)) {
  context_->enter();
  const void* image = compiled.cubin.empty() ? compiled.ptx.c_str()
                                             : static_cast<const void*>(compiled.cubin.data());
  CUmodule module = load_image(*context_, image, name_);
  handle_ = {module, [context = context_](void* loaded) { context->unload(loaded); }};
}

CudaFunction CudaModule::function(const std::string& name) const {
  context_->enter();
  CUfunction function = nullptr;
  const CUresult result =
      context_->api().function(&function, static_cast<CUmodule>(handle_.get()), name.c_str());
  if (result == CUDA_ERROR_NOT_FOUND) throw RuntimeError("{} has no kernel '{}'", name_, name);
  context_->check(result, "cuModuleGetFunction", name);
  return CudaFunction(handle_, *context_, function, name);
}

void* CudaModule::address_of(const std::string& variable) const {
  context_->enter();
  CUdeviceptr address = 0;
  size_t bytes = 0;
  const CUresult result = context_->api().variable(
      &address, &bytes, static_cast<CUmodule>(handle_.get()), variable.c_str());
  if (result == CUDA_ERROR_NOT_FOUND)
    throw RuntimeError("{} has no variable '{}'", name_, variable);
  context_->check(result, "cuModuleGetGlobal", variable);
  return std::bit_cast<void*>(address);
}

CudaFunction::CudaFunction(std::shared_ptr<void> module, const CudaContext& context, void* handle,
                           std::string name)
    : module_(std::move(module)), context_(&context), handle_(handle), name_(std::move(name)) {
  resources_.registers = attribute(context, handle, CU_FUNC_ATTRIBUTE_NUM_REGS);
  resources_.local_bytes = attribute(context, handle, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES);
  resources_.static_shared_bytes = attribute(context, handle, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
  resources_.max_threads_per_block =
      attribute(context, handle, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
}

void CudaFunction::check(const LaunchDims& dims) const {
  check_extents(name_, "grid", dims.grid, widest_architecture().max_grid, 0);
  check_extents(name_, "block", dims.block, widest_architecture().max_block, 1);
  const int64_t threads = dims.block[0] * dims.block[1] * dims.block[2];
  if (threads > resources_.max_threads_per_block)
    throw RuntimeError(
        "cannot launch {}: a block of {} = {} threads; with {} registers per thread and its launch "
        "bounds the kernel takes at most {}",
        name_, text(dims.block), threads, resources_.registers, resources_.max_threads_per_block);
  const int64_t limit = context_->properties().max_shared_bytes_per_block;
  const int64_t shared = dims.shared_bytes + resources_.static_shared_bytes;
  if (dims.shared_bytes < 0 || shared > limit)
    throw RuntimeError(
        "cannot launch {}: {} bytes of dynamic and {} of static shared memory; a block on {} has "
        "{}",
        name_, dims.shared_bytes, resources_.static_shared_bytes, context_->properties().name,
        limit);
}

void CudaFunction::allow_shared_bytes(int64_t bytes) const {
  const int allowed =
      attribute(*context_, handle_, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
  if (bytes <= allowed) return;
  set_attribute(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, bytes,
                fmt::format("{} bytes of shared memory for {}", bytes, name_));
}

void CudaFunction::allow_cluster(const LaunchDims& dims) const {
  constexpr int64_t portable = 8;
  if (dims.cluster_blocks() > 1 && !context_->api().launch_with)
    throw RuntimeError("cannot launch {} in clusters: the driver is from before CUDA 11.8", name_);
  if (dims.cluster_blocks() > portable)
    set_attribute(CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1,
                  fmt::format("clusters of {} for {}", text(dims.cluster), name_));
}

void CudaFunction::set_attribute(int which, int64_t value, const std::string& subject) const {
  context_->check(
      context_->api().set_function_attribute(
          as_function(handle_), static_cast<CUfunction_attribute>(which), static_cast<int>(value)),
      "cuFuncSetAttribute", subject);
}

void CudaFunction::prepare(const LaunchDims& dims) const {
  check(dims);
  context_->enter();
  if (dims.shared_bytes > 0) allow_shared_bytes(dims.shared_bytes);
  allow_cluster(dims);
}

std::string CudaFunction::describe(const LaunchDims& dims) const {
  return fmt::format("{} with grid {}, block {} and {} bytes of shared memory", name_,
                     text(dims.grid), text(dims.block), dims.shared_bytes);
}

void CudaFunction::start(const LaunchDims& dims, llvm::ArrayRef<void*> args, bool is_early) const {
  prepare(dims);
  if (llvm::is_contained(dims.grid, 0)) return;
  const CudaApi& api = context_->api();
  const LaunchAttributes attributes = attributes_of(dims, is_early);
  const bool is_plain = attributes.empty();
  const CUresult result = is_plain ? start_behind(api, as_function(handle_), dims, args)
                                   : start_with(api, as_function(handle_), dims, args, attributes);
  if (result != CUDA_SUCCESS)
    context_->check(result, is_plain ? "cuLaunchKernel" : "cuLaunchKernelEx", describe(dims));
  context_->launched(name_);
}

void CudaFunction::launch(const LaunchDims& dims, llvm::ArrayRef<void*> args) const {
  start(dims, args, false);
}

void CudaFunction::launch_early(const LaunchDims& dims, llvm::ArrayRef<void*> args) const {
  start(dims, args, context_->api().launch_with != nullptr);
}

int CudaFunction::max_blocks_per_multiprocessor(int64_t threads, int64_t shared_bytes) const {
  context_->enter();
  if (shared_bytes > 0) allow_shared_bytes(shared_bytes);
  int blocks = 0;
  context_->check(
      context_->api().max_active_blocks(&blocks, as_function(handle_), static_cast<int>(threads),
                                        static_cast<size_t>(shared_bytes)),
      "cuOccupancyMaxActiveBlocksPerMultiprocessor", name_);
  return blocks;
}

}  // namespace hone
