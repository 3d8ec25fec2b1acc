#include "runtime/cuda/cuda_api.h"

namespace hone {
namespace {

template <class Function>
void load(const SharedLibrary& library, Function*& slot, const char* symbol) {
  slot = library.function<Function>(symbol);
}

void load_device_functions(const SharedLibrary& library, CudaApi& api) {
  load(library, api.init, "cuInit");
  load(library, api.driver_version, "cuDriverGetVersion");
  load(library, api.error_name, "cuGetErrorName");
  load(library, api.error_string, "cuGetErrorString");
  load(library, api.device_count, "cuDeviceGetCount");
  load(library, api.device, "cuDeviceGet");
  load(library, api.device_name, "cuDeviceGetName");
  load(library, api.device_attribute, "cuDeviceGetAttribute");
  load(library, api.total_memory, "cuDeviceTotalMem_v2");
  load(library, api.retain_primary_context, "cuDevicePrimaryCtxRetain");
  load(library, api.set_current, "cuCtxSetCurrent");
  load(library, api.synchronize, "cuCtxSynchronize");
}

void load_memory_functions(const SharedLibrary& library, CudaApi& api) {
  load(library, api.allocate, "cuMemAlloc_v2");
  load(library, api.free, "cuMemFree_v2");
  load(library, api.memory_info, "cuMemGetInfo_v2");
  load(library, api.copy_to_device, "cuMemcpyHtoD_v2");
  load(library, api.copy_to_host, "cuMemcpyDtoH_v2");
  load(library, api.copy_on_device, "cuMemcpyDtoD_v2");
  load(library, api.fill_bytes, "cuMemsetD8_v2");
}

void load_launch_functions(const SharedLibrary& library, CudaApi& api) {
  load(library, api.load_module, "cuModuleLoadDataEx");
  load(library, api.unload_module, "cuModuleUnload");
  load(library, api.function, "cuModuleGetFunction");
  load(library, api.function_attribute, "cuFuncGetAttribute");
  load(library, api.set_function_attribute, "cuFuncSetAttribute");
  load(library, api.max_active_blocks, "cuOccupancyMaxActiveBlocksPerMultiprocessor");
  load(library, api.launch, "cuLaunchKernel");
  api.launch_with = reinterpret_cast<decltype(api.launch_with)>(library.find("cuLaunchKernelEx"));
  api.encode_tensor_map =
      reinterpret_cast<decltype(api.encode_tensor_map)>(library.find("cuTensorMapEncodeTiled"));
  load(library, api.create_event, "cuEventCreate");
  load(library, api.destroy_event, "cuEventDestroy_v2");
  load(library, api.record_event, "cuEventRecord");
  load(library, api.wait_for_event, "cuEventSynchronize");
  load(library, api.elapsed_time, "cuEventElapsedTime");
}

void load_graph_functions(const SharedLibrary& library, CudaApi& api) {
  load(library, api.create_graph, "cuGraphCreate");
  load(library, api.destroy_graph, "cuGraphDestroy");
  load(library, api.add_kernel_node, "cuGraphAddKernelNode_v2");
  load(library, api.instantiate_graph, "cuGraphInstantiateWithFlags");
  load(library, api.destroy_executable_graph, "cuGraphExecDestroy");
  load(library, api.set_kernel_node, "cuGraphExecKernelNodeSetParams_v2");
  load(library, api.launch_graph, "cuGraphLaunch");
}

}  // namespace

CudaApi load_cuda_api(const SharedLibrary& library) {
  CudaApi api{};
  load_device_functions(library, api);
  load_memory_functions(library, api);
  load_launch_functions(library, api);
  load_graph_functions(library, api);
  return api;
}

}  // namespace hone
