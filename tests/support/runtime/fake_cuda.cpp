#include "tests/support/runtime/fake_cuda.h"

#include "runtime/host_compiler.h"

namespace hone {
namespace {

constexpr const char* fake_driver_source = R"(
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

int fake_device_count = 2, fake_launches, fake_allocations, fake_live_allocations;
int fake_synchronizations, fake_shared_limit = 49152;
int fake_graph_launches, fake_live_graphs, fake_early_launches;
unsigned fake_last_launch[7], fake_last_cluster[3];
int fake_variable;

static char failing[64];
static int failing_result, sticky_result;
static size_t used;
enum { total = 1 << 20 };
static _Alignas(256) char pool[total];  // given out in order, free again when all of it is free

void fake_fail(const char* function, int result) {
  strncpy(failing, function, sizeof failing - 1);
  failing_result = result;
}

static int result_of(const char* function) {
  if (sticky_result) return sticky_result;
  if (strcmp(function, failing)) return 0;
  failing[0] = 0;
  if (failing_result >= 700 && failing_result <= 719 && failing_result != 701)
    sticky_result = failing_result;
  return failing_result;
}

#define CHECKED int failure = result_of(__func__); if (failure) return failure

int cuInit(unsigned flags) { CHECKED; return flags; }
int cuDriverGetVersion(int* version) { *version = 13000; return 0; }
int cuGetErrorName(int code, const char** name) {
  *name = code == 2 ? "CUDA_ERROR_OUT_OF_MEMORY" : code == 100 ? "CUDA_ERROR_NO_DEVICE"
        : code == 700 ? "CUDA_ERROR_ILLEGAL_ADDRESS" : code == 1 ? "CUDA_ERROR_INVALID_VALUE" : 0;
  return *name ? 0 : 1;
}
int cuGetErrorString(int code, const char** text) {
  *text = code == 2 ? "out of memory" : code == 100 ? "no CUDA-capable device is detected"
        : code == 700 ? "an illegal memory access was encountered"
        : code == 1 ? "invalid argument" : 0;
  return *text ? 0 : 1;
}
int cuDeviceGetCount(int* count) { *count = fake_device_count; return 0; }
int cuDeviceGet(int* device, int ordinal) { CHECKED; *device = ordinal; return 0; }
int cuDeviceGetName(char* name, int size, int device) {
  (void)device; strncpy(name, "Fake GPU", size); return 0;
}
int cuDeviceGetAttribute(int* value, int which, int device) {
  (void)device;
  *value = which == 75 ? 9 : which == 76 ? 0 : which == 16 ? 4 : which == 97 ? 100000 : 1024;
  return 0;
}
int cuDeviceTotalMem_v2(size_t* bytes, int device) { (void)device; *bytes = total; return 0; }
int cuDevicePrimaryCtxRetain(void** context, int device) {
  CHECKED; *context = (char*)0 + device + 1; return 0;
}
int cuCtxSetCurrent(void* context) { (void)context; CHECKED; return 0; }
int cuCtxSynchronize(void) { CHECKED; ++fake_synchronizations; return 0; }

int cuMemAlloc_v2(void** memory, size_t bytes) {
  CHECKED;
  if (bytes > total - used) return 2;
  *memory = pool + used;
  used += (bytes + 255) / 256 * 256; ++fake_allocations; ++fake_live_allocations;
  return 0;
}
int cuMemFree_v2(void* memory) {
  (void)memory; CHECKED;
  if (--fake_live_allocations == 0) used = 0;
  return 0;
}
int cuMemGetInfo_v2(size_t* unused, size_t* all) {
  CHECKED; *unused = total - used; *all = total; return 0;
}
int cuMemcpyHtoD_v2(void* to, const void* from, size_t bytes) {
  CHECKED; memcpy(to, from, bytes); return 0;
}
int cuMemcpyDtoH_v2(void* to, const void* from, size_t bytes) {
  CHECKED; memcpy(to, from, bytes); return 0;
}
int cuMemcpyDtoD_v2(void* to, const void* from, size_t bytes) {
  CHECKED; memcpy(to, from, bytes); return 0;
}
int cuMemsetD8_v2(void* memory, unsigned char value, size_t bytes) {
  CHECKED; memset(memory, value, bytes); return 0;
}

int cuModuleLoadDataEx(void** module, const void* image, unsigned count, int* options,
                       void** values) {
  (void)image; (void)count; (void)options;
  int failure = result_of(__func__);
  if (failure) { strcpy(values[0], "ptxas says no"); return failure; }
  *module = malloc(1);
  return 0;
}
int cuModuleUnload(void* module) { CHECKED; free(module); return 0; }
int cuModuleGetFunction(void** function, void* module, const char* name) {
  CHECKED; *function = module; return strcmp(name, "missing") ? 0 : 500;
}
int cuModuleGetGlobal_v2(void** address, size_t* bytes, void* module, const char* name) {
  (void)module; CHECKED; *address = &fake_variable; *bytes = sizeof fake_variable;
  return strcmp(name, "missing") ? 0 : 500;
}
int cuFuncGetAttribute(int* value, int which, void* function) {
  (void)function;
  *value = which == 0 ? 512 : which == 1 ? 1000 : which == 4 ? 128 : which == 8 ? fake_shared_limit : 0;
  return 0;
}
int cuFuncSetAttribute(void* function, int which, int value) {
  (void)function; CHECKED;
  if (which == 8) fake_shared_limit = value;
  return 0;
}
int cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, void* function, int threads,
                                                size_t shared) {
  (void)function; (void)shared; CHECKED; *blocks = 2048 / threads; return 0;
}
int cuLaunchKernel(void* function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                   unsigned bz, unsigned shared, void* stream, void** args, void** extra) {
  (void)function; (void)stream; (void)args; (void)extra;
  CHECKED;
  unsigned dims[7] = {gx, gy, gz, bx, by, bz, shared};
  memcpy(fake_last_launch, dims, sizeof dims);
  ++fake_launches;
  return 0;
}

struct attribute { int id; char padding[4]; int value[3]; char rest[52]; };
struct config { unsigned dims[7]; void* stream; struct attribute* attributes; unsigned count; };

int cuLaunchKernelEx(const struct config* config, void* function, void** args, void** extra) {
  (void)function; (void)args; (void)extra;
  CHECKED;
  enum { cluster_dimension = 4, programmatic_stream_serialization = 6 };
  memcpy(fake_last_launch, config->dims, sizeof fake_last_launch);
  ++fake_launches;
  for (unsigned n = 0; n < config->count; ++n) {
    const struct attribute* one = config->attributes + n;
    if (one->id == programmatic_stream_serialization) fake_early_launches += one->value[0];
    if (one->id == cluster_dimension) memcpy(fake_last_cluster, one->value, sizeof fake_last_cluster);
  }
  return 0;
}

struct node { void* function; unsigned dims[7]; void** args; };  // begins as CUDA's parameters do
struct graph { int count; struct node nodes[8]; };

int cuGraphCreate(struct graph** graph, unsigned flags) {
  (void)flags; CHECKED; *graph = calloc(1, sizeof **graph); ++fake_live_graphs; return 0;
}
int cuGraphAddKernelNode_v2(struct node** added, struct graph* graph, struct node** before,
                            size_t count, const struct node* params) {
  CHECKED;
  if (graph->count == 0 ? count != 0 : *before != &graph->nodes[graph->count - 1]) return 1;
  *added = &graph->nodes[graph->count++]; **added = *params;
  return 0;
}
int cuGraphInstantiateWithFlags(struct graph** made, struct graph* graph, unsigned long long flags) {
  (void)flags; CHECKED; *made = graph; ++fake_live_graphs; return 0;
}
int cuGraphExecKernelNodeSetParams_v2(struct graph* made, struct node* node,
                                      const struct node* params) {
  (void)made; CHECKED; *node = *params; return 0;
}
int cuGraphLaunch(struct graph* made, void* stream) {
  (void)stream; CHECKED;
  for (int n = 0; n < made->count; ++n)
    memcpy(fake_last_launch, made->nodes[n].dims, sizeof fake_last_launch);
  fake_launches += made->count; ++fake_graph_launches;
  return 0;
}
int cuGraphExecDestroy(struct graph* made) { (void)made; --fake_live_graphs; return 0; }
int cuGraphDestroy(struct graph* graph) { free(graph); --fake_live_graphs; return 0; }

int cuEventCreate(void** event, unsigned flags) { (void)flags; CHECKED; *event = malloc(1); return 0; }
int cuEventDestroy_v2(void* event) { free(event); return 0; }
int cuEventRecord(void* event, void* stream) { (void)event; (void)stream; CHECKED; return 0; }
int cuEventSynchronize(void* event) { (void)event; CHECKED; return 0; }
int cuEventElapsedTime(float* milliseconds, void* start, void* stop) {
  (void)start; (void)stop; *milliseconds = 1.5f; return 0;
}
)";

}  // namespace

