#include "runtime/cuda/launch_graph.h"

#include "runtime/cuda/cuda_api.h"
#include "runtime/cuda/cuda_driver.h"

namespace hone {
namespace {

CUDA_KERNEL_NODE_PARAMS params_of(const CudaLaunch& launch) {
  CUDA_KERNEL_NODE_PARAMS params = {};
  params.func = static_cast<CUfunction>(launch.function->handle());
  set_shape(params, launch.dims);
  params.kernelParams = const_cast<void**>(launch.args.data());
  return params;
}

/// An empty graph.
std::shared_ptr<void> make_graph(const CudaContext& context) {
  CUgraph graph = nullptr;
  context.check(context.api().create_graph(&graph, 0), "cuGraphCreate");
  return {graph, [&context](void* made) {
            if (context.alive()) context.api().destroy_graph(static_cast<CUgraph>(made));
          }};
}

/// A chain of nodes.
llvm::SmallVector<void*, 4> add_nodes(const CudaContext& context, CUgraph graph,
                                      llvm::ArrayRef<CudaLaunch> launches) {
  llvm::SmallVector<void*, 4> nodes;
  CUgraphNode before = nullptr;
  for (const CudaLaunch& launch : launches) {
    CUgraphNode node = nullptr;
    const CUDA_KERNEL_NODE_PARAMS params = params_of(launch);
    context.check(context.api().add_kernel_node(&node, graph, &before, before ? 1 : 0, &params),
                  "cuGraphAddKernelNode", launch.function->describe(launch.dims));
    nodes.push_back(before = node);
  }
  return nodes;
}

std::shared_ptr<void> instantiate(const CudaContext& context, CUgraph graph) {
  CUgraphExec executable = nullptr;
  context.check(context.api().instantiate_graph(&executable, graph, 0), "cuGraphInstantiate");
  return {executable, [&context](void* made) {
            if (context.alive())
              context.api().destroy_executable_graph(static_cast<CUgraphExec>(made));
          }};
}

void change_node(const CudaContext& context, CUgraphExec executable, void* node,
                 const CudaLaunch& launch) {
  const CUDA_KERNEL_NODE_PARAMS params = params_of(launch);
  context.check(context.api().set_kernel_node(executable, static_cast<CUgraphNode>(node), &params),
                "cuGraphExecKernelNodeSetParams", launch.function->describe(launch.dims));
}

}  // namespace

void LaunchGraph::launch(llvm::ArrayRef<CudaLaunch> launches) {
  const CudaContext& context = launches.front().function->context();
  for (const CudaLaunch& launch : launches) launch.function->prepare(launch.dims);

  const std::lock_guard lock(mutex_);
  if (!executable_) {
    graph_ = make_graph(context);
    nodes_ = add_nodes(context, static_cast<CUgraph>(graph_.get()), launches);
    executable_ = instantiate(context, static_cast<CUgraph>(graph_.get()));
  } else {
    assert(nodes_.size() == launches.size() && "all calls are for the same functions");
    for (size_t n = 0; n < launches.size(); ++n)
      change_node(context, static_cast<CUgraphExec>(executable_.get()), nodes_[n], launches[n]);
  }
  context.check(context.api().launch_graph(static_cast<CUgraphExec>(executable_.get()), nullptr),
                "cuGraphLaunch", launches.front().function->name() + " and those after it");
  for (const CudaLaunch& launch : launches) context.launched(launch.function->name());
}

}  // namespace hone
