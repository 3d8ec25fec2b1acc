// Graphs: captured from streams, or made node by node.
#include "runtime/cudart/copies.h"
#include "runtime/cudart/launches.h"

namespace hone::cudart {
namespace {

struct Dependencies {
  const cudaGraphNode_t* nodes;
  size_t count;
};

cudaError_t add_to(cudaGraphNode_t* node, cudaGraph_t graph, const Dependencies& dependencies,
                   cudaGraphNodeType type, llvm::function_ref<Work(State&)> work) {
  return call([&](State& state) {
    std::vector<GraphNode*> before(dependencies.nodes, dependencies.nodes + dependencies.count);
    *given(node) = add_node(state.graphs.find(graph), type, work(state), std::move(before));
  });
}

Work kernel_work(State& state, const cudaKernelNodeParams& params) {
  const dim3 grid = params.gridDim, block = params.blockDim;
  Launch launch = make_launch(
      state, params.func,
      {{grid.x, grid.y, grid.z}, {block.x, block.y, block.z}, {1, 1, 1}, params.sharedMemBytes},
      params.kernelParams);
  return [launch = std::move(launch)](State& then) { run(then, launch); };
}

Work copy_work(const Copy& copy) {
  return [copy](State& then) { run(then, copy); };
}

Work fill_work(const cudaMemsetParams& params) {
  const Fill fill = {"a memset node of a graph",
                     {params.dst, params.pitch},
                     {params.width * params.elementSize, params.height},
                     params.value,
                     static_cast<int>(params.elementSize)};
  return [fill](State& then) { run(then, fill); };
}

Work host_work(const cudaHostNodeParams& params) {
  return [params](State&) { params.fn(params.userData); };
}

cudaError_t set_work(cudaGraphNode_t node, llvm::function_ref<Work(State&)> work) {
  return call([&](State& state) { given(node)->work = work(state); });
}

CUgraphExec_st::Step& step_of(State& state, cudaGraphExec_t executable, cudaGraphNode_t node) {
  for (CUgraphExec_st::Step& step : state.executables.find(executable).steps)
    if (step.node == node) return step;
  throw CallError(cudaErrorInvalidValue);
}

cudaError_t set_step(cudaGraphExec_t executable, cudaGraphNode_t node,
                     llvm::function_ref<Work(State&)> work) {
  return call([&](State& state) { step_of(state, executable, node).work = work(state); });
}

/// Puts as many nodes to `result` as it has room for, or only says how many there are.
void give_nodes(const std::vector<GraphNode*>& nodes, cudaGraphNode_t* result, size_t* count) {
  if (result) std::copy_n(nodes.begin(), std::min(nodes.size(), *given(count)), result);
  *given(count) = nodes.size();
}

}  // namespace
extern "C" {

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode) {
  return call([&](State& state) {
    Stream& captured = state.stream(stream);
    if (!stream || captured.captures_to) throw CallError(cudaErrorStreamCaptureUnsupported);
    captured.captures_to = state.graphs.make();
    captured.began_capture = true;
  });
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  return call([&](State& state) {
    Stream& captured = state.stream(stream);
    if (!captured.captures_to || !captured.began_capture) throw CallError(cudaErrorIllegalState);
    Graph* const made = *given(graph) = captured.captures_to;
    state.streams.for_each([&](Stream& other) {
      if (other.captures_to != made) return;
      other.captures_to = nullptr;
      other.captured.clear();
      other.began_capture = false;
    });
  });
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
  return call([&](State& state) {
    *given(status) = state.stream(stream).captures_to ? cudaStreamCaptureStatusActive
                                                      : cudaStreamCaptureStatusNone;
  });
}

cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
  return call([&](State&) { *given(mode) = cudaStreamCaptureModeGlobal; });
}

cudaError_t cudaGraphCreate(cudaGraph_t* graph, unsigned) {
  return call([&](State& state) { *given(graph) = state.graphs.make(); });
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  return call([&](State& state) { state.graphs.destroy(graph); });
}

cudaError_t cudaGraphClone(cudaGraph_t* clone, cudaGraph_t original) {
  return call([&](State& state) {
    const Graph& from = state.graphs.find(original);
    *given(clone) = state.graphs.make();
    copy_nodes(from, **clone);
  });
}

cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                  const cudaGraphNode_t* before, size_t count) {
  return add_to(node, graph, {before, count}, cudaGraphNodeTypeEmpty,
                [](State&) { return Work([](State&) {}); });
}

cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                   const cudaGraphNode_t* before, size_t count,
                                   const cudaKernelNodeParams* params) {
  return add_to(node, graph, {before, count}, cudaGraphNodeTypeKernel,
                [&](State& state) { return kernel_work(state, *given(params)); });
}

cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                   const cudaGraphNode_t* before, size_t count,
                                   const cudaMemcpy3DParms* params) {
  return add_to(node, graph, {before, count}, cudaGraphNodeTypeMemcpy, [&](State& state) {
    return copy_work(copy_of(state, "a memcpy node of a graph", *given(params)));
  });
}

cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t* node, cudaGraph_t graph,
                                     const cudaGraphNode_t* before, size_t count, void* to,
                                     const void* from, size_t bytes, cudaMemcpyKind kind) {
  return add_to(node, graph, {before, count}, cudaGraphNodeTypeMemcpy, [&](State&) {
    return copy_work({"a memcpy node of a graph", {to}, {from}, {bytes}, kind});
  });
}

cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                   const cudaGraphNode_t* before, size_t count,
                                   const cudaMemsetParams* params) {
  return add_to(node, graph, {before, count}, cudaGraphNodeTypeMemset,
                [&](State&) { return fill_work(*given(params)); });
}