FakeCuda::FakeCuda()
    : library_(host_compile({fake_driver_source, "fake_cuda", {"-O0"}})),
      driver_(std::make_unique<CudaDriver>(library_)) {}

void FakeCuda::fail(const char* function, int result) {
  library_.function<void(const char*, int)>("fake_fail")(function, result);
}

void FakeCuda::set_device_count(int count) {
  *static_cast<int*>(library_.find("fake_device_count")) = count;
}

int FakeCuda::launches() const { return read_int("fake_launches"); }

int FakeCuda::graph_launches() const { return read_int("fake_graph_launches"); }

int FakeCuda::early_launches() const { return read_int("fake_early_launches"); }

int FakeCuda::live_graphs() const { return read_int("fake_live_graphs"); }

std::array<unsigned, 7> FakeCuda::last_launch() const {
  return *static_cast<std::array<unsigned, 7>*>(library_.find("fake_last_launch"));
}

std::array<unsigned, 3> FakeCuda::last_cluster() const {
  return *static_cast<std::array<unsigned, 3>*>(library_.find("fake_last_cluster"));
}

int FakeCuda::variable() const { return read_int("fake_variable"); }

int FakeCuda::allocations() const { return read_int("fake_allocations"); }

int FakeCuda::synchronizations() const { return read_int("fake_synchronizations"); }

int FakeCuda::live_allocations() const { return read_int("fake_live_allocations"); }

int FakeCuda::dynamic_shared_limit() const { return read_int("fake_shared_limit"); }

int FakeCuda::read_int(const char* variable) const {
  return *static_cast<int*>(library_.find(variable));
}

}  // namespace hone
