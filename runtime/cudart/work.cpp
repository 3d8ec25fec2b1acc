#include "runtime/cudart/work.h"

#include <map>
#include <set>

namespace hone::cudart {

GraphNode* add_node(Graph& graph, cudaGraphNodeType type, Work work,
                    std::vector<GraphNode*> dependencies) {
  graph.nodes.push_back(std::make_unique<GraphNode>(
      GraphNode{type, std::move(work), std::move(dependencies), &graph}));
  return graph.nodes.back().get();
}

std::vector<const GraphNode*> in_order(const Graph& graph) {
  std::vector<const GraphNode*> order;
  std::set<const GraphNode*> placed;
  const auto is_ready = [&](const GraphNode& node) {
    return std::ranges::all_of(node.dependencies,
                               [&](const GraphNode* other) { return placed.contains(other); });
  };
  for (size_t before = graph.nodes.size() + 1; before != order.size();) {
    before = order.size();
    for (const auto& node : graph.nodes)
      if (!placed.contains(node.get()) && is_ready(*node)) {
        placed.insert(node.get());
        order.push_back(node.get());
      }
  }
  if (order.size() != graph.nodes.size())
    throw CallError(cudaErrorInvalidValue, "the nodes of a graph depend on each other in a circle");
  return order;
}

void copy_nodes(const Graph& from, Graph& to) {
  std::map<const GraphNode*, GraphNode*> copies;
  for (const GraphNode* node : in_order(from)) {
    std::vector<GraphNode*> dependencies;
    for (const GraphNode* other : node->dependencies) dependencies.push_back(copies.at(other));
    copies[node] = add_node(to, node->type, node->work, std::move(dependencies));
  }
}

std::vector<CUgraphExec_st::Step> steps_of(const Graph& graph) {
  std::vector<CUgraphExec_st::Step> steps;
  for (const GraphNode* node : in_order(graph)) steps.push_back({node, node->type, node->work});
  return steps;
}

}  // namespace hone::cudart
