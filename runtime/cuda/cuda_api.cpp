#include "runtime/cuda/cuda_api.h"

namespace hone {
namespace {

void load_device_functions(const SharedLibrary& library, CudaApi& api) {
  library.load(api.init, "cuInit");
  library.load(api.driver_version, "cuDriverGetVersion");
  library.load(api.error_name, "cuGetErrorName");
  library.load(api.error_string, "cuGetErrorString");
  library.load(api.device_count, "cuDeviceGetCount");
  library.load(api.device, "cuDeviceGet");
  library.load(api.device_name, "cuDeviceGetName");
  library.load(api.device_attribute, "cuDeviceGetAttribute");
  library.load(api.total_memory, "cuDeviceTotalMem_v2");
  library.load(api.retain_primary_context, "cuDevicePrimaryCtxRetain");
  library.load(api.set_current, "cuCtxSetCurrent");
  library.load(api.synchronize, "cuCtxSynchronize");
}

void load_memory_functions(const SharedLibrary& library, CudaApi& api) {
  library.load(api.allocate, "cuMemAlloc_v2");
  library.load(api.free, "cuMemFree_v2");
  library.load(api.memory_info, "cuMemGetInfo_v2");
  library.load(api.copy_to_device, "cuMemcpyHtoD_v2");
  library.load(api.copy_to_host, "cuMemcpyDtoH_v2");
  library.load(api.copy_on_device, "cuMemcpyDtoD_v2");
  library.load(api.fill_bytes, "cuMemsetD8_v2");
}

void load_launch_functions(const SharedLibrary& library, CudaApi& api) {
  library.load(api.load_module, "cuModuleLoadDataEx");
  library.load(api.unload_module, "cuModuleUnload");
  library.load(api.function, "cuModuleGetFunction");
  library.load(api.variable, "cuModuleGetGlobal_v2");
  library.load(api.function_attribute, "cuFuncGetAttribute");
  library.load(api.set_function_attribute, "cuFuncSetAttribute");
  library.load(api.max_active_blocks, "cuOccupancyMaxActiveBlocksPerMultiprocessor");
  library.load(api.launch, "cuLaunchKernel");
  api.launch_with = reinterpret_cast<decltype(api.launch_with)>(library.find("cuLaunchKernelEx"));
  api.encode_tensor_map =
      reinterpret_cast<decltype(api.encode_tensor_map)>(library.find("cuTensorMapEncodeTiled"));
  library.load(api.create_event, "cuEventCreate");
  library.load(api.destroy_event, "cuEventDestroy_v2");
  library.load(api.record_event, "cuEventRecord");
  library.load(api.wait_for_event, "cuEventSynchronize");
  library.load(api.elapsed_time, "cuEventElapsedTime");
}

void load_graph_functions(const SharedLibrary& library, CudaApi& api) {
  library.load(api.create_graph, "cuGraphCreate");
  library.load(api.destroy_graph, "cuGraphDestroy");
  library.load(api.add_kernel_node, "cuGraphAddKernelNode_v2");
  library.load(api.instantiate_graph, "cuGraphInstantiateWithFlags");
  library.load(api.destroy_executable_graph, "cuGraphExecDestroy");
  library.load(api.set_kernel_node, "cuGraphExecKernelNodeSetParams_v2");
  library.load(api.launch_graph, "cuGraphLaunch");
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
