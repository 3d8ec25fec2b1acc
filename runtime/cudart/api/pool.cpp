// Pools of memory. All memory comes from one place, so a pool only remembers what it is told.
#include "runtime/cudart/state.h"

struct CUmemPoolHandle_st {
  std::map<cudaMemPoolAttr, uint64_t> attributes;
};

namespace hone::cudart {
namespace {

Handles<CUmemPoolHandle_st> made_pools;
CUmemPoolHandle_st default_pool;

CUmemPoolHandle_st& pool_of(cudaMemPool_t handle) {
  return handle == &default_pool ? default_pool : made_pools.find(handle);
}

bool is_flag(cudaMemPoolAttr attribute) {
  return attribute <= cudaMemPoolReuseAllowInternalDependencies;
}

}  // namespace
extern "C" {

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int) {
  return call([&](State&) { *given(pool) = &default_pool; });
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t* pool, int) {
  return cudaDeviceGetDefaultMemPool(pool, 0);
}

cudaError_t cudaDeviceSetMemPool(int, cudaMemPool_t pool) {
  return call([&](State&) { pool_of(pool); });
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t* pool, const cudaMemPoolProps*) {
  return call([&](State&) { *given(pool) = made_pools.make(); });
}

cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool) {
  return call([&](State&) { made_pools.destroy(pool); });
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t) {
  return call([&](State&) { pool_of(pool); });
}

cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const cudaMemAccessDesc*, size_t) {
  return call([&](State&) { pool_of(pool); });
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value) {
  return call([&](State&) {
    pool_of(pool).attributes[attribute] = is_flag(attribute)
                                              ? *static_cast<const int*>(given(value))
                                              : *static_cast<const uint64_t*>(given(value));
  });
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value) {
  return call([&](State& state) {
    uint64_t found = pool_of(pool).attributes[attribute];
    if (attribute >= cudaMemPoolAttrReservedMemCurrent) found = state.allocations.bytes();
    if (is_flag(attribute))
      *static_cast<int*>(given(value)) = static_cast<int>(found);
    else
      *static_cast<uint64_t*>(given(value)) = found;
  });
}
}  // extern "C"

}  // namespace hone::cudart
