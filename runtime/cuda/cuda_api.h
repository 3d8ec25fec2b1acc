// Private to runtime/: the functions of libcuda that Hone uses. The only header with CUDA types.
#pragma once

#include <cuda.h>

#include "runtime/shared_library.h"

namespace hone {

/// Each member is the libcuda function of that name; cuda.h decides the types, and cuda_api.cpp the
/// symbol, as `cuMemAlloc` is a macro for `cuMemAlloc_v2`.
struct CudaApi {
  decltype(&::cuInit) init;
  decltype(&::cuDriverGetVersion) driver_version;
  decltype(&::cuGetErrorName) error_name;
  decltype(&::cuGetErrorString) error_string;

  decltype(&::cuDeviceGetCount) device_count;
  decltype(&::cuDeviceGet) device;
  decltype(&::cuDeviceGetName) device_name;
  decltype(&::cuDeviceGetAttribute) device_attribute;
  decltype(&::cuDeviceTotalMem) total_memory;

  decltype(&::cuDevicePrimaryCtxRetain) retain_primary_context;
  decltype(&::cuCtxSetCurrent) set_current;
  decltype(&::cuCtxSynchronize) synchronize;

  decltype(&::cuMemAlloc) allocate;
  decltype(&::cuMemFree) free;
  decltype(&::cuMemGetInfo) memory_info;
  decltype(&::cuMemcpyHtoD) copy_to_device;
  decltype(&::cuMemcpyDtoH) copy_to_host;
  decltype(&::cuMemcpyDtoD) copy_on_device;
  decltype(&::cuMemsetD8) fill_bytes;

  decltype(&::cuModuleLoadDataEx) load_module;
  decltype(&::cuModuleUnload) unload_module;
  decltype(&::cuModuleGetFunction) function;
  decltype(&::cuModuleGetGlobal) variable;
  decltype(&::cuFuncGetAttribute) function_attribute;
  decltype(&::cuFuncSetAttribute) set_function_attribute;
  decltype(&::cuOccupancyMaxActiveBlocksPerMultiprocessor) max_active_blocks;
  decltype(&::cuLaunchKernel) launch;
  decltype(&::cuLaunchKernelEx) launch_with;              ///< null in drivers before CUDA 11.8
  decltype(&::cuTensorMapEncodeTiled) encode_tensor_map;  ///< null in drivers before CUDA 12

  decltype(&::cuGraphCreate) create_graph;
  decltype(&::cuGraphDestroy) destroy_graph;
  decltype(&::cuGraphAddKernelNode) add_kernel_node;
  decltype(&::cuGraphInstantiate) instantiate_graph;
  decltype(&::cuGraphExecDestroy) destroy_executable_graph;
  decltype(&::cuGraphExecKernelNodeSetParams) set_kernel_node;
  decltype(&::cuGraphLaunch) launch_graph;

  decltype(&::cuEventCreate) create_event;
  decltype(&::cuEventDestroy) destroy_event;
  decltype(&::cuEventRecord) record_event;
  decltype(&::cuEventSynchronize) wait_for_event;
  decltype(&::cuEventElapsedTime) elapsed_time;
};

/// Looks all functions up. Throws RuntimeError naming the first that is missing.
CudaApi load_cuda_api(const SharedLibrary& library);

}  // namespace hone