cudaError_t cudaGraphAddHostNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                 const cudaGraphNode_t* before, size_t count,
                                 const cudaHostNodeParams* params) {
  return add_to(node, graph, {before, count}, cudaGraphNodeTypeHost,
                [&](State&) { return host_work(*given(params)); });
}

cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                     const cudaGraphNode_t* before, size_t count,
                                     cudaMemAllocNodeParams* params) {
  return add_to(node, graph, {before, count}, cudaGraphNodeTypeMemAlloc, [&](State& state) {
    const auto bytes = static_cast<int64_t>(given(params)->bytesize);
    const char* const name = "a memory node of a graph";
    params->dptr = bytes_at(state.allocations.allocate(bytes, Origin::graph, name));
    return Work([](State&) {});
  });
}

/// The memory stays that of the graph.
cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                    const cudaGraphNode_t* before, size_t count, void* memory) {
  return add_to(node, graph, {before, count}, cudaGraphNodeTypeMemFree, [&](State& state) {
    if (!state.allocations.find(reinterpret_cast<uint64_t>(memory)))
      throw CallError(cudaErrorInvalidValue);
    return Work([](State&) {});
  });
}

cudaError_t cudaDeviceGraphMemTrim(int) {
  return call([](State&) {});
}

cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                       const cudaGraphNode_t* before, size_t count,
                                       cudaGraph_t child) {
  return add_to(node, graph, {before, count}, cudaGraphNodeTypeGraph, [&](State& state) {
    return Work([steps = steps_of(state.graphs.find(child))](State& then) {
      for (const CUgraphExec_st::Step& step : steps) step.work(then);
    });
  });
}

cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node, const cudaKernelNodeParams* params) {
  return set_work(node, [&](State& state) { return kernel_work(state, *given(params)); });
}

cudaError_t cudaGraphMemsetNodeSetParams(cudaGraphNode_t node, const cudaMemsetParams* params) {
  return set_work(node, [&](State&) { return fill_work(*given(params)); });
}

cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                             const cudaKernelNodeParams* params) {
  return set_step(executable, node,
                  [&](State& state) { return kernel_work(state, *given(params)); });
}

cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t executable, cudaGraphNode_t node,
                                               void* to, const void* from, size_t bytes,
                                               cudaMemcpyKind kind) {
  return set_step(executable, node, [&](State&) {
    return copy_work({"a memcpy node of a graph", {to}, {from}, {bytes}, kind});
  });
}

cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                             const cudaMemsetParams* params) {
  return set_step(executable, node, [&](State&) { return fill_work(*given(params)); });
}

cudaError_t cudaGraphAddDependencies(cudaGraph_t, const cudaGraphNode_t* from,
                                     const cudaGraphNode_t* to, const cudaGraphEdgeData*,
                                     size_t count) {
  return call([&](State&) {
    for (size_t n = 0; n < count; ++n) to[n]->dependencies.push_back(from[n]);
  });
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, size_t* count) {
  return call([&](State& state) {
    std::vector<GraphNode*> all;
    for (const auto& node : state.graphs.find(graph).nodes) all.push_back(node.get());
    give_nodes(all, nodes, count);
  });
}

cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, size_t* count) {
  return call([&](State& state) {
    std::vector<GraphNode*> roots;
    for (const auto& node : state.graphs.find(graph).nodes)
      if (node->dependencies.empty()) roots.push_back(node.get());
    give_nodes(roots, nodes, count);
  });
}

cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, cudaGraphNodeType* type) {
  return call([&](State&) { *given(type) = given(node)->type; });
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph,
                                 unsigned long long flags) {
  return call([&](State& state) {
    std::vector<CUgraphExec_st::Step> steps = steps_of(state.graphs.find(graph));
    *given(executable) = state.executables.make();
    (*executable)->steps = std::move(steps);
    (*executable)->flags = flags;
  });
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* executable, cudaGraph_t graph,
                                          unsigned long long flags) {
  return cudaGraphInstantiate(executable, graph, flags);
}

cudaError_t cudaGraphExecUpdate(cudaGraphExec_t executable, cudaGraph_t graph,
                                cudaGraphExecUpdateResultInfo* result) {
  return call([&](State& state) {
    ExecutableGraph& updated = state.executables.find(executable);
    std::vector<CUgraphExec_st::Step> steps = steps_of(state.graphs.find(graph));
    using Step = CUgraphExec_st::Step;
    const bool is_equal = std::ranges::equal(steps, updated.steps, {}, &Step::type, &Step::type);
    *given(result) = {};
    result->result =
        is_equal ? cudaGraphExecUpdateSuccess : cudaGraphExecUpdateErrorTopologyChanged;
    if (!is_equal) throw CallError(cudaErrorGraphExecUpdateFailure);
    updated.steps = std::move(steps);
  });
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable) {
  return call([&](State& state) { state.executables.destroy(executable); });
}

cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t executable, cudaGraphNode_t node,
                                    unsigned is_enabled) {
  return call([&](State& state) { step_of(state, executable, node).is_enabled = is_enabled != 0; });
}

cudaError_t cudaGraphUpload(cudaGraphExec_t executable, cudaStream_t) {
  return call([&](State& state) { state.executables.find(executable); });
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t stream) {
  return call([&](State& state) {
    state.stream(stream);
    for (const CUgraphExec_st::Step& step : state.executables.find(executable).steps)
      if (step.is_enabled) state.run(step.work);
  });
}
}  // extern "C"

}  // namespace hone::cudart
