// PTX of a small program, and what registers it, as nvcc would have generated both.
#pragma once

#include "cuda_runtime_api.h"
#include "tests/cudart/fat_binary.h"

extern "C" {
void** __cudaRegisterFatBinary(void* wrapper);
void __cudaRegisterFatBinaryEnd(void** handle);
void __cudaRegisterFunction(void** handle, const char* host, char* device, const char* name,
                            int thread_limit, uint3* thread, uint3* block, dim3* block_dim,
                            dim3* grid_dim, int* warp_size);
void __cudaRegisterVar(void** handle, char* host, char* device, const char* name, int is_extern,
                       size_t bytes, int is_constant, int is_global);
void __cudaRegisterManagedVar(void** handle, void** host, char* device, const char* name,
                              int is_extern, size_t bytes, int is_constant, int is_global);
char __cudaInitModule(void** handle);
unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, CUstream_st* stream);
cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, size_t* shared, void* stream);
cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void* function);
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments,
                               size_t shared, cudaStream_t stream);
}

namespace hone {

/// scale_add(int* data, int n): data[i] = data[i] * scale + 1 and counter += 1, for i < n; stray
/// does it for all i; race writes data[0] from all threads. `scale` is constant, `counter` managed.
inline const char* const kernel_text = R"(
.version 9.0
.target sm_90
.address_size 64

.const .align 4 .u32 scale = 3;
.global .attribute(.managed) .align 4 .u32 counter = 100;

.visible .entry scale_add(.param .u64 data, .param .u32 n)
{
  .reg .pred %p<2>;
  .reg .b32 %r<10>;
  .reg .b64 %rd<6>;
  .loc 1 5 3
  ld.param.u64 %rd1, [data];
  ld.param.u32 %r1, [n];
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %ntid.x;
  mov.u32 %r4, %tid.x;
  mad.lo.s32 %r5, %r2, %r3, %r4;
  setp.ge.s32 %p1, %r5, %r1;
  @%p1 bra DONE;
  cvta.to.global.u64 %rd2, %rd1;
  mul.wide.s32 %rd3, %r5, 4;
  add.s64 %rd4, %rd2, %rd3;
  ld.global.u32 %r6, [%rd4];
  ld.const.u32 %r7, [scale];
  mad.lo.s32 %r8, %r6, %r7, 1;
  st.global.u32 [%rd4], %r8;
  mov.u64 %rd5, counter;
  red.global.add.u32 [%rd5], 1;
DONE:
  ret;
}

.visible .entry stray(.param .u64 data)
{
  .reg .b32 %r<2>;
  .reg .b64 %rd<5>;
  ld.param.u64 %rd1, [data];
  cvta.to.global.u64 %rd2, %rd1;
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd3, %r1, 4;
  add.s64 %rd4, %rd2, %rd3;
  .loc 1 9 3
  st.global.u32 [%rd4], %r1;
  ret;
}

.visible .entry race(.param .u64 data)
{
  .reg .b32 %r<2>;
  .reg .b64 %rd<3>;
  ld.param.u64 %rd1, [data];
  cvta.to.global.u64 %rd2, %rd1;
  mov.u32 %r1, %tid.x;
  .loc 1 13 3
  st.global.u32 [%rd2], %r1;
  ret;
}
.file 1 "kernels.cu"
)";

/// Their stand-ins on the host.
inline void scale_add() {}
inline void stray() {}
inline void race() {}
inline int scale_stand_in = 0;
inline int* counter = nullptr;

/// The address that a host function is registered by.
template <class Function>
const void* address_of(Function& function) {
  return reinterpret_cast<const void*>(&function);
}

inline void register_kernels() {
  static FatBinary binary({{.content = kernel_text}});
  void** const handle = __cudaRegisterFatBinary(binary.wrapper());
  const auto add = [&](const void* host, const char* name) {
    __cudaRegisterFunction(handle, static_cast<const char*>(host), nullptr, name, -1, nullptr,
                           nullptr, nullptr, nullptr, nullptr);
  };
  add(address_of(scale_add), "scale_add");
  add(address_of(stray), "stray");
  add(address_of(race), "race");
  __cudaRegisterVar(handle, reinterpret_cast<char*>(&scale_stand_in), nullptr, "scale", 0, 4, 1, 0);
  __cudaRegisterManagedVar(handle, reinterpret_cast<void**>(&counter), nullptr, "counter", 0, 4, 0,
                           0);
  __cudaRegisterFatBinaryEnd(handle);
  __cudaInitModule(handle);
}

/// `kernel<<<grid, block>>>(arguments...)`.
template <class... Arguments>
void launch(const void* kernel, unsigned grid, unsigned block, Arguments... arguments) {
  __cudaPushCallConfiguration(grid, block, 0, nullptr);
  dim3 grid_dim, block_dim;
  size_t shared = 0;
  cudaStream_t stream = nullptr;
  __cudaPopCallConfiguration(&grid_dim, &block_dim, &shared, &stream);
  void* pointers[] = {&arguments...};
  cudaKernel_t handle = nullptr;
  __cudaGetKernel(&handle, kernel);
  __cudaLaunchKernel(handle, grid_dim, block_dim, pointers, shared, stream);
}

}  // namespace hone
